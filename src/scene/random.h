// A small generator of pseudo-random numbers: the same on every machine, and cheap to start at any seed.
#pragma once

#include <moraine/math.h>

#include <cstdint>

namespace moraine
{

class Random
{
public:
    // `stream` separates generators that share a seed: the k-th clone of a factory does not need the k-1 before it.
    explicit Random(uint64_t seed, uint64_t stream = 0) : state_(mix(seed) ^ mix(~stream)) {}

    uint64_t next() // splitmix64
    {
        state_ += 0x9e3779b97f4a7c15u;
        return mix(state_);
    }
    double unit() { return double(next() >> 11) * 0x1.0p-53; } // [0, 1)
    float between(float lower, float upper) { return lower + float(unit()) * (upper - lower); }
    int below(int count) { return int(unit() * count); }

    // Each component in ± that of `spread`.
    Vec3 within(Vec3 spread)
    {
        const float x = between(-spread.x, spread.x), y = between(-spread.y, spread.y);
        return {x, y, between(-spread.z, spread.z)};
    }

    // Rejection instead of sine and cosine: no library function decides the bits.
    Vec3 direction()
    {
        for (;;)
        {
            const Vec3 v = within({1, 1, 1});
            if (length_squared(v) <= 1 && length_squared(v) > 1e-4f)
                return normalize(v);
        }
    }
    Quat rotation()
    {
        for (;;)
        {
            const Vec3 v = within({1, 1, 1});
            const Quat q{v.x, v.y, v.z, between(-1, 1)};
            if (dot(q, q) <= 1 && dot(q, q) > 1e-4f)
                return normalize(q);
        }
    }

private:
    static uint64_t mix(uint64_t z)
    {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    uint64_t state_;
};

} // namespace moraine
