#include "collide/surface_outline.h"

#include "geometry/hull.h"

#include <algorithm>

namespace moraine
{

namespace
{

// A cap counts as flat on the plane up to this tilt; beyond it the side is what touches.
constexpr float cap_cosine = 0.7f;

void find_box_outline(Vec3 h, Vec3 normal, Outline& out)
{
    const Vec3 size = abs(normal);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Vec3 corner{};
    corner[axis] = normal[axis] > 0 ? -h[axis] : h[axis];
    constexpr float signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (const auto& sign : signs)
    {
        corner[u] = sign[0] * h[u];
        corner[v] = sign[1] * h[v];
        out.add(corner);
    }
}

void find_hull_outline(const Hull& hull, Vec3 normal, Outline& out)
{
    const HullFace* best = &hull.faces[0];
    float best_cosine = 2;
    for (const HullFace& face : hull.faces)
    {
        const float cosine = dot(face.normal, normal);
        if (cosine >= best_cosine)
            continue;
        best_cosine = cosine;
        best = &face;
    }
    for (int i = 0; i < best->count; ++i)
        out.add(hull.corners[hull.loops[best->first + i]]);

    // On a skewed hull the lowest corner need not belong to the face that looks down most.
    const Vec3 lowest = hull.corners[support_corner(hull, -normal)];
    float face_lowest = dot(normal, out.points[0]);
    for (int i = 1; i < out.count; ++i)
        face_lowest = std::min(face_lowest, dot(normal, out.points[i]));
    if (dot(normal, lowest) < face_lowest - 1e-5f * max_component(half_extents(hull.bounds)))
        out.add(lowest);
}

void find_cylinder_outline(float radius, float half_length, Vec3 normal, Outline& out)
{
    const float across = std::sqrt(normal.x * normal.x + normal.z * normal.z);
    const Vec3 down = across > 1e-6f ? Vec3{-normal.x / across, 0, -normal.z / across} : Vec3{0, 0, 0};
    if (std::fabs(normal.y) < cap_cosine)
    {
        out.add({radius * down.x, -half_length, radius * down.z});
        out.add({radius * down.x, half_length, radius * down.z});
        return;
    }
    // Fixed points of the rim, so that they stay the same contacts from step to step; the lowest one between its
    // neighbours when the cap is tilted enough for it to matter.
    const float y = normal.y > 0 ? -half_length : half_length;
    constexpr float d = 0.70710678f;
    constexpr float rim[9][2] = {{1, 0}, {d, d}, {0, 1}, {-d, d}, {-1, 0}, {-d, -d}, {0, -1}, {d, -d}, {1, 0}};
    for (int i = 0; i < 8; ++i)
    {
        out.add({radius * rim[i][0], y, radius * rim[i][1]});
        const bool is_past = rim[i][0] * down.z - rim[i][1] * down.x > 0;
        const bool is_before = down.x * rim[i + 1][1] - down.z * rim[i + 1][0] > 0;
        if (across > 1e-3f && is_past && is_before)
            out.add({radius * down.x, y, radius * down.z});
    }
}

} // namespace

Extent extent_along(const Shape& shape, Vec3 direction)
{
    float reach = 0;
    switch (shape.kind)
    {
    case ShapeKind::sphere: reach = shape.radius; break;
    case ShapeKind::capsule: reach = shape.radius + shape.half_length * std::fabs(direction.y); break;
    case ShapeKind::box: reach = dot(abs(direction), shape.half_extents); break;
    case ShapeKind::cylinder:
        reach = shape.half_length * std::fabs(direction.y) +
                shape.radius * std::sqrt(direction.x * direction.x + direction.z * direction.z);
        break;
    case ShapeKind::hull:
    {
        const Hull& hull = *shape.hull;
        return {dot(direction, hull.corners[support_corner(hull, -direction)]),
                dot(direction, hull.corners[support_corner(hull, direction)])};
    }
    default:
    {
        const float centre = dot(direction, center(shape.bounds));
        reach = dot(abs(direction), half_extents(shape.bounds));
        return {centre - reach, centre + reach};
    }
    }
    return {-reach, reach};
}

void find_outline(const Shape& shape, Vec3 normal, Outline& out)
{
    out.count = 0;
    out.radius = 0;
    switch (shape.kind)
    {
    case ShapeKind::sphere:
        out.radius = shape.radius;
        out.add({0, 0, 0});
        break;
    case ShapeKind::capsule:
        out.radius = shape.radius;
        out.add({0, -shape.half_length, 0});
        out.add({0, shape.half_length, 0});
        break;
    case ShapeKind::box: find_box_outline(shape.half_extents, normal, out); break;
    case ShapeKind::cylinder: find_cylinder_outline(shape.radius, shape.half_length, normal, out); break;
    case ShapeKind::hull: find_hull_outline(*shape.hull, normal, out); break;
    default: break;
    }
}

void clip_outline(const float* distances, Outline& outline)
{
    // Sutherland and Hodgman 1974. A segment is a polygon of two corners and comes out right, with a double point.
    const bool all_inside = std::all_of(distances, distances + outline.count, [](float d) { return d <= 0; });
    if (all_inside)
        return;
    Scratch<Vec3, Outline::capacity> kept;
    int count = 0;
    for (int i = 0; i < outline.count && count + 2 <= Outline::capacity; ++i)
    {
        const int next = i + 1 < outline.count ? i + 1 : 0;
        const float d = distances[i], d_next = distances[next];
        if (d <= 0)
            kept[count++] = outline.points[i];
        if ((d < 0 && d_next > 0) || (d > 0 && d_next < 0))
            kept[count++] = outline.points[i] + (d / (d - d_next)) * (outline.points[next] - outline.points[i]);
    }
    std::copy(&kept[0], &kept[0] + count, &outline.points[0]);
    outline.count = count;
}

} // namespace moraine
