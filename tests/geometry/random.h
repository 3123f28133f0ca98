// Numbers for property tests: the same on every machine.
#pragma once

#include "geometry/aabb.h"

#include <cstdint>
#include <vector>

namespace moraine::test
{

class Random
{
public:
    explicit Random(uint64_t seed) : state_(seed * 2654435761u + 1) {}

    uint32_t next()
    {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return uint32_t(state_ >> 33);
    }
    int below(int count) { return int(next() % uint32_t(count)); }
    float between(float low, float high) { return low + (high - low) * (float(next() >> 7) / 16777216.0f); }
    Vec3 vector(float low, float high) { return {between(low, high), between(low, high), between(low, high)}; }
    Vec3 direction()
    {
        for (;;)
        {
            const Vec3 v = vector(-1, 1);
            if (length(v) > 0.1f && length(v) < 1)
                return normalize(v);
        }
    }
    Quat rotation() { return axis_angle(direction(), between(-pi, pi)); }
    Aabb box(float reach, float largest)
    {
        const Vec3 c = vector(-reach, reach), h = vector(0, 0.5f * largest);
        return {c - h, c + h};
    }

private:
    uint64_t state_;
};

inline std::vector<Vec3> box_points(Vec3 half_extents)
{
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i)
        points.push_back(multiply(half_extents, {i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f}));
    return points;
}

} // namespace moraine::test
