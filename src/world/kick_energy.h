// What kicks are paid from: the energy that the impacts have lost.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// Whom it kicks.
int32_t receiver_of(const WorldData& world, const ContactKick& kick);

// Gives each body that shakes what its kicks may spend, and makes them smaller where that is not enough.
void pay_kicks(WorldData& world, StepReport& report);

} // namespace moraine
