// The broad phase: which bodies have come near each other since the last step.
#pragma once

#include "base/tasks.h"
#include "graph/bodies.h"
#include "graph/contact_graph.h"
#include "graph/movers.h"

#include <vector>

namespace moraine
{

struct BodyPair
{
    int32_t a = none, b = none; // a < b
};

// Pairs by block of movers, so that their order does not depend on threads. Kept between steps for its memory.
struct PairSearch
{
    std::vector<std::vector<BodyPair>> blocks;
    std::vector<std::vector<int32_t>> neighbours; // by worker: of the mover that is searched
    Array<int32_t> searched;                      // the movers that had moved
    bool has_overflowed = false;                  // more pairs than any sensible scene has: none are reported
};

// New pairs of the movers in movers.moved, which is emptied. `graph` says which pairs are known.
void find_pairs(const Bodies& bodies, const ContactGraph& graph, Tasks& tasks, Movers& movers, PairSearch& search);

// By types, filters and flags.
bool can_interact(const Body& a, const Body& b);

} // namespace moraine
