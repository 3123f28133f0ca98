// Indices with generations: the smallest free index is not sought, the last freed one is used again first.
#pragma once

#include "base/array.h"

#include <cstddef>
#include <cstdint>

namespace moraine
{

class IdPool
{
public:
    uint32_t create()
    {
        if (free_.empty())
        {
            generations_.push_back(1);
            return uint32_t(generations_.size() - 1);
        }
        const uint32_t index = free_.back();
        free_.pop_back();
        ++generations_[index]; // odd: alive
        return index;
    }
    void destroy(uint32_t index)
    {
        ++generations_[index];
        free_.push_back(index);
    }
    bool is_alive(uint32_t index) const { return index < generations_.size() && (generations_[index] & 1u); }
    bool is_valid(uint32_t index, uint32_t generation) const
    {
        return is_alive(index) && generations_[index] == generation;
    }
    uint32_t generation(uint32_t index) const { return generations_[index]; }
    uint32_t capacity() const { return uint32_t(generations_.size()); }
    uint32_t count() const { return uint32_t(generations_.size() - free_.size()); }

    template <class Archive>
    void archive(Archive& a)
    {
        a(generations_);
        a(free_);
    }

private:
    Array<uint32_t> generations_;
    Array<uint32_t> free_;
};

} // namespace moraine
