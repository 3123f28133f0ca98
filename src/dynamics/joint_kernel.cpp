#include "dynamics/joint_kernel.h"

#include "base/each_lane.h"

namespace moraine
{

void begin_joints(JointBatch& batch, JointTriple* triples, MoverVelocity* movers)
{
    MORAINE_EACH_LANE((joint_kernel::begin<F>(batch, triples, movers, lane)))
}

void solve_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE((joint_kernel::solve<F>(batch, triples, parameters, movers, lane)))
}

void relax_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE((joint_kernel::relax<F>(batch, triples, parameters, movers, lane)))
    ++batch.relaxations;
}

void refine_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE((joint_kernel::refine<F>(batch, triples, parameters, movers, lane)))
}

} // namespace moraine
