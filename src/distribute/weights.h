// Algorithm 5: how much each worker's copy of a body counts.
#pragma once

#include "distribute/constraint_graph.h"
#include "scene/distribute_def.h"

namespace moraine::distribute
{

// One weight for each worker of the body's set, lowest worker first; they add up to one. Inverse graph distances to the
// nearest body that the worker has alone, sought within `search_depth` edges. A worker that has none there counts nothing,
// and where no worker has one all count the same. Copies in `idle` workers do not count.
// Parts may be so thin that neighbours share all of them. Where that is so for the owner of the body, of `owners` by body,
// or empty: the distance is that to where bodies of its own would begin in a part that is thick enough.
void compute_weights(int32_t body, WorkerMask idle, const DistributeDef& def, const ConstraintGraph& graph,
                     const WorkerSets& sets, std::span<const int> owners, std::vector<float>& weights);

// The workers that hold their copy of an overlap body: they miss some of its neighbours, and another worker has them all.
// What is beyond their edge is then felt as a support that moves as it did, instead of nothing.
WorkerMask find_held(int32_t body, const DistributeDef& def, const ConstraintGraph& graph, const WorkerSets& sets);

// The workers whose copy does not count: those that hold it, and where forces are carried those that miss neighbours while
// another has them all. A force of the last step that was wrong is then damped by the overlap before it comes back.
WorkerMask find_idle(int32_t body, const DistributeDef& def, const ConstraintGraph& graph, const WorkerSets& sets);

} // namespace moraine::distribute
