// Gravity, user forces and damping of the awake movers, and warm starting for free.
//
// The impulses of a sub-step change a mover's velocity by what is left when the free motion is taken away. Applying the
// same impulses again as a start of the next sub-step therefore needs no pass over the rows: it is that difference.
#pragma once

#include "base/arena.h"
#include "graph/movers.h"

#include <moraine/defs.h>

#include <span>

namespace moraine
{

struct Drive // of one awake mover, by its slot
{
    Vec3 base_linear{}; // velocity without this sub-step's impulses
    Vec3 base_spin{};
    float gravity_scale = 0;
    bool is_dynamic = false;
    bool is_planar = false;
    bool is_special = false; // it has a special drive too
};

struct SpecialDrive // of the few that the user pushes, that are damped, or that carry others and gain speed
{
    Vec3 acceleration{}; // beside gravity
    Vec3 spin_acceleration{};
    float linear_damping = 0;
    float angular_damping = 0;
};

struct Drives
{
    Vec3 gravity{};
    std::span<Drive> all;            // by awake slot
    std::span<SpecialDrive> special; // by awake slot: what is not used is neither set nor read
    float dt = 0;                    // of a step whose sub-steps kinematic movers are to gain speed in
};

Drives make_drives(Vec3 gravity, size_t count, Arena& arena); // room, not filled yet
// Takes the user's forces (and clears them); remembers the velocity before any impulse; clears shift and turn.
void begin_drive(Movers& movers, int32_t slot, const Drives& drives);
// To be called when the stored impulses have been applied to the velocity once.
void first_velocity(MoverVelocity& velocity, float h, const Drives& drives, int slot);
void next_velocity(MoverVelocity& velocity, float h, const Drives& drives, int slot);
// Kinematic movers have their own velocity again: the mean of the step.
void last_velocity(MoverVelocity& velocity, const Drives& drives, int slot);

inline void advance_shift(MoverVelocity& velocity, float h)
{
    velocity.shift += h * velocity.linear;
    velocity.turn += h * velocity.spin;
}

} // namespace moraine
