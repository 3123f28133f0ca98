#include "distribute/weights.h"

namespace moraine::distribute
{

void compute_weights(int32_t body, const DistributeDef& def, const ConstraintGraph& graph, const WorkerSets& sets,
                     std::vector<float>& weights)
{
    const WorkerMask mask = sets[body];
    const size_t count = size_t(count_of(mask));
    weights.assign(count, 0);
    float sum = 0;
    WorkerMask missing = mask;
    if (def.weights == BlendWeights::geodesic)
        graph.search(body, def.search_depth, [&](int32_t other, int distance) {
            const WorkerMask owner = sets[other];
            if (count_of(owner) != 1 || (owner & missing) == 0)
                return true;
            // The search comes by distance, so the first one found is the nearest.
            const float inverse = 1.0f / float(distance);
            weights[size_t(count_of(mask & (owner - 1)))] = inverse;
            sum += inverse;
            missing &= ~owner;
            return missing != 0;
        });
    for (float& w : weights)
        w = sum > 0 ? w / sum : 1.0f / float(count);
}

} // namespace moraine::distribute
