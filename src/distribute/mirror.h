// A distributed run as one world, for whoever looks at it or records it: the world takes no steps of its own.
#pragma once

#include "distribute/server.h"

namespace moraine::distribute
{

// The whole run after a step.
struct Shown
{
    uint64_t step = 0;
    double time = 0;
    uint64_t state_hash = 0;                   // as World::state_hash
    std::vector<BodyCopy> bodies{};            // by number in the scene
    std::vector<WorkerMask> masks{};           // by body; 0: every worker has it, since it is fixed
    std::vector<std::vector<float>> weights{}; // by body: one for each of its workers, lowest first; of shared ones
    ServerStep last{};
    std::vector<ShownContact> contacts{}; // of the step, where they are wanted
};

// Brings the scene's world to where the run is, but for rounding of how fast bodies turn. Its events are those of falling asleep and waking.
void follow(const Shown& shown, Scene& scene);

// With the handles of the scene's world.
std::vector<ContactInfo> contacts_of(const Shown& shown, const Scene& scene);

// As one world would report it. What several workers have is counted by each: that is what was computed.
StepReport sum_up(const ServerStep& step);

} // namespace moraine::distribute
