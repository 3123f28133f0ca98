// Axis-aligned boxes. In the world they are float but always rounded outwards, so that they hold their contents at any
// distance from the origin.
#pragma once

#include <moraine/math.h>

#include <cmath>
#include <limits>

namespace moraine
{

struct Aabb
{
    Vec3 lower{std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(),
               std::numeric_limits<float>::infinity()};
    Vec3 upper{-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
               -std::numeric_limits<float>::infinity()};

    friend bool operator==(const Aabb&, const Aabb&) = default;
};

inline bool overlaps(const Aabb& a, const Aabb& b)
{
    return a.lower.x <= b.upper.x && a.lower.y <= b.upper.y && a.lower.z <= b.upper.z && b.lower.x <= a.upper.x &&
           b.lower.y <= a.upper.y && b.lower.z <= a.upper.z;
}
// How far two boxes are apart along the axis on which they are farthest; negative where they overlap on all.
inline float gap_between(const Aabb& a, const Aabb& b)
{
    return max_component(max(a.lower - b.upper, b.lower - a.upper));
}
inline bool contains(const Aabb& outer, const Aabb& inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
           inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
}
inline bool contains(const Aabb& box, Vec3 p) { return contains(box, Aabb{p, p}); }
inline Aabb merge(const Aabb& a, const Aabb& b) { return {min(a.lower, b.lower), max(a.upper, b.upper)}; }
inline Aabb enlarge(const Aabb& a, float margin)
{
    const Vec3 m{margin, margin, margin};
    return {a.lower - m, a.upper + m};
}
inline Vec3 center(const Aabb& a) { return 0.5f * (a.lower + a.upper); }
inline Vec3 half_extents(const Aabb& a) { return 0.5f * (a.upper - a.lower); }
inline float half_area(const Aabb& a)
{
    const Vec3 d = a.upper - a.lower;
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

// The box around the rotated and moved box.
inline Aabb transform(const Aabb& a, const Transform& t)
{
    const Vec3 c = apply(t, center(a));
    const Vec3 h = abs(to_matrix(t.rotation)) * half_extents(a);
    return {c - h, c + h};
}

// One unit in the last place further out than need be, without a branch.
inline float round_down(double v)
{
    const float f = float(v);
    return f - std::fabs(f) * 1.2e-7f;
}
inline float round_up(double v)
{
    const float f = float(v);
    return f + std::fabs(f) * 1.2e-7f;
}

// The world box around a box given in the frame of `pose`, enlarged by `margin`.
inline Aabb world_bounds(const Aabb& local, const Pose& pose, float margin)
{
    const Aabb box = transform(local, Transform{{0, 0, 0}, pose.rotation});
    const DVec3 p = pose.position;
    return {{round_down(p.x + box.lower.x - margin), round_down(p.y + box.lower.y - margin),
             round_down(p.z + box.lower.z - margin)},
            {round_up(p.x + box.upper.x + margin), round_up(p.y + box.upper.y + margin),
             round_up(p.z + box.upper.z + margin)}};
}

} // namespace moraine
