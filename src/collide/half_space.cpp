// A half-space against everything else: the lowest points of the shape.
#include "collide/narrow_phase.h"
#include "collide/pair_functions.h"
#include "collide/scratch.h"
#include "geometry/hull.h"

namespace moraine
{
namespace
{

constexpr int max_points = 72;

struct Lowest
{
    Vec3 up;      // normal of the half-space in the frame of A
    float height; // of the plane along it
    float margin;
    Scratch<LocalPoint, max_points> points;
    int count = 0;

    void add(Vec3 p, uint32_t key)
    {
        const float separation = dot(up, p) - height;
        if (separation > margin || count == max_points)
            return;
        points[count++] = {p - up * (0.5f * separation), separation, key};
    }
};

void add_box(const Shape& shape, Lowest& lowest)
{
    // The face that looks down most; it holds the lowest corner.
    const Vec3 h = shape.half_extents, up = lowest.up, down = abs(up);
    const int k = down.x >= down.y && down.x >= down.z ? 0 : down.y >= down.z ? 1 : 2;
    for (uint32_t i = 0; i < 8; ++i)
    {
        const Vec3 p{i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
        if ((p[k] > 0) == (up[k] < 0))
            lowest.add(p, i);
    }
}

void add_hull(const Hull& hull, Lowest& lowest)
{
    int best = 0;
    for (int i = 1; i < int(hull.faces.size()); ++i)
        if (dot(hull.faces[i].normal, lowest.up) < dot(hull.faces[best].normal, lowest.up))
            best = i;
    const HullFace& face = hull.faces[best];
    const int deepest = support_corner(hull, -lowest.up);
    bool has_deepest = false;
    for (int i = 0; i < face.count; ++i)
    {
        const int corner = hull.loops[face.first + i];
        has_deepest |= corner == deepest;
        lowest.add(hull.corners[corner], uint32_t(corner));
    }
    if (!has_deepest)
        lowest.add(hull.corners[deepest], uint32_t(deepest));
}

void add_cylinder(const Shape& shape, Lowest& lowest)
{
    const Vec3 up = lowest.up;
    const float side = std::hypot(up.x, up.z);
    // The line on the side that is lowest: both ends when lying, one when tilted.
    if (side > 0.02f)
    {
        const float x = -up.x / side * shape.radius, z = -up.z / side * shape.radius;
        lowest.add({x, -shape.half_length, z}, 8);
        lowest.add({x, shape.half_length, z}, 9);
    }
    // The lower cap: points fixed in the body, so that they persist while it stands.
    if (side > 0.5f)
        return;
    const uint32_t cap = up.y < 0 ? 4 : 0;
    const float y = up.y < 0 ? shape.half_length : -shape.half_length;
    lowest.add({shape.radius, y, 0}, cap);
    lowest.add({0, y, shape.radius}, cap + 1);
    lowest.add({-shape.radius, y, 0}, cap + 2);
    lowest.add({0, y, -shape.radius}, cap + 3);
}

} // namespace

bool collide_half_space(const PairInput& pair, const PairCache& cache, LocalManifold& out)
{
    const Shape& a = pair.a;
    Lowest lowest;
    lowest.up = pair.place.rotation.y;
    lowest.height = dot(lowest.up, pair.place.position);
    lowest.margin = pair.margin;
    switch (a.kind)
    {
    case ShapeKind::sphere: lowest.add(lowest.up * -a.radius, contact_key::single); break;
    case ShapeKind::capsule:
        lowest.add(Vec3{0, -a.half_length, 0} - lowest.up * a.radius, 0);
        lowest.add(Vec3{0, a.half_length, 0} - lowest.up * a.radius, 1);
        break;
    case ShapeKind::box: add_box(a, lowest); break;
    case ShapeKind::cylinder: add_cylinder(a, lowest); break;
    case ShapeKind::hull: add_hull(*a.hull, lowest); break;
    case ShapeKind::triangle:
        for (uint32_t i = 0; i < 3; ++i)
            lowest.add(a.triangle[i], i);
        break;
    default: break;
    }
    if (lowest.count == 0)
        return false;
    reduce_points(lowest.points, lowest.count, -lowest.up, cache.last, out);
    return true;
}

} // namespace moraine
