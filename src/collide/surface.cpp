// A convex shape against a triangle mesh or height field.
//
// Each triangle is asked in the convex shape's own frame. Over its face the contact normal is the triangle's. Over an
// edge it may lean, but only where the edge is sharp and only as far as the triangles on it allow: anywhere else a lean
// comes from looking at one triangle alone, and would be a bump that is not there.
#include "collide/contact_clusters.h"
#include "collide/gjk.h"
#include "collide/narrow_phase.h"
#include "collide/surface_outline.h"
#include "collide/triangle_math.h"
#include "geometry/mesh.h"

#include <algorithm>

namespace moraine
{

namespace
{

// Deeper than this part of its width (and of the margin) the shape is taken to be on the other side of a thin wall.
constexpr float widest_sink = 0.75f;
constexpr float margin_sink = 0.25f;
constexpr float lean_slack = 0.03f;  // cosine of a normal that is square to a direction, or nearly
constexpr float face_cosine = 0.99f; // closer to the triangle's normal than 8 degrees: a face contact
constexpr float seam_angle =
    0.03f; // radians, more than the largest angle that still counts as flat: prisms overlap by this over seams, so that none falls in between
constexpr int chunk_capacity = 160;

struct SurfaceTriangle // in the convex shape's frame
{
    Vec3 corners[3];
    Vec3 normal{};
    float offset = 0;
    uint8_t sharp_edges = 7;
};

// Everything that stays the same while the triangles go by.
struct SurfaceTask
{
    const Shape& shape;
    const Shape& surface;
    Transform to_shape; // from the surface's frame
    float margin;
    float size;    // largest half extent of the shape
    float shallow; // depth of ordinary resting contacts
    Aabb reach;    // what can matter, in the shape's frame
    ContactClusters clusters;
    bool is_chunked = false; // there are more triangles than one chunk holds
    int chunk_count = 0;
    SurfaceTriangle chunk[chunk_capacity];
};

// The triangle in the shape's frame.
SurfaceTriangle place_triangle(const Triangle& in, const Transform& to_shape)
{
    SurfaceTriangle out;
    int nearest = 0;
    for (int i = 0; i < 3; ++i)
    {
        out.corners[i] = apply(to_shape, in.corners[i]);
        nearest = length_squared(out.corners[i]) < length_squared(out.corners[nearest]) ? i : nearest;
    }
    out.normal = rotate(to_shape.rotation, in.normal);
    // From the corner that is closest to the shape: the least is lost to rounding.
    out.offset = dot(out.normal, out.corners[nearest]);
    out.sharp_edges = in.sharp_edges;
    return out;
}

Vec3 edge_outwards(const SurfaceTriangle& t, int edge)
{
    return normalize(cross(t.corners[(edge + 1) % 3] - t.corners[edge], t.normal), {0, 0, 0});
}

bool has_corner(const SurfaceTriangle& t, Vec3 corner)
{
    return t.corners[0] == corner || t.corners[1] == corner || t.corners[2] == corner;
}

// Does the triangle rise in the direction `lean` from the corner, if it has it (and the second one)?
bool rises(const SurfaceTriangle& t, Vec3 lean, Vec3 corner, Vec3 second)
{
    if (!has_corner(t, corner) || !has_corner(t, second))
        return false;
    for (const Vec3& c : t.corners)
        if (dot(lean, c - corner) > lean_slack * distance(c, corner))
            return true;
    return false;
}

template <class Surface>
bool any_rises(const Surface& surface, const Transform& to_shape, Vec3 lean, Vec3 corner, Vec3 second)
{
    const Vec3 centre = apply_inverse(to_shape, corner);
    const float slack = 1e-5f * (1 + max_component(abs(centre)));
    bool is_found = false;
    query_triangles(surface, enlarge(Aabb{centre, centre}, slack), [&](int32_t index) {
        is_found = rises(place_triangle(triangle_at(surface, index), to_shape), lean, corner, second);
        return !is_found;
    });
    return is_found;
}

// Do the triangles at a corner, or at the edge between two, leave room for a contact normal?
bool neighbours_allow(const SurfaceTask& task, Vec3 lean, Vec3 corner, Vec3 second)
{
    // Near a contact the neighbours' boxes overlap the shape's as well, so that they stand in the same chunk.
    if (!task.is_chunked)
    {
        const SurfaceTriangle* end = task.chunk + task.chunk_count;
        return std::none_of(task.chunk, end, [&](const auto& t) { return rises(t, lean, corner, second); });
    }
    if (task.surface.kind == ShapeKind::mesh)
        return !any_rises(*task.surface.mesh, task.to_shape, lean, corner, second);
    return !any_rises(*task.surface.height_field, task.to_shape, lean, corner, second);
}

// May the contact normal be `lean` on the feature of `t` that is furthest along it?
bool can_lean(const SurfaceTask& task, const SurfaceTriangle& t, Vec3 lean)
{
    if (dot(lean, t.normal) < -lean_slack)
        return false;
    float reach[3];
    for (int i = 0; i < 3; ++i)
        reach[i] = dot(lean, t.corners[i]);
    const int top = reach[0] >= reach[1] && reach[0] >= reach[2] ? 0 : reach[1] >= reach[2] ? 1 : 2;
    const int next = (top + 1) % 3, last = (top + 2) % 3;
    const auto is_level = [&](int i) {
        return reach[top] - reach[i] <= lean_slack * distance(t.corners[top], t.corners[i]);
    };
    const bool next_is_level = is_level(next), last_is_level = is_level(last);
    if (next_is_level && last_is_level)
        return true; // hardly a lean
    if (!next_is_level && !last_is_level)
        return (t.sharp_edges & ((1 << top) | (1 << last))) != 0 &&
               neighbours_allow(task, lean, t.corners[top], t.corners[top]);
    const int edge = next_is_level ? top : last;
    return (t.sharp_edges & (1 << edge)) != 0 &&
           neighbours_allow(task, lean, t.corners[top], t.corners[next_is_level ? next : last]);
}

// The part of the shape's underside that is over the triangle.
void clip_to_prism(const SurfaceTask& task, const SurfaceTriangle& t, Outline& outline)
{
    float distances[Outline::capacity];
    for (int edge = 0; edge < 3 && outline.count > 0; ++edge)
    {
        const Vec3 outwards = edge_outwards(t, edge);
        const float spread = t.sharp_edges & (1 << edge) ? 0.0f : seam_angle;
        for (int i = 0; i < outline.count; ++i)
        {
            const float height = std::max(0.0f, dot(t.normal, outline.points[i]) - t.offset);
            distances[i] = dot(outwards, outline.points[i] - t.corners[edge]) - 1e-4f * task.size - spread * height;
        }
        clip_outline(distances, outline);
    }
}

SurfaceContact face_contact(const SurfaceTriangle& t, Vec3 point, float radius)
{
    SurfaceContact contact;
    const float height = dot(t.normal, point) - t.offset;
    contact.separation = height - radius;
    contact.normal = t.normal;
    contact.position = point - t.normal * (radius + 0.5f * contact.separation);
    return contact;
}

void add_face_contacts(SurfaceTask& task, const SurfaceTriangle& t, const Outline& outline)
{
    for (int i = 0; i < outline.count; ++i)
    {
        const SurfaceContact contact = face_contact(t, outline.points[i], outline.radius);
        if (contact.separation <= task.margin)
            task.clusters.add(contact);
    }
}

// ---- sphere and capsule ----

void add_edge_contact(SurfaceTask& task, const SurfaceTriangle& t, int edge, Vec3 on_core, Vec3 on_edge)
{
    const Vec3 away = on_core - on_edge;
    const float gap = length(away);
    const float separation = gap - task.shape.radius;
    if (separation > task.margin || gap < 1e-6f * task.size)
        return;
    const Vec3 lean = away * (1.0f / gap);
    if (dot(lean, edge_outwards(t, edge)) < 1e-3f || !can_lean(task, t, lean))
        return;
    SurfaceContact contact;
    contact.normal = lean;
    contact.separation = separation;
    contact.position = on_edge + lean * (0.5f * separation);
    task.clusters.add(contact);
}

void collide_round(SurfaceTask& task, const SurfaceTriangle& t)
{
    Outline outline;
    find_outline(task.shape, t.normal, outline);
    const Vec3 core_a = outline.points[0];
    const Vec3 core_b = outline.points[outline.count - 1];
    clip_to_prism(task, t, outline);
    add_face_contacts(task, t, outline);

    for (int edge = 0; edge < 3; ++edge)
    {
        if ((t.sharp_edges & (1 << edge)) == 0)
            continue;
        const Vec3 p = t.corners[edge], q = t.corners[(edge + 1) % 3];
        const SegmentPair pair = closest_on_segments(core_a, core_b, p, q);
        add_edge_contact(task, t, edge, pair.a, pair.b);
        const Vec3 core = core_b - core_a;
        const bool is_along = length_squared(cross(core, q - p)) < 0.01f * length_squared(core) * length_squared(q - p);
        if (task.shape.kind != ShapeKind::capsule || !is_along)
            continue;
        // A capsule lying along the edge rests on both ends of their common part.
        for (const Vec3 end : {core_a, core_b})
            add_edge_contact(task, t, edge, end, closest_on_segment(end, p, q));
        for (const Vec3 end : {p, q})
            add_edge_contact(task, t, edge, closest_on_segment(end, core_a, core_b), end);
    }
}

// ---- box, cylinder, hull ----

Shape make_triangle_shape(const SurfaceTriangle& t)
{
    Shape shape;
    shape.kind = ShapeKind::triangle;
    shape.triangle = t.corners;
    shape.bounds = {min(t.corners[0], min(t.corners[1], t.corners[2])),
                    max(t.corners[0], max(t.corners[1], t.corners[2]))};
    return shape;
}

void add_manifold(SurfaceTask& task, const LocalManifold& manifold)
{
    for (int i = 0; i < manifold.count; ++i)
    {
        if (!contains(task.reach, manifold.points[i].position))
            continue;
        SurfaceContact contact;
        contact.normal = -manifold.normal;
        contact.position = manifold.points[i].position;
        contact.separation = manifold.points[i].separation;
        task.clusters.add(contact);
    }
}

bool find_closest(const SurfaceTask& task, const Shape& triangle, LocalManifold& out)
{
    Vec3 axis{};
    const DistanceResult result = distance(make_view(task.shape, {}), make_view(triangle, {}), axis);
    if (result.is_overlapping || result.distance > task.margin)
        return false;
    out.normal = result.normal;
    out.count = 1;
    out.points[0] = {0.5f * (result.point_a + result.point_b), result.distance, 0};
    return true;
}

// Across a gap between corners the best separating axis is not the way between them, and may be none at all.
bool collide_with_triangle(const SurfaceTask& task, const SurfaceTriangle& t, LocalManifold& out)
{
    const Shape triangle = make_triangle_shape(t);
    PairCache cache;
    if (!collide_convex(task.shape, {}, triangle, {}, task.margin, cache, out))
        return find_closest(task, triangle, out);
    const auto is_apart = [](const LocalPoint& p) { return p.separation > 0; };
    LocalManifold closest;
    if (std::all_of(out.points, out.points + out.count, is_apart) && find_closest(task, triangle, closest) &&
        dot(closest.normal, out.normal) < face_cosine)
        out = closest;
    return true;
}

void collide_polyhedral(SurfaceTask& task, const SurfaceTriangle& t, float face_separation)
{
    Outline outline;
    find_outline(task.shape, t.normal, outline);
    clip_to_prism(task, t, outline);
    float lowest = task.margin;
    for (int i = 0; i < outline.count; ++i)
        lowest = std::min(lowest, dot(t.normal, outline.points[i]) - t.offset);
    const bool is_over_face = outline.count > 0 && lowest < task.margin;
    const bool is_deep = face_separation < -task.shallow;

    // The lowest point of the shape is over the triangle: nothing can be closer. Without sharp edges nothing can lean.
    const bool is_exact = is_over_face && lowest <= face_separation + 1e-3f * task.size;
    if (!is_deep && (is_exact || t.sharp_edges == 0))
        return add_face_contacts(task, t, outline);

    LocalManifold manifold;
    if (!collide_with_triangle(task, t, manifold))
        return;
    const Vec3 lean = -manifold.normal;
    if (is_over_face && dot(lean, t.normal) > face_cosine)
        return add_face_contacts(task, t, outline);
    if (can_lean(task, t, lean))
        return add_manifold(task, manifold);
    for (int i = 0; i < outline.count; ++i)
    {
        SurfaceContact contact = face_contact(t, outline.points[i], 0);
        contact.is_doubtful = is_deep;
        contact.shortest_way = lean;
        if (contact.separation <= task.margin)
            task.clusters.add(contact);
    }
}

void collide_triangle(SurfaceTask& task, const SurfaceTriangle& t)
{
    const Extent extent = extent_along(task.shape, t.normal);
    const float separation = extent.lower - t.offset;
    const float sink = widest_sink * (extent.upper - extent.lower) + margin_sink * task.margin;
    if (separation > task.margin || separation < -sink)
        return;
    if (task.shape.kind == ShapeKind::sphere || task.shape.kind == ShapeKind::capsule)
        collide_round(task, t);
    else
        collide_polyhedral(task, t, separation);
}

// ---- the surface ----

template <class Surface>
void collide_chunk(const Surface& surface, int32_t* indices, int count, SurfaceTask& task)
{
    // Sorted, so that the result does not depend on how the tree happens to be laid out.
    std::sort(indices, indices + count);
    task.chunk_count = 0;
    for (int i = 0; i < count; ++i)
    {
        const SurfaceTriangle t = place_triangle(triangle_at(surface, indices[i]), task.to_shape);
        const Aabb box{min(t.corners[0], min(t.corners[1], t.corners[2])),
                       max(t.corners[0], max(t.corners[1], t.corners[2]))};
        if (overlaps(box, task.reach))
            task.chunk[task.chunk_count++] = t;
    }
    for (int i = 0; i < task.chunk_count; ++i)
        collide_triangle(task, task.chunk[i]);
}

template <class Surface>
void collide_with(const Surface& surface, SurfaceTask& task)
{
    const Transform to_surface = inverse(task.to_shape);
    Aabb box = transform(task.reach, to_surface);
    if (task.shape.kind == ShapeKind::sphere)
        box = {to_surface.position + task.reach.lower, to_surface.position + task.reach.upper};

    // A big shape on a fine mesh may touch any number of triangles: they are taken in chunks.
    int32_t indices[chunk_capacity];
    int count = 0;
    query_triangles(surface, box, [&](int32_t index) {
        if (count == chunk_capacity)
        {
            task.is_chunked = true;
            collide_chunk(surface, indices, count, task);
            count = 0;
        }
        indices[count++] = index;
    });
    collide_chunk(surface, indices, count, task);
}

} // namespace

void collide_surface(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                     ManifoldList& out)
{
    const float size = max_component(half_extents(a.bounds));
    const Transform to_shape = inverse(pose_a) * pose_b;
    SurfaceTask task{.shape = a,
                     .surface = b,
                     .to_shape = to_shape,
                     .margin = margin,
                     .size = size,
                     .shallow = 0.5f * margin,
                     .reach = enlarge(a.bounds, margin + 1e-4f * size),
                     .clusters = ContactClusters(size, margin),
                     .chunk = {}};
    if (b.kind == ShapeKind::mesh)
        collide_with(*b.mesh, task);
    else if (b.kind == ShapeKind::height_field)
        collide_with(*b.height_field, task);
    task.clusters.write(pose_a, conjugate(to_shape.rotation), out);
}

} // namespace moraine
