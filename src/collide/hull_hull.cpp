// Polyhedra (box, hull, triangle): the best separating axis, then the faces or edges that make it.
#include "collide/gjk_simplex.h"
#include "collide/polyhedra_sat.h"

#include <algorithm>

namespace moraine
{
namespace
{

enum class Feature : uint32_t
{
    none,
    face_a,
    face_b,
    edge
};

// Faces are preferred to edges and A to B by a little, and the feature of the last step to all, so that the choice does not
// flicker.
Feature choose(const Sat& s, const PairCache& cache)
{
    const Feature last = Feature(cache.feature >> 24);
    const int last_index = int(cache.feature & 0xffff);
    const auto bonus = [&](Feature feature, const SatBest& best) {
        return last == feature && last_index == best.index ? s.tolerance : 0.0f;
    };
    const float a = s.face_a.separation + bonus(Feature::face_a, s.face_a);
    const float b = s.face_b.separation + bonus(Feature::face_b, s.face_b) - 0.5f * s.tolerance;
    const float e = s.edge.separation + bonus(Feature::edge, s.edge) - s.tolerance -
                    0.05f * std::fabs(s.edge.separation);
    if (e > std::max(a, b))
        return Feature::edge;
    if (s.face_a.index < 0 && s.face_b.index < 0)
        return Feature::none;
    return b > a ? Feature::face_b : Feature::face_a;
}

// The corner that is deepest, where the incident face does not hold it.
LocalPoint deepest_corner(const Sat& s, bool is_on_b, Vec3 normal, float separation)
{
    const Polyhedron& poly = is_on_b ? s.a : s.b;
    const Vec3 direction = is_on_b ? normal : transpose_multiply(s.place.rotation, -normal);
    int best = 0;
    for (int i = 1; i < poly.corner_count; ++i)
        if (dot(poly.corners[i], direction) > dot(poly.corners[best], direction))
            best = i;
    const Vec3 half = normal * (0.5f * separation);
    const Vec3 position = is_on_b ? poly.corners[best] + half : apply(s.place, poly.corners[best]) - half;
    return {position, separation, contact_key::single | uint32_t(best)};
}

float lowest_separation(const LocalManifold& m)
{
    float lowest = std::numeric_limits<float>::infinity();
    for (int i = 0; i < m.count; ++i)
        lowest = std::min(lowest, m.points[i].separation);
    return lowest;
}

bool face_contact(const Sat& s, bool is_on_b, const PointKeys& last, LocalManifold& out)
{
    const SatBest& best = is_on_b ? s.face_b : s.face_a;
    const Vec3 normal_in_b = transpose_multiply(s.place.rotation, best.normal);
    Polygon face_a, face_b;
    fill_face(s.a, is_on_b ? face_along(s.a, best.normal) : best.index, face_a);
    fill_face(s.b, is_on_b ? best.index : face_along(s.b, -normal_in_b), face_b);
    for (int i = 0; i < face_b.count; ++i)
        face_b.points[i] = apply(s.place, face_b.points[i]);
    face_b.normal = s.place.rotation * face_b.normal;

    const float twin = 10 * s.tolerance;
    const bool has_points = is_on_b ? clip_to_face(face_b, face_a, best.normal, true, s.margin, twin, last, out)
                                    : clip_to_face(face_a, face_b, best.normal, false, s.margin, twin, last, out);
    if (best.separation >= 0)
        return has_points;
    out.normal = best.normal;
    if (lowest_separation(out) > best.separation + s.tolerance)
        keep_deepest(deepest_corner(s, is_on_b, best.normal, best.separation), s.tolerance, out);
    return true;
}

bool edge_contact(const Sat& s, LocalManifold& out)
{
    const HullEdge& a = s.a.edges[s.edge.index];
    const HullEdge& b = s.b.edges[s.edge.index_b];
    const Vec3 p = s.a.corners[a.corner_a], q = apply(s.place, s.b.corners[b.corner_a]);
    const Vec3 u = s.a.corners[a.corner_b] - p, v = apply(s.place, s.b.corners[b.corner_b]) - q;
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

// Edge pairs far apart were not looked at, and one of them may separate the shapes. A point of one shape inside the
// other proves that none does.
bool has_proof_of_overlap(const Sat& s, const LocalManifold& m)
{
    const LocalPoint* deepest = &m.points[0];
    for (int i = 1; i < m.count; ++i)
        if (m.points[i].separation < deepest->separation)
            deepest = &m.points[i];
    const Vec3 half = m.normal * (0.5f * deepest->separation);
    const Vec3 on_a = deepest->position - half, on_b = deepest->position + half;
    if (s.b.is_solid && contains(s.b, apply_inverse(s.place, on_a), s.tolerance))
        return true;
    return s.a.is_solid && contains(s.a, on_b, s.tolerance);
}

// The last word on a pair without proof. Replaces the manifold by the closest points where there is a gap.
bool check_with_gjk(const PairInput& pair, PairCache& cache, LocalManifold& out)
{
    const Mat3& r = pair.place.rotation;
    const Core a{&pair.a, {}, {}}, b{&pair.b, {r.x, r.y, r.z}, pair.place.position};
    const GjkState state = run_gjk(a, b, -DVec3(out.normal), pair.margin);
    if (state.is_overlapping)
        return true;
    const double gap = length(state.v);
    cache = {Vec3(state.v * (-1 / gap)), 0, {}};
    if (state.is_far || gap > pair.margin)
        return false;
    set_single_point(out, cache.axis, Vec3(point_on_a(state.simplex)), float(gap), contact_key::single);
    return true;
}

bool build_contact(const PairInput& pair, const Sat& s, PairCache& cache, LocalManifold& out)
{
    const Feature feature = choose(s, cache);
    if (feature == Feature::none)
        return false;
    const SatBest& best = feature == Feature::edge ? s.edge : feature == Feature::face_a ? s.face_a : s.face_b;
    cache.axis = best.normal;
    cache.feature = uint32_t(feature) << 24 | uint32_t(best.index & 0xffff);
    if (!(feature == Feature::edge ? edge_contact(s, out)
                                   : face_contact(s, feature == Feature::face_b, cache.last, out)))
        return false;
    if (lowest_separation(out) >= 0 || has_proof_of_overlap(s, out))
        return true;
    return check_with_gjk(pair, cache, out);
}

} // namespace

bool collide_polyhedra(const PairInput& pair, PairCache& cache, LocalManifold& out)
{
    PolyhedronStore store_a, store_b;
    const Polyhedron a = make_polyhedron(pair.a, store_a);
    const Polyhedron b = make_polyhedron(pair.b, store_b);
    Sat s{a, b, pair.place, pair.margin, 1e-3f * std::max(a.inner_radius, b.inner_radius)};

    const SatBest* separating = length_squared(cache.axis) > 0.5f ? test_guess(s, cache.axis) : nullptr;
    if (!separating)
        separating = test_faces_a(s);
    if (!separating)
        separating = test_faces_b(s);
    if (!separating)
        separating = test_edges(s);
    if (!separating)
        return build_contact(pair, s, cache, out);
    cache = {separating->normal, 0, {}};
    return false;
}

} // namespace moraine
