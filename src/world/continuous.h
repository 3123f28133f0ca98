// Continuous collision: where a fast mover first meets something on its way.
#pragma once

#include "world/world_data.h"

namespace moraine
{

bool needs_continuous(const Mover& mover, const MoverVelocity& velocity);

// The share of the way from `start` to its present pose that the mover can go. Against static movers, and for those
// marked fast against all others.
float free_fraction(const WorldData& world, int32_t mover, const Pose& start);

} // namespace moraine
