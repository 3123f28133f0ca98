#include "collide/polyhedron.h"

#include <algorithm>
#include <limits>

namespace moraine
{
namespace
{

// Corner i of a box has bit k set where its coordinate k is positive. Faces: -x +x -y +y -z +z.
constexpr uint8_t box_loops[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
// face_a is on the left going from corner_a to corner_b: the one whose loop has the edge in that direction.
constexpr HullEdge box_edges[12] = {{0, 4, 0, 2}, {4, 6, 0, 5}, {6, 2, 0, 3}, {2, 0, 0, 4}, {1, 3, 1, 4}, {3, 7, 1, 3},
                                    {7, 5, 1, 5}, {5, 1, 1, 2}, {0, 1, 2, 4}, {5, 4, 2, 5}, {6, 7, 3, 5}, {3, 2, 3, 4}};

constexpr uint8_t triangle_loops[6] = {0, 1, 2, 0, 2, 1};
// Each edge twice: from the front to sideways and from sideways to the back, so that no arc is half a circle.
constexpr HullEdge triangle_edges[6] = {{0, 1, 0, 2}, {1, 2, 0, 3}, {2, 0, 0, 4},
                                        {1, 0, 1, 2}, {2, 1, 1, 3}, {0, 2, 1, 4}};

// Missing corners repeat the last one.
void fill_lanes(PolyhedronStore& store, int count)
{
    constexpr int lanes = Hull::lane_count;
    for (int i = 0; i < lanes; ++i)
    {
        const Vec3 p = store.corners[std::min(i, count - 1)];
        store.lanes[i] = p.x;
        store.lanes[i + lanes] = p.y;
        store.lanes[i + 2 * lanes] = p.z;
    }
}

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
    fill_lanes(store, 8);
    return {store.corners, store.lanes,      store.faces, box_loops, box_edges, 8, 1, 6, 12,
            Vec3{},        min_component(h), Aabb{-h, h}, true};
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
    fill_lanes(store, 3);
    return {store.corners, store.lanes, store.faces, triangle_loops, triangle_edges, 3, 1, 2, 6,
            center,        0,           bounds,      false};
}

} // namespace

Polyhedron make_polyhedron(const Shape& shape, PolyhedronStore& store)
{
    if (shape.kind == ShapeKind::box)
        return make_box(shape, store);
    if (shape.kind == ShapeKind::triangle)
        return make_triangle(shape, store);
    const Hull& hull = *shape.hull;
    return {hull.corners.data(),
            hull.lanes.data(),
            hull.faces.data(),
            hull.loops.data(),
            hull.edges.data(),
            int(hull.corners.size()),
            int(hull.lanes.size()) / (3 * Hull::lane_count),
            int(hull.faces.size()),
            int(hull.edges.size()),
            hull.center,
            hull.inner_radius,
            hull.bounds,
            true};
}

void fill_face(const Polyhedron& poly, int index, Polygon& out)
{
    const HullFace& face = poly.faces[index];
    out.count = std::min(int(face.count), Polygon::capacity);
    for (int i = 0; i < out.count; ++i)
    {
        out.ids[i] = poly.loops[face.first + i];
        out.points[i] = poly.corners[out.ids[i]];
    }
    out.normal = face.normal;
    out.key = uint32_t(index);
}

int face_along(const Polyhedron& poly, Vec3 direction)
{
    int best = 0;
    float most = -std::numeric_limits<float>::infinity();
    for (int i = 0; i < poly.face_count; ++i)
    {
        const float along = dot(poly.faces[i].normal, direction);
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}

bool contains(const Polyhedron& poly, Vec3 point, float tolerance)
{
    for (int i = 0; i < poly.face_count; ++i)
        if (dot(poly.faces[i].normal, point) - poly.faces[i].offset > tolerance)
            return false;
    return true;
}

float highest_along(const Polyhedron& poly, Vec3 direction)
{
    constexpr int lanes = Hull::lane_count;
    float best[lanes];
    for (int i = 0; i < lanes; ++i)
        best[i] = -std::numeric_limits<float>::infinity();
    const float* corner = poly.lanes;
    for (int block = 0; block < poly.block_count; ++block, corner += 3 * lanes)
    {
        for (int i = 0; i < lanes; ++i)
        {
            const float height = corner[i] * direction.x + corner[i + lanes] * direction.y +
                                 corner[i + 2 * lanes] * direction.z;
            best[i] = height > best[i] ? height : best[i];
        }
    }
    for (int step = lanes / 2; step > 0; step /= 2)
        for (int i = 0; i < step; ++i)
            best[i] = best[i] > best[i + step] ? best[i] : best[i + step];
    return best[0];
}

} // namespace moraine
