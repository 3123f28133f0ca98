#include "graph/collide.h"

#include "base/lanes.h"
#include "collide/narrow_phase.h"
#include "collide/shape_query.h"
#include "graph/members.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr int edge_grain = 64;
// While B has moved less than this in frame A since the last full test, its manifold is kept and only the separations
// follow, to first order.
constexpr float recycle_distance = 0.01f;
// Who comes to rest (moves less than the first share of its radius in a step) is looked at once more if it has moved by the
// second one since: what has followed for long is only nearly right, and a pile would settle on that.
constexpr float rest_share = 1e-5f, stale_share = 1e-4f;
// Points that turn along with what rolls would hold it back or drive it on by their distance from where it touches: of its
// radius no more than this.
constexpr float roll_share = 0.002f;
// New points this close to an old one take its impulse even when the feature has changed.
constexpr float same_point = 0.02f;
// Deeper than this share of the smaller one's inner radius is deep.
constexpr float deep_share = 0.1f;

struct Placing
{
    Transform a; // of body A in frame A
    Transform b; // of body B in frame A
};

Placing place(const Bodies& bodies, const Movers& movers, const Edge& edge)
{
    const Body& a = bodies[edge.body_a];
    const Body& b = bodies[edge.body_b];
    return {a.pose_in_mover, relative(movers[b.mover].pose, movers[a.mover].pose) * b.pose_in_mover};
}

bool is_surface(const Shape& s) { return s.kind == ShapeKind::mesh || s.kind == ShapeKind::height_field; }

void flip(LocalManifold& m) { m.normal = -m.normal; }

// Manifolds of one pair of shapes, appended.
void collide_shapes(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, PairCache& cache,
                    ManifoldList& out)
{
    if (is_surface(a) || is_surface(b))
    {
        ManifoldList found;
        if (is_surface(b))
            collide_surface(a, pose_a, b, pose_b, default_contact_margin, found);
        else
            collide_surface(b, pose_b, a, pose_a, default_contact_margin, found);
        for (LocalManifold& m : found)
        {
            if (!is_surface(b))
                flip(m);
            out.push(m);
        }
    }
    else
    {
        LocalManifold m;
        if (collide_convex(a, pose_a, b, pose_b, default_contact_margin, cache, m))
            out.push(m);
    }
}

void collide_compounds(const Bodies& bodies, const Edge& edge, const Placing& p, ManifoldList& out)
{
    std::span<const Shape> shapes_a = bodies.shapes_of(bodies[edge.body_a]);
    std::span<const Shape> shapes_b = bodies.shapes_of(bodies[edge.body_b]);
    const Transform b_in_a = inverse(p.a) * p.b;
    for (int32_t j = 0; j < int32_t(shapes_b.size()); ++j)
    {
        const Shape& b = shapes_b[size_t(j)];
        const Aabb box = enlarge(transform(b.bounds, b_in_a * b.pose), default_contact_margin);
        for_each_shape_near(bodies, edge.body_a, box, [&](int32_t i) {
            const Shape& a = shapes_a[size_t(i)];
            PairCache cache;
            const int first = out.size();
            collide_shapes(a, p.a * a.pose, b, p.b * b.pose, cache, out);
            for (int k = first; k < out.size(); ++k)
            {
                out[k].shape_a = uint16_t(i);
                out[k].shape_b = uint16_t(j);
                out[k].key = out[k].key * 0x9e3779b1u + uint32_t(i * 8191 + j);
            }
        });
    }
}

PointKeys keys_of(const Manifold& m)
{
    PointKeys keys{.count = m.count};
    for (int i = 0; i < m.count; ++i)
        keys.keys[i] = m.points[i].key;
    return keys;
}

bool collide_simple(const Bodies& bodies, const Placing& p, int32_t index, ContactGraph& graph, LocalManifold& out)
{
    const Edge& edge = graph.edges[index];
    PackedCache& packed = graph.links[size_t(index)].cache;
    const Shape& a = bodies.shapes[bodies[edge.body_a].shape_first];
    const Shape& b = bodies.shapes[bodies[edge.body_b].shape_first];
    PairCache cache = unpack(packed);
    if (edge.manifold != none)
        cache.last = keys_of(graph.manifolds[edge.manifold]);
    const bool touches = collide_convex(a, p.a * a.pose, b, p.b * b.pose, default_contact_margin, cache, out);
    packed = pack(cache);
    return touches;
}

// How B has moved in frame A between two placements that are close to each other.
struct SmallMotion
{
    Vec3 shift{}; // of B's frame
    Vec3 turn{};  // about its origin
    Vec3 pivot{}; // the origin, before
};

// Of differences of nearby floats, which are exact: so that the motions of many steps add up to the motion over all of them.
// Rounding that added up would move the points of a pile at rest, and the pile after them.
SmallMotion motion_between(const Transform& before, const Transform& after)
{
    const Quat p = before.rotation, q = after.rotation;
    const float sign = dot(p, q) < 0 ? -1.0f : 1.0f; // both say the same rotation
    const Quat d = Quat{sign * q.x - p.x, sign * q.y - p.y, sign * q.z - p.z, sign * q.w - p.w} * conjugate(p);
    return {after.position - before.position, 2.0f * Vec3{d.x, d.y, d.z}, before.position}; // the turn is 1 + d
}

Vec3 way_of(const SmallMotion& motion, Vec3 point)
{
    const Vec3 around = cross(motion.turn, point - motion.pivot);
    return motion.shift + around + 0.5f * cross(motion.turn, around);
}

// Update of the separations for a small motion of B in frame A.
void follow(const SmallMotion& motion, Manifold& m)
{
    for (int i = 0; i < m.count; ++i)
    {
        ContactPoint& point = m.points[i];
        const Vec3 moved = way_of(motion, point.position);
        point.separation += dot(m.normal, moved);
        point.position += 0.5f * moved;
    }
}

float motion_size(const SmallMotion& motion, float radius, Vec3 center)
{
    return length(way_of(motion, center)) + length(motion.turn) * radius;
}

// Whoever is apart cannot touch before both together have gone as far as what is between them, and is not looked at until
// then: a comparison instead of two boxes.
bool are_still_apart(const Movers& movers, const Edge& edge)
{
    return edge.manifold == none && !edge.has(edge_is_new) &&
           int32_t(path_of(movers, edge.mover_a, edge.mover_b) - edge.apart_until) < 0;
}
void note_apart(const Movers& movers, float gap, Edge& edge)
{
    constexpr float farthest = 100;
    edge.apart_until = path_of(movers, edge.mover_a, edge.mover_b) +
                       uint32_t(std::clamp(gap, 0.0f, farthest) / path_unit);
}

enum class Coherence
{
    unchanged,
    followed,
    changed
};

// Is what was found still good after the small motion of B in frame A since the points were last brought up to date? Bodies
// that were apart by more than the margin are still apart while they have moved by less than half of it.
Coherence recycle(const Mover& a, const Mover& b, const Transform& b_in_a, Edge& edge, ContactGraph& graph)
{
    const SmallMotion motion = motion_between(edge.placement, b_in_a);
    const bool is_a_smaller = a.radius < b.radius;
    const float radius = is_a_smaller ? a.radius : b.radius;
    Vec3 center = is_a_smaller ? Vec3{} : edge.placement.position;
    if (edge.manifold != none)
        center = graph.manifolds[edge.manifold].points[0].position;
    const float size = motion_size(motion, radius, center);
    edge.motion += size;
    const float share = a.can_roll || b.can_roll ? roll_share : 0.05f;
    const float limit = edge.manifold != none ? std::min(recycle_distance, share * radius)
                                              : 0.5f * default_contact_margin;
    const bool is_stale = size < rest_share * radius && edge.motion > stale_share * radius;
    if (!(edge.motion < limit) || is_stale)
        return Coherence::changed;
    edge.placement = b_in_a;
    for_each_manifold(edge, graph, [&](int32_t m) { follow(motion, graph.manifolds[m]); });
    return Coherence::followed;
}

Coherence coherence_of(const Mover& a, const Mover& b, const Transform& b_in_a, const CollideOptions& options,
                       Edge& edge, ContactGraph& graph)
{
    if (!options.coherence || edge.has(edge_is_new))
        return Coherence::changed;
    if (b_in_a == edge.placement && edge.motion < infinity)
        return Coherence::unchanged;
    return options.following ? recycle(a, b, b_in_a, edge, graph) : Coherence::changed;
}

// True when the number of manifolds and what they are of stays the same, so that the edge is up to date.
bool replace_manifolds(const LocalManifold* found, int count, const Edge& edge, ContactGraph& graph)
{
    if (count != edge.manifold_count)
        return false;
    bool is_same = true;
    int i = 0;
    if (count > 1) // a single one may change from one feature to another
        for_each_manifold(edge, graph, [&](int32_t m) { is_same &= graph.manifolds[m].key == found[i++].key; });
    i = 0;
    if (is_same)
        for_each_manifold(edge, graph, [&](int32_t m) { copy_manifold(found[i++], m, graph); });
    return is_same;
}

// Boxes of movers say nothing about single members. A pair that is out of reach of its next search is over.
enum class Reach
{
    near,
    apart,
    gone
};
Reach reach_of(const Bodies& bodies, const Movers& movers, Edge& edge)
{
    const Aabb a = body_box(bodies, movers, edge.body_a), b = body_box(bodies, movers, edge.body_b);
    const float gap = gap_between(enlarge(a, default_contact_margin), b);
    if (!(gap > 0))
        return Reach::near;
    note_apart(movers, gap, edge);
    // Further than the search finds them, or what goes here comes back with the next one: that takes the fat box of a body
    // by itself, which is long where it is fast.
    const float slack = search_slack(movers[edge.mover_a]) + search_slack(movers[edge.mover_b]);
    const auto wide = [&](int32_t mover, const Aabb& box) {
        return movers[mover].has_members() ? box : movers.fat(movers[mover]);
    };
    return overlaps(enlarge(wide(edge.mover_a, a), 2 * (slack + 0.1f)), wide(edge.mover_b, b)) ? Reach::apart
                                                                                               : Reach::gone;
}

// Of the smaller one; surfaces have no inside.
float inner_radius_of(const Mover& a, const Mover& b)
{
    const float radius = std::min(a.inner_radius, b.inner_radius);
    return radius > 0 ? radius : std::max(a.inner_radius, b.inner_radius);
}

// Contacts that point every which way deep inside each other fight: the deepest one knows best where out is.
void reduce_deep(float inner_radius, ManifoldList& found)
{
    if (found.size() < 2)
        return;
    int best = 0;
    float deepest = infinity;
    for (int i = 0; i < found.size(); ++i)
        for (int k = 0; k < found[i].count; ++k)
            if (found[i].points[k].separation < deepest)
            {
                deepest = found[i].points[k].separation;
                best = i;
            }
    if (!(-deepest > deep_share * inner_radius))
        return;
    const LocalManifold kept = found[best];
    found.clear();
    found.push(kept);
}

// What was found before is out of date when they come near again.
void forget_test(Edge& edge)
{
    edge.motion = infinity;
    edge.set(edge_is_new, false);
}

// Are they too far apart to touch? `is_gone`: for good.
bool are_apart(const Bodies& bodies, const Movers& movers, Edge& edge, bool& is_gone)
{
    is_gone = false;
    if (edge.manifold != none)
        return false;
    if (edge.has(edge_has_members))
    {
        const Reach reach = reach_of(bodies, movers, edge);
        is_gone = reach == Reach::gone;
        if (reach == Reach::near)
            return false;
    }
    else
    {
        const Aabb &a = movers[edge.mover_a].tight, &b = movers[edge.mover_b].tight;
        const float gap = gap_between(enlarge(a, default_contact_margin), b);
        if (!(gap > 0))
            return false;
        note_apart(movers, gap, edge);
    }
    forget_test(edge);
    return true;
}

// True: the number of manifolds is right.
bool update_manifolds(const Bodies& bodies, const Movers& movers, const CollideOptions& options, int32_t index,
                      ContactGraph& graph, CollideCounts& counts)
{
    Edge& edge = graph.edges[index];
    if (options.coherence && are_still_apart(movers, edge))
        return true;
    bool is_gone = false;
    if (are_apart(bodies, movers, edge, is_gone))
        return !is_gone;
    const Mover& a = movers[edge.mover_a];
    const Mover& b = movers[edge.mover_b];
    const Transform b_in_a = relative(b.pose, a.pose);
    const bool is_touching = edge.manifold != none;
    counts.touching += is_touching;
    const Coherence coherence = coherence_of(a, b, b_in_a, options, edge, graph);
    counts.unchanged += is_touching && coherence == Coherence::unchanged;
    counts.followed += is_touching && coherence == Coherence::followed;
    if (coherence != Coherence::changed)
    {
        if (!is_touching)
            note_apart(movers, 0.5f * default_contact_margin - edge.motion, edge);
        return true;
    }
    counts.tested += is_touching;
    edge.placement = b_in_a;
    edge.motion = 0;
    edge.set(edge_is_new, false);
    note_apart(movers, 0.5f * default_contact_margin, edge);
    const Placing placing{bodies[edge.body_a].pose_in_mover, b_in_a * bodies[edge.body_b].pose_in_mover};
    if (edge.has(edge_is_simple))
    {
        LocalManifold found;
        const bool touches = collide_simple(bodies, placing, index, graph, found);
        return replace_manifolds(&found, touches, edge, graph);
    }
    ManifoldList found;
    collide_compounds(bodies, edge, placing, found);
    if (options.reduction)
        reduce_deep(inner_radius_of(a, b), found);
    return replace_manifolds(found.begin(), found.size(), edge, graph);
}

// True: the edge knows whether the two overlap.
bool update_overlap(const Bodies& bodies, const Movers& movers, const CollideOptions& options, Edge& edge)
{
    const Transform b_in_a = relative(movers[edge.mover_b].pose, movers[edge.mover_a].pose);
    if (options.coherence && !edge.has(edge_is_new) && b_in_a == edge.placement)
        return true;
    edge.placement = b_in_a;
    edge.set(edge_is_new, false);
    return overlaps_trigger(bodies, movers, edge) == edge.has(edge_is_touching);
}

} // namespace

void find_manifolds(const Bodies& bodies, const Movers& movers, const CollideOptions& options, int32_t index,
                    ContactGraph& graph, ManifoldList& out)
{
    const Edge& edge = graph.edges[index];
    const Placing placing = place(bodies, movers, edge);
    if (!edge.has(edge_is_simple))
    {
        collide_compounds(bodies, edge, placing, out);
        if (options.reduction)
            reduce_deep(inner_radius_of(movers[edge.mover_a], movers[edge.mover_b]), out);
        return;
    }
    LocalManifold found;
    if (collide_simple(bodies, placing, index, graph, found))
        out.push(found);
}

bool overlaps_trigger(const Bodies& bodies, const Movers& movers, const Edge& edge)
{
    const Placing p = place(bodies, movers, edge);
    for (const Shape& a : bodies.shapes_of(bodies[edge.body_a]))
        for (const Shape& b : bodies.shapes_of(bodies[edge.body_b]))
        {
            const bool swaps = !is_convex(b.kind);
            if (swaps && !is_convex(a.kind))
                continue;
            if (swaps ? overlaps(b, p.b * b.pose, a, p.a * a.pose) : overlaps(a, p.a * a.pose, b, p.b * b.pose))
                return true;
        }
    return false;
}

void copy_manifold(const LocalManifold& from, int32_t index, ContactGraph& graph)
{
    Manifold& to = graph.manifolds[index];
    PointFriction* friction = size_t(index) < graph.point_friction.size() ? &graph.point_friction[size_t(index)]
                                                                          : nullptr;
    const PointFriction old_friction = friction ? *friction : PointFriction{};
    ContactPoint old[LocalManifold::capacity];
    const int old_count = to.count;
    std::copy_n(to.points, old_count, old);
    bool is_used[LocalManifold::capacity] = {};
    to.normal = from.normal;
    to.key = from.key;
    to.shape_a = from.shape_a;
    to.shape_b = from.shape_b;
    to.count = uint8_t(from.count);
    for (int i = 0; i < from.count; ++i)
    {
        const LocalPoint& p = from.points[i];
        int match = -1;
        for (int j = 0; j < old_count && match < 0; ++j)
            if (!is_used[j] && old[j].key == p.key)
                match = j;
        for (int j = 0; j < old_count && match < 0; ++j)
            if (!is_used[j] && length_squared(old[j].position - p.position) < same_point * same_point)
                match = j;
        ContactPoint& point = to.points[i];
        point = {};
        if (match >= 0)
        {
            is_used[match] = true;
            point = old[match];
        }
        point.position = p.position;
        point.separation = p.separation;
        point.key = p.key;
        for (int t = 0; friction && t < 2; ++t)
            friction->along[i][t] = match < 0 ? 0 : old_friction.along[match][t];
    }
}

void set_material(const Bodies& bodies, const Edge& edge, Manifold& manifold)
{
    const Body& a = bodies[edge.body_a];
    const Body& b = bodies[edge.body_b];
    const Shape& sa = bodies.shapes[a.shape_first + manifold.shape_a];
    const Shape& sb = bodies.shapes[b.shape_first + manifold.shape_b];
    manifold.friction = std::sqrt(sa.friction * sb.friction);
    manifold.restitution = std::max(sa.restitution, sb.restitution);
    if ((a.flags | b.flags) & body_is_magnet)
        manifold.friction = -1;
}

namespace
{

// Edges lie scattered: ask for the next ones while this one is worked on.
MORAINE_INLINE void prefetch(const ContactGraph& graph, const Movers& movers, int i, int end)
{
    constexpr int edge_ahead = 8, mover_ahead = 4;
    if (i + edge_ahead < end)
        __builtin_prefetch(&graph.edges[graph.awake[i + edge_ahead]]);
    if (i + mover_ahead >= end)
        return;
    const Edge& edge = graph.edges[graph.awake[i + mover_ahead]];
    __builtin_prefetch(&movers[edge.mover_a]);
    __builtin_prefetch(&movers[edge.mover_b]);
    if (edge.manifold != none)
        __builtin_prefetch(&graph.manifolds[edge.manifold]);
}

} // namespace

void collide(const Bodies& bodies, const Movers& movers, const CollideOptions& options, Tasks& tasks,
             ContactGraph& graph, CollideReport& report)
{
    const int count = graph.awake.size();
    report.marks.reset(count);
    report.outer_marks.reset(count);
    report.counts.resize(size_t((count + edge_grain - 1) / edge_grain));
    tasks.parallel_for(count, edge_grain, [&](int begin, int end, int) {
        CollideCounts counts;
        for (int i = begin; i < end; ++i)
        {
            prefetch(graph, movers, i, end);
            Edge& edge = graph.edges[graph.awake[i]];
            const bool is_right = edge.has(edge_is_trigger)
                                      ? update_overlap(bodies, movers, options, edge)
                                      : update_manifolds(bodies, movers, options, graph.awake[i], graph, counts);
            if (!is_right)
                report.marks.set(i);
            if (edge.has(edge_has_members) && !edge.has(edge_is_trigger) && (edge.manifold != none || !is_right))
                report.outer_marks.set(i);
        }
        report.counts[size_t(begin / edge_grain)] = counts;
    });
    report.sum = {};
    for (const CollideCounts& c : report.counts)
    {
        report.sum.touching += c.touching;
        report.sum.tested += c.tested;
        report.sum.followed += c.followed;
        report.sum.unchanged += c.unchanged;
    }
    report.changed.clear();
    report.marks.for_each_set([&](int i) { report.changed.push_back(graph.awake[i]); });
    report.outer.clear();
    report.outer_marks.for_each_set([&](int i) { report.outer.push_back(graph.awake[i]); });
}

} // namespace moraine
