// Algorithm 5: how much each worker's copy of a body counts.
#pragma once

#include "distribute/constraint_graph.h"
#include "scene/distribute_def.h"

namespace moraine::distribute
{

// One weight for each worker of the body's set, lowest worker first; they add up to one. Inverse graph distances to the
// nearest body that the worker has alone, sought within `search_depth` edges. A worker that has none there counts nothing,
// and where no worker has one all count the same.
void compute_weights(int32_t body, const DistributeDef& def, const ConstraintGraph& graph, const WorkerSets& sets,
                     std::vector<float>& weights);

} // namespace moraine::distribute
