// The speed-ups of "Contact Graphs in Multibody Dynamics Simulation", section 7, as far as they touch the state before a
// solve. The others are where their names are looked up: reduction in collide, subgrouping in the direct solver.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// About to sleep: quiet for long enough. The paper's "sleepy".
inline bool is_sleepy(const Mover& mover, const WorldDef& settings)
{
    return mover.is_dynamic() && mover.can_sleep && mover.quiet_time >= settings.sleep_delay;
}

// Before the solve: forgotten forces (no caching), zeroing and damping. Does nothing with the standard settings.
void apply_speed_ups(WorldData& world, float dt);

// The settings of the solve: tweaking asks for few iterations.
WorldDef solver_settings(const WorldDef& settings);

// Fixation: a mover that falls asleep has no inverse mass, one that wakes gets its own back.
inline bool fixes_sleepers(const WorldDef& settings) { return settings.subgrouping && settings.fixation; }
void fix_mover(WorldData& world, int32_t mover);

} // namespace moraine
