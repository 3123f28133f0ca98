// The shapes of bodies. Bodies whose shapes are alike share them: most scenes have many bodies and few shapes.
#pragma once

#include "base/index_table.h"
#include "base/range_pool.h"
#include "geometry/shape.h"

#include <span>

namespace moraine
{

class ShapeRuns
{
public:
    struct Shared
    {
        int32_t first = 0;
        bool is_new = false;
    };
    // Where shapes like these are: the body that asks has a share in them.
    Shared share(std::span<const Shape> shapes);
    bool is_last_share(int32_t first) const { return runs_[size_t(first)].uses == 1; }
    void release(int32_t first, int32_t count); // one share

    const Shape& operator[](int32_t i) const { return shapes_[i]; }
    std::span<const Shape> range(int32_t first, int32_t count) const { return shapes_.range(first, count); }
    std::span<Shape> range(int32_t first, int32_t count) { return shapes_.range(first, count); }

    // Counts of shares and where runs are found follow from who uses them: told again for each body after reading.
    template <class Archive>
    void archive(Archive& a)
    {
        a(shapes_);
    }
    void add_user(int32_t first, int32_t count);

private:
    struct Run
    {
        int32_t count = 0;
        int32_t uses = 0;
    };
    uint64_t hash_of(int32_t first) const;
    Run& run_at(int32_t first);

    RangePool<Shape> shapes_;
    Array<Run> runs_; // by first shape
    IndexTable known_;
};

} // namespace moraine
