#include "dynamics/drive.h"

namespace moraine
{

namespace
{

// From the velocity the sub-step starts with and the change that the last impulses made.
void set_velocity(MoverVelocity& v, Vec3 start_linear, Vec3 start_spin, float h, Drive& d)
{
    const Vec3 warm_linear = v.linear - d.base_linear;
    const Vec3 warm_spin = v.spin - d.base_spin;
    d.base_linear = (start_linear + h * d.acceleration) * (1 / (1 + h * d.linear_damping));
    d.base_spin = (start_spin + h * d.spin_acceleration) * (1 / (1 + h * d.angular_damping));
    v.linear = d.base_linear + warm_linear;
    v.spin = d.base_spin + warm_spin;
    if (d.is_planar)
        v.linear.z = 0;
}

} // namespace

void begin_drive(Movers& movers, Vec3 gravity, int32_t slot, Drive& drive)
{
    const int32_t index = movers.awake[slot];
    const Mover& mover = movers[index];
    MoverVelocity& velocity = movers.velocities[size_t(index)];
    velocity.shift = {};
    velocity.turn = {};
    drive = {};
    drive.base_linear = velocity.linear;
    drive.base_spin = velocity.spin;
    drive.is_dynamic = mover.is_dynamic();
    drive.is_planar = mover.is_planar;
    if (!drive.is_dynamic)
        return;
    const MoverMass& mass = movers.masses[size_t(index)];
    drive.acceleration = gravity * mass.gravity_scale;
    drive.linear_damping = mass.linear_damping;
    drive.angular_damping = mass.angular_damping;
    if (size_t(index) >= movers.forces.size())
        return;
    MoverForce& force = movers.forces[size_t(index)];
    drive.acceleration += force.force * mass.inv_mass;
    drive.spin_acceleration = transpose_multiply(mass.factor, inverse_rotate(mover.pose.rotation, force.torque));
    force = {};
}

void first_velocity(MoverVelocity& velocity, float h, Drive& drive)
{
    if (drive.is_dynamic)
        set_velocity(velocity, drive.base_linear, drive.base_spin, h, drive);
}

void next_velocity(MoverVelocity& velocity, float h, Drive& drive)
{
    if (drive.is_dynamic)
        set_velocity(velocity, velocity.linear, velocity.spin, h, drive);
}

} // namespace moraine
