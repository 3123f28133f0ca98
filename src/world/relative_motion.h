// How the two movers of an edge move against each other: see merge.cpp.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// Motion of B as seen from A, about the origin of A's mover.
struct Relative
{
    Vec3 linear{};
    Vec3 angular{};
};

// As it is at the end of the step; with a carrier that moves, or where both turn fast, from what they did in the whole step.
Relative relative_motion(const WorldData& world, const Edge& edge);
// No corner of the two movers' boxes is faster than the limit (equations 15 to 17).
bool is_slow(const WorldData& world, float limit, const Edge& edge, const Relative& motion);

} // namespace moraine
