// One row between two movers, by itself: for the few that are not solved in batches.
#pragma once

#include "graph/movers.h"

namespace moraine
{

struct ContactRow
{
    int32_t mover[2] = {-1, -1};
    bool is_pushed[2]{}; // rows change it
    Vec3 direction{};
    Vec3 j[2]{};    // in spin space
    float mass = 0; // effective, of the two along the row (eq. 17 of distant-collision-response-2020); 0: nothing moves
};

// Along `direction` in the world, at a point given in A's frame.
inline ContactRow make_contact_row(const Movers& movers, int32_t a, int32_t b, Vec3 point_in_a, Vec3 direction)
{
    ContactRow row{.mover = {a, b}, .direction = direction};
    const Vec3 arm_a = rotate(movers[a].pose.rotation, point_in_a);
    const Vec3 arm_b = arm_a + relative(movers[a].pose.position, movers[b].pose.position);
    float response = 0;
    for (int side = 0; side < 2; ++side)
    {
        const Mover& mover = movers[row.mover[side]];
        const Vec3 turn = cross(side ? arm_b : arm_a, direction);
        row.is_pushed[side] = mover.is_dynamic();
        row.j[side] = turn; // the spin of what is not dynamic is its angular velocity in world axes
        if (!mover.is_dynamic())
            continue;
        const MoverMass& mass = movers.masses[size_t(row.mover[side])];
        row.j[side] = transpose_multiply(mass.factor, inverse_rotate(mover.pose.rotation, turn));
        response += mass.inv_mass + dot(row.j[side], row.j[side]);
    }
    row.mass = response > 0 ? 1 / response : 0;
    return row;
}

inline float speed_along(const ContactRow& row, const Movers& movers)
{
    const MoverVelocity& a = movers.velocities[size_t(row.mover[0])];
    const MoverVelocity& b = movers.velocities[size_t(row.mover[1])];
    return dot(row.direction, b.linear - a.linear) + dot(row.j[1], b.spin) - dot(row.j[0], a.spin);
}

inline void push_along(const ContactRow& row, float impulse, Movers& movers)
{
    for (int side = 0; side < 2; ++side)
    {
        if (!row.is_pushed[side])
            continue;
        MoverVelocity& v = movers.velocities[size_t(row.mover[side])];
        const float signed_impulse = side ? impulse : -impulse;
        v.linear += row.direction * (signed_impulse * v.inv_mass);
        v.spin += row.j[side] * signed_impulse;
    }
}

} // namespace moraine
