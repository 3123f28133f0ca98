// Quiet collections cost nothing: how the forces inside a collection answer to its load, and where the load may go
// without any contact giving way.
//
// While the same contacts press and none of them slides, forces that balance the load change linearly with it. So they
// are known for every load once they are known for one, with their changes along the twelve terms of a load; and since
// friction cones are convex, what holds in the corners of a box of loads holds everywhere in it.
#pragma once

#include "merge/probe.h"

namespace moraine
{

LoadTerms terms_of(const FrameLoad& load);
bool is_in_range(const LoadRange& range, const LoadTerms& load);
void include(const LoadTerms& load, LoadRange& range);
// The range and some more. `gravity` and `reach` say what is little.
LoadRange widened(const LoadRange& range, float gravity, float reach);
// With the load, and some more where it was outside.
LoadRange grown(const LoadRange& range, const LoadTerms& load, float gravity, float reach);

// Forces of all welds for the collection's load, from scratch, and how they change with it.
struct ResponseSearch
{
    bool is_found = false;    // else nothing has changed: they cannot hold it that way, or
    bool is_too_much = false; // it would take more than can be afforded
    double work = 0;          // multiplications
};
ResponseSearch find_response(const Bodies& bodies, const ProbeLimits& limits, double affordable, int32_t collection,
                             Collections& collections);

// Forces follow the load. Those that would leave their cones are held back and their bodies queued; returns how many.
int follow_load(const Bodies& bodies, const ProbeLimits& limits, const FrameLoad& load, int32_t collection,
                Collections& collections);
// The largest multiple of the half-widths around `middle` for which all welds hold; negative if not even there.
float room_around(const Collections& collections, const ProbeLimits& limits, int32_t collection,
                  const LoadTerms& middle, const LoadTerms& half);

// Welds have come or gone.
void forget_response(int32_t collection, Collections& collections);

} // namespace moraine
