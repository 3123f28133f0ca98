// An array in which equal elements are kept once. Reads like an array; elements are set, not changed in place.
#pragma once

#include "base/array.h"
#include "base/hash.h"
#include "base/index_table.h"

#include <cstring>
#include <type_traits>

namespace moraine
{

// Equal is what has the same bytes, so T must not have padding.
template <class T>
class SharedArray
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0 && alignof(T) <= 4);

public:
    size_t size() const { return places_.size(); }
    const T& operator[](size_t i) const { return values_[size_t(places_[i])]; }

    void set(size_t i, const T& value)
    {
        const int32_t place = share(value); // before the old one goes: it may be the same
        release(places_[i]);
        places_[i] = place;
    }
    void push_back(const T& value) { places_.push_back(share(value)); }
    void resize(size_t count)
    {
        while (places_.size() > count)
        {
            release(places_.back());
            places_.pop_back();
        }
        while (places_.size() < count)
            push_back(T{});
    }

    template <class Archive>
    void archive(Archive& a)
    {
        a(places_);
        a(values_);
        a(uses_);
        a(free_);
        if constexpr (Archive::is_reader)
            if (!restore())
                a.fail();
    }

private:
    static uint64_t hash_of(const T& value)
    {
        Hash hash;
        uint32_t words[sizeof(T) / 4];
        std::memcpy(words, &value, sizeof(T));
        for (uint32_t word : words)
            hash.add(word);
        return hash.value();
    }
    uint64_t hash_at(int32_t place) const { return hash_of(values_[size_t(place)]); }
    int32_t share(const T& value)
    {
        const uint64_t hash = hash_of(value);
        int32_t place = known_.find(
            hash, [&](int32_t p) { return std::memcmp(&values_[size_t(p)], &value, sizeof(T)) == 0; });
        if (place == IndexTable::none)
        {
            place = take_place();
            values_[size_t(place)] = value;
            known_.insert(hash, place, [this](int32_t p) { return hash_at(p); });
        }
        ++uses_[size_t(place)];
        return place;
    }
    void release(int32_t place)
    {
        if (--uses_[size_t(place)] > 0)
            return;
        known_.erase(hash_at(place), place, [this](int32_t p) { return hash_at(p); });
        free_.push_back(place);
    }
    int32_t take_place()
    {
        if (free_.empty())
        {
            values_.emplace_back();
            uses_.push_back(0);
            return int32_t(values_.size() - 1);
        }
        const int32_t place = free_.back();
        free_.pop_back();
        return place;
    }
    bool restore()
    {
        known_ = {};
        if (uses_.size() != values_.size())
            return false;
        for (int32_t place : places_)
            if (place < 0 || size_t(place) >= values_.size())
                return false;
        for (size_t place = 0; place < values_.size(); ++place)
            if (uses_[place] > 0)
                known_.insert(hash_at(int32_t(place)), int32_t(place), [this](int32_t p) { return hash_at(p); });
        return true;
    }

    Array<int32_t> places_; // of the elements, in values_
    Array<T> values_;
    Array<int32_t> uses_; // by value
    Array<int32_t> free_; // values without use
    IndexTable known_;
};

} // namespace moraine
