// Forces that act on the members of a collection from outside it.
#include "dynamics/joint_rows.h"
#include "world/activity.h"
#include "world/collection_mass.h"
#include "world/collections.h"

#include <algorithm>

namespace moraine
{

namespace
{

float inv_mass_of(const WorldData& world, int32_t body)
{
    if (world.bodies[body].type != BodyType::dynamic_)
        return 0;
    return 1 / world.bodies.infos[size_t(body)].mass;
}

// Of B against A, at a point in frame A.
Vec3 velocity_at(const WorldData& world, const Edge& edge, Vec3 point)
{
    const Mover& mover = world.movers[edge.mover_a];
    const RigidMotion a = motion_of_mover(world, edge.mover_a), b = motion_of_mover(world, edge.mover_b);
    const Vec3 arm = rotate(mover.pose.rotation, point);
    const Vec3 between = relative(mover.pose.position, world.movers[edge.mover_b].pose.position);
    return b.linear + cross(b.angular, arm + between) - a.linear - cross(a.angular, arm);
}

// On B, in the axes of frame A, of a contact that no solve has seen: what would stop the approach, and rubs as it does. What
// lands on a standing domino from the side takes it along by friction alone.
Vec3 stopping_force(const WorldData& world, const Edge& edge, const Manifold& m, Vec3 point)
{
    const float rate = stored_force(world).normal;
    const Quat axes = world.movers[edge.mover_a].pose.rotation;
    const Vec3 v = inverse_rotate(axes, velocity_at(world, edge, point));
    const float inv_mass = inv_mass_of(world, edge.body_a) + inv_mass_of(world, edge.body_b);
    if (!(inv_mass > 0))
        return {};
    // A magnet that moves away from what no solve can move: it takes along.
    if (m.friction < 0)
        return v * (-rate / inv_mass);
    const float approach = -dot(v, m.normal);
    if (!(approach > 0))
        return {};
    const float presses = approach * (1 + m.restitution) / inv_mass * rate;
    const Vec3 slip = v + m.normal * approach;
    const float speed = length(slip), rubs = std::min(m.friction * presses, speed / inv_mass * rate);
    return m.normal * presses - (speed > 0 ? slip * (rubs / speed) : Vec3{});
}

Vec3 middle_of(const Manifold& m)
{
    Vec3 sum{};
    for (int i = 0; i < m.count; ++i)
        sum += m.points[i].position;
    return sum / float(m.count);
}

// On the body, in the axes of its mover.
void add_contact(const WorldData& world, const Edge& edge, int32_t manifold, MergedBody& merged)
{
    const Manifold& m = world.graph.manifolds[manifold];
    const bool is_b = edge.body_b == merged.body;
    const Transform to_mover = is_b ? inverse(edge.placement) : Transform{};
    const Vec3 center = world.bodies[merged.body].pose_in_mover.position;
    const auto push = [&](Vec3 point, Vec3 on_b) {
        const Vec3 force = rotate(to_mover.rotation, on_b) * (is_b ? 1.0f : -1.0f);
        merged.now += force;
        merged.turn_now += cross(apply(to_mover, point) - center, force);
    };
    const bool was_solved = m.total_impulse > 0 || (m.friction < 0 && m.colour >= 0);
    if (!was_solved)
    {
        const Vec3 point = middle_of(m);
        const Vec3 force = stopping_force(world, edge, m, point);
        merged.stopped += length(force);
        push(point, force);
        return;
    }
    const ContactForces forces = contact_forces(world.graph, manifold, stored_force(world));
    for (int i = 0; i < m.count; ++i)
        push(m.points[i].position, m.normal * forces.normal[i] + forces.friction[i]);
}

// From the body's centre to where the joint pushes: the origin of frame B, which slides away from that of A.
Vec3 arm_of(const WorldData& world, const Joint& joint, int32_t body, Quat axes)
{
    const bool is_b = joint.body_b == body, slides = std::holds_alternative<SliderJoint>(joint.kind) ||
                                                     std::holds_alternative<SixDofJoint>(joint.kind);
    const Vec3 own = rotate(world.bodies[body].pose_in_mover.rotation, (is_b ? joint.frame_b : joint.frame_a).position);
    return is_b || !slides ? own : own + inverse_rotate(axes, place_joint(joint, world.bodies, world.movers).gap);
}

void add_joints(const WorldData& world, MergedBody& merged)
{
    const int32_t body = merged.body;
    const Quat axes = mover_of(world, body).pose.rotation;
    merged.is_jointed = merged.is_glued = false;
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        merged.is_glued |= joint.break_impulse < infinity && is_inner(world, joint);
        if (is_inner(world, joint))
            return;
        merged.is_jointed = true;
        const float rate = (joint.body_b == body ? 1.0f : -1.0f) / world.step_dt;
        const Vec3 force = inverse_rotate(axes, joint.pull) * rate;
        merged.now += force;
        merged.turn_now += inverse_rotate(axes, joint.twist) * rate + cross(arm_of(world, joint, body, axes), force);
    });
}

void begin_forces(const WorldData& world, MergedBody& merged)
{
    merged.now = merged.turn_now = {};
    merged.stopped = 0;
    merged.is_hit = false;
    add_joints(world, merged);
}

void add_contacts(const WorldData& world, const Edge& edge, MergedBody& merged)
{
    if (edge.manifold == none || edge.mover_a == edge.mover_b)
        return;
    for (int32_t i = edge.manifold; i != none; i = world.graph.manifolds[i].next)
        if (const Manifold& m = world.graph.manifolds[i]; m.colour >= 0 || m.slot < 0) // not a weld
            add_contact(world, edge, i, merged);
}

} // namespace

void set_springs(const WorldData& world, MergedBody& merged)
{
    const int32_t body = merged.body;
    const Quat axes = mover_of(world, body).pose.rotation;
    merged.spring = merged.turn_spring = {};
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        if (joint.is_glue || !is_inner(world, joint))
            return;
        const JointLoad load = steady_load(joint, world.bodies, world.movers, stored_force(world));
        const float sign = joint.body_b == body ? 1.0f : -1.0f;
        const Vec3 force = inverse_rotate(axes, load.force) * sign;
        merged.spring += force;
        merged.turn_spring += inverse_rotate(axes, load.torque) * sign + cross(arm_of(world, joint, body, axes), force);
    });
}

bool is_pushed_by_moving(const WorldData& world, int32_t body, float speed)
{
    bool is_pushed = false;
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (is_pushed || edge.manifold == none || edge.mover_a == edge.mover_b)
            return;
        for (int32_t i = edge.manifold; i != none; i = world.graph.manifolds[i].next)
            if (const Manifold& m = world.graph.manifolds[i]; m.colour >= 0 && m.count > 0 && m.total_impulse > 0)
                is_pushed |= length(velocity_at(world, edge, middle_of(m))) > speed;
    });
    return is_pushed;
}

void set_outer_forces(const WorldData& world, MergedBody& merged)
{
    begin_forces(world, merged);
    for_each_edge(merged.body, world.bodies, world.graph,
                  [&](int32_t e) { add_contacts(world, world.graph.edges[e], merged); });
}

// Forces of who sleeps stay what they are, and have been believed by now.
bool is_dormant(const WorldData& world, const MergedBody& merged)
{
    constexpr uint32_t believed = 20; // steps
    return uint32_t(world.step_count) > merged.gathered_at + believed && !merged.is_jointed &&
           !mover_of(world, merged.body).is_awake();
}

// Where a mover is awake the step has seen all edges of its members: these are fewer than all that a member has.
void gather_outer_forces(WorldData& world)
{
    Collections& c = world.collections;
    const auto is_seen = [&](const MergedBody& m) { return mover_of(world, m.body).is_awake(); };
    for (int32_t index : c.gathered)
        if (MergedBody& m = c.bodies[index]; is_seen(m))
            begin_forces(world, m);
        else if (!is_dormant(world, m))
            set_outer_forces(world, m);
    for (int32_t e : world.collide_report.outer)
        for (int32_t body : {world.graph.edges[e].body_a, world.graph.edges[e].body_b})
            if (const int32_t index = c.merged(body);
                index != none && c.bodies[index].is_gathered && is_seen(c.bodies[index]))
                add_contacts(world, world.graph.edges[e], c.bodies[index]);
}

} // namespace moraine
