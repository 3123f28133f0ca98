// The point of one shape's surface that is closest to a point. Each kind is asked in its own frame.
#include "collide/shape_query.h"
#include "collide/triangle_math.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"

#include <algorithm>

namespace moraine
{

namespace
{

// `surface` is the closest point outside a solid or on a thin surface.
ShapePoint point_outside(Vec3 p, Vec3 surface, Vec3 normal_there)
{
    return {surface, normalize(p - surface, normal_there), distance(p, surface)};
}

ShapePoint closest_on_round(Vec3 p, Vec3 core, float radius)
{
    const Vec3 normal = normalize(p - core, {1, 0, 0});
    return {core + radius * normal, normal, distance(p, core) - radius};
}

ShapePoint closest_on_box(Vec3 p, Vec3 h)
{
    const Vec3 clamped = max(-h, min(p, h));
    const Vec3 depth = h - abs(p);
    const int axis = depth.x <= depth.y && depth.x <= depth.z ? 0 : depth.y <= depth.z ? 1 : 2;
    Vec3 normal{};
    normal[axis] = p[axis] < 0 ? -1.0f : 1.0f;
    if (!(clamped == p))
        return point_outside(p, clamped, normal);
    Vec3 surface = p;
    surface[axis] = normal[axis] * h[axis];
    return {surface, normal, -depth[axis]};
}

ShapePoint closest_on_cylinder(Vec3 p, float radius, float half_length)
{
    const float across = std::sqrt(p.x * p.x + p.z * p.z);
    const Vec3 out = across > 0 ? Vec3{p.x / across, 0, p.z / across} : Vec3{1, 0, 0};
    const Vec3 up{0, p.y < 0 ? -1.0f : 1.0f, 0};
    const float side = across - radius, cap = std::fabs(p.y) - half_length;
    if (side <= 0 && cap <= 0)
        return side > cap ? ShapePoint{p - side * out, out, side} : ShapePoint{p - cap * up, up, cap};
    const Vec3 surface = p - std::max(side, 0.0f) * out - std::max(cap, 0.0f) * up;
    return point_outside(p, surface, side > cap ? out : up);
}

ShapePoint closest_on_hull(Vec3 p, const Hull& hull)
{
    const HullFace* best_face = nullptr;
    float best_height = 0;
    for (const HullFace& face : hull.faces)
    {
        const float height = dot(face.normal, p) - face.offset;
        if (best_face && height <= best_height)
            continue;
        best_face = &face;
        best_height = height;
    }
    if (best_height <= 0)
        return {p - best_height * best_face->normal, best_face->normal, best_height};

    // Outside, the closest point is on a face that sees the point.
    Vec3 best{};
    float best_squared = std::numeric_limits<float>::infinity();
    for (const HullFace& face : hull.faces)
    {
        if (dot(face.normal, p) <= face.offset)
            continue;
        const Vec3 fan = hull.corners[hull.loops[face.first]];
        for (int i = 1; i + 1 < face.count; ++i)
        {
            const Vec3 q = closest_on_triangle(p, fan, hull.corners[hull.loops[face.first + i]],
                                               hull.corners[hull.loops[face.first + i + 1]]);
            const float squared = length_squared(p - q);
            if (squared >= best_squared)
                continue;
            best_squared = squared;
            best = q;
        }
    }
    return point_outside(p, best, best_face->normal);
}

// ---- surfaces ----

struct SurfaceSearch
{
    Vec3 point{};
    float best_squared = 0; // nothing further away is of interest
    Vec3 closest{};
    Vec3 normal{};
    bool is_found = false;

    void visit(const Triangle& t)
    {
        const Vec3 q = closest_on_triangle(point, t.corners[0], t.corners[1], t.corners[2]);
        const float squared = length_squared(point - q);
        if (squared > best_squared || (is_found && squared == best_squared))
            return;
        best_squared = squared;
        closest = q;
        normal = t.normal;
        is_found = true;
    }
    bool can_be_closer(const Aabb& box) const
    {
        const Vec3 q = max(box.lower, min(point, box.upper));
        return length_squared(point - q) <= best_squared;
    }
};

void search_mesh(const Mesh& mesh, int32_t index, SurfaceSearch& search)
{
    const Bvh::Node& node = mesh.tree.nodes()[size_t(index)];
    if (!search.can_be_closer(node.box))
        return;
    if (node.child_a == Bvh::none)
        return search.visit(triangle_at(mesh, node.item));
    const auto squared_to = [&](int32_t child) {
        const Aabb& box = mesh.tree.nodes()[size_t(child)].box;
        return length_squared(search.point - max(box.lower, min(search.point, box.upper)));
    };
    const bool a_first = squared_to(node.child_a) <= squared_to(node.child_b);
    search_mesh(mesh, a_first ? node.child_a : node.child_b, search);
    search_mesh(mesh, a_first ? node.child_b : node.child_a, search);
}

// Rings of cells around the one below the point, until the next ring is further away than the best so far.
void search_height_field(const HeightField& field, SurfaceSearch& search)
{
    if (!search.can_be_closer(field.bounds))
        return;
    const int columns = field.columns - 1, rows = field.rows - 1;
    const float x = search.point.x / field.spacing + 0.5f * float(columns);
    const float z = search.point.z / field.spacing + 0.5f * float(rows);
    const int column = int(std::floor(std::clamp(x, 0.0f, float(columns - 1))));
    const int row = int(std::floor(std::clamp(z, 0.0f, float(rows - 1))));
    for (int ring = 0; ring <= std::max(columns, rows); ++ring)
    {
        const float gap = float(ring - 1) * field.spacing;
        if (ring > 1 && gap * gap > search.best_squared)
            return;
        for (int r = std::max(row - ring, 0); r <= std::min(row + ring, rows - 1); ++r)
        {
            const bool is_full = r == row - ring || r == row + ring;
            const int step = is_full || ring == 0 ? 1 : 2 * ring;
            for (int c = column - ring; c <= column + ring; c += step)
            {
                if (c < 0 || c >= columns)
                    continue;
                search.visit(triangle_at(field, 2 * (r * columns + c)));
                search.visit(triangle_at(field, 2 * (r * columns + c) + 1));
            }
        }
    }
}

std::optional<ShapePoint> closest_on_surface(const Shape& shape, Vec3 p, float max_distance)
{
    SurfaceSearch search;
    search.point = p;
    search.best_squared = max_distance * max_distance;
    if (shape.kind == ShapeKind::height_field)
        search_height_field(*shape.height_field, search);
    else if (!shape.mesh->tree.is_empty())
        search_mesh(*shape.mesh, shape.mesh->tree.root(), search);
    if (!search.is_found)
        return std::nullopt;
    return point_outside(p, search.closest, search.normal);
}

std::optional<ShapePoint> closest_on_shape(const Shape& shape, Vec3 p, float max_distance)
{
    switch (shape.kind)
    {
    case ShapeKind::sphere: return closest_on_round(p, {0, 0, 0}, shape.radius);
    case ShapeKind::capsule:
        return closest_on_round(p, {0, std::clamp(p.y, -shape.half_length, shape.half_length), 0}, shape.radius);
    case ShapeKind::box: return closest_on_box(p, shape.half_extents);
    case ShapeKind::cylinder: return closest_on_cylinder(p, shape.radius, shape.half_length);
    case ShapeKind::hull: return closest_on_hull(p, *shape.hull);
    case ShapeKind::half_space: return ShapePoint{{p.x, 0, p.z}, {0, 1, 0}, p.y};
    case ShapeKind::triangle:
    {
        const Vec3* c = shape.triangle;
        return point_outside(p, closest_on_triangle(p, c[0], c[1], c[2]), normalize(cross(c[1] - c[0], c[2] - c[0])));
    }
    case ShapeKind::mesh:
    case ShapeKind::height_field: return closest_on_surface(shape, p, max_distance);
    }
    return std::nullopt;
}

} // namespace

std::optional<ShapePoint> closest_point(const Shape& shape, const Transform& pose, Vec3 point, float max_distance)
{
    if (!is_finite(point) || !(max_distance >= 0))
        return std::nullopt;
    std::optional<ShapePoint> result = closest_on_shape(shape, apply_inverse(pose, point), max_distance);
    if (!result || result->distance > max_distance)
        return std::nullopt;
    result->point = apply(pose, result->point);
    result->normal = rotate(pose.rotation, result->normal);
    return result;
}

} // namespace moraine
