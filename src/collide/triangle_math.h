// Closest points and ray hits on segments and triangles.
#pragma once

#include <moraine/math.h>

#include <algorithm>
#include <optional>

namespace moraine
{

// Fraction along the segment of its point closest to `p`.
inline float closest_fraction_on_segment(Vec3 p, Vec3 a, Vec3 b)
{
    const Vec3 d = b - a;
    const float squared = length_squared(d);
    return squared > 0 ? std::clamp(dot(p - a, d) / squared, 0.0f, 1.0f) : 0.0f;
}

inline Vec3 closest_on_segment(Vec3 p, Vec3 a, Vec3 b)
{
    const float t = closest_fraction_on_segment(p, a, b);
    return t == 1 ? b : a + t * (b - a);
}

struct SegmentPair
{
    Vec3 a{}; // on the first segment
    Vec3 b{}; // on the second one
};

// Minimises over the first segment's line, clamps, then once more the other way round: exact for segments.
inline SegmentPair closest_on_segments(Vec3 a0, Vec3 a1, Vec3 b0, Vec3 b1)
{
    const Vec3 u = a1 - a0;
    const Vec3 v = b1 - b0;
    const Vec3 w = a0 - b0;
    const float uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
    const float det = uu * vv - uv * uv;
    const float s = det > 1e-6f * uu * vv ? std::clamp((uv * vw - vv * uw) / det, 0.0f, 1.0f) : 0.0f;
    const Vec3 on_b = closest_on_segment(a0 + s * u, b0, b1);
    const Vec3 on_a = closest_on_segment(on_b, a0, a1);
    return {on_a, closest_on_segment(on_a, b0, b1)};
}

// Regions of a triangle as in "Real-Time Collision Detection" 5.1.5: corner, edge or face.
inline Vec3 closest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c)
{
    const Vec3 ab = b - a, ac = c - a, ap = p - a;
    const float d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
        return a;
    const Vec3 bp = p - b;
    const float d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
        return b;
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return closest_on_segment(p, a, b);
    const Vec3 cp = p - c;
    const float d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
        return c;
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return closest_on_segment(p, a, c);
    const float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return closest_on_segment(p, b, c);
    const float total = va + vb + vc;
    if (!(total > 0))
        return closest_on_segment(p, a, b); // no area: any edge will do
    return a + ab * (vb / total) + ac * (vc / total);
}

// Fraction of the hit from either side. The volumes of (origin, edge, direction) decide: two triangles that share an
// edge see exactly opposite numbers for it, so that no ray slips between them. (After Möller and Trumbore 1997.)
inline std::optional<float> cast_ray_at_triangle(Vec3 origin, Vec3 direction, const Vec3* corners)
{
    const DVec3 d = direction;
    const DVec3 a = DVec3(corners[0]) - DVec3(origin);
    const DVec3 b = DVec3(corners[1]) - DVec3(origin);
    const DVec3 c = DVec3(corners[2]) - DVec3(origin);
    const auto volume = [&d](DVec3 p, DVec3 q) {
        return (p.y * q.z - p.z * q.y) * d.x + (p.z * q.x - p.x * q.z) * d.y + (p.x * q.y - p.y * q.x) * d.z;
    };
    const double u = volume(b, c), v = volume(c, a), w = volume(a, b);
    // Through a corner all of its edges give numbers that are nothing but rounding.
    const double zero = 1e-15 * std::max({dot(a, a), dot(b, b), dot(c, c)}) * length(d);
    if ((u < -zero || v < -zero || w < -zero) && (u > zero || v > zero || w > zero))
        return std::nullopt;
    const double total = u + v + w;
    if (total == 0)
        return std::nullopt;
    const DVec3 hit = (a * u + b * v + c * w) * (1.0 / total);
    const double fraction = dot(hit, d) / dot(d, d);
    if (!(fraction >= 0 && fraction <= 1))
        return std::nullopt;
    return float(fraction);
}

} // namespace moraine
