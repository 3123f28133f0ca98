#include "collide/polyhedra_sat.h"

#include <algorithm>

namespace moraine
{
namespace
{

constexpr int max_corners = 128;
constexpr int max_edges = 384;

// A shape that overlaps is at least as shallow as along any one direction.
void raise(Sat& s, const SatBest& found)
{
    s.threshold = std::max(s.threshold, std::min(found.separation, 0.0f) - s.tolerance);
    if (found.separation > s.guess.separation)
        s.guess = found;
}

struct EdgeArc
{
    Vec3 start;
    Vec3 direction;
    Vec3 normal_a, normal_b;
    int index;
};

using EdgeArcs = Scratch<EdgeArc, max_edges>;

// The heights of all corners along a direction, in blocks of eight.
void fill_heights(const Polyhedron& poly, Vec3 direction, float* out)
{
    constexpr int lanes = Hull::lane_count;
    const float* corner = poly.lanes;
    for (int block = 0; block < poly.block_count; ++block, corner += 3 * lanes, out += lanes)
        for (int i = 0; i < lanes; ++i)
            out[i] = corner[i] * direction.x + corner[i + lanes] * direction.y + corner[i + 2 * lanes] * direction.z;
}

bool overlaps_segment(const Aabb& box, Vec3 p, Vec3 q) { return overlaps(box, Aabb{min(p, q), max(p, q)}); }

// The deepest pair of edges meets in points that are no further apart than the depth, so only edges can be part of it
// that come within `reach` of the other shape: above `lowest` along `axis`, and in the region.
int gather_edges(const Polyhedron& poly, Vec3 axis, float lowest, const Aabb& region, EdgeArcs& out)
{
    Scratch<float, max_corners + Hull::lane_count> heights;
    fill_heights(poly, axis, heights);
    int count = 0;
    for (int i = 0; i < poly.edge_count; ++i)
    {
        const HullEdge e = poly.edges[i];
        if (std::max(heights[e.corner_a], heights[e.corner_b]) < lowest)
            continue;
        const Vec3 p = poly.corners[e.corner_a], q = poly.corners[e.corner_b];
        if (!overlaps_segment(region, p, q))
            continue;
        out[count++] = {p, q - p, poly.faces[e.face_a].normal, poly.faces[e.face_b].normal, i};
    }
    return count;
}

int gather_edges_a(const Sat& s, float reach, EdgeArcs& out)
{
    const Mat3& r = s.place.rotation;
    const Vec3 center = apply(s.place, moraine::center(s.b.bounds));
    const Vec3 half = abs(r) * half_extents(s.b.bounds);
    const Vec3 axis = s.guess.normal;
    const float lowest_b = dot(axis, s.place.position) - highest_along(s.b, transpose_multiply(r, -axis));
    return gather_edges(s.a, axis, lowest_b - reach, enlarge({center - half, center + half}, reach), out);
}

// Gathered in the frame of B, then moved to that of A.
int gather_edges_b(const Sat& s, float reach, EdgeArcs& out)
{
    const Mat3& r = s.place.rotation;
    const Vec3 center = apply_inverse(s.place, moraine::center(s.a.bounds));
    const Vec3 half = abs(transpose(r)) * half_extents(s.a.bounds);
    const Vec3 axis = s.guess.normal;
    const float highest_a = highest_along(s.a, axis) - dot(axis, s.place.position);
    const int count = gather_edges(s.b, transpose_multiply(r, -axis), -highest_a - reach,
                                   enlarge({center - half, center + half}, reach), out);
    for (int i = 0; i < count; ++i)
    {
        EdgeArc& e = out[i];
        e = {apply(s.place, e.start), r * e.direction, r * e.normal_a, r * e.normal_b, e.index};
    }
    return count;
}

// Whether the arc of A between its face normals crosses the mirrored arc of B: then the edges make a face of the
// Minkowski difference. The cross products of the face normals are along the edges.
bool arcs_cross(const EdgeArc& a, const EdgeArc& b)
{
    const float ca = dot(b.normal_a, a.direction), da = dot(b.normal_b, a.direction);
    const float ab = -dot(a.normal_a, b.direction), bb = -dot(a.normal_b, b.direction);
    return (ca * da < 0) & (ab * bb < 0) & (ca * bb > 0);
}

void test_edge_pair(Sat& s, const EdgeArc& a, const EdgeArc& b)
{
    Vec3 axis = cross(a.direction, b.direction);
    const float squared = length_squared(axis);
    // Nearly parallel edges are left to the faces.
    if (squared < 1e-4f * length_squared(a.direction) * length_squared(b.direction))
        return;
    axis = axis * (1 / std::sqrt(squared));
    // Both face normals of A lean to the outer side.
    if (dot(axis, a.normal_a + a.normal_b) < 0)
        axis = -axis;
    const float separation = dot(axis, b.start - a.start);
    if (separation > s.edge.separation)
        s.edge = {separation, a.index, b.index, axis};
}

} // namespace

const SatBest* test_guess(Sat& s, Vec3 axis)
{
    const float separation = dot(axis, s.place.position) - highest_along(s.a, axis) -
                             highest_along(s.b, transpose_multiply(s.place.rotation, -axis));
    // A little less, for what rounding does to an axis that is a feature's own.
    raise(s, {separation - 1e-3f * std::fabs(separation), -1, -1, axis});
    return separation > s.margin ? &s.guess : nullptr;
}

const SatBest* test_faces_a(Sat& s)
{
    const Vec3 center = apply(s.place, s.b.center);
    for (int i = 0; i < s.a.face_count; ++i)
    {
        const HullFace& face = s.a.faces[i];
        // The ball inside B bounds the separation from above.
        if (dot(face.normal, center) - face.offset - s.b.inner_radius < s.threshold)
            continue;
        const float separation = dot(face.normal, s.place.position) - face.offset -
                                 highest_along(s.b, transpose_multiply(s.place.rotation, -face.normal));
        if (separation <= s.face_a.separation)
            continue;
        s.face_a = {separation, i, -1, face.normal};
        if (separation > s.margin)
            return &s.face_a;
        raise(s, s.face_a);
    }
    return nullptr;
}

const SatBest* test_faces_b(Sat& s)
{
    const Vec3 center = apply_inverse(s.place, s.a.center);
    for (int i = 0; i < s.b.face_count; ++i)
    {
        const HullFace& face = s.b.faces[i];
        if (dot(face.normal, center) - face.offset - s.a.inner_radius < s.threshold)
            continue;
        const Vec3 normal = s.place.rotation * -face.normal;
        const float separation = dot(normal, s.place.position) - face.offset - highest_along(s.a, normal);
        if (separation <= s.face_b.separation)
            continue;
        s.face_b = {separation, i, -1, normal};
        if (separation > s.margin)
            return &s.face_b;
        raise(s, s.face_b);
    }
    return nullptr;
}

const SatBest* test_edges(Sat& s)
{
    EdgeArcs edges_a, edges_b;
    // Taken at their word that they overlap if no face separates them; the caller asks for proof.
    const float reach = s.guess.separation < 0 ? -s.threshold : s.margin;
    const int count_a = gather_edges_a(s, reach, edges_a);
    const int count_b = count_a > 0 ? gather_edges_b(s, reach, edges_b) : 0;
    for (int i = 0; i < count_a; ++i)
        for (int j = 0; j < count_b; ++j)
            if (arcs_cross(edges_a[i], edges_b[j]))
                test_edge_pair(s, edges_a[i], edges_b[j]);
    return s.edge.separation > s.margin ? &s.edge : nullptr;
}

} // namespace moraine
