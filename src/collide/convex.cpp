// Chooses the pair function for two convex shapes.
#include "collide/narrow_phase.h"
#include "collide/pair_functions.h"

namespace moraine
{
namespace
{

bool collide_sphere(const PairInput& pair, PairCache& cache, LocalManifold& out)
{
    switch (pair.b.kind)
    {
    case ShapeKind::sphere: return collide_sphere_sphere(pair, out);
    case ShapeKind::capsule: return collide_sphere_capsule(pair, out);
    case ShapeKind::box: return collide_sphere_box(pair, out);
    case ShapeKind::cylinder: return collide_sphere_cylinder(pair, out);
    case ShapeKind::hull: return collide_sphere_hull(pair, cache, out);
    case ShapeKind::triangle: return collide_sphere_triangle(pair, out);
    default: return false;
    }
}

bool is_polyhedron(ShapeKind kind)
{
    return kind == ShapeKind::box || kind == ShapeKind::hull || kind == ShapeKind::triangle;
}

// Kinds are sorted here.
bool collide_sorted(const PairInput& pair, PairCache& cache, LocalManifold& out)
{
    const ShapeKind a = pair.a.kind, b = pair.b.kind;
    if (a == ShapeKind::box && b == ShapeKind::box)
        return collide_box_box(pair, cache, out);
    if (!is_convex(a))
        return false;
    if (b == ShapeKind::half_space)
        return collide_half_space(pair, cache, out);
    if (!is_convex(b))
        return false;
    if (a == ShapeKind::sphere)
        return collide_sphere(pair, cache, out);
    if (a == ShapeKind::capsule && b == ShapeKind::capsule)
        return collide_capsule_capsule(pair, out);
    if (is_polyhedron(a) && is_polyhedron(b))
        return collide_polyhedra(pair, cache, out);
    return collide_generic(pair, cache, out);
}

} // namespace

bool collide_convex(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                    PairCache& cache, LocalManifold& out)
{
    const bool is_swapped = a.kind > b.kind;
    const Shape& first = is_swapped ? b : a;
    const Shape& second = is_swapped ? a : b;
    const Transform& pose_first = is_swapped ? pose_b : pose_a;
    const Transform& pose_second = is_swapped ? pose_a : pose_b;

    const Mat3 rotation = to_matrix(pose_first.rotation);
    const PairInput pair{first,
                         second,
                         {transpose(rotation) * to_matrix(pose_second.rotation),
                          transpose_multiply(rotation, pose_second.position - pose_first.position)},
                         margin};
    out.count = 0;
    if (!is_finite(pair.place.position) || !is_finite(pair.place.rotation.x))
        return false;
    if (!collide_sorted(pair, cache, out) || out.count == 0)
        return false;

    out.normal = rotation * (is_swapped ? -out.normal : out.normal);
    for (int i = 0; i < out.count; ++i)
        out.points[i].position = rotation * out.points[i].position + pose_first.position;
    return true;
}

} // namespace moraine
