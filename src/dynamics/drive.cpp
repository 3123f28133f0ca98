#include "dynamics/drive.h"

#include <algorithm>

namespace moraine
{

namespace
{

// From the velocity the sub-step starts with and the change that the last impulses made.
void set_velocity(MoverVelocity& v, Vec3 start_linear, Vec3 start_spin, float h, const Drives& drives, int slot)
{
    Drive& d = drives.all[size_t(slot)];
    const Vec3 warm_linear = v.linear - d.base_linear;
    const Vec3 warm_spin = v.spin - d.base_spin;
    const Vec3 gravity = drives.gravity * d.gravity_scale;
    d.base_linear = start_linear + h * gravity;
    d.base_spin = start_spin;
    if (d.is_special)
    {
        const SpecialDrive& s = drives.special[size_t(slot)];
        d.base_linear = (start_linear + h * (gravity + s.acceleration)) * (1 / (1 + h * s.linear_damping));
        d.base_spin = (start_spin + h * s.spin_acceleration) * (1 / (1 + h * s.angular_damping));
    }
    v.linear = d.base_linear + warm_linear;
    v.spin = d.base_spin + warm_spin;
    if (d.is_planar)
        v.linear.z = 0;
}

void begin_special(Movers& movers, int32_t index, const MoverMass& mass, Drive& drive, SpecialDrive& special)
{
    const bool is_pushed = size_t(index) < movers.forces.size();
    drive.is_special = is_pushed || mass.linear_damping > 0 || mass.angular_damping > 0;
    if (!drive.is_special)
        return;
    special = {{}, {}, mass.linear_damping, mass.angular_damping};
    if (!is_pushed)
        return;
    MoverForce& force = movers.forces[size_t(index)];
    special.acceleration = force.force * mass.inv_mass;
    special.spin_acceleration = transpose_multiply(mass.factor,
                                                   inverse_rotate(movers[index].pose.rotation, force.torque));
    force = {};
}

void gain_speed(float time, const SpecialDrive& special, MoverVelocity& velocity)
{
    velocity.linear += time * special.acceleration;
    velocity.spin += time * special.spin_acceleration;
}

// A carrier has one velocity for a whole step. What it carries gains speed from one sub-step to the next, and would be a
// little slower or faster than the carrier in all of them: so the carrier, too, goes evenly from one step's velocity to the
// next. What changes faster is a jerk and stays one.
void begin_ramp(const MoverVelocity& velocity, float dt, Drive& drive, SpecialDrive& special)
{
    constexpr float smooth = 30; // m/s² and 1/s²
    if (!(dt > 0))
        return;
    const Vec3 acceleration = (velocity.linear - velocity.shift * (1 / dt)) * (1 / dt);
    const Vec3 spin_acceleration = (velocity.spin - velocity.turn * (1 / dt)) * (1 / dt);
    const float squared = std::max(length_squared(acceleration), length_squared(spin_acceleration));
    drive.is_special = squared > 1e-6f && squared < smooth * smooth;
    if (drive.is_special)
        special = {acceleration, spin_acceleration, 0, 0};
}

} // namespace

Drives make_drives(Vec3 gravity, size_t count, Arena& arena)
{
    return {gravity, arena.allocate<Drive>(count), arena.allocate<SpecialDrive>(count)};
}

void begin_drive(Movers& movers, int32_t slot, const Drives& drives)
{
    const int32_t index = movers.awake[slot];
    const Mover& mover = movers[index];
    MoverVelocity& velocity = movers.velocities[size_t(index)];
    Drive& drive = drives.all[size_t(slot)];
    drive = {};
    drive.base_linear = velocity.linear;
    drive.base_spin = velocity.spin;
    drive.is_dynamic = mover.is_dynamic();
    drive.is_planar = mover.is_planar;
    if (!drive.is_dynamic)
        begin_ramp(velocity, drives.dt, drive, drives.special[size_t(slot)]);
    velocity.shift = {};
    velocity.turn = {};
    if (!drive.is_dynamic)
        return;
    const MoverMass& mass = movers.masses[size_t(index)];
    drive.gravity_scale = mass.gravity_scale;
    begin_special(movers, index, mass, drive, drives.special[size_t(slot)]);
}

void first_velocity(MoverVelocity& velocity, float h, const Drives& drives, int slot)
{
    const Drive& drive = drives.all[size_t(slot)];
    if (drive.is_dynamic)
        set_velocity(velocity, drive.base_linear, drive.base_spin, h, drives, slot);
    else if (drive.is_special)
        gain_speed(0.5f * (h - drives.dt), drives.special[size_t(slot)], velocity);
}

void next_velocity(MoverVelocity& velocity, float h, const Drives& drives, int slot)
{
    const Drive& drive = drives.all[size_t(slot)];
    if (drive.is_dynamic)
        set_velocity(velocity, velocity.linear, velocity.spin, h, drives, slot);
    else if (drive.is_special)
        gain_speed(h, drives.special[size_t(slot)], velocity);
}

void last_velocity(MoverVelocity& velocity, const Drives& drives, int slot)
{
    const Drive& drive = drives.all[size_t(slot)];
    if (drive.is_dynamic || !drive.is_special)
        return;
    velocity.linear = drive.base_linear;
    velocity.spin = drive.base_spin;
}

} // namespace moraine
