// Arrays that grow large. Their memory comes from the system in whole pages: what is not used yet is not resident, and
// what is outgrown goes back at once instead of staying behind as holes in the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace moraine
{

void* allocate_pages(size_t bytes); // throws std::bad_alloc
void free_pages(void* memory, size_t bytes);
// Since the program began: a warm step must not raise it.
uint64_t page_allocation_count();

template <class T>
struct PageAllocator
{
    using value_type = T;
    static constexpr size_t from_bytes = 1 << 15; // smaller arrays are left to the heap

    PageAllocator() = default;
    template <class U>
    PageAllocator(const PageAllocator<U>&)
    {}
    T* allocate(size_t count)
    {
        const size_t bytes = count * sizeof(T);
        if (bytes >= from_bytes)
            return static_cast<T*>(allocate_pages(bytes));
        return static_cast<T*>(::operator new(bytes, std::align_val_t(alignof(T))));
    }
    void deallocate(T* memory, size_t count)
    {
        if (count * sizeof(T) >= from_bytes)
            free_pages(memory, count * sizeof(T));
        else
            ::operator delete(memory, std::align_val_t(alignof(T)));
    }
    friend bool operator==(PageAllocator, PageAllocator) { return true; }
};

template <class T>
using Array = std::vector<T, PageAllocator<T>>;

} // namespace moraine
