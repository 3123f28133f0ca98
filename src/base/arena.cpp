#include "base/arena.h"

#include <algorithm>

namespace moraine
{

namespace
{
constexpr size_t alignment = 64;           // a cache line, and two lanes
constexpr size_t smallest_block = 1 << 16; // whole pages, so that blocks begin on a line
} // namespace

void* Arena::allocate_bytes(size_t bytes)
{
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (blocks_.empty() || offset_ + bytes > blocks_.back().capacity())
        add_block(std::max({bytes, smallest_block, blocks_.empty() ? 0 : blocks_.back().capacity() / 2}));
    void* p = blocks_.back().data() + offset_;
    offset_ += bytes;
    used_ += bytes;
    most_used_ = std::max(most_used_, used_);
    return p;
}

void Arena::reset()
{
    if (blocks_.size() > 1)
    {
        blocks_.clear();
        add_block(most_used_ + most_used_ / 8);
    }
    offset_ = 0;
    used_ = 0;
    most_used_ = 0;
}

// Blocks that were added since stay as they are: the next reset makes one of all.
void Arena::rewind(const Mark& mark)
{
    if (blocks_.size() == mark.block_count)
        offset_ = mark.offset;
    used_ = mark.used;
}

size_t Arena::capacity() const
{
    size_t total = 0;
    for (const Block& b : blocks_)
        total += b.capacity();
    return total;
}

void Arena::add_block(size_t size)
{
    blocks_.emplace_back().reserve(size);
    offset_ = 0;
}

} // namespace moraine
