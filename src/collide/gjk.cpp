#include "collide/gjk.h"

#include "collide/gjk_simplex.h"

#include <limits>

namespace moraine
{

ConvexView make_view(const Shape& shape, const Transform& pose)
{
    const bool is_round = shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::capsule;
    return {&shape, pose, is_round ? shape.radius : 0.0f};
}

Vec3 support(const ConvexView& view, Vec3 direction)
{
    const Core core{view.shape, to_double_matrix(view.pose.rotation), view.pose.position};
    return Vec3(support(core, DVec3(direction)));
}

DistanceResult distance(const ConvexView& a, const ConvexView& b, Vec3& axis)
{
    const CorePair pair = make_core_pair(a, b);
    const GjkState state = run_gjk(pair.a, pair.b, -transpose_multiply(pair.rotation, DVec3(axis)),
                                   std::numeric_limits<double>::infinity());
    const DVec3 on_a = point_on_a(state.simplex);
    const DVec3 on_b = on_a - state.v;
    const double core_distance = length(state.v);
    DistanceResult result;
    result.is_overlapping = state.is_overlapping;
    if (state.is_overlapping)
    {
        result.normal = normalize(axis);
        result.point_a = result.point_b = Vec3(pair.rotation * on_a + pair.position);
        return result;
    }
    const DVec3 n = pair.rotation * (state.v * (-1 / core_distance));
    result.distance = float(core_distance - a.radius - b.radius);
    result.normal = Vec3(n);
    result.point_a = Vec3(pair.rotation * on_a + n * a.radius + pair.position);
    result.point_b = Vec3(pair.rotation * on_b - n * b.radius + pair.position);
    axis = result.normal;
    return result;
}

} // namespace moraine
