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

// One weight after the other, by worker of a mask.
class WeightList
{
public:
    WeightList(WorkerMask mask, std::vector<float>& weights) : mask_(mask), weights_(weights)
    {
        weights.assign(size_t(count_of(mask)), 0);
    }

    float& of(int worker) { return weights_[size_t(count_of(mask_ & (mask_of(worker) - 1)))]; }
    void set_distance(int worker, int distance)
    {
        of(worker) = 1.0f / float(distance);
        sum_ += of(worker);
    }
    float sum() const { return sum_; }

private:
    WorkerMask mask_;
    std::vector<float>& weights_;
    float sum_ = 0;
};

// Algorithm 5. Returns the workers that were not found.
WorkerMask find_distances(int32_t body, WorkerMask missing, int depth, const ConstraintGraph& graph,
                          const WorkerSets& sets, WeightList& list)
{
    graph.search(body, depth, [&](int32_t other, int distance) {
        const WorkerMask worker = sets[other];
        if (count_of(worker) != 1 || (worker & missing) == 0)
            return true;
        // The search comes by distance, so the first one found is the nearest.
        list.set_distance(first_of(worker), distance);
        missing &= ~worker;
        return missing != 0;
    });
    return missing;
}

// The overlap reaches up to growth_depth + 1 constraints to both sides of a border: what a worker would have alone begins so far
// inside its part, and one step more away from what is outside of that.
void guess_distances(int32_t body, WorkerMask missing, int growth_depth, const ConstraintGraph& graph,
                     std::span<const int> owners, WeightList& list)
{
    const int thickness = growth_depth + 1, owner = owners[size_t(body)];
    bool is_inside = true;
    int depth = thickness; // of the body in its owner's part
    graph.search(body, thickness, [&](int32_t other, int distance) {
        const int worker = owners[size_t(other)];
        if (worker != owner && is_inside)
        {
            is_inside = false;
            depth = distance;
        }
        if (worker != owner && (missing & mask_of(worker)) != 0)
        {
            list.set_distance(worker, thickness + distance);
            missing &= ~mask_of(worker);
        }
        return is_inside || (missing & ~mask_of(owner)) != 0;
    });
    if ((missing & mask_of(owner)) != 0)
        list.set_distance(owner, thickness + 1 - depth);
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
                     const WorkerSets& sets, std::span<const int> owners, std::vector<float>& weights)
{
    const WorkerMask counts = sets[body] & ~idle;
    WeightList list(sets[body], weights);
    if (def.weights == BlendWeights::geodesic && count_of(counts) > 1)
    {
        const WorkerMask missing = find_distances(body, counts, def.search_depth, graph, sets, list);
        if (!owners.empty() && (missing & mask_of(owners[size_t(body)])) != 0)
            guess_distances(body, missing, def.growth_depth, graph, owners, list);
    }
    for_each_worker(counts, [&](int w) {
        float& weight = list.of(w);
        weight = list.sum() > 0 ? weight / list.sum() : 1.0f / float(count_of(counts));
    });
}

} // namespace moraine::distribute
