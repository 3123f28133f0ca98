// How one body that was hit shakes what else touches it.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// Adds kicks for the contacts of the body at `place` in world.responses.bodies.
void shake(WorldData& world, int32_t place, float dt);

} // namespace moraine
