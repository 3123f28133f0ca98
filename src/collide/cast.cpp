#include "collide/gjk.h"
#include "geometry/hull.h"

#include <algorithm>

namespace moraine
{
namespace
{

// Largest distance of the shape's points from the origin of the frame in which it stands at `local`.
float reach(const Shape& shape, const Transform& local)
{
    switch (shape.kind)
    {
    case ShapeKind::sphere: return length(local.position) + shape.radius;
    case ShapeKind::capsule:
    {
        const Vec3 up = rotate(local.rotation, {0, shape.half_length, 0});
        return std::max(length(local.position + up), length(local.position - up)) + shape.radius;
    }
    case ShapeKind::cylinder: return length(local.position) + std::hypot(shape.radius, shape.half_length);
    case ShapeKind::box: return length(local.position) + length(shape.half_extents);
    case ShapeKind::hull:
    {
        const Vec3 center = inverse_rotate(local.rotation, -local.position);
        float squared = 0;
        for (const Vec3& p : shape.hull->corners)
            squared = std::max(squared, length_squared(p - center));
        return std::sqrt(squared);
    }
    case ShapeKind::triangle:
    {
        const Vec3 center = inverse_rotate(local.rotation, -local.position);
        float squared = 0;
        for (int i = 0; i < 3; ++i)
            squared = std::max(squared, length_squared(shape.triangle[i] - center));
        return std::sqrt(squared);
    }
    default: return 0;
    }
}

DistanceResult half_space_distance(const Transform& plane, const ConvexView& b)
{
    const Vec3 up = rotate(plane.rotation, {0, 1, 0});
    const Vec3 lowest = support(b, -up) - up * b.radius;
    DistanceResult result;
    result.distance = dot(up, lowest - plane.position);
    result.normal = up;
    result.point_b = lowest;
    result.point_a = lowest - up * result.distance;
    return result;
}

} // namespace

Transform at(const Sweep& sweep, float fraction)
{
    const Transform frame{sweep.start.position + sweep.translation * fraction,
                          normalize(rotation_from_vector(sweep.rotation * fraction) * sweep.start.rotation)};
    return frame * sweep.local;
}

CastResult cast(const Shape& a, const Transform& pose_a, const Shape& b, const Sweep& sweep_b, float target_distance)
{
    constexpr int max_iterations = 48;
    const bool is_plane = a.kind == ShapeKind::half_space;
    const ConvexView view_a = make_view(a, pose_a);
    // No point of B can turn towards A faster than this.
    const float turning = length(sweep_b.rotation) * reach(b, sweep_b.local);
    const float travel = length(sweep_b.translation) + turning;
    const float tolerance = std::max(1e-3f * target_distance, 1e-5f * reach(b, {}));
    Vec3 axis{};
    CastResult result;
    float fraction = 0;
    for (int i = 0; i < max_iterations; ++i)
    {
        const ConvexView view_b = make_view(b, at(sweep_b, fraction));
        const DistanceResult d = is_plane ? half_space_distance(pose_a, view_b) : distance(view_a, view_b, axis);
        const float gap = d.is_overlapping ? -1.0f : d.distance - target_distance;
        result.normal = d.is_overlapping && dot(axis, axis) == 0 ? normalize(-sweep_b.translation) : d.normal;
        result.point = d.point_a;
        if (gap <= tolerance)
        {
            result.has_hit = true;
            result.fraction = fraction;
            result.is_inside = d.is_overlapping && fraction <= 0;
            return result;
        }
        const float approach = turning - dot(sweep_b.translation, d.normal);
        // Not coming closer along the separating direction, now or later: the pair stays apart.
        if (approach <= 1e-9f * travel || approach * (1 - fraction) < gap)
            return {};
        fraction += gap / approach;
    }
    // Out of iterations: where it stopped is still before the hit.
    result.has_hit = true;
    result.fraction = std::min(fraction, 1.0f);
    return result;
}

} // namespace moraine
