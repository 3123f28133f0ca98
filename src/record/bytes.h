// Bytes as they lie in recordings and on the wire: little-endian, whole numbers in as few bytes as they need.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace moraine
{

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

inline uint64_t zigzag(int64_t value) { return (uint64_t(value) << 1) ^ uint64_t(value >> 63); }
inline int64_t unzigzag(uint64_t value) { return int64_t(value >> 1) ^ -int64_t(value & 1); }

class ByteWriter
{
public:
    explicit ByteWriter(std::vector<uint8_t>& out) : out_(out) {}

    template <class T>
    void raw(const T& value)
    {
        static_assert(std::is_arithmetic_v<T>);
        uint8_t bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        out_.insert(out_.end(), bytes, bytes + sizeof(T));
    }
    template <size_t N>
    void raw(const std::array<float, N>& values)
    {
        const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
        out_.insert(out_.end(), bytes, bytes + sizeof values);
    }
    void varint(uint64_t value)
    {
        for (; value >= 128; value >>= 7)
            out_.push_back(uint8_t(value | 128));
        out_.push_back(uint8_t(value));
    }
    void signed_varint(int64_t value) { varint(zigzag(value)); }
    void text(std::string_view value)
    {
        varint(value.size());
        out_.insert(out_.end(), value.begin(), value.end());
    }
    void bytes(std::span<const uint8_t> value) { out_.insert(out_.end(), value.begin(), value.end()); }
    size_t size() const { return out_.size(); }

private:
    std::vector<uint8_t>& out_;
};

// Past the end it reads zeros and is no longer good; sizes that it gives never exceed what is left.
class ByteReader
{
public:
    explicit ByteReader(std::span<const uint8_t> in) : in_(in) {}

    template <class T>
    T raw()
    {
        static_assert(std::is_arithmetic_v<T>);
        T value{};
        if (left() < sizeof(T))
            fail();
        else
        {
            std::memcpy(&value, &in_[at_], sizeof(T));
            at_ += sizeof(T);
        }
        return value;
    }
    uint64_t varint()
    {
        uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7)
        {
            if (left() == 0)
                break;
            const uint8_t byte = in_[at_++];
            value |= uint64_t(byte & 127) << shift;
            if (byte < 128)
                return value;
        }
        fail();
        return 0;
    }
    int64_t signed_varint() { return unzigzag(varint()); }
    // How many things follow, each of at least `bytes_each`.
    size_t count(size_t bytes_each = 1)
    {
        const uint64_t value = varint();
        if (value > left() / bytes_each)
            fail();
        return is_good_ ? size_t(value) : 0;
    }
    // An index below `end`.
    int32_t index(size_t end)
    {
        const uint64_t value = varint();
        if (value >= end)
            fail();
        return is_good_ ? int32_t(value) : 0;
    }
    std::string text()
    {
        const size_t size = count();
        std::string value(size, ' ');
        if (size > 0)
            std::memcpy(value.data(), &in_[at_], size);
        at_ += size;
        return value;
    }
    size_t left() const { return in_.size() - at_; }
    bool is_good() const { return is_good_; }
    void fail()
    {
        is_good_ = false;
        at_ = in_.size();
    }

private:
    std::span<const uint8_t> in_;
    size_t at_ = 0;
    bool is_good_ = true;
};

} // namespace moraine
