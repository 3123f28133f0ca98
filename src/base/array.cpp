#include "base/array.h"

#include <atomic>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#endif

namespace moraine
{

namespace
{
std::atomic<uint64_t> allocations{0};
} // namespace

uint64_t page_allocation_count() { return allocations.load(std::memory_order_relaxed); }

#if defined(__unix__) || defined(__APPLE__)

void* allocate_pages(size_t bytes)
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::bad_alloc();
    return memory;
}

void free_pages(void* memory, size_t bytes) { munmap(memory, bytes); }

#else

void* allocate_pages(size_t bytes)
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    return ::operator new(bytes, std::align_val_t(4096));
}

void free_pages(void* memory, size_t) { ::operator delete(memory, std::align_val_t(4096)); }

#endif

} // namespace moraine
