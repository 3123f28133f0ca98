// Polyhedra (box, hull, triangle) by separating axes: face normals of both and edge pairs whose arcs cross on the
// Gauss map. Exact, but most axes are never evaluated: the axis of the last step bounds the depth, and an axis along
// which the pair must be deeper than that is skipped after one dot product.
#include "collide/narrow_phase.h"
#include "collide/polyhedron.h"

#include <algorithm>
#include <limits>

namespace moraine
{
namespace
{

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr int max_corners = 128;
constexpr int max_normals = 256;
constexpr int max_edges = 384;

// B moved into the frame of A.
struct MovedPolyhedron
{
    Scratch<Vec3, max_corners> corners;
    Scratch<Vec3, max_normals> normals;
    Scratch<float, max_normals> offsets;
    Vec3 center;
    Aabb bounds;
};

void move(const Polyhedron& poly, const Placed& place, MovedPolyhedron& out)
{
    out.bounds = {};
    for (int i = 0; i < poly.corner_count; ++i)
    {
        const Vec3 p = apply(place, poly.corners[i]);
        out.corners[i] = p;
        out.bounds.lower = min(out.bounds.lower, p);
        out.bounds.upper = max(out.bounds.upper, p);
    }
    for (int i = 0; i < poly.normal_count; ++i)
    {
        out.normals[i] = place.rotation * poly.faces[i].normal;
        out.offsets[i] = poly.faces[i].offset + dot(out.normals[i], place.position);
    }
    out.center = apply(place, poly.center);
}

// Lowest corner along `direction`; stops early once below `enough`.
float lowest_along(const Vec3* corners, int count, Vec3 direction, float enough)
{
    float lowest = infinity;
    for (int first = 0; first < count; first += 8)
    {
        const int last = std::min(first + 8, count);
        for (int i = first; i < last; ++i)
            lowest = std::min(lowest, dot(corners[i], direction));
        if (lowest < enough)
            break;
    }
    return lowest;
}

struct Best
{
    float separation = -infinity;
    int index = -1;
    int index_b = -1; // of an edge pair
    Vec3 normal{};    // of an edge pair, from A to B
};

struct Sat
{
    const Polyhedron& a;
    const Polyhedron& b;
    MovedPolyhedron moved;
    float margin;
    float tolerance;   // axes this much worse than the best cannot be chosen
    float threshold;   // separations below this are of no interest
    Best face_a{}, face_b{}, edge{};

    void raise(float separation) { threshold = std::max(threshold, std::min(separation, 0.0f) - tolerance); }
};

float separation_along(const Sat& s, Vec3 axis)
{
    return lowest_along(s.moved.corners, s.b.corner_count, axis, -infinity) +
           lowest_along(s.a.corners, s.a.corner_count, -axis, -infinity);
}

// False: a face of A separates.
bool test_faces_a(Sat& s)
{
    for (int i = 0; i < s.a.face_count; ++i)
    {
        const HullFace& face = s.a.faces[i];
        // The ball inside B bounds the separation from above.
        if (dot(face.normal, s.moved.center) - face.offset - s.b.inner_radius < s.threshold)
            continue;
        const float separation =
            lowest_along(s.moved.corners, s.b.corner_count, face.normal, face.offset + s.threshold) - face.offset;
        if (separation <= s.face_a.separation)
            continue;
        s.face_a = {separation, i, -1, face.normal};
        if (separation > s.margin)
            return false;
        s.raise(separation);
    }
    return true;
}

bool test_faces_b(Sat& s)
{
    for (int i = 0; i < s.b.face_count; ++i)
    {
        const Vec3 normal = s.moved.normals[i];
        const float offset = s.moved.offsets[i];
        if (dot(normal, s.a.center) - offset - s.a.inner_radius < s.threshold)
            continue;
        const float separation = lowest_along(s.a.corners, s.a.corner_count, normal, offset + s.threshold) - offset;
        if (separation <= s.face_b.separation)
            continue;
        s.face_b = {separation, i, -1, -normal};
        if (separation > s.margin)
            return false;
        s.raise(separation);
    }
    return true;
}

struct EdgeArc
{
    Vec3 start;
    Vec3 direction;
    Vec3 normal_a, normal_b;
    int index;
};

bool overlaps_segment(const Aabb& box, Vec3 p, Vec3 q)
{
    return overlaps(box, Aabb{min(p, q), max(p, q)});
}

// The deepest pair of edges touches at points that are no further apart than the depth: only edges near the other
// shape and near its best face can be part of it.
int gather_edges_a(const Sat& s, float reach, EdgeArc* out)
{
    const Aabb region = enlarge(s.moved.bounds, reach);
    const int face = s.face_b.index;
    int count = 0;
    for (int i = 0; i < s.a.edge_count; ++i)
    {
        const HullEdge& e = s.a.edges[i];
        const Vec3 p = s.a.corners[e.corner_a], q = s.a.corners[e.corner_b];
        if (!overlaps_segment(region, p, q))
            continue;
        if (face >= 0 && std::min(dot(s.moved.normals[face], p), dot(s.moved.normals[face], q)) >
                             s.moved.offsets[face] + reach)
            continue;
        out[count++] = {p, q - p, s.a.faces[e.face_a].normal, s.a.faces[e.face_b].normal, i};
    }
    return count;
}

int gather_edges_b(const Sat& s, float reach, EdgeArc* out)
{
    const Aabb region = enlarge(s.a.bounds, reach);
    const int face = s.face_a.index;
    int count = 0;
    for (int i = 0; i < s.b.edge_count; ++i)
    {
        const HullEdge& e = s.b.edges[i];
        const Vec3 p = s.moved.corners[e.corner_a], q = s.moved.corners[e.corner_b];
        if (!overlaps_segment(region, p, q))
            continue;
        if (face >= 0 && std::min(dot(s.a.faces[face].normal, p), dot(s.a.faces[face].normal, q)) >
                             s.a.faces[face].offset + reach)
            continue;
        out[count++] = {p, q - p, s.moved.normals[e.face_a], s.moved.normals[e.face_b], i};
    }
    return count;
}

// Whether the arc of A between its face normals crosses the mirrored arc of B: then the edges make a face of the
// Minkowski difference. The cross products of the face normals are along the edges.
bool arcs_cross(const EdgeArc& a, const EdgeArc& b)
{
    const float ca = dot(b.normal_a, a.direction), da = dot(b.normal_b, a.direction);
    if (ca * da >= 0)
        return false;
    const float ab = -dot(a.normal_a, b.direction), bb = -dot(a.normal_b, b.direction);
    return ab * bb < 0 && ca * bb > 0;
}

bool test_edges(Sat& s)
{
    Scratch<EdgeArc, max_edges> edges_a, edges_b;
    const float reach = std::max(-s.threshold, s.margin) + s.tolerance;
    const int count_a = gather_edges_a(s, reach, edges_a);
    const int count_b = count_a > 0 ? gather_edges_b(s, reach, edges_b) : 0;
    for (int i = 0; i < count_a; ++i)
    {
        const EdgeArc& a = edges_a[i];
        for (int j = 0; j < count_b; ++j)
        {
            const EdgeArc& b = edges_b[j];
            if (!arcs_cross(a, b))
                continue;
            Vec3 axis = cross(a.direction, b.direction);
            const float squared = length_squared(axis);
            // Nearly parallel edges are left to the faces.
            if (squared < 1e-4f * length_squared(a.direction) * length_squared(b.direction))
                continue;
            axis = axis * (1 / std::sqrt(squared));
            // Both face normals of A lean to the outer side.
            if (dot(axis, a.normal_a + a.normal_b) < 0)
                axis = -axis;
            const float separation = dot(axis, b.start - a.start);
            if (separation <= s.edge.separation)
                continue;
            s.edge = {separation, a.index, b.index, axis};
            if (separation > s.margin)
                return false;
        }
    }
    return true;
}

void fill_face_a(const Polyhedron& poly, int index, Polygon& out)
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

void fill_face_b(const Polyhedron& poly, const MovedPolyhedron& moved, int index, Polygon& out)
{
    const HullFace& face = poly.faces[index];
    out.count = std::min(int(face.count), Polygon::capacity);
    for (int i = 0; i < out.count; ++i)
    {
        out.ids[i] = poly.loops[face.first + i];
        out.points[i] = moved.corners[out.ids[i]];
    }
    out.normal = moved.normals[index];
    out.key = uint32_t(index);
}

bool face_contact(const Sat& s, bool is_on_b, LocalManifold& out)
{
    const Vec3 normal = is_on_b ? s.face_b.normal : s.face_a.normal;
    // The face of the other shape that is most against the normal.
    int incident = 0;
    float most = infinity;
    const int count = is_on_b ? s.a.face_count : s.b.face_count;
    for (int i = 0; i < count; ++i)
    {
        const float along = is_on_b ? -dot(s.a.faces[i].normal, normal) : dot(s.moved.normals[i], normal);
        if (along < most)
        {
            most = along;
            incident = i;
        }
    }
    Polygon face_a, face_b;
    fill_face_a(s.a, is_on_b ? incident : s.face_a.index, face_a);
    fill_face_b(s.b, s.moved, is_on_b ? s.face_b.index : incident, face_b);
    return is_on_b ? clip_to_face(face_b, face_a, normal, true, s.margin, out)
                   : clip_to_face(face_a, face_b, normal, false, s.margin, out);
}

bool edge_contact(const Sat& s, LocalManifold& out)
{
    const HullEdge& a = s.a.edges[s.edge.index];
    const HullEdge& b = s.b.edges[s.edge.index_b];
    const Vec3 p = s.a.corners[a.corner_a], q = s.moved.corners[b.corner_a];
    const Vec3 u = s.a.corners[a.corner_b] - p, v = s.moved.corners[b.corner_b] - q;
    const Vec3 d = q - p;
    const float uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ud = dot(u, d), vd = dot(v, d);
    const float scale = 1 / (uu * vv - uv * uv);
    const Vec3 on_a = p + u * std::clamp((vv * ud - uv * vd) * scale, 0.0f, 1.0f);
    const Vec3 on_b = q + v * std::clamp((uv * ud - uu * vd) * scale, 0.0f, 1.0f);
    const float separation = dot(on_b - on_a, s.edge.normal);
    // A gap that is wider than it looks along the axis: the edges pass each other.
    if (separation > 0 && length_squared(on_b - on_a) > s.margin * s.margin)
        return false;
    out.normal = s.edge.normal;
    out.count = 1;
    out.points[0] = {0.5f * (on_a + on_b), separation,
                     contact_key::edges | uint32_t(s.edge.index) << 9 | uint32_t(s.edge.index_b)};
    return true;
}

enum class Feature : uint32_t
{
    none,
    face_a,
    face_b,
    edge
};

// Faces are preferred to edges and A to B by a little, and the feature of the last step to all.
Feature choose(const Sat& s, const PairCache& cache)
{
    const Feature last = Feature(cache.feature >> 24);
    const int last_index = int(cache.feature & 0xffff);
    const float bonus = 0.5f * s.tolerance;
    float a = s.face_a.separation, b = s.face_b.separation, e = s.edge.separation;
    a += last == Feature::face_a && last_index == s.face_a.index ? bonus : 0.0f;
    b += (last == Feature::face_b && last_index == s.face_b.index ? bonus : 0.0f) - 0.5f * s.tolerance;
    e -= s.tolerance + 0.05f * std::fabs(e);
    if (e > std::max(a, b))
        return Feature::edge;
    if (s.face_a.index < 0 && s.face_b.index < 0)
        return Feature::none;
    return b > a ? Feature::face_b : Feature::face_a;
}

void remember(PairCache& cache, Feature feature, const Best& best)
{
    cache.axis = best.normal;
    cache.feature = uint32_t(feature) << 24 | uint32_t(best.index & 0xffff);
}

// Face contact where the clipped face leaves nothing although the shapes overlap: the deepest corner of B will do.
bool corner_contact(const Sat& s, Vec3 normal, float separation, LocalManifold& out)
{
    int lowest = 0;
    for (int i = 1; i < s.b.corner_count; ++i)
        if (dot(s.moved.corners[i], normal) < dot(s.moved.corners[lowest], normal))
            lowest = i;
    set_single_point(out, normal, s.moved.corners[lowest] - normal * separation, separation,
                     contact_key::single | uint32_t(lowest));
    return true;
}

bool build_contact(const Sat& s, PairCache& cache, LocalManifold& out)
{
    const Feature feature = choose(s, cache);
    if (feature == Feature::none)
        return false;
    const Best& best = feature == Feature::edge ? s.edge : feature == Feature::face_a ? s.face_a : s.face_b;
    remember(cache, feature, best);
    if (feature == Feature::edge)
        return edge_contact(s, out);
    if (face_contact(s, feature == Feature::face_b, out))
        return true;
    return best.separation < 0 && corner_contact(s, best.normal, best.separation, out);
}

} // namespace

bool collide_polyhedra(const PairInput& pair, PairCache& cache, LocalManifold& out)
{
    PolyhedronStore store_a, store_b;
    const Polyhedron a = make_polyhedron(pair.a, store_a);
    const Polyhedron b = make_polyhedron(pair.b, store_b);
    const float size = std::max(a.inner_radius, b.inner_radius);
    Sat s{a, b, {}, pair.margin, 0, -infinity};
    s.tolerance = 1e-3f * size;
    const bool has_axis = length_squared(cache.axis) > 0.5f;
    move(b, pair.place, s.moved);
    if (has_axis)
    {
        const float separation = separation_along(s, cache.axis);
        if (separation > pair.margin)
            return false;
        s.raise(separation - 0.1f * std::fabs(separation));
    }
    if (!test_faces_a(s))
        remember(cache, Feature::face_a, s.face_a);
    else if (!test_faces_b(s))
        remember(cache, Feature::face_b, s.face_b);
    else if (!test_edges(s))
        remember(cache, Feature::edge, s.edge);
    else
        return build_contact(s, cache, out);
    return false;
}

} // namespace moraine
