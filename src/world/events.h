// Events on their way to the user: queued where they are noticed, handed out at the end of the step.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// Puts it into the queue if one of the edge's bodies wants to hear of it.
void note_touch(WorldData& world, const Edge& edge, bool began);
void note_proximity(WorldData& world, const Edge& edge, bool began);
void note_sleep(WorldData& world, int32_t body, bool is_awake);

// Contacts that came in fast, with the impulse that the last solve found.
void report_hits(WorldData& world);

// Keeps the list of bodies that want to hear what persists, and the count of triggers that notice static bodies.
void set_event_mask(Bodies& bodies, int32_t body, uint16_t events);
void forget_event_mask(Bodies& bodies, int32_t body); // of a body that goes

} // namespace moraine
