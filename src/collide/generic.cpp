// Any two convex shapes: closest or deepest points by GJK and EPA (separating axes where a segment is inside a
// polyhedron), then a manifold from the features that face each other.
#include "collide/gjk_simplex.h"
#include "collide/polyhedron.h"

#include <algorithm>
#include <limits>

namespace moraine
{
namespace
{

struct Contact
{
    Vec3 normal{}; // from A to B
    Vec3 on_a{};   // on the rounded surface of A
    float separation = 0;
};

float rounding(const Shape& shape)
{
    return shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::capsule ? shape.radius : 0.0f;
}

Core make_core(const Shape& shape, const Placed& place)
{
    return {&shape, {place.rotation.x, place.rotation.y, place.rotation.z}, place.position};
}

// The deepest way out for the axis of a capsule inside a polyhedron: EPA has no volume to work with when the segment
// lies in a triangle, and the axes are few. Normal from the capsule to the polyhedron, in the frame of the latter.
float segment_depth(const Polyhedron& poly, Vec3 center, Vec3 half, Vec3& normal)
{
    float best = -std::numeric_limits<float>::infinity();
    for (int i = 0; i < poly.face_count; ++i)
    {
        const HullFace& face = poly.faces[i];
        const float separation = dot(face.normal, center) - std::fabs(dot(face.normal, half)) - face.offset;
        if (separation <= best)
            continue;
        best = separation;
        normal = -face.normal;
    }
    for (int i = 0; i < poly.edge_count; ++i)
    {
        const Vec3 e = poly.corners[poly.edges[i].corner_b] - poly.corners[poly.edges[i].corner_a];
        const Vec3 axis = cross(half, e);
        const float squared = length_squared(axis);
        if (squared <= 1e-6f * length_squared(half) * length_squared(e))
            continue;
        const Vec3 n = axis * (1 / std::sqrt(squared));
        float low = std::numeric_limits<float>::infinity(), high = -low;
        for (int k = 0; k < poly.corner_count; ++k)
        {
            const float along = dot(n, poly.corners[k] - center);
            low = std::min(low, along);
            high = std::max(high, along);
        }
        const float separation = std::max(low, -high);
        // Faces are preferred.
        if (separation - 0.02f * std::fabs(separation) <= best)
            continue;
        best = separation;
        normal = low > -high ? n : -n;
    }
    return -best;
}

Contact contact_of(const Deepest& deepest, float radius_a, float radius_b)
{
    const Vec3 n(deepest.normal);
    return {n, Vec3(deepest.on_a) + n * radius_a, float(-deepest.depth) - radius_a - radius_b};
}

// Deepest points of a capsule's axis in a polyhedron: its closest points after B has been moved clear.
Contact contact_of_segment(const PairInput& pair, const Core& core_a, const Core& core_b)
{
    PolyhedronStore store;
    const Polyhedron poly = make_polyhedron(pair.b, store);
    const Vec3 half = transpose_multiply(pair.place.rotation, Vec3{0, pair.a.half_length, 0});
    Vec3 normal{0, 1, 0};
    Deepest deepest;
    deepest.depth = segment_depth(poly, apply_inverse(pair.place, {}), half, normal);
    deepest.normal = pair.place.rotation * normal;
    Core clear = core_b;
    const double gap = deepest.depth + 0.1 * (pair.a.half_length + pair.a.radius);
    clear.position += deepest.normal * gap;
    const GjkState state = run_gjk(core_a, clear, -deepest.normal, std::numeric_limits<double>::infinity());
    deepest.on_a = point_on_a(state.simplex);
    return contact_of(deepest, pair.a.radius, 0);
}

bool is_flat_sided(ShapeKind kind)
{
    return kind == ShapeKind::box || kind == ShapeKind::hull || kind == ShapeKind::triangle;
}

bool find_contact(const PairInput& pair, PairCache& cache, Contact& contact)
{
    const Core a{&pair.a, {}, {}}, b = make_core(pair.b, pair.place);
    const float radius_a = rounding(pair.a), radius_b = rounding(pair.b);
    const GjkState state = run_gjk(a, b, -DVec3(cache.axis), double(radius_a) + radius_b + pair.margin);
    if (!state.is_overlapping)
    {
        const double gap = length(state.v);
        const DVec3 normal = state.v * (-1 / gap);
        cache.axis = Vec3(normal);
        contact.normal = cache.axis;
        contact.on_a = Vec3(point_on_a(state.simplex) + normal * radius_a);
        contact.separation = float(gap - radius_a - radius_b);
        return !state.is_far && contact.separation <= pair.margin;
    }
    if (pair.a.kind == ShapeKind::capsule && is_flat_sided(pair.b.kind))
        contact = contact_of_segment(pair, a, b);
    else
        contact = contact_of(run_epa(a, b, state.simplex), radius_a, radius_b);
    cache.axis = contact.normal;
    return is_finite(contact.normal);
}

// The line on the side of a capsule or cylinder that is furthest along `d`.
void fill_side(const Shape& shape, Vec3 d, Polygon& out)
{
    const float side = std::hypot(d.x, d.z);
    Vec3 offset = d * shape.radius;
    if (shape.kind == ShapeKind::cylinder)
        offset = side > 0 ? Vec3{d.x / side, 0, d.z / side} * shape.radius : Vec3{shape.radius, 0, 0};
    out.points[0] = offset + Vec3{0, -shape.half_length, 0};
    out.points[1] = offset + Vec3{0, shape.half_length, 0};
    out.ids[0] = 0;
    out.ids[1] = 1;
    out.count = 2;
}

// Points fixed on the rim, so that they are the same in the next step.
void fill_cap(const Shape& shape, bool is_top, Polygon& out)
{
    constexpr int count = 12;
    static constexpr float c[count] = {1,  0.8660254f,  0.5f,  0, -0.5f, -0.8660254f,
                                       -1, -0.8660254f, -0.5f, 0, 0.5f,  0.8660254f};
    const float y = is_top ? shape.half_length : -shape.half_length;
    for (int i = 0; i < count; ++i)
    {
        // Counter-clockwise seen from outside.
        const int k = is_top ? count - 1 - i : i;
        out.points[i] = {shape.radius * c[k], y, shape.radius * c[(k + 9) % count]};
        out.ids[i] = uint8_t(k);
    }
    out.count = count;
    out.normal = {0, is_top ? 1.0f : -1.0f, 0};
    out.key = is_top ? 1 : 0;
}

void fill_face(const Shape& shape, Vec3 d, Polygon& out)
{
    PolyhedronStore store;
    const Polyhedron poly = make_polyhedron(shape, store);
    fill_face(poly, face_along(poly, d), out);
}

// The feature of the shape that faces along `d`, in the shape's frame.
void fill_feature(const Shape& shape, Vec3 d, Polygon& out)
{
    if (shape.kind == ShapeKind::capsule || (shape.kind == ShapeKind::cylinder && std::fabs(d.y) < 0.7f))
        fill_side(shape, d, out);
    else if (shape.kind == ShapeKind::cylinder)
        fill_cap(shape, d.y > 0, out);
    else
        fill_face(shape, d, out);
}

// Two lines side by side: the ends of the part they have in common.
bool clip_lines(const Polygon& a, const Polygon& b, Vec3 normal, float margin, LocalManifold& out)
{
    const Vec3 u = a.points[1] - a.points[0], v = b.points[1] - b.points[0];
    const float uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
    if (uv * uv < 0.99f * uu * vv)
        return false;
    float s[2] = {dot(b.points[0] - a.points[0], u) / uu, dot(b.points[1] - a.points[0], u) / uu};
    if (s[0] > s[1])
        std::swap(s[0], s[1]);
    const float ends[2] = {std::max(s[0], 0.0f), std::min(s[1], 1.0f)};
    if (ends[1] - ends[0] < 0.02f)
        return false;
    LocalManifold two;
    two.normal = normal;
    for (int i = 0; i < 2; ++i)
    {
        const Vec3 on_a = a.points[0] + u * ends[i];
        const Vec3 on_b = b.points[0] + v * std::clamp(dot(on_a - b.points[0], v) / vv, 0.0f, 1.0f);
        const float separation = dot(on_b - on_a, normal);
        if (separation <= margin)
            two.points[two.count++] = {on_a + normal * (0.5f * separation), separation, uint32_t(2 + i)};
    }
    if (two.count < 2)
        return false;
    two.key = out.key;
    out = two;
    return true;
}

void build_manifold(const PairInput& pair, const Contact& contact, const PointKeys& last, LocalManifold& out)
{
    set_single_point(out, contact.normal, contact.on_a, contact.separation, contact_key::single);
    Polygon a, b;
    fill_feature(pair.a, contact.normal, a);
    fill_feature(pair.b, transpose_multiply(pair.place.rotation, -contact.normal), b);
    for (int i = 0; i < b.count; ++i)
        b.points[i] = apply(pair.place, b.points[i]);
    b.normal = pair.place.rotation * b.normal;

    // A face can be the reference if the normal is its own, to within about a degree and a half.
    constexpr float aligned = 0.9996f;
    const float lean_a = a.count > 2 ? dot(a.normal, contact.normal) : 0.0f;
    const float lean_b = b.count > 2 ? -dot(b.normal, contact.normal) : 0.0f;
    if (a.count == 2 && b.count == 2)
    {
        clip_lines(a, b, contact.normal, pair.margin, out);
        return;
    }
    if (std::max(lean_a, lean_b) < aligned)
        return;
    const bool is_on_b = lean_b > lean_a;
    const Vec3 normal = is_on_b ? -b.normal : a.normal;
    const float size = std::max(pair.a.inner_radius, pair.b.inner_radius);
    LocalManifold clipped;
    clipped.key = out.key;
    if (!clip_to_face(is_on_b ? b : a, is_on_b ? a : b, normal, is_on_b, pair.margin, 1e-2f * size, last, clipped))
        return;
    // A cap that stands on its rim between two of its fixed points.
    keep_deepest({contact.on_a + contact.normal * (0.5f * contact.separation), contact.separation, contact_key::single},
                 1e-3f * size, clipped);
    out = clipped;
}

} // namespace

bool collide_generic(const PairInput& pair, PairCache& cache, LocalManifold& out)
{
    Contact contact;
    if (!find_contact(pair, cache, contact))
        return false;
    build_manifold(pair, contact, cache.last, out);
    return true;
}

bool collide_sphere_hull(const PairInput& pair, PairCache& cache, LocalManifold& out)
{
    const Hull& hull = *pair.b.hull;
    const Core a{nullptr, {}, {}}, b = make_core(pair.b, pair.place);
    const GjkState state = run_gjk(a, b, -DVec3(cache.axis), double(pair.a.radius) + pair.margin);
    if (!state.is_overlapping)
    {
        const double gap = length(state.v);
        cache.axis = Vec3(state.v * (-1 / gap));
        const float separation = float(gap) - pair.a.radius;
        if (state.is_far || separation > pair.margin)
            return false;
        set_single_point(out, cache.axis, cache.axis * pair.a.radius, separation, contact_key::single);
        return true;
    }
    // The centre is inside: out through the nearest face.
    const Vec3 center = apply_inverse(pair.place, {});
    int best = 0;
    for (int i = 1; i < int(hull.faces.size()); ++i)
        if (dot(hull.faces[i].normal, center) - hull.faces[i].offset >
            dot(hull.faces[best].normal, center) - hull.faces[best].offset)
            best = i;
    const float inside = dot(hull.faces[best].normal, center) - hull.faces[best].offset;
    cache.axis = -(pair.place.rotation * hull.faces[best].normal);
    set_single_point(out, cache.axis, cache.axis * pair.a.radius, inside - pair.a.radius, contact_key::single);
    return true;
}

} // namespace moraine
