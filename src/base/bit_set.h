// Bits that are set in parallel and read in index order.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace moraine
{

class BitSet
{
public:
    // All clear, room for `count` bits.
    void reset(int count) { words_.assign(size_t(count + 63) / 64, 0); }
    void set(int i) { words_[size_t(i) >> 6] |= 1ull << (i & 63); }
    // From several threads at once.
    void set_shared(int i)
    {
        std::atomic_ref<uint64_t>(words_[size_t(i) >> 6]).fetch_or(1ull << (i & 63), std::memory_order_relaxed);
    }
    bool has(int i) const { return (words_[size_t(i) >> 6] >> (i & 63)) & 1; }

    template <class Visit>
    void for_each_set(Visit&& visit) const
    {
        for (size_t w = 0; w < words_.size(); ++w)
            for (uint64_t bits = words_[w]; bits != 0; bits &= bits - 1)
                visit(int(w * 64) + std::countr_zero(bits));
    }

private:
    std::vector<uint64_t> words_;
};

} // namespace moraine
