#include "merge/welds.h"

#include "dynamics/pgs_batch.h"
#include "merge/probe.h"
#include "merge/response.h"

#include <span>

namespace moraine
{

namespace
{

Weld::Give give_of(const MergedBody& m, Vec3 arm, const Weld& w)
{
    const Vec3 levers[3] = {cross(arm, w.normal), cross(arm, w.tangent), cross(arm, second_tangent(w))};
    const Vec3 turned = turn_by(m, levers[0]);
    return {.normal = m.inv_mass + dot(levers[0], turned),
            .tangent_1 = m.inv_mass + dot(levers[1], turn_by(m, levers[1])),
            .tangent_2 = m.inv_mass + dot(levers[2], turn_by(m, levers[2])),
            .aside_1 = dot(levers[1], turned),
            .aside_2 = dot(levers[2], turned)};
}

void set_gives(const Collections& c, Weld& w)
{
    for (Weld::Point& p : std::span(w.points).first(size_t(w.count)))
    {
        p.give_a = w.a == none ? Weld::Give{} : give_of(c.bodies[w.a], p.arm_a, w);
        p.give_b = w.b == none ? Weld::Give{} : give_of(c.bodies[w.b], p.arm_b, w);
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

struct Places
{
    Vec3 middle{};         // of all points
    Vec3 friction{};       // where the solver lets friction act
    float inv_squares = 0; // of distances from the middle, to share out a twist
};
Places places_of(const Manifold& m)
{
    Places places;
    float weights = 0, squares = 0;
    for (int i = 0; i < m.count; ++i)
    {
        const float weight = closeness_of(m.points[i].separation);
        places.middle += m.points[i].position / float(m.count);
        places.friction += m.points[i].position * weight;
        weights += weight;
    }
    places.friction = places.friction / weights;
    for (int i = 0; i < m.count; ++i)
        squares += length_squared(m.points[i].position - places.middle);
    places.inv_squares = squares > 1e-12f ? 1 / squares : 0;
    return places;
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

// Friction where its points press: each can hold only as much. What that turns less than friction where the solver has it is
// a twist.
void share_out_friction(const Manifold& m, const float (&shares)[LocalManifold::capacity], float rate,
                        ContactForces& forces)
{
    const Places places = places_of(m);
    Vec3 pressed{};
    for (int i = 0; i < m.count; ++i)
        pressed += m.points[i].position * shares[i];
    const float twist = m.twist_impulse + dot(m.normal, cross(places.friction - pressed, m.friction_impulse));
    for (int i = 0; i < m.count; ++i)
    {
        const Vec3 turning = cross(m.normal, m.points[i].position - places.middle) * (twist * places.inv_squares);
        forces.friction[i] = (m.friction_impulse * shares[i] + turning) * rate;
    }
}

} // namespace

ContactForces contact_forces(const ContactGraph& graph, int32_t index, const StoredForce& stored)
{
    const Manifold& m = graph.manifolds[index];
    ContactForces forces;
    float shares[LocalManifold::capacity]{}, sum = 0;
    for (int i = 0; i < m.count; ++i)
        sum += m.points[i].impulse;
    const bool is_magnet = m.friction < 0; // some of its points may pull
    for (int i = 0; i < m.count; ++i)
    {
        if (!is_magnet && sum <= 0)
            return forces;
        shares[i] = is_magnet ? 1 / float(m.count) : m.points[i].impulse / sum;
        forces.normal[i] = is_magnet ? m.points[i].impulse * stored.friction
                                     : shares[i] * m.total_impulse * stored.normal;
    }
    if (!stored.is_by_point || size_t(index) >= graph.point_friction.size())
    {
        share_out_friction(m, shares, stored.friction, forces);
        return forces;
    }
    const Vec3 tangent = first_tangent(m.normal), second = cross(m.normal, tangent);
    for (int i = 0; i < m.count; ++i)
    {
        const float* along = graph.point_friction[size_t(index)].along[i];
        forces.friction[i] = (tangent * along[0] + second * along[1]) * stored.friction;
    }
    return forces;
}

Vec3 contact_place(const Bodies& bodies, const Collections& c, const Manifold& m, int point)
{
    if (m.colour >= 0 || m.slot < 0)
        return m.points[point].position;
    const Weld& w = c.welds[m.slot];
    if (w.a == none || w.count != m.count) // on a carrier, whose origin stays
        return m.points[point].position;
    return bodies[c.bodies[w.a].body].pose_in_mover.position + w.points[point].arm_a;
}

void link_weld(int32_t index, Collections& c)
{
    Weld& w = c.welds[index];
    set_gives(c, w);
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
    const ContactForces forces = contact_forces(graph, manifold, stored);
    for (int i = 0; i < m.count; ++i)
    {
        Weld::Point& p = w.points[i];
        if (w.a != none)
            p.arm_a = apply(frame.to_frame, m.points[i].position) - bodies[edge.body_a].pose_in_mover.position;
        if (w.b != none)
            p.arm_b = apply(frame.to_b, m.points[i].position) - bodies[edge.body_b].pose_in_mover.position;
        p.force[0] = forces.normal[i];
        const Vec3 friction = rotate(frame.to_frame.rotation, forces.friction[i]);
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
    const Quat to_a = conjugate(frame_of(graph.edges[m.edge], w).to_frame.rotation);
    const Vec3 tangent = first_tangent(m.normal), second = cross(m.normal, tangent);
    const Vec3 acts_at = places_of(m).friction;
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
        twist += dot(m.normal, cross(m.points[i].position - acts_at, along));
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

void remove_weld(const Bodies& bodies, int32_t index, const StoredForce& stored, ContactGraph& graph, Collections& c)
{
    const Weld& w = c.welds[index];
    if (w.manifold != none && graph.manifolds[w.manifold].count == w.count)
    {
        Manifold& m = graph.manifolds[w.manifold];
        for (int i = 0; i < m.count; ++i)
            m.points[i].position = contact_place(bodies, c, m, i);
        store_forces(w, stored, graph);
    }
    else if (w.manifold != none) // another one was found meanwhile, seen from where the origin was then
        graph.edges[graph.manifolds[w.manifold].edge].set(edge_is_new, true);
    unlink_weld(index, c.welds[index].a, c);
    unlink_weld(index, c.welds[index].b, c);
    c.point_count -= c.welds[index].count;
    c.welds.destroy(index);
}

} // namespace moraine
