// A 64-bit hash of bytes, the same on every machine of one byte order.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace moraine
{

inline uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ull;
    return h ^ (h >> 33);
}

class Hash
{
public:
    template <class T>
    void add(const T& value)
    {
        static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
        uint64_t bits = 0;
        static_assert(sizeof(T) <= sizeof bits);
        std::memcpy(&bits, &value, sizeof(T));
        state_ = mix(state_ ^ bits) + 0x9e3779b97f4a7c15ull;
    }
    uint64_t value() const { return mix(state_); }

private:
    uint64_t state_ = 0x6d6f7261696e65ull;
};

} // namespace moraine
