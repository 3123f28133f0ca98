// Quiet collections cost nothing: where the load may go without any contact giving way.
//
// Forces that balance a load, scaled or mixed with forces that balance another one, balance the mixed load and stay
// inside their friction cones. So a collection that holds when gravity pulls along each of the four corners of a range
// of slopes holds for every direction between them, and need not be probed while the load stays inside.
#pragma once

#include "merge/probe.h"

namespace moraine
{

// Does what every point of `bounds` feels lie in the range, with room for how it differs inside one collection?
bool is_in_range(const LoadRange& range, const FrameLoad& load, const Aabb& bounds, float extent);
// A range that has it, and some more.
LoadRange grown_range(const LoadRange& range, const FrameLoad& load, const Aabb& bounds, float extent);

// Tries the four corners; forces are as before afterwards.
bool certify(const Bodies& bodies, const LoadRange& range, const ProbeLimits& limits, int32_t collection,
             Collections& collections);

} // namespace moraine
