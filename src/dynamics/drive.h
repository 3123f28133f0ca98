// Gravity, user forces and damping of the awake movers, and warm starting for free.
//
// The impulses of a sub-step change a mover's velocity by what is left when the free motion is taken away. Applying the
// same impulses again as a start of the next sub-step therefore needs no pass over the rows: it is that difference.
#pragma once

#include "graph/movers.h"

#include <moraine/defs.h>

#include <span>

namespace moraine
{

struct Drive // of one awake mover, by its slot
{
    Vec3 acceleration{};
    float linear_damping = 0;
    Vec3 spin_acceleration{};
    float angular_damping = 0;
    Vec3 base_linear{}; // velocity without this sub-step's impulses
    Vec3 base_spin{};
    bool is_dynamic = false;
    bool is_planar = false;
};

// Takes the user's forces (and clears them); remembers the velocity before any impulse; clears shift and turn.
void begin_drive(Movers& movers, Vec3 gravity, int32_t slot, Drive& drive);
// To be called when the stored impulses have been applied to the velocity once.
void first_velocity(MoverVelocity& velocity, float h, Drive& drive);
void next_velocity(MoverVelocity& velocity, float h, Drive& drive);

inline void advance_shift(MoverVelocity& velocity, float h)
{
    velocity.shift += h * velocity.linear;
    velocity.turn += h * velocity.spin;
}

} // namespace moraine
