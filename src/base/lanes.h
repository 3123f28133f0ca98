// Eight floats at a time, by the compiler's vector types: the same operations in the same order in every lane, so a
// kernel that is generic over `float` and `Lane` gives the same bits for both.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace moraine
{

constexpr int lane_count = 8;

using Lane = float __attribute__((vector_size(32), aligned(32)));
using LaneInt = int32_t __attribute__((vector_size(32), aligned(32)));

template <class F>
constexpr int width = std::is_same_v<F, float> ? 1 : lane_count;

template <class F>
using Mask = decltype(F{} < F{});

#define MORAINE_INLINE inline __attribute__((always_inline))

// Field of a batch: eight floats, read whole or one lane at a time.
template <class F>
MORAINE_INLINE F load(const float* field, int lane)
{
    if constexpr (std::is_same_v<F, float>)
        return field[lane];
    else
        return *reinterpret_cast<const Lane*>(field);
}
template <class F>
MORAINE_INLINE void store(float* field, int lane, F value)
{
    if constexpr (std::is_same_v<F, float>)
        field[lane] = value;
    else
        *reinterpret_cast<Lane*>(field) = value;
}

template <class F>
MORAINE_INLINE F splat(float v)
{
    if constexpr (std::is_same_v<F, float>)
        return v;
    else
        return Lane{v, v, v, v, v, v, v, v};
}

MORAINE_INLINE float select(bool mask, float a, float b) { return mask ? a : b; }
MORAINE_INLINE Lane select(LaneInt mask, Lane a, Lane b) { return mask ? a : b; }
MORAINE_INLINE float min_of(float a, float b) { return a < b ? a : b; }
MORAINE_INLINE Lane min_of(Lane a, Lane b) { return a < b ? a : b; }
MORAINE_INLINE float max_of(float a, float b) { return a > b ? a : b; }
MORAINE_INLINE Lane max_of(Lane a, Lane b) { return a > b ? a : b; }
template <class F>
MORAINE_INLINE F clamp_of(F v, F lower, F upper)
{
    return max_of(lower, min_of(v, upper));
}
MORAINE_INLINE float sqrt_of(float a) { return std::sqrt(a); }
MORAINE_INLINE Lane sqrt_of(Lane a)
{
    Lane r;
    for (int i = 0; i < lane_count; ++i)
        r[i] = std::sqrt(a[i]);
    return r;
}
MORAINE_INLINE float abs_of(float a) { return std::fabs(a); }
MORAINE_INLINE Lane abs_of(Lane a) { return max_of(a, -a); }
MORAINE_INLINE bool any_of(bool m) { return m; }
MORAINE_INLINE bool any_of(LaneInt m)
{
    const LaneInt zero{};
    return std::memcmp(&m, &zero, sizeof m) != 0;
}

template <class F>
struct V3
{
    F x, y, z;
};
template <class F>
MORAINE_INLINE V3<F> operator+(V3<F> a, V3<F> b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class F>
MORAINE_INLINE V3<F> operator-(V3<F> a, V3<F> b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class F>
MORAINE_INLINE V3<F> operator*(V3<F> a, F s)
{
    return {a.x * s, a.y * s, a.z * s};
}
template <class F>
MORAINE_INLINE F dot(V3<F> a, V3<F> b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class F>
MORAINE_INLINE V3<F> cross(V3<F> a, V3<F> b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// Of eight bits, one for each lane.
template <class F>
MORAINE_INLINE Mask<F> mask_of_bits(int32_t bits, int lane)
{
    if constexpr (std::is_same_v<F, float>)
        return (bits >> lane) & 1;
    else
        return ((LaneInt{} + bits) & LaneInt{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
}

template <class F>
MORAINE_INLINE V3<F> select(Mask<F> m, V3<F> a, V3<F> b)
{
    return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

// Eight rows of eight floats become eight lanes, and back.
MORAINE_INLINE void transpose(Lane r[8])
{
    Lane t[8];
    for (int i = 0; i < 8; i += 2)
    {
        t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    Lane u[8];
    for (int i = 0; i < 8; i += 4)
    {
        u[i] = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        u[i + 1] = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        u[i + 2] = __builtin_shufflevector(t[i + 1], t[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        u[i + 3] = __builtin_shufflevector(t[i + 1], t[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; ++i)
    {
        r[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

} // namespace moraine
