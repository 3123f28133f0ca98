// A list with a fixed capacity and no heap.
#pragma once

namespace moraine
{

template <class T, int N>
class FixedList
{
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
        items_[size_] = value;
        return &items_[size_++];
    }
    void clear() { size_ = 0; }
    void resize(int size) { size_ = size; }
    T& operator[](int i) { return items_[i]; }
    const T& operator[](int i) const { return items_[i]; }
    T* begin() { return items_; }
    T* end() { return items_ + size_; }
    const T* begin() const { return items_; }
    const T* end() const { return items_ + size_; }

private:
    T items_[N];
    int size_ = 0;
};

} // namespace moraine
