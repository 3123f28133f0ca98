// What the solvers that take a step as a whole share: their rows, and what comes before and after the solve.
#pragma once

#include "dynamics/batches.h"
#include "dynamics/drive.h"
#include "dynamics/pgs_batch.h"

namespace moraine
{

struct PgsRows
{
    Batches batches{}; // joints, and where each colour's contact batches are
    std::span<PgsBatch> contacts{};
    Drives drives{};
    PgsParameters contact{};
    JointParameters joint{};
    ImpactNotes notes;
};

// Without room for copies no mover is shared by lanes.
// Takes the forces, fills all rows and applies the stored impulses: velocities are ready for the first sweep. Those
// without any impulse of this step are in the drives.
PgsRows begin_pgs(const SolverInput& input, const SolverWorld& world, const LaneCopies* copies);
// Moves by the velocities found, takes out overlap if that is left to the end, and stores the impulses.
void end_pgs(const SolverInput& input, const SolverWorld& world, PgsRows& rows);

} // namespace moraine
