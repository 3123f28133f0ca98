#include "base/arena.h"

#include <algorithm>

namespace moraine
{

namespace
{
constexpr size_t alignment = 64; // a cache line, and two lanes
constexpr size_t smallest_block = 1 << 14;
} // namespace

void* Arena::allocate_bytes(size_t bytes)
{
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (blocks_.empty() || offset_ + bytes > blocks_.back().size)
        add_block(std::max({bytes, smallest_block, blocks_.empty() ? 0 : blocks_.back().size / 2}));
    void* p = blocks_.back().memory.get() + offset_;
    offset_ += bytes;
    used_ += bytes;
    return p;
}

void Arena::reset()
{
    if (blocks_.size() > 1)
    {
        blocks_.clear();
        add_block(used_ + used_ / 8);
    }
    offset_ = 0;
    used_ = 0;
}

size_t Arena::capacity() const
{
    size_t total = 0;
    for (const Block& b : blocks_)
        total += b.size;
    return total;
}

void Arena::add_block(size_t size)
{
    auto* memory = static_cast<std::byte*>(::operator new[](size, std::align_val_t(alignment)));
    blocks_.push_back({std::unique_ptr<std::byte[], Free>(memory), size});
    offset_ = 0;
}

} // namespace moraine
