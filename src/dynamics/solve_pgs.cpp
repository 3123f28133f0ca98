// Projected Gauss-Seidel on the velocities of a whole step: the solver of the papers.
#include "dynamics/pgs_rows.h"

#include <algorithm>

namespace moraine
{

void solve_pgs(const SolverInput& input, const SolverWorld& world)
{
    PgsRows rows = begin_pgs(input, world);
    MoverVelocity* movers = world.movers.velocities.data();
    const int iterations = std::max(1, input.settings.iterations);
    for (int i = 0; i < iterations; ++i)
        for_each_batch(
            rows.batches, input.tasks,
            [&](int b) {
                solve_joints(rows.batches.joints[size_t(b)], rows.batches.triples.data(), rows.joint, movers);
            },
            [&](int b) { sweep_contacts(rows.contacts[size_t(b)], rows.contact, movers); });
    end_pgs(input, world, rows);
}

} // namespace moraine
