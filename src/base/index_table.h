// A hash table of indices. What they stand for is kept elsewhere, by whoever owns it: it gives the hashes and compares.
#pragma once

#include "base/array.h"

#include <cstddef>
#include <cstdint>

namespace moraine
{

class IndexTable
{
public:
    static constexpr int32_t none = -1;

    // `is_it(index)` is asked for the few whose place is near.
    template <class IsIt>
    int32_t find(uint64_t hash, IsIt&& is_it) const
    {
        if (slots_.empty())
            return none;
        for (size_t i = home(hash); slots_[i] != none; i = next(i))
            if (is_it(slots_[i]))
                return slots_[i];
        return none;
    }
    // `hash_of(index)` for those that are in the table already: they may have to move.
    template <class HashOf>
    void insert(uint64_t hash, int32_t index, HashOf&& hash_of)
    {
        if ((count_ + 1) * 4 > slots_.size() * 3)
            resize(slots_.empty() ? 16 : slots_.size() * 3 / 2, hash_of);
        place(hash, index);
        ++count_;
    }
    // Room for so many without growing.
    template <class HashOf>
    void reserve(size_t count, HashOf&& hash_of)
    {
        if (count * 4 > slots_.size() * 3)
            resize(count * 4 / 3 + 2, hash_of);
    }
    template <class HashOf>
    void erase(uint64_t hash, int32_t index, HashOf&& hash_of)
    {
        if (slots_.empty())
            return;
        size_t i = home(hash);
        while (slots_[i] != index)
        {
            if (slots_[i] == none)
                return;
            i = next(i);
        }
        --count_;
        // Move back what the gap would cut off from its home.
        for (size_t j = next(i); slots_[j] != none; j = next(j))
            if (way(home(hash_of(slots_[j])), j) >= way(i, j))
            {
                slots_[i] = slots_[j];
                i = j;
            }
        slots_[i] = none;
    }
    size_t size() const { return count_; }

    template <class Archive>
    void archive(Archive& a)
    {
        a(slots_), a(count_);
    }

private:
    // Any number of slots will do: the hash is taken as a share of them.
    size_t home(uint64_t hash) const { return size_t(((hash & 0xffffffff) * slots_.size()) >> 32); }
    size_t next(size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }
    size_t way(size_t from, size_t to) const { return to >= from ? to - from : to + slots_.size() - from; }
    void place(uint64_t hash, int32_t index)
    {
        size_t i = home(hash);
        while (slots_[i] != none)
            i = next(i);
        slots_[i] = index;
    }
    template <class HashOf>
    void resize(size_t slot_count, HashOf&& hash_of)
    {
        Array<int32_t> old(slot_count, none);
        old.swap(slots_);
        for (int32_t index : old)
            if (index != none)
                place(hash_of(index), index);
    }

    Array<int32_t> slots_;
    size_t count_ = 0;
};

} // namespace moraine
