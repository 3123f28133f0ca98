// Kicks in the rows of the solvers that take a step as a whole: as the right-hand side of the contacts' own rows.
//
// There they are solved with everything else, so that what is stacked on a kicked body is moved too, and nobody knows
// beforehand what that takes. So the rows are solved without kicks first and then with them: the difference in energy
// is what the kicks did. Where that is more than their sources have, they get smaller and the rows are solved once more.
#pragma once

#include "dynamics/kicks.h"
#include "dynamics/pgs_rows.h"

namespace moraine
{

// The rows of a kick as they are without it.
struct KickedRows
{
    int32_t batch = -1; // none: the contact is not solved
    int32_t lane = 0;
    float share = 1; // of the tangential target that the manifold has in common
    float bias = 0;
    float swing[2]{};
    float impulses[3]{}; // normal and tangents
};

struct KickSolve
{
    const SolverInput& input;
    const SolverWorld& world;
    PgsRows& rows;
    std::span<KickedRows> kicked{}; // by kick
    std::span<float> expected{};    // J, by kick: for shares of what all took
    double energy = 0;              // of all movers without kicks
};

// How often the rows are solved with kicks at most; the last time without those that cannot be paid.
constexpr int most_kick_rounds = 5;

// After the rows were solved without kicks.
KickSolve begin_kicks(const SolverInput& input, const SolverWorld& world, PgsRows& rows);
// After they were solved with them: true where kicks were made smaller, and the rows must be solved again.
bool lower_kicks(KickSolve& solve, int round);
// Takes the kicks out of the impulses that are stored: they do not come again.
void forget_kicks(KickSolve& solve);

template <class Solve>
void solve_with_kicks(const SolverInput& input, const SolverWorld& world, PgsRows& rows, Solve&& solve_rows)
{
    solve_rows();
    if (!input.kicks)
        return;
    KickSolve solve = begin_kicks(input, world, rows);
    for (int round = 0; round < most_kick_rounds; ++round)
    {
        solve_rows();
        if (!lower_kicks(solve, round))
            break;
    }
    forget_kicks(solve);
}

} // namespace moraine
