#include "dynamics/solver.h"

namespace moraine
{

void solve(const SolverInput& input, const SolverWorld& world)
{
    ArenaScope scope(input.arena);
    switch (input.settings.solver)
    {
    case SolverKind::substep: return solve_substeps(input, world);
    case SolverKind::pgs: return solve_pgs(input, world);
    case SolverKind::direct: return solve_direct(input, world);
    }
}

} // namespace moraine
