// Mass and motion of collections: equations 10 to 14 of the merging paper, with both momenta kept.
#pragma once

#include "world/world_data.h"

#include <span>

namespace moraine
{

struct RigidMotion // of a centre of mass
{
    Vec3 linear{};
    Vec3 angular{};
};

RigidMotion motion_of(const WorldData& world, int32_t body);
RigidMotion motion_of_mover(const WorldData& world, int32_t mover);
// Of a member before the carrier's velocity was set for this step.
RigidMotion last_motion_of(const WorldData& world, int32_t body);
// What the next step's acceleration is measured against: of a free collection the velocity when the step begins, of a
// carrier the velocity it has had.
void remember_motion(WorldData& world, int32_t mover);
Momentum momentum_of(const WorldData& world, std::span<const int32_t> bodies);
// Of a free collection as it was measured last, at the cost of one body.
Momentum momentum_of_mover(const WorldData& world, int32_t mover);
Momentum sum_of(const Momentum& a, const Momentum& b);

// Mass, inertia and flags of a free collection's mover. Returns where the centre of mass is in the mover's frame.
Vec3 set_collection_mass(WorldData& world, int32_t mover, std::span<const int32_t> bodies);
// Moves the origin of the mover's frame by `shift`, in its axes, under bodies that stay where they are. Their edges are
// up to date (refresh_bodies).
void recenter(WorldData& world, int32_t mover, Vec3 shift);

void set_momentum(WorldData& world, int32_t mover, const Momentum& momentum);
// As part of something that moved with `motion` at a point `shift` behind, in the mover's axes.
void set_motion(WorldData& world, int32_t mover, const RigidMotion& motion, Vec3 shift);

// Gravity and acceleration in the axes of the mover, as its members feel them.
FrameLoad frame_load(const WorldData& world, int32_t mover);

} // namespace moraine
