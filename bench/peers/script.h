// Scripted motion and filters as the scene format defines them, for engines that have neither.
#pragma once

#include <moraine/defs.h>

namespace moraine::bench
{

Pose scripted_pose(const Motion& motion, const Pose& start, double time);

// Do two bodies' filters let them touch?
bool can_touch(const Filter& a, const Filter& b);

} // namespace moraine::bench
