#include "merge/welds.h"

#include "dynamics/pgs_batch.h"
#include "merge/probe.h"
#include "merge/response.h"

namespace moraine
{

namespace
{

float response(const MergedBody& m, Vec3 arm, Vec3 direction)
{
    const Vec3 lever = cross(arm, direction);
    return m.inv_mass + dot(lever, turn_by(m, lever));
}

void set_responses(const Collections& c, Weld& w)
{
    const Vec3 axes[3] = {w.normal, w.tangent, second_tangent(w)};
    for (int i = 0; i < w.count; ++i)
        for (int k = 0; k < 3; ++k)
        {
            Weld::Point& p = w.points[i];
            p.k_a[k] = w.a == none ? 0 : response(c.bodies[w.a], p.arm_a, axes[k]);
            p.k_b[k] = w.b == none ? 0 : response(c.bodies[w.b], p.arm_b, axes[k]);
        }
}

void link_side(int32_t weld, int32_t merged, int side, Collections& c)
{
    if (merged == none)
        return;
    forget_response(c.bodies[merged].collection, c);
    c.welds[weld].next[side] = c.bodies[merged].weld_first;
    c.bodies[merged].weld_first = weld;
}

void unlink_weld(int32_t weld, int32_t merged, Collections& c)
{
    if (merged == none)
        return;
    forget_response(c.bodies[merged].collection, c);
    int32_t* link = &c.bodies[merged].weld_first;
    while (*link != weld)
        link = &c.welds[*link].next[c.welds[*link].b == merged];
    *link = c.welds[weld].next[c.welds[weld].b == merged];
}

// To share out a twist among points.
struct PointSpread
{
    Vec3 center{};
    float inv_squares = 0;
};
PointSpread spread_of(const Manifold& m)
{
    PointSpread s;
    for (int i = 0; i < m.count; ++i)
        s.center += m.points[i].position / float(m.count);
    float squares = 0;
    for (int i = 0; i < m.count; ++i)
        squares += length_squared(m.points[i].position - s.center);
    s.inv_squares = squares > 1e-12f ? 1 / squares : 0;
    return s;
}

// Frame A is the frame of A's mover. What stands on static bodies may be in several movers, all with the world's axes;
// the carrier's own frame is turned into that of the member.
struct WeldFrame
{
    Transform to_b{};     // from frame A to the frame of B's mover
    Transform to_frame{}; // to the member's
};
WeldFrame frame_of(const Edge& edge, const Weld& w)
{
    WeldFrame f;
    if (edge.mover_a != edge.mover_b)
        f.to_b = inverse(edge.placement);
    if (w.a == none)
        f.to_frame = f.to_b;
    return f;
}

// Friction at a point, in frame A.
Vec3 friction_at(const ContactGraph& graph, int32_t index, int i, const StoredForce& stored, const PointSpread& spread,
                 float share)
{
    const Manifold& m = graph.manifolds[index];
    if (stored.is_by_point && size_t(index) < graph.point_friction.size())
    {
        const Vec3 tangent = first_tangent(m.normal);
        const float* along = graph.point_friction[size_t(index)].along[i];
        return (tangent * along[0] + cross(m.normal, tangent) * along[1]) * stored.friction;
    }
    const Vec3 turning = cross(m.normal, m.points[i].position - spread.center) * (m.twist_impulse * spread.inv_squares);
    return (m.friction_impulse * share + turning) * stored.friction;
}

} // namespace

void link_weld(int32_t index, Collections& c)
{
    Weld& w = c.welds[index];
    set_responses(c, w);
    link_side(index, w.a, 0, c);
    link_side(index, w.b, 1, c);
    c.point_count += w.count;
}

int32_t add_weld(const Bodies& bodies, const ContactGraph& graph, int32_t manifold, const StoredForce& stored,
                 Collections& c)
{
    const Manifold& m = graph.manifolds[manifold];
    const Edge& edge = graph.edges[m.edge];
    const int32_t index = c.welds.create();
    Weld& w = c.welds[index];
    w.manifold = manifold;
    w.a = c.merged(edge.body_a);
    w.b = c.merged(edge.body_b);
    w.friction = m.friction;
    w.count = m.count;
    const WeldFrame frame = frame_of(edge, w);
    w.normal = rotate(frame.to_frame.rotation, m.normal);
    w.tangent = perpendicular(w.normal);
    float sum = 0;
    for (int i = 0; i < m.count; ++i)
        sum += m.points[i].impulse;
    const PointSpread spread = spread_of(m);
    for (int i = 0; i < m.count; ++i)
    {
        Weld::Point& p = w.points[i];
        if (w.a != none)
            p.arm_a = apply(frame.to_frame, m.points[i].position) - bodies[edge.body_a].pose_in_mover.position;
        if (w.b != none)
            p.arm_b = apply(frame.to_b, m.points[i].position) - bodies[edge.body_b].pose_in_mover.position;
        const float share = sum > 0 ? m.points[i].impulse / sum : 0;
        p.force[0] = share * m.total_impulse * stored.normal;
        const Vec3 friction = rotate(frame.to_frame.rotation, friction_at(graph, manifold, i, stored, spread, share));
        p.force[1] = dot(friction, w.tangent);
        p.force[2] = dot(friction, second_tangent(w));
    }
    link_weld(index, c);
    return index;
}

namespace
{

void store_forces(const Weld& w, const StoredForce& stored, ContactGraph& graph)
{
    Manifold& m = graph.manifolds[w.manifold];
    if (m.count != w.count)
        return;
    const Quat to_a = conjugate(frame_of(graph.edges[m.edge], w).to_frame.rotation);
    const Vec3 tangent = first_tangent(m.normal), second = cross(m.normal, tangent);
    const PointSpread spread = spread_of(m);
    const bool is_by_point = stored.is_by_point && size_t(w.manifold) < graph.point_friction.size();
    float sum = 0, twist = 0;
    Vec3 friction{};
    for (int i = 0; i < w.count; ++i)
    {
        const Weld::Point& p = w.points[i];
        const Vec3 along = rotate(to_a, w.tangent * p.force[1] + second_tangent(w) * p.force[2]) / stored.friction;
        m.points[i].impulse = p.force[0] / stored.friction;
        sum += p.force[0];
        friction += along;
        twist += dot(m.normal, cross(m.points[i].position - spread.center, along));
        if (!is_by_point)
            continue;
        graph.point_friction[size_t(w.manifold)].along[i][0] = dot(along, tangent);
        graph.point_friction[size_t(w.manifold)].along[i][1] = dot(along, second);
    }
    m.total_impulse = sum / stored.normal;
    m.friction_impulse = friction;
    m.twist_impulse = is_by_point ? 0 : twist;
}

} // namespace

void remove_weld(int32_t index, const StoredForce& stored, ContactGraph& graph, Collections& c)
{
    if (c.welds[index].manifold != none)
        store_forces(c.welds[index], stored, graph);
    unlink_weld(index, c.welds[index].a, c);
    unlink_weld(index, c.welds[index].b, c);
    c.point_count -= c.welds[index].count;
    c.welds.destroy(index);
}

} // namespace moraine
