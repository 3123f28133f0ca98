#include "world/body_forces.h"

#include "world/collections.h"

namespace moraine
{

namespace
{

Pose center_pose(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    return world.movers[b.mover].pose * b.pose_in_mover;
}

// On B, about A's origin, in the axes of frame A.
struct Wrench
{
    Vec3 force{};
    Vec3 torque{};

    void add(Vec3 f, Vec3 point)
    {
        force += f;
        torque += cross(point, f);
    }
};

Wrench press_of(const Manifold& m, float rate)
{
    Wrench sum;
    Vec3 middle{};
    float weight = 0;
    for (int i = 0; i < m.count; ++i)
    {
        const float impulse = m.points[i].impulse;
        sum.add(m.normal * (impulse * rate), m.points[i].position);
        middle += m.points[i].position * (impulse + 1e-9f);
        weight += impulse + 1e-9f;
    }
    if (weight > 0)
        sum.add(m.friction_impulse * rate, middle / weight);
    sum.torque += m.normal * (m.twist_impulse * rate);
    return sum;
}

} // namespace

BodyForce contact_force(const WorldData& world, const Edge& edge, int32_t body)
{
    const float rate = stored_force(world).friction; // that of single sub-steps, where there are some
    Wrench sum;
    for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
    {
        const Manifold& manifold = world.graph.manifolds[m];
        if (manifold.colour < 0)
            continue;
        const Wrench w = press_of(manifold, rate);
        sum.force += w.force;
        sum.torque += w.torque;
    }
    const Pose& frame = world.movers[edge.mover_a].pose;
    const float sign = edge.body_b == body ? 1.0f : -1.0f;
    const Vec3 force = rotate(frame.rotation, sum.force) * sign;
    const Vec3 center = relative(center_pose(world, body).position, frame.position);
    return {force, rotate(frame.rotation, sum.torque) * sign - cross(center, force)};
}

BodyForce joint_force(const WorldData& world, const Joint& joint, int32_t body)
{
    const bool is_b = joint.body_b == body;
    const float rate = (is_b ? 1.0f : -1.0f) / world.step_dt;
    const Vec3 arm = rotate(center_pose(world, body).rotation, (is_b ? joint.frame_b : joint.frame_a).position);
    const Vec3 force = joint.pull * rate;
    return {force, joint.twist * rate + cross(arm, force)};
}

void push_body(WorldData& world, int32_t body, Vec3 force, Vec3 torque)
{
    const int32_t mover = world.bodies[body].mover;
    if (!world.movers[mover].is_awake() || !is_finite(force) || !is_finite(torque))
        return;
    MoverForce& sum = force_of(world.movers, mover);
    sum.force += force;
    sum.torque += torque;
}

} // namespace moraine
