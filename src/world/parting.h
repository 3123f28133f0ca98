// Into which parts a collection has fallen, at the cost of the smaller ones: what is left of a heap of a thousand bodies
// is not walked through because one has left it.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// Components over what still holds the members together, in the scratch of the collections. At most one of them, the rest,
// is not listed: it is of the collection's own kind (on a carrier or not) and larger than any other. Every cut since the
// last time left its two bodies in Collections::cut_bodies, and every part has one of these.
void find_parts(WorldData& world, int32_t collection);

} // namespace moraine
