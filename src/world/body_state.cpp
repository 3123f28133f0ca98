#include "world/body_state.h"

#include "world/activity.h"
#include "world/body_store.h"
#include "world/collections.h"

#include <cmath>

namespace moraine
{

namespace
{

// As after a step: a new search for pairs only where the body has left its box.
void keep_bounds(Movers& movers, int32_t index, const Pose& before, float dt)
{
    Mover& mover = movers[index];
    MoverVelocity& v = movers.velocities[size_t(index)];
    update_tight(mover);
    const float way = way_of(mover, before);
    v.room -= way;
    add_to_path(way, v);
    if (mover.leaf < 0 || (v.room >= 0 && contains(movers.fat(mover), enlarge(mover.tight, pair_margin))))
        return;
    const float speed = length(v.linear) +
                        length(angular_velocity(mover, movers.masses[size_t(index)], v)) * mover.radius;
    refit_mover(movers, index, fat_bounds(mover, v.linear, dt), room_of(mover, speed, dt));
}

} // namespace

float way_of(const Mover& mover, const Pose& before)
{
    const Quat turn = conjugate(before.rotation) * mover.pose.rotation;
    return length(relative(mover.pose.position, before.position)) +
           2 * length(Vec3{turn.x, turn.y, turn.z}) * mover.radius;
}

BodyState body_state(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    const Mover& mover = world.movers[b.mover];
    const MoverVelocity& v = world.movers.velocities[size_t(b.mover)];
    const Vec3 angular = angular_velocity(mover, world.movers.masses[size_t(b.mover)], v);
    const Pose pose = mover.pose * b.pose_in_mover;
    return {pose, v.linear + cross(angular, relative(pose.position, mover.pose.position)), angular};
}

float set_body_state(WorldData& world, int32_t body, const BodyState& state)
{
    const BodyState own = body_state(world, body);
    if (own == state || !is_finite(state.pose) || !is_finite(state.linear) || !is_finite(state.angular))
        return 0;
    detach_body(world, body);
    const int32_t index = world.bodies[body].mover;
    Mover& mover = world.movers[index];
    const float quiet = mover.quiet_time;
    wake_mover(world, index);
    mover.quiet_time = quiet;
    const Pose before = mover.pose;
    MoverVelocity& v = world.movers.velocities[size_t(index)];
    mover.pose = state.pose;
    v.linear = state.linear;
    v.spin = spin_of(mover, world.movers.masses[size_t(index)], state.angular);
    keep_bounds(world.movers, index, before, world.step_dt);
    return length(relative(own.pose.position, state.pose.position));
}

float quiet_time(const WorldData& world, int32_t body) { return mover_of(world, body).quiet_time; }

void set_quiet_time(WorldData& world, int32_t body, float seconds) { mover_of(world, body).quiet_time = seconds; }

void set_can_merge(WorldData& world, int32_t body, bool can_merge)
{
    Body& b = world.bodies[body];
    b.flags = uint8_t(can_merge ? b.flags | body_can_merge : b.flags & ~body_can_merge);
    if (can_merge)
        return;
    detach_body(world, body);
    release_riders(world, body);
}

void hold_body(WorldData& world, int32_t body, bool is_held)
{
    constexpr float heavier = 1e6f; // so much, and not infinitely: its spin is kept in units of its inertia
    detach_body(world, body);
    const size_t index = size_t(world.bodies[body].mover);
    const Mover& mover = world.movers[int32_t(index)];
    const Vec3 angular = angular_velocity(mover, world.movers.masses[index], world.movers.velocities[index]);
    update_mover_mass(world, body);
    MoverMass mass = world.movers.masses[index];
    if (is_held)
    {
        const float s = 1 / std::sqrt(heavier);
        Factor& f = mass.factor;
        f = {f.xx * s, f.yx * s, f.yy * s, f.zx * s, f.zy * s, f.zz * s};
        mass.inv_mass /= heavier;
        mass.gravity_scale = mass.linear_damping = mass.angular_damping = 0;
        world.movers.masses.set(index, mass);
        world.movers.velocities[index].inv_mass = mass.inv_mass;
    }
    world.movers.velocities[index].spin = spin_of(mover, mass, angular);
    forget_impulses(world, body); // they were those of another mass
}

} // namespace moraine
