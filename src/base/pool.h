// Elements with stable indices; freed places are used again, last freed first. Who has a `reset` keeps its memory then.
#pragma once

#include "base/array.h"

#include <cstddef>
#include <cstdint>

namespace moraine
{

template <class T>
class Pool
{
public:
    int32_t create()
    {
        if (free_.empty())
        {
            items_.emplace_back();
            free_.reserve(items_.capacity()); // giving back never allocates
            return int32_t(items_.size() - 1);
        }
        const int32_t index = free_.back();
        free_.pop_back();
        T& item = items_[std::size_t(index)];
        if constexpr (requires { item.reset(); })
            item.reset();
        else
            item = T{};
        return index;
    }
    void destroy(int32_t index) { free_.push_back(index); }

    T& operator[](int32_t i) { return items_[std::size_t(i)]; }
    const T& operator[](int32_t i) const { return items_[std::size_t(i)]; }
    T* data() { return items_.data(); }
    const T* data() const { return items_.data(); }
    int32_t capacity() const { return int32_t(items_.size()); } // one past the largest index in use
    int32_t count() const { return int32_t(items_.size() - free_.size()); }

    template <class Archive>
    void archive(Archive& a)
    {
        a(items_);
        a(free_);
    }
    // With a function for what an item cannot archive by itself.
    template <class Archive, class ArchiveItem>
    void archive_with(Archive& a, ArchiveItem&& archive_item)
    {
        uint64_t count = items_.size();
        a(count);
        if constexpr (Archive::is_reader)
            items_.resize(count <= a.left() ? count : 0);
        for (T& item : items_)
            archive_item(item);
        a(free_);
    }

private:
    Array<T> items_;
    Array<int32_t> free_;
};

// A list of indices from which any can be taken in constant time; `Slot T::*` says where an element keeps its place.
class SlotList
{
public:
    static constexpr int32_t none = -1;

    void add(int32_t index, int32_t& slot)
    {
        slot = int32_t(items_.size());
        items_.push_back(index);
    }
    // `slot_of(i)` gives the slot field of element i.
    template <class SlotOf>
    void remove(int32_t& slot, SlotOf&& slot_of)
    {
        const int32_t last = items_.back();
        items_[std::size_t(slot)] = last;
        slot_of(last) = slot;
        items_.pop_back();
        slot = none;
    }
    int32_t operator[](int32_t i) const { return items_[std::size_t(i)]; }
    int size() const { return int(items_.size()); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }

    template <class Archive>
    void archive(Archive& a)
    {
        a(items_);
    }

private:
    Array<int32_t> items_;
};

} // namespace moraine
