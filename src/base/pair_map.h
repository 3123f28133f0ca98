// Open-addressing map from a pair of indices (smaller first) to an index.
#pragma once

#include "base/array.h"
#include "base/hash.h"

#include <cstddef>
#include <cstdint>

namespace moraine
{

class PairMap
{
public:
    static constexpr int32_t none = -1;

    int32_t find(int32_t a, int32_t b) const
    {
        if (slots_.empty())
            return none;
        for (size_t i = home(key(a, b));; i = next(i))
        {
            if (slots_[i].value == none)
                return none;
            if (slots_[i].key == key(a, b))
                return slots_[i].value;
        }
    }
    void insert(int32_t a, int32_t b, int32_t value)
    {
        if ((count_ + 1) * 4 > slots_.size() * 3)
            grow();
        place(key(a, b), value);
        ++count_;
    }
    void erase(int32_t a, int32_t b)
    {
        size_t i = home(key(a, b));
        while (slots_[i].key != key(a, b) || slots_[i].value == none)
        {
            if (slots_[i].value == none)
                return;
            i = next(i);
        }
        --count_;
        // Move back what the gap would cut off from its home.
        for (size_t j = next(i); slots_[j].value != none; j = next(j))
        {
            const size_t h = home(slots_[j].key);
            if (((j - h) & (slots_.size() - 1)) >= ((j - i) & (slots_.size() - 1)))
            {
                slots_[i] = slots_[j];
                i = j;
            }
        }
        slots_[i] = {};
    }
    size_t size() const { return count_; }

    template <class Archive>
    void archive(Archive& a)
    {
        a(slots_);
        a(count_);
    }

private:
    struct Slot
    {
        uint64_t key = 0;
        int64_t value = none;
    };
    static uint64_t key(int32_t a, int32_t b) { return a < b ? pack(a, b) : pack(b, a); }
    static uint64_t pack(int32_t a, int32_t b) { return (uint64_t(uint32_t(a)) << 32) | uint32_t(b); }
    size_t home(uint64_t k) const { return mix(k) & (slots_.size() - 1); }
    size_t next(size_t i) const { return (i + 1) & (slots_.size() - 1); }
    void place(uint64_t k, int64_t value)
    {
        size_t i = home(k);
        while (slots_[i].value != none)
            i = next(i);
        slots_[i] = {k, value};
    }
    void grow()
    {
        Array<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& s : old)
            if (s.value != none)
                place(s.key, s.value);
    }

    Array<Slot> slots_;
    uint64_t count_ = 0;
};

} // namespace moraine
