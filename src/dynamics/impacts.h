// Impacts as the solve finds them: manifolds whose impulse has suddenly grown. Both kinds of contact batch tell of them
// while they store what they found, when the old impulse is still at hand.
#pragma once

#include "base/arena.h"
#include "base/lanes.h"
#include "graph/contact_graph.h"
#include "graph/movers.h"

#include <moraine/defs.h>

#include <span>
#include <vector>

namespace moraine
{

// Of a mover, as it came into the solve.
struct IncomingVelocity
{
    Vec3 linear{}, spin{};
};

struct SolvedImpact
{
    int32_t manifold = -1;
    float impulse = 0; // N s beyond what the contact carried before, or would carry if the body lay there
    float energy = 0;  // J that the two bodies lost by it: -impulse (approach speed + speed after) / 2
    float speed = 0;   // they came in with
    float change = 0;  // of that speed: impulse / change is the mass that was stopped
    IncomingVelocity before_a{}, before_b{};
};

// Where the solve puts the impacts of a step.
struct ImpactWatch
{
    float threshold = 0; // N s
    std::vector<SolvedImpact> found{};
};

// One solve's memory of what was before it.
class ImpactNotes
{
public:
    // Without a watch nothing is remembered and nothing found.
    ImpactNotes(ImpactWatch* watch, const Movers& movers, Arena& arena);

    void make_room(size_t batch_count, Arena& arena);
    // Around the storing of batch `i`; batches may be stored side by side.
    void before(size_t i, std::span<const int32_t> manifolds, const ContactGraph& graph);
    void after(size_t i, std::span<const int32_t> manifolds, const ContactGraph& graph);
    // In the order of the batches. `gravity_impulse` is what gravity does to a kilogram in the step, N s.
    void list(const ContactGraph& graph, const Movers& movers, float gravity_impulse);

private:
    struct Rise
    {
        int32_t manifold;
        float old_impulse; // negative: none
    };

    IncomingVelocity before(const Movers& movers, int32_t mover) const;
    float approach_speed(const Manifold& manifold, const Edge& edge, const Movers& movers, bool is_after) const;

    ImpactWatch* watch_;
    std::span<IncomingVelocity> velocities_{}; // by awake slot, before the solve
    std::span<Rise> rises_{};                  // by batch and lane
};

} // namespace moraine
