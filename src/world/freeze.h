// A body whose state is no longer a number stands still from then on, and the rest of the world goes on.
#pragma once

#include "world/world_data.h"

namespace moraine
{

void freeze_body(WorldData& world, int32_t body);

} // namespace moraine
