#include "distribute/overlap.h"

namespace moraine::distribute
{

void grow_overlap(int32_t root, int growth_depth, WorkerMask workers, const ConstraintGraph& graph, WorkerSets& sets)
{
    graph.search(root, growth_depth, [&](int32_t body, int) {
        if (!sets.is_overlap(body))
            sets.activate(workers, body);
        return true;
    });
}

void assign_to_overlap(std::span<const JointPair> joints, int growth_depth, const ConstraintGraph& graph,
                       WorkerSets& sets)
{
    for (const JointPair& joint : joints)
    {
        const int32_t a = joint.body_a, b = joint.body_b;
        const WorkerMask workers = sets[a] | sets[b];
        if (sets.is_alone(a) && sets.is_alone(b) && sets[a] != sets[b])
        {
            sets.activate(workers, a);
            grow_overlap(a, growth_depth, workers, graph, sets);
            sets.activate(workers, b);
            grow_overlap(b, growth_depth, workers, graph, sets);
        }
        // A joint that no worker has whole would not be solved by anybody: where three workers meet, growth from one
        // border may have taken a body that another border needs.
        else if ((sets[a] & sets[b]) == 0)
            sets.activate(sets[b], a);
    }
}

} // namespace moraine::distribute
