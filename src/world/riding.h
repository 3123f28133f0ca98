// What lies on a body that was hit rides on its vibration (kick: thrown).
#pragma once

#include "world/shaking.h"

namespace moraine
{

// Finds how fast each point of `s` is thrown.
void shake_by_riding(WorldData& world, const Shaking& s);

} // namespace moraine
