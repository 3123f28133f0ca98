// Algorithms 6 and 7: collisions between workers, and what they are an opportunity for.
#pragma once

#include "distribute/constraint_graph.h"
#include "scene/distribute_def.h"

namespace moraine::distribute
{

struct ContactPair
{
    int32_t body_a = -1; // the smaller number
    int32_t body_b = -1;

    friend auto operator<=>(const ContactPair&, const ContactPair&) = default;
};

// What each worker has to do: measured for the last step, and followed while bodies come and go.
class Loads
{
public:
    Loads(std::span<const double> measured, const WorkerSets& sets);

    double of(int worker) const;
    double of_all(WorkerMask workers) const;
    int smallest(WorkerMask workers) const; // the lowest of equals

private:
    const WorkerSets& sets_;
    std::vector<double> measured_;
    std::vector<int> active_; // when it was measured
    double per_body_ = 1;
};

// Algorithm 7: are there neighbours in more than one worker, so that forces pass through this body from one to the other?
bool is_bridge(int32_t body, const ConstraintGraph& graph, const WorkerSets& sets);

// Bodies that touch across workers are shared, those that need not be shared any more are not. `met` are the pairs that
// no worker has together, sorted. Bodies at rest stay where they are. Afterwards every constraint has a worker that has
// both its bodies. Of the overlap bodies only the contacts of `looked_at` are gone through, and those of bodies that change.
void balance_load(std::span<const ContactPair> met, std::span<const int32_t> looked_at, const DistributeDef& def,
                  const std::vector<bool>& is_asleep, const Loads& loads, const ConstraintGraph& graph,
                  WorkerSets& sets);

} // namespace moraine::distribute
