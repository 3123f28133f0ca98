#include "dynamics/joint_kernel.h"

#include "base/each_lane.h"

namespace moraine
{

void solve_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE((joint_kernel::solve<F, false>(batch, triples, parameters, movers, lane)))
}

void relax_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE((joint_kernel::solve<F, true>(batch, triples, parameters, movers, lane)))
    ++batch.relaxations;
}

} // namespace moraine
