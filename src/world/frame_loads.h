// What gravity and the motion of its frame ask of a collection, and where they may go without anything giving way.
#pragma once

#include "merge/probe.h"
#include "world/world_data.h"

namespace moraine
{

// Brings the collections of a mover up to date where its load has changed. `budget`: bodies whose response may be sought.
void update_frame(WorldData& world, int32_t mover, const ProbeLimits& limits, int& budget);
// A force from outside has changed: what was known to hold need not hold any more.
void watch_collection(WorldData& world, int32_t collection);
// Has the load changed, by far more than solvers miss, since the last time that this was so?
bool has_new_load(WorldData& world, int32_t collection);

} // namespace moraine
