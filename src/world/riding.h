// What lies on a body that was hit rides on its vibration (kick: thrown).
#pragma once

#include "world/shaking.h"

namespace moraine
{

// Finds how fast each point of `s` is thrown.
void shake_by_riding(WorldData& world, const Shaking& s);

// Who rides on it and what has hit it, for other worlds.
void list_guests(const WorldData& world, const Shaking& s, Arena& arena, std::vector<Guest>& out);

} // namespace moraine
