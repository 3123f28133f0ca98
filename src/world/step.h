// The step and its phases, in order. docs/step.md has one section for each.
#pragma once

#include "world/world_data.h"

#include <chrono>
#include <span>

namespace moraine
{

// Scratch of one step, in the world's arena.
struct Step
{
    float dt = 0;
    std::span<int32_t> group_of; // by awake slot: smallest slot of its group; empty when nobody may sleep
    std::span<uint8_t> restless; // by awake slot: touches something that moves by itself
    std::chrono::steady_clock::time_point phase_start{};
    StepReport report{};
};

StepReport step(WorldData& world, float dt);

// The direct solver's answer is exact, and so are its points: they do not follow.
inline CollideOptions collide_options(const WorldDef& settings)
{
    return {settings.coherence, settings.solver != SolverKind::direct, settings.reduction};
}

Step begin_step(WorldData& world, float dt); // scripted and commanded motions become velocities
void update_contact_graph(WorldData& world);
void update_touching(WorldData& world);
void group_contacts(WorldData& world, Step& s);
void wake(WorldData& world);
void probe_collections(WorldData& world, Step& s);
void unmerge(WorldData& world, Step& s);
void respond(WorldData& world, Step& s);
void integrate(WorldData& world, Step& s);
void integrate_movers(WorldData& world, Step& s);  // without the clock
int32_t add_edge(WorldData& world, BodyPair pair); // none: a joint forbids it
void merge(WorldData& world, Step& s);
void stop_at_targets(WorldData& world); // bodies that were told where to be are there, and rest
void sleep(WorldData& world, Step& s);
void publish_events(WorldData& world, Step& s);

void clear(Events& events);
bool has_any(const Events& events);

} // namespace moraine
