// A moving or standing convex shape against one shape of any kind.
#include "collide/shape_query.h"

#include "collide/height_field_walk.h"
#include "collide/surface_outline.h"
#include "geometry/mesh.h"

#include <algorithm>

namespace moraine
{

namespace
{

// A box that moves straight and always holds the swept shape.
struct SweptBox
{
    Vec3 center{};
    Vec3 translation{};
    Vec3 extents{};
    float turning = 0; // way of the fastest point from turning alone
    float slack = 0;   // the target distance, and some rounding
};

// In the frame whose pose is `frame`.
SweptBox make_swept_box(const Shape& convex, const Sweep& sweep, const Transform& frame, float margin)
{
    const Transform start = inverse(frame) * (sweep.start * sweep.local);
    SweptBox box;
    box.translation = inverse_rotate(frame.rotation, sweep.translation);
    const Aabb bounds = transform(convex.bounds, start);
    box.center = center(bounds);
    box.extents = half_extents(bounds);
    const bool is_centred_ball = convex.kind == ShapeKind::sphere && sweep.local.position == Vec3{};
    if (!(sweep.rotation == Vec3{}) && !is_centred_ball)
    {
        const Vec3 far = abs(rotate(sweep.local.rotation, center(convex.bounds)) + sweep.local.position);
        const float reach = length(far) + length(half_extents(convex.bounds));
        box.center = apply_inverse(frame, sweep.start.position);
        box.extents = {reach, reach, reach};
        box.turning = reach * length(sweep.rotation);
    }
    // Rounding of the pose, which grows with the distance from the origin.
    box.slack = margin + 1e-5f * (max_component(box.extents) + max_component(abs(box.center)));
    box.extents += Vec3{box.slack, box.slack, box.slack};
    return box;
}

// The part of the sweep in which the boxes may touch.
Span touching_span(const SweptBox& swept, const Aabb& box)
{
    return clip_segment(swept.center, swept.translation, {box.lower - swept.extents, box.upper + swept.extents});
}

// Range of the shape's heights above the triangle's plane.
Extent heights_over(const Triangle& t, const Shape& convex, const Transform& pose)
{
    const Extent extent = extent_along(convex, inverse_rotate(pose.rotation, t.normal));
    const float height = dot(t.normal, pose.position - t.corners[0]);
    return {extent.lower + height, extent.upper + height};
}

Shape make_triangle_shape(const Triangle& t)
{
    Shape shape;
    shape.kind = ShapeKind::triangle;
    shape.triangle = t.corners;
    shape.bounds = {min(t.corners[0], min(t.corners[1], t.corners[2])),
                    max(t.corners[0], max(t.corners[1], t.corners[2]))};
    return shape;
}

// The sweep between two of its fractions.
Sweep part_of(const Sweep& sweep, float from, float to)
{
    Sweep part = sweep;
    part.start.position += sweep.translation * from;
    part.start.rotation = normalize(rotation_from_vector(sweep.rotation * from) * sweep.start.rotation);
    part.translation *= to - from;
    part.rotation *= to - from;
    return part;
}

// The surface stands in its own frame here, and so does the sweep.
struct SurfaceCast
{
    const Shape& convex;
    const Sweep& sweep;
    const SweptBox& swept;
    float target_distance;
    Transform start; // of the shape
    CastResult best{};

    float visit(const Triangle& triangle, float max_fraction)
    {
        // Every point of the shape goes out of the surface here.
        const float rate = dot(triangle.normal, swept.translation);
        if (rate > swept.turning)
            return max_fraction;
        // To reach the triangle the shape must reach its box and its plane, before the best hit so far.
        const Shape shape = make_triangle_shape(triangle);
        const Extent heights = heights_over(triangle, convex, start);
        Span span = touching_span(swept, shape.bounds);
        const float gap = heights.lower - target_distance;
        if (gap > 0)
            span.lower = std::max(span.lower, gap / std::max(double(swept.turning) - rate, 1e-20) - 1e-4);
        if (span.lower > span.upper || (best.has_hit && span.lower >= best.fraction))
            return max_fraction;

        const float from = std::max(float(span.lower), 0.0f);
        const float to = best.has_hit ? best.fraction : 1.0f;
        const Sweep part = part_of(sweep, from, to);
        const float way = length(part.translation) + swept.turning * (to - from);
        if (!overlaps(enlarge(transform(convex.bounds, at(part, 0)), 1.01f * way + swept.slack), shape.bounds))
            return max_fraction;
        CastResult hit = cast(shape, {}, convex, part, target_distance);
        hit.fraction = from + hit.fraction * (to - from);
        if (!hit.has_hit || (best.has_hit && hit.fraction >= best.fraction))
            return max_fraction;
        // One side of a surface collides. A hit at the very start does not count where the shape is mostly behind the
        // triangle already: contacts let it out there, too.
        if (hit.fraction == 0 && heights.lower < -0.75f * (heights.upper - heights.lower))
            return max_fraction;
        best = hit;
        return std::min(max_fraction, hit.fraction);
    }
};

CastResult cast_at_surface(const Shape& shape, const Transform& pose, const Shape& convex, const Sweep& sweep,
                           const SweptBox& swept, float target_distance)
{
    Sweep local = sweep;
    local.start = inverse(pose) * sweep.start;
    local.translation = inverse_rotate(pose.rotation, sweep.translation);
    local.rotation = inverse_rotate(pose.rotation, sweep.rotation);
    SurfaceCast search{convex, local, swept, target_distance, at(local, 0), {}};
    if (shape.kind == ShapeKind::mesh)
        shape.mesh->tree.cast(swept.center, swept.translation, swept.extents, [&](int32_t index, float max_fraction) {
            return search.visit(triangle_at(*shape.mesh, index), max_fraction);
        });
    else
        cast_at_triangles(*shape.height_field, swept.center, swept.translation, swept.extents,
                          [&](int32_t index, float max_fraction) {
                              return search.visit(triangle_at(*shape.height_field, index), max_fraction);
                          });
    CastResult result = search.best;
    if (!result.has_hit)
        return {};
    result.normal = rotate(pose.rotation, result.normal);
    result.point = apply(pose, result.point);
    return result;
}

bool views_overlap(const Shape& a, const Transform& pose_a, const ConvexView& b)
{
    Vec3 axis{};
    const DistanceResult result = distance(make_view(a, pose_a), b, axis);
    return result.is_overlapping || result.distance <= 0;
}

template <class Surface>
bool overlaps_surface(const Surface& surface, const Shape& convex, const Transform& convex_pose)
{
    const ConvexView view = make_view(convex, convex_pose);
    const Aabb box = transform(convex.bounds, convex_pose);
    bool is_found = false;
    query_triangles(surface, enlarge(box, 1e-5f * max_component(half_extents(box))), [&](int32_t index) {
        const Triangle triangle = triangle_at(surface, index);
        is_found = views_overlap(make_triangle_shape(triangle), {}, view);
        return !is_found;
    });
    return is_found;
}

} // namespace

CastResult cast_shape(const Shape& shape, const Transform& pose, const Shape& convex, const Sweep& sweep,
                      float target_distance)
{
    if (shape.kind == ShapeKind::half_space)
        return cast(shape, pose, convex, sweep, target_distance);
    const SweptBox swept = make_swept_box(convex, sweep, pose, std::max(target_distance, 0.0f));
    const Span span = touching_span(swept, shape.bounds);
    if (span.lower > span.upper)
        return {};
    if (is_convex(shape.kind))
        return cast(shape, pose, convex, sweep, target_distance);
    return cast_at_surface(shape, pose, convex, sweep, swept, target_distance);
}

bool overlaps(const Shape& shape, const Transform& pose, const Shape& convex, const Transform& convex_pose)
{
    const Transform local = inverse(pose) * convex_pose;
    if (shape.kind == ShapeKind::half_space)
        return extent_along(convex, inverse_rotate(local.rotation, {0, 1, 0})).lower + local.position.y <= 0;
    const Aabb box = transform(convex.bounds, local);
    if (!overlaps(enlarge(box, 1e-5f * max_component(half_extents(box))), shape.bounds))
        return false;
    switch (shape.kind)
    {
    case ShapeKind::mesh: return overlaps_surface(*shape.mesh, convex, local);
    case ShapeKind::height_field: return overlaps_surface(*shape.height_field, convex, local);
    default: return views_overlap(shape, {}, make_view(convex, local));
    }
}

} // namespace moraine
