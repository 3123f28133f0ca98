#include "distribute/weights.h"

namespace moraine::distribute
{

namespace
{

// The workers that miss neighbours of the body, where another has them all.
WorkerMask find_incomplete(int32_t body, const ConstraintGraph& graph, const WorkerSets& sets)
{
    WorkerMask complete = sets[body];
    for (const ConstraintLink& link : graph.links(body))
        complete &= sets[link.other];
    return complete != 0 ? sets[body] & ~complete : 0;
}

} // namespace

WorkerMask find_held(int32_t body, const DistributeDef& def, const ConstraintGraph& graph, const WorkerSets& sets)
{
    // Contacts come and go, and what is held and touched is a wall: only what joints hold together is held.
    return def.border == Border::held && graph.has_joints(body) ? find_incomplete(body, graph, sets) : 0;
}

WorkerMask find_idle(int32_t body, const DistributeDef& def, const ConstraintGraph& graph, const WorkerSets& sets)
{
    return def.border == Border::carried ? find_incomplete(body, graph, sets) : find_held(body, def, graph, sets);
}

void compute_weights(int32_t body, WorkerMask idle, const DistributeDef& def, const ConstraintGraph& graph,
                     const WorkerSets& sets, std::vector<float>& weights)
{
    const WorkerMask mask = sets[body], counts = mask & ~idle;
    weights.assign(size_t(count_of(mask)), 0);
    const auto weight_of = [&](WorkerMask worker) -> float& { return weights[size_t(count_of(mask & (worker - 1)))]; };
    float sum = 0;
    WorkerMask missing = counts;
    if (def.weights == BlendWeights::geodesic && count_of(counts) > 1)
        graph.search(body, def.search_depth, [&](int32_t other, int distance) {
            const WorkerMask owner = sets[other];
            if (count_of(owner) != 1 || (owner & missing) == 0)
                return true;
            // The search comes by distance, so the first one found is the nearest.
            weight_of(owner) = 1.0f / float(distance);
            sum += weight_of(owner);
            missing &= ~owner;
            return missing != 0;
        });
    for_each_worker(counts, [&](int w) {
        float& weight = weight_of(mask_of(w));
        weight = sum > 0 ? weight / sum : 1.0f / float(count_of(counts));
    });
}

} // namespace moraine::distribute
