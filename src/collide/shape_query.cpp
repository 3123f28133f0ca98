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
    if (!(sweep.rotation == Vec3{}))
    {
        const Vec3 far = abs(rotate(sweep.local.rotation, center(convex.bounds)) + sweep.local.position);
        const float reach = length(far) + length(half_extents(convex.bounds));
        box.center = apply_inverse(frame, sweep.start.position);
        box.extents = {reach, reach, reach};
        box.turning = reach * length(sweep.rotation);
    }
    // Rounding of the pose, which grows with the distance from the origin.
    const float slack = margin + 1e-5f * (max_component(box.extents) + max_component(abs(box.center)));
    box.extents += Vec3{slack, slack, slack};
    return box;
}

bool can_touch(const SweptBox& swept, const Aabb& box)
{
    const Span span = clip_segment(swept.center, swept.translation,
                                   {box.lower - swept.extents, box.upper + swept.extents});
    return span.lower <= span.upper;
}

// One side of a surface collides. A hit at the very start does not count where the shape is mostly behind the triangle
// already: contacts let it out there, too.
bool starts_behind(const Triangle& t, const Shape& convex, const Transform& start)
{
    const Extent extent = extent_along(convex, inverse_rotate(start.rotation, t.normal));
    const float offset = dot(t.normal, t.corners[0] - start.position);
    return extent.lower - offset < -0.75f * (extent.upper - extent.lower);
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

// The surface stands in its own frame here, and so does the sweep.
struct SurfaceCast
{
    const Shape& convex;
    const Sweep& sweep;
    const SweptBox& swept;
    float target_distance;
    CastResult best{};

    float visit(const Triangle& triangle, float max_fraction)
    {
        // Every point of the shape goes out of the surface here.
        if (dot(triangle.normal, swept.translation) > swept.turning)
            return max_fraction;
        const Shape shape = make_triangle_shape(triangle);
        if (!can_touch(swept, shape.bounds))
            return max_fraction;
        const CastResult hit = cast(shape, {}, convex, sweep, target_distance);
        if (!hit.has_hit || (best.has_hit && hit.fraction >= best.fraction))
            return max_fraction;
        if (hit.fraction == 0 && starts_behind(triangle, convex, at(sweep, 0)))
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
    SurfaceCast search{convex, local, swept, target_distance, {}};
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
    if (!can_touch(swept, shape.bounds))
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
