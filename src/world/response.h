// Distant collision response: see docs/response.md.
#pragma once

#include "world/world_data.h"

namespace moraine
{

std::string response_problem(const ResponseDef& def); // a sentence, or empty
void set_response(WorldData& world, int32_t body, const ResponseDef& def);

// What the solve is to watch for and to ask for in this step; null where there is nothing.
ImpactWatch* watch_of(WorldData& world);
std::optional<Kicks> kicks_of(WorldData& world);
// After the solve: impacts that will be felt in the next step.
void note_impacts(WorldData& world, StepReport& report);

} // namespace moraine
