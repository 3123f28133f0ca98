#include "dynamics/drive.h"

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
    velocity.shift = {};
    velocity.turn = {};
    Drive& drive = drives.all[size_t(slot)];
    drive = {};
    drive.base_linear = velocity.linear;
    drive.base_spin = velocity.spin;
    drive.is_dynamic = mover.is_dynamic();
    drive.is_planar = mover.is_planar;
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
}

void next_velocity(MoverVelocity& velocity, float h, const Drives& drives, int slot)
{
    if (drives.all[size_t(slot)].is_dynamic)
        set_velocity(velocity, velocity.linear, velocity.spin, h, drives, slot);
}

} // namespace moraine
