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

enum class Surroundings : uint8_t // of a mover that was searched
{
    empty,
    known,    // nothing near was left without an edge: it does not matter how far the mover goes inside its fat box
    undecided // some are near but far from touching: they matter once one of the two has run out of room
};

// Pairs in the order of the movers that were searched, whoever found them. Kept between steps for its memory.
struct PairSearch
{
    struct Block // of movers: what it found is in one piece
    {
        int32_t worker = 0, begin = 0, end = 0;
    };
    std::vector<Block> blocks;
    std::vector<std::vector<BodyPair>> found; // by worker
    std::vector<Surroundings> surroundings;   // by moved mover
    Array<int32_t> searched;                  // the movers that had moved
    bool has_overflowed = false;              // more pairs than any sensible scene has: some are left out
};

template <class Visit>
void for_each_new_pair(const PairSearch& search, Visit&& visit)
{
    for (const PairSearch::Block& block : search.blocks)
        for (int32_t i = block.begin; i < block.end; ++i)
            visit(search.found[size_t(block.worker)][size_t(i)]);
}

// New pairs of the movers in movers.moved, which is emptied. `graph` says which pairs are known.
void find_pairs(const Bodies& bodies, const ContactGraph& graph, Tasks& tasks, Movers& movers, PairSearch& search);

// By types, filters and flags.
bool can_interact(const Body& a, const Body& b);
// And by rules.
bool can_interact(const Bodies& bodies, const ContactGraph& graph, int32_t a, int32_t b);

} // namespace moraine
