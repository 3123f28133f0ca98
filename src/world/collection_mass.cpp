#include "world/collection_mass.h"

#include "graph/members.h"
#include "world/activity.h"

#include <algorithm>

namespace moraine
{

namespace
{

DVec3 cross(DVec3 a, DVec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

Pose pose_of(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    return world.movers[b.mover].pose * b.pose_in_mover;
}

Mat3 world_inertia(const WorldData& world, int32_t body)
{
    const Mat3 r = to_matrix(pose_of(world, body).rotation);
    return r * inertia_matrix(world.bodies.infos[size_t(body)]) * transpose(r);
}

} // namespace

RigidMotion motion_of_mover(const WorldData& world, int32_t mover)
{
    const size_t m = size_t(mover);
    return {world.movers.velocities[m].linear,
            angular_velocity(world.movers[mover], world.movers.masses[m], world.movers.velocities[m])};
}

RigidMotion motion_of(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    RigidMotion motion = motion_of_mover(world, b.mover);
    motion.linear += moraine::cross(motion.angular,
                                    rotate(world.movers[b.mover].pose.rotation, b.pose_in_mover.position));
    return motion;
}

RigidMotion last_motion_of(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    const Mover& mover = world.movers[b.mover];
    if (mover.type != BodyType::kinematic || !mover.has_members())
        return motion_of(world, body);
    const Members& members = world.movers.members[mover.members];
    const Vec3 arm = rotate(mover.pose.rotation, b.pose_in_mover.position);
    return {members.last_linear + moraine::cross(members.last_angular, arm), members.last_angular};
}

void remember_motion(WorldData& world, int32_t mover)
{
    Members& members = world.movers.members[world.movers[mover].members];
    const RigidMotion motion = motion_of_mover(world, mover);
    members.last_linear = motion.linear;
    members.last_angular = motion.angular;
}

Momentum momentum_of(const WorldData& world, std::span<const int32_t> bodies)
{
    Momentum sum;
    for (int32_t body : bodies)
    {
        const double mass = double(world.bodies.infos[size_t(body)].mass);
        sum.mass += mass;
        sum.center += pose_of(world, body).position * mass;
        sum.linear += DVec3(motion_of(world, body).linear) * mass;
    }
    sum.center = sum.center * (1 / sum.mass);
    for (int32_t body : bodies)
    {
        const double mass = double(world.bodies.infos[size_t(body)].mass);
        const RigidMotion motion = motion_of(world, body);
        const DVec3 arm = pose_of(world, body).position - sum.center;
        sum.angular += cross(arm, DVec3(motion.linear) * mass) + DVec3(world_inertia(world, body) * motion.angular);
    }
    return sum;
}

// L_angular = R L⁻ᵀ u, since I⁻¹ = L Lᵀ and ω = R L u.
Momentum momentum_of_mover(const WorldData& world, int32_t index)
{
    const Mover& mover = world.movers[index];
    const MoverMass& mass = world.movers.masses[size_t(index)];
    const MoverVelocity& v = world.movers.velocities[size_t(index)];
    const Vec3 angular = rotate(mover.pose.rotation, transpose_multiply(inverse_of(mass.factor), v.spin));
    const double m = 1 / double(mass.inv_mass);
    return {m, mover.pose.position, DVec3(v.linear) * m, DVec3(angular)};
}

Momentum sum_of(const Momentum& a, const Momentum& b)
{
    Momentum sum;
    sum.mass = a.mass + b.mass;
    sum.center = (a.center * a.mass + b.center * b.mass) * (1 / sum.mass);
    sum.linear = a.linear + b.linear;
    sum.angular = a.angular + b.angular + cross(a.center - sum.center, a.linear) +
                  cross(b.center - sum.center, b.linear);
    return sum;
}

Vec3 set_collection_mass(WorldData& world, int32_t index, std::span<const int32_t> bodies)
{
    Mover& mover = world.movers[index];
    double mass = 0, gravity = 0;
    DVec3 center{};
    mover.can_sleep = true;
    mover.is_fast = false;
    mover.inner_radius = infinity;
    float linear_damping = 0, angular_damping = 0;
    for (int32_t body : bodies)
    {
        const Body& b = world.bodies[body];
        const BodyInfo& info = world.bodies.infos[size_t(body)];
        mass += double(info.mass);
        gravity += double(info.mass) * double(info.gravity_scale);
        center += DVec3(b.pose_in_mover.position) * double(info.mass);
        linear_damping += info.mass * info.linear_damping;
        angular_damping += info.mass * info.angular_damping;
        mover.can_sleep &= b.has(body_can_sleep);
        mover.is_fast |= b.has(body_is_fast);
        for (const Shape& s : world.bodies.shapes_of(b))
            mover.inner_radius = std::min(mover.inner_radius, s.inner_radius);
    }
    const Vec3 at = Vec3(center * (1 / mass));
    Mat3 inertia = diagonal({});
    for (int32_t body : bodies)
    {
        const Transform& place = world.bodies[body].pose_in_mover;
        const BodyInfo& info = world.bodies.infos[size_t(body)];
        const Mat3 r = to_matrix(place.rotation);
        const Vec3 arm = place.position - at;
        const float squared = length_squared(arm);
        inertia = inertia + r * inertia_matrix(info) * transpose(r) +
                  (diagonal({squared, squared, squared}) - outer(arm, arm)) * info.mass;
    }
    MoverMass m;
    m.inv_mass = float(1 / mass);
    m.factor = factor_of_inverse(inertia, mover.is_planar);
    m.gravity_scale = float(gravity / mass);
    m.linear_damping = linear_damping * m.inv_mass;
    m.angular_damping = angular_damping * m.inv_mass;
    world.movers.masses.set(size_t(index), m);
    world.movers.velocities[size_t(index)].inv_mass = m.inv_mass;
    return at;
}

void recenter(WorldData& world, int32_t index, Vec3 shift)
{
    Mover& mover = world.movers[index];
    const DVec3 move = DVec3(rotate(mover.pose.rotation, shift));
    mover.pose.position += move;
    Members& members = world.movers.members[mover.members];
    members.searched.position += move;
    members.tree.translate(-shift);
    for_each_member(world.movers, index, [&](int32_t body) { world.bodies[body].pose_in_mover.position -= shift; });
    // Points inside it are kept by their welds.
    for (int32_t e : world.graph.awake)
    {
        Edge& edge = world.graph.edges[e];
        if (edge.mover_a != index && edge.mover_b != index)
            continue;
        edge.placement = relative(world.movers[edge.mover_b].pose, world.movers[edge.mover_a].pose);
        if (edge.mover_a == index)
            for_each_manifold(edge, world.graph, [&](int32_t m) {
                Manifold& manifold = world.graph.manifolds[m];
                for (int i = 0; i < manifold.count; ++i)
                    manifold.points[i].position -= shift;
            });
    }
}

void set_momentum(WorldData& world, int32_t index, const Momentum& momentum)
{
    Mover& mover = world.movers[index];
    const MoverMass& mass = world.movers.masses[size_t(index)];
    MoverVelocity& v = world.movers.velocities[size_t(index)];
    v.linear = Vec3(momentum.linear * (1 / momentum.mass));
    // u = Lᵀ Rᵀ (angular momentum), since I⁻¹ = L Lᵀ.
    v.spin = transpose_multiply(mass.factor, inverse_rotate(mover.pose.rotation, Vec3(momentum.angular)));
}

void set_motion(WorldData& world, int32_t index, const RigidMotion& motion, Vec3 shift)
{
    Mover& mover = world.movers[index];
    MoverVelocity& v = world.movers.velocities[size_t(index)];
    v.linear = motion.linear + moraine::cross(motion.angular, rotate(mover.pose.rotation, shift));
    v.spin = spin_of(mover, world.movers.masses[size_t(index)], motion.angular);
}

FrameLoad frame_load(const WorldData& world, int32_t index)
{
    const Mover& mover = world.movers[index];
    FrameLoad load;
    load.gravity = inverse_rotate(mover.pose.rotation, world.settings.gravity);
    if (mover.type == BodyType::static_)
        return load;
    const Members& members = world.movers.members[mover.members];
    const RigidMotion now = motion_of_mover(world, index);
    const float rate = 1 / world.step_dt;
    load.acceleration = inverse_rotate(mover.pose.rotation, (now.linear - members.last_linear) * rate);
    load.turn_acceleration = inverse_rotate(mover.pose.rotation, (now.angular - members.last_angular) * rate);
    load.turn = inverse_rotate(mover.pose.rotation, now.angular);
    return load;
}

} // namespace moraine
