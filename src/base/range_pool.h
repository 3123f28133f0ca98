// Short runs of elements in one array: a run keeps its place until it is freed, and freed runs are used again by runs of
// the same length.
#pragma once

#include "base/array.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace moraine
{

template <class T>
class RangePool
{
public:
    int32_t allocate(int32_t count)
    {
        if (count == 0)
            return 0;
        auto it = free_.find(count);
        if (it != free_.end() && !it->second.empty())
        {
            const int32_t first = it->second.back();
            it->second.pop_back();
            return first;
        }
        const int32_t first = int32_t(items_.size());
        items_.resize(items_.size() + std::size_t(count));
        return first;
    }
    void release(int32_t first, int32_t count)
    {
        if (count > 0)
            free_[count].push_back(first);
    }
    std::span<T> range(int32_t first, int32_t count) { return {items_.data() + first, std::size_t(count)}; }
    std::span<const T> range(int32_t first, int32_t count) const { return {items_.data() + first, std::size_t(count)}; }
    T& operator[](int32_t i) { return items_[std::size_t(i)]; }
    const T& operator[](int32_t i) const { return items_[std::size_t(i)]; }

    template <class Archive>
    void archive(Archive& a)
    {
        a(items_);
        a(free_);
    }

private:
    Array<T> items_;
    std::map<int32_t, std::vector<int32_t>> free_;
};

} // namespace moraine
