// A list with a fixed capacity and no heap. Elements are not touched before they are pushed.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace moraine
{

template <class T, int N>
class FixedList
{
    static_assert(std::is_trivially_copyable_v<T>);

public:
    static constexpr int capacity = N;

    int size() const { return size_; }
    bool is_empty() const { return size_ == 0; }
    bool is_full() const { return size_ == N; }
    // The new element, or null when the list is full.
    T* push(const T& value)
    {
        if (size_ == N)
            return nullptr;
        return new (data() + size_++) T(value);
    }
    void clear() { size_ = 0; }
    void resize(int size) { size_ = size; } // only to make it shorter
    T& operator[](int i) { return data()[i]; }
    const T& operator[](int i) const { return data()[i]; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }

private:
    T* data() { return std::launder(reinterpret_cast<T*>(memory_)); }
    const T* data() const { return std::launder(reinterpret_cast<const T*>(memory_)); }

    alignas(T) std::byte memory_[size_t(N) * sizeof(T)];
    int size_ = 0;
};

} // namespace moraine
