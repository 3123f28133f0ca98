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
    void reset(); // keeps one block that holds as much as was used at once
    size_t used() const { return used_; }
    size_t most_used() const { return most_used_; } // at once, since the last reset
    size_t capacity() const;

    // A place to go back to: what was allocated since is given back.
    struct Mark
    {
        size_t block_count, offset, used;
    };
    Mark mark() const { return {blocks_.size(), offset_, used_}; }
    void rewind(const Mark& mark);

private:
    using Block = Array<std::byte>; // never resized: only its memory is used

    void add_block(size_t size);

    std::vector<Block> blocks_;
    size_t offset_ = 0; // in the last block
    size_t used_ = 0;
    size_t most_used_ = 0; // since the last reset
};

// Gives back what is allocated while it lives.
class ArenaScope
{
public:
    explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
    ~ArenaScope() { arena_.rewind(mark_); }
    ArenaScope(const ArenaScope&) = delete;
    ArenaScope& operator=(const ArenaScope&) = delete;

private:
    Arena& arena_;
    Arena::Mark mark_;
};

} // namespace moraine
