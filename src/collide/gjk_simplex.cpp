#include "collide/gjk_simplex.h"

#include "geometry/hull.h"

#include <algorithm>

namespace moraine
{
namespace
{

struct Weights
{
    double weight[3];
    double squared; // distance of the closest point to the origin
};

DVec3 combine(const DVec3* w, const double* weight, int count)
{
    DVec3 sum{};
    for (int i = 0; i < count; ++i)
        sum += w[i] * weight[i];
    return sum;
}

void keep(Simplex& s, const int* index, const double* weight, int count)
{
    Simplex kept;
    for (int i = 0; i < count; ++i)
    {
        if (weight[i] <= 0)
            continue;
        kept.w[kept.count] = s.w[index[i]];
        kept.a[kept.count] = s.a[index[i]];
        kept.weight[kept.count++] = weight[i];
    }
    s = kept;
}

Weights closest_on_segment(DVec3 p, DVec3 q)
{
    const DVec3 d = q - p;
    const double squared = dot(d, d);
    const double t = squared > 0 ? std::clamp(-dot(p, d) / squared, 0.0, 1.0) : 0.0;
    return {{1 - t, t, 0}, length_squared(p + d * t)};
}

// Voronoi regions of a triangle seen from the origin (after Ericson, Real-Time Collision Detection, 5.1.5).
Weights closest_on_triangle(DVec3 a, DVec3 b, DVec3 c)
{
    const DVec3 ab = b - a, ac = c - a;
    const double d1 = -dot(ab, a), d2 = -dot(ac, a);
    const double d3 = -dot(ab, b), d4 = -dot(ac, b);
    const double d5 = -dot(ab, c), d6 = -dot(ac, c);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const double sum = va + vb + vc;
    if (va > 0 && vb > 0 && vc > 0 && sum > 0)
    {
        const double s = 1 / sum;
        const double weight[3] = {va * s, vb * s, vc * s};
        const DVec3 p = a * weight[0] + b * weight[1] + c * weight[2];
        return {{weight[0], weight[1], weight[2]}, length_squared(p)};
    }
    // On the border (or a triangle without area): the best of three edges is always right.
    const Weights edge_ab = closest_on_segment(a, b), edge_bc = closest_on_segment(b, c),
                  edge_ca = closest_on_segment(c, a);
    if (edge_ab.squared <= edge_bc.squared && edge_ab.squared <= edge_ca.squared)
        return {{edge_ab.weight[0], edge_ab.weight[1], 0}, edge_ab.squared};
    if (edge_bc.squared <= edge_ca.squared)
        return {{0, edge_bc.weight[0], edge_bc.weight[1]}, edge_bc.squared};
    return {{edge_ca.weight[1], 0, edge_ca.weight[0]}, edge_ca.squared};
}

DVec3 closest_of_tetrahedron(Simplex& s)
{
    static constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    Weights best{{0, 0, 0}, 0};
    int best_face = -1;
    for (int f = 0; f < 4; ++f)
    {
        const DVec3 a = s.w[faces[f][0]], b = s.w[faces[f][1]], c = s.w[faces[f][2]];
        const DVec3 n = cross(b - a, c - a);
        const double side = dot(n, s.w[faces[f][3]] - a), origin = -dot(n, a);
        // A tetrahedron without volume has no inside.
        const bool is_flat = side * side <= 1e-24 * dot(n, n) * length_squared(s.w[faces[f][3]] - a);
        if (!is_flat && side * origin > 0)
            continue;
        const Weights found = closest_on_triangle(a, b, c);
        if (best_face >= 0 && found.squared >= best.squared)
            continue;
        best = found;
        best_face = f;
    }
    if (best_face < 0)
        return {};
    keep(s, faces[best_face], best.weight, 3);
    return combine(s.w, s.weight, s.count);
}

DVec3 hull_support(const Hull& hull, DVec3 d)
{
    // Scaled so that short directions survive the way to float.
    const double size = std::max({std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)});
    const double s = size > 0 ? 1 / size : 0;
    return hull.corners[support_corner(hull, Vec3(d * s))];
}

DVec3 cylinder_support(const Shape& shape, DVec3 d)
{
    const double side = std::sqrt(d.x * d.x + d.z * d.z);
    const double y = std::copysign(double(shape.half_length), d.y);
    const double s = side > 1e-12 * std::fabs(d.y) ? shape.radius / side : 0;
    return {d.x * s, y, d.z * s};
}

DVec3 local_support(const Shape& shape, DVec3 d)
{
    switch (shape.kind)
    {
    case ShapeKind::capsule: return {0, std::copysign(double(shape.half_length), d.y), 0};
    case ShapeKind::box:
        return {std::copysign(double(shape.half_extents.x), d.x), std::copysign(double(shape.half_extents.y), d.y),
                std::copysign(double(shape.half_extents.z), d.z)};
    case ShapeKind::cylinder: return cylinder_support(shape, d);
    case ShapeKind::hull: return hull_support(*shape.hull, d);
    case ShapeKind::triangle:
    {
        const DVec3 p = shape.triangle[0], q = shape.triangle[1], r = shape.triangle[2];
        const double dp = dot(p, d), dq = dot(q, d), dr = dot(r, d);
        return dp >= dq && dp >= dr ? p : dq >= dr ? q : r;
    }
    default: return {};
    }
}

bool holds(const Simplex& s, DVec3 w)
{
    for (int i = 0; i < s.count; ++i)
        if (s.w[i] == w)
            return true;
    return false;
}

} // namespace

DVec3 reduce_to_closest(Simplex& s)
{
    static constexpr int order[3] = {0, 1, 2};
    switch (s.count)
    {
    case 1: s.weight[0] = 1; return s.w[0];
    case 2:
    {
        const Weights found = closest_on_segment(s.w[0], s.w[1]);
        keep(s, order, found.weight, 2);
        return combine(s.w, s.weight, s.count);
    }
    case 3:
    {
        const Weights found = closest_on_triangle(s.w[0], s.w[1], s.w[2]);
        keep(s, order, found.weight, 3);
        return combine(s.w, s.weight, s.count);
    }
    default: return closest_of_tetrahedron(s);
    }
}

DVec3 point_on_a(const Simplex& s) { return combine(s.a, s.weight, s.count); }

CorePair make_core_pair(const ConvexView& a, const ConvexView& b)
{
    CorePair pair;
    pair.rotation = to_double_matrix(a.pose.rotation);
    pair.position = a.pose.position;
    pair.a.shape = a.shape;
    pair.b.shape = b.shape;
    pair.b.rotation = transpose_multiply(pair.rotation, to_double_matrix(b.pose.rotation));
    pair.b.position = transpose_multiply(pair.rotation, DVec3(b.pose.position) - pair.position);
    return pair;
}

DVec3 support(const Core& core, DVec3 direction)
{
    if (!core.shape)
        return core.position;
    return core.rotation * local_support(*core.shape, transpose_multiply(core.rotation, direction)) + core.position;
}

GjkState run_gjk(const Core& a, const Core& b, DVec3 v, double max_distance)
{
    constexpr int max_iterations = 32;
    constexpr double tolerance = 1e-10; // relative, of the squared distance
    constexpr double touching = 1e-20;  // squared distance over squared size below which the cores meet
    GjkState state;
    if (!(length_squared(v) > 0))
        v = a.position - b.position;
    if (!(length_squared(v) > 0))
        v = {1, 0, 0};
    double last = -1;
    double size = 0;
    bool is_apart = false; // some v was seen to separate: thin tetrahedra of rounding cannot claim otherwise
    for (int i = 0; i < max_iterations; ++i)
    {
        const DVec3 on_a = support(a, -v);
        const DVec3 w = on_a - support(b, v);
        const double squared = length_squared(v), along = dot(v, w);
        if (along > 0 && along * along > max_distance * max_distance * squared)
        {
            state.v = v;
            state.is_far = true;
            return state;
        }
        if (state.simplex.count > 0 && squared - along <= tolerance * squared)
            break;
        if (holds(state.simplex, w))
            break;
        const Simplex before = state.simplex;
        Simplex& s = state.simplex;
        s.w[s.count] = w;
        s.a[s.count++] = on_a;
        size = std::max(size, length_squared(w));
        const DVec3 next = reduce_to_closest(s);
        const double next_squared = length_squared(next);
        is_apart |= along > 0 && along * along > 1e-18 * size * squared;
        const bool is_overlapping = s.count == 4 || next_squared <= touching * size;
        if (is_overlapping && !is_apart)
        {
            state.v = next;
            state.is_overlapping = true;
            return state;
        }
        // Rounding has taken over: the last simplex was the best.
        if (is_overlapping || (last >= 0 && next_squared >= last))
        {
            s = before;
            break;
        }
        last = next_squared;
        v = next;
    }
    state.v = v;
    return state;
}

} // namespace moraine
