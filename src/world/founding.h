// Who may join a frame: a body only together with all that carries it. Held by the frame it would no longer press on the
// rest, and later hang on what cannot hold it alone. In a pile bodies carry each other, so whole sets are looked at: the
// largest in which everybody rests on the frame and on others of the set alone.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// `edges` and `joints` have been calm for long enough. Leaves those along which bodies may join, and adds others between
// them.
void keep_founded(WorldData& world, std::vector<int32_t>& edges, std::vector<int32_t>& joints);

} // namespace moraine
