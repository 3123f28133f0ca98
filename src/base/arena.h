// Scratch memory that is given back all at once. Warm, it never calls the heap.
#pragma once

#include "base/array.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace moraine
{

class Arena
{
public:
    // Not initialised. The memory stays where it is until `reset`.
    template <class T>
    std::span<T> allocate(size_t count)
    {
        static_assert(std::is_trivially_destructible_v<T>);
        return {static_cast<T*>(allocate_bytes(count * sizeof(T))), count};
    }
    template <class T>
    std::span<T> allocate_zeroed(size_t count)
    {
        std::span<T> s = allocate<T>(count);
        for (T& t : s)
            t = T{};
        return s;
    }

    void* allocate_bytes(size_t bytes);
    void reset(); // keeps one block that holds as much as was used
    size_t used() const { return used_; }
    size_t capacity() const;

private:
    using Block = Array<std::byte>; // never resized: only its memory is used

    void add_block(size_t size);

    std::vector<Block> blocks_;
    size_t offset_ = 0; // in the last block
    size_t used_ = 0;
};

} // namespace moraine
