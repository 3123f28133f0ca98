// Open-addressing map from a pair of indices, in any order, to an index.
#pragma once

#include "base/array.h"
#include "base/hash.h"

#include <cstddef>
#include <cstdint>

namespace moraine
{

// The keys are not kept: whoever owns the values can tell which pair a value is of. `is_pair(value)` says whether it is the
// pair sought; it is asked only where the hashes agree.
class PairMap
{
public:
    static constexpr int32_t none = -1;

    template <class IsPair>
    int32_t find(int32_t a, int32_t b, IsPair&& is_pair) const
    {
        if (slots_.empty())
            return none;
        const uint32_t tag = tag_of(a, b);
        for (size_t i = home(tag); slots_[i].value != none; i = next(i))
            if (slots_[i].tag == tag && is_pair(slots_[i].value))
                return slots_[i].value;
        return none;
    }
    void insert(int32_t a, int32_t b, int32_t value)
    {
        if ((count_ + 1) * 4 > slots_.size() * 3)
            grow();
        place({tag_of(a, b), value});
        ++count_;
    }
    void erase(int32_t a, int32_t b, int32_t value)
    {
        if (slots_.empty())
            return;
        size_t i = home(tag_of(a, b));
        while (slots_[i].value != value)
        {
            if (slots_[i].value == none)
                return;
            i = next(i);
        }
        --count_;
        // Move back what the gap would cut off from its home.
        for (size_t j = next(i); slots_[j].value != none; j = next(j))
        {
            const size_t h = home(slots_[j].tag);
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
        uint32_t tag = 0;
        int32_t value = none;
    };
    static uint32_t tag_of(int32_t a, int32_t b) { return uint32_t(mix(a < b ? pack(a, b) : pack(b, a)) >> 32); }
    static uint64_t pack(int32_t a, int32_t b) { return (uint64_t(uint32_t(a)) << 32) | uint32_t(b); }
    size_t home(uint32_t tag) const { return tag & (slots_.size() - 1); }
    size_t next(size_t i) const { return (i + 1) & (slots_.size() - 1); }
    void place(Slot slot)
    {
        size_t i = home(slot.tag);
        while (slots_[i].value != none)
            i = next(i);
        slots_[i] = slot;
    }
    void grow()
    {
        Array<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& s : old)
            if (s.value != none)
                place(s);
    }

    Array<Slot> slots_;
    uint64_t count_ = 0;
};

} // namespace moraine
