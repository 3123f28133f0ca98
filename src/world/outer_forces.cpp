// Forces that act on the members of a collection from outside it.
#include "world/activity.h"
#include "world/collection_mass.h"
#include "world/collections.h"

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

// On B, in the axes of frame A: what the last solve found, or for a new contact what would stop the approach.
Vec3 contact_force(const WorldData& world, const Edge& edge, const Manifold& m, Vec3 point)
{
    const StoredForce stored = stored_force(world);
    const bool is_magnet = m.friction < 0;
    if (m.total_impulse > 0 || (is_magnet && m.colour >= 0))
        return m.normal * (m.total_impulse * stored.normal) + m.friction_impulse * stored.friction;
    const Mover& mover = world.movers[edge.mover_a];
    const RigidMotion a = motion_of_mover(world, edge.mover_a), b = motion_of_mover(world, edge.mover_b);
    const Vec3 arm = rotate(mover.pose.rotation, point);
    const Vec3 between = relative(mover.pose.position, world.movers[edge.mover_b].pose.position);
    const Vec3 v = b.linear + cross(b.angular, arm + between) - a.linear - cross(a.angular, arm);
    // A magnet that moves away from what no solve can move: it takes along.
    if (is_magnet)
        return inverse_rotate(mover.pose.rotation, v) *
               (-stored.normal / (inv_mass_of(world, edge.body_a) + inv_mass_of(world, edge.body_b)));
    const float approach = -dot(v, rotate(mover.pose.rotation, m.normal));
    const float inv_mass = inv_mass_of(world, edge.body_a) + inv_mass_of(world, edge.body_b);
    if (!(approach > 0) || !(inv_mass > 0))
        return {};
    return m.normal * (approach * (1 + m.restitution) / inv_mass * stored.normal);
}

// Where the manifold presses.
Vec3 middle_of(const Manifold& m)
{
    Vec3 sum{};
    float weight = 0;
    for (int i = 0; i < m.count; ++i)
    {
        const float share = m.points[i].impulse + 1e-9f;
        sum += m.points[i].position * share;
        weight += share;
    }
    return sum / weight;
}

Vec3 arm_of(const WorldData& world, const Joint& joint, int32_t body)
{
    const Transform& frame = joint.body_b == body ? joint.frame_b : joint.frame_a;
    return rotate(world.bodies[body].pose_in_mover.rotation, frame.position);
}

void add_joints(const WorldData& world, MergedBody& merged)
{
    const int32_t body = merged.body;
    const Quat axes = mover_of(world, body).pose.rotation;
    merged.is_jointed = merged.is_glued = false;
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        merged.is_glued |= joint.is_glue && joint.break_impulse < infinity;
        if (is_inner(world, joint))
            return;
        merged.is_jointed = true;
        const float rate = (joint.body_b == body ? 1.0f : -1.0f) / world.step_dt;
        const Vec3 force = inverse_rotate(axes, joint.pull) * rate;
        merged.now += force;
        merged.turn_now += inverse_rotate(axes, joint.twist) * rate + cross(arm_of(world, joint, body), force);
    });
}

} // namespace

void set_springs(const WorldData& world, MergedBody& merged)
{
    const int32_t body = merged.body;
    const Quat axes = mover_of(world, body).pose.rotation;
    merged.spring = merged.turn_spring = {};
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        const SpringJoint* spring = std::get_if<SpringJoint>(&joint.kind);
        if (!spring || !is_inner(world, joint))
            return;
        const Vec3 force = inverse_rotate(axes, spring_force(*spring, joint, world.bodies, world.movers)) *
                           (joint.body_b == body ? 1.0f : -1.0f);
        merged.spring += force;
        merged.turn_spring += cross(arm_of(world, joint, body), force);
    });
}

void set_outer_forces(const WorldData& world, MergedBody& merged)
{
    merged.now = merged.turn_now = {};
    const int32_t body = merged.body;
    add_joints(world, merged);
    for (int32_t e = world.bodies[body].edge_first; e != none;)
    {
        const Edge& edge = world.graph.edges[e];
        e = world.graph.links[size_t(e)].next[side_of(edge, body)];
        if (edge.manifold == none || edge.mover_a == edge.mover_b)
            continue;
        const bool is_b = edge.body_b == body;
        const Transform to_mover = is_b ? inverse(edge.placement) : Transform{};
        for (int32_t i = edge.manifold; i != none; i = world.graph.manifolds[i].next)
        {
            const Manifold& m = world.graph.manifolds[i];
            if (m.colour < 0 && m.slot >= 0) // a weld
                continue;
            const Vec3 point = middle_of(m);
            const Vec3 force = rotate(to_mover.rotation, contact_force(world, edge, m, point)) * (is_b ? 1.0f : -1.0f);
            const float twist = m.twist_impulse * stored_force(world).friction * (is_b ? 1.0f : -1.0f);
            merged.now += force;
            merged.turn_now += rotate(to_mover.rotation, m.normal) * twist;
            merged.turn_now += cross(apply(to_mover, point) - world.bodies[body].pose_in_mover.position, force);
        }
    }
}

} // namespace moraine
