#include "dynamics/joint_kernel.h"

#include "base/each_lane.h"

namespace moraine
{

void begin_joints(JointBatch& batch, JointTriple* triples, MoverVelocity* movers)
{
    MORAINE_EACH_LANE(batch.lanes_in_turn, (joint_kernel::begin<F>(batch, triples, movers, lane)))
}

void solve_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE(batch.lanes_in_turn, (joint_kernel::solve<F>(batch, triples, parameters, movers, lane)))
    batch.is_owing = false;
}

void carry_on_joints(const JointBatch& batch, JointTriple* triples, float momentum)
{
    for (int t = batch.triple_first; t < batch.triple_first + batch.triple_count; ++t)
        for (JointTriple::Row& row : triples[t].rows)
            for (int lane = 0; lane < lane_count; ++lane)
            {
                const float impulse = row.impulse[lane];
                row.impulse[lane] = impulse + momentum * (impulse - row.last_impulse[lane]);
                row.last_impulse[lane] = impulse;
            }
}

void relax_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE(batch.lanes_in_turn, (joint_kernel::relax<F>(batch, triples, parameters, movers, lane)))
    ++batch.relaxations;
    batch.is_owing = true;
}

void refine_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE(batch.lanes_in_turn, (joint_kernel::refine<F>(batch, triples, parameters, movers, lane)))
}

void project_joints(JointBatch& batch, JointTriple* triples, float share, MoverVelocity* movers)
{
    MORAINE_EACH_LANE(batch.lanes_in_turn, (joint_kernel::project<F>(batch, triples, share, movers, lane)))
}

} // namespace moraine
