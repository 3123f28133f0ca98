// Reading and writing state as bytes. One `archive(a, thing)` serves both directions.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace moraine
{

template <class A, class T>
concept ArchivesItself = requires(A& a, T& t)
{
    t.archive(a);
};

class Writer
{
public:
    static constexpr bool is_reader = false;

    explicit Writer(std::vector<uint8_t>& out) : out_(out) {}

    void bytes(const void* data, size_t size)
    {
        const auto* p = static_cast<const uint8_t*>(data);
        out_.insert(out_.end(), p, p + size);
    }
    bool is_good() const { return true; }

private:
    std::vector<uint8_t>& out_;
};

// Past the end it reads zeros and is no longer good.
class Reader
{
public:
    static constexpr bool is_reader = true;

    explicit Reader(std::span<const uint8_t> in) : in_(in) {}

    void bytes(void* data, size_t size)
    {
        if (size == 0) // an empty list has no address to copy to
            return;
        is_good_ &= size <= in_.size() - at_;
        if (!is_good_)
        {
            std::memset(data, 0, size);
            return;
        }
        std::memcpy(data, in_.data() + at_, size);
        at_ += size;
    }
    size_t left() const { return in_.size() - at_; }
    bool is_good() const { return is_good_; }
    void fail() { is_good_ = false; }

private:
    std::span<const uint8_t> in_;
    size_t at_ = 0;
    bool is_good_ = true;
};

template <class Base>
class Archive : public Base
{
public:
    using Base::Base;

    template <class T>
    void operator()(T& value)
    {
        if constexpr (ArchivesItself<Archive, T>)
            value.archive(*this);
        else
        {
            static_assert(std::is_trivially_copyable_v<T>, "give the type an archive() of its own");
            this->bytes(const_cast<std::remove_const_t<T>*>(&value), sizeof value);
        }
    }
    template <class T, class Allocator>
    void operator()(std::vector<T, Allocator>& values)
    {
        resize(values, sizeof(T));
        if constexpr (std::is_trivially_copyable_v<T> && !ArchivesItself<Archive, T>)
            this->bytes(values.data(), values.size() * sizeof(T));
        else
            for (T& v : values)
                (*this)(v);
    }
    void operator()(std::string& text)
    {
        resize(text, 1);
        this->bytes(text.data(), text.size());
    }
    template <class K, class V>
    void operator()(std::map<K, V>& entries)
    {
        uint64_t count = entries.size();
        (*this)(count);
        if constexpr (Base::is_reader)
        {
            entries.clear();
            for (uint64_t i = 0; i < count && this->is_good(); ++i)
            {
                K key{};
                (*this)(key);
                (*this)(entries[key]);
            }
        }
        else
            for (auto& [key, value] : entries)
            {
                K copy = key;
                (*this)(copy);
                (*this)(value);
            }
    }

private:
    template <class Container>
    void resize(Container& c, size_t item_size)
    {
        uint64_t count = c.size();
        (*this)(count);
        if constexpr (Base::is_reader)
        {
            if (count > this->left() / (item_size > 16 ? 1 : item_size))
            {
                this->fail();
                count = 0;
            }
            c.resize(count);
        }
    }
};

using WriteArchive = Archive<Writer>;
using ReadArchive = Archive<Reader>;

} // namespace moraine
