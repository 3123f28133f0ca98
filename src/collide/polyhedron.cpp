#include "collide/polyhedron.h"

namespace moraine
{
namespace
{

// Corner i of a box has bit k set where its coordinate k is positive. Faces: -x +x -y +y -z +z.
constexpr uint8_t box_loops[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
// face_a is on the left going from corner_a to corner_b: the one whose loop has the edge in that direction.
constexpr HullEdge box_edges[12] = {{0, 4, 0, 2}, {4, 6, 0, 5}, {6, 2, 0, 3}, {2, 0, 0, 4},
                                    {1, 3, 1, 4}, {3, 7, 1, 3}, {7, 5, 1, 5}, {5, 1, 1, 2},
                                    {0, 1, 2, 4}, {5, 4, 2, 5}, {6, 7, 3, 5}, {3, 2, 3, 4}};

constexpr uint8_t triangle_loops[6] = {0, 1, 2, 0, 2, 1};
// Each edge twice: from the front to sideways and from sideways to the back, so that no arc is half a circle.
constexpr HullEdge triangle_edges[6] = {{0, 1, 0, 2}, {1, 2, 0, 3}, {2, 0, 0, 4},
                                        {1, 0, 1, 2}, {2, 1, 1, 3}, {0, 2, 1, 4}};

Polyhedron make_box(const Shape& shape, PolyhedronStore& store)
{
    const Vec3 h = shape.half_extents;
    for (int i = 0; i < 8; ++i)
        store.corners[i] = {i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
    for (int i = 0; i < 6; ++i)
    {
        HullFace& face = store.faces[i];
        face.normal = {};
        face.normal[i / 2] = i & 1 ? 1.0f : -1.0f;
        face.offset = h[i / 2];
        face.first = uint16_t(4 * i);
        face.count = 4;
    }
    return {store.corners, store.faces, box_loops, box_edges, 8, 6, 6, 12, {}, min_component(h), {-h, h}};
}

Polyhedron make_triangle(const Shape& shape, PolyhedronStore& store)
{
    const Vec3* p = shape.triangle;
    for (int i = 0; i < 3; ++i)
        store.corners[i] = p[i];
    const Vec3 normal = normalize(cross(p[1] - p[0], p[2] - p[0]));
    store.faces[0] = {normal, dot(normal, p[0]), 0, 3};
    store.faces[1] = {-normal, -dot(normal, p[0]), 3, 3};
    for (int i = 0; i < 3; ++i)
    {
        const Vec3 side = normalize(cross(p[(i + 1) % 3] - p[i], normal));
        store.faces[2 + i] = {side, dot(side, p[i]), 0, 0};
    }
    const Vec3 center = (p[0] + p[1] + p[2]) * (1.0f / 3);
    const Aabb bounds{min(min(p[0], p[1]), p[2]), max(max(p[0], p[1]), p[2])};
    return {store.corners, store.faces, triangle_loops, triangle_edges, 3, 2, 5, 6, center, 0, bounds};
}

} // namespace

Polyhedron make_polyhedron(const Shape& shape, PolyhedronStore& store)
{
    if (shape.kind == ShapeKind::box)
        return make_box(shape, store);
    if (shape.kind == ShapeKind::triangle)
        return make_triangle(shape, store);
    const Hull& hull = *shape.hull;
    const int face_count = int(hull.faces.size());
    return {hull.corners.data(),      hull.faces.data(), hull.loops.data(),      hull.edges.data(),
            int(hull.corners.size()), face_count,        face_count,             int(hull.edges.size()),
            hull.center,              hull.inner_radius, hull.bounds};
}

} // namespace moraine
