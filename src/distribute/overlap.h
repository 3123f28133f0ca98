// Algorithms 2 and 3: what workers share because a joint crosses from one to the other.
#pragma once

#include "distribute/constraint_graph.h"

namespace moraine::distribute
{

struct JointPair
{
    int32_t body_a = -1;
    int32_t body_b = -1;
};

// Both bodies of a joint between two workers become overlap bodies, and so do those around them.
void assign_to_overlap(std::span<const JointPair> joints, int growth_depth, const ConstraintGraph& graph,
                       WorkerSets& sets);

// Bodies within `growth_depth` edges of the root that are not overlap bodies yet are activated in `workers`.
void grow_overlap(int32_t root, int growth_depth, WorkerMask workers, const ConstraintGraph& graph, WorkerSets& sets);

} // namespace moraine::distribute
