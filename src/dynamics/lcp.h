// Boxed linear complementarity by pivoting, dense and in double precision.
//
// Find x with lower ≤ x ≤ upper such that, for w = A x + b,
//     x = lower → w ≥ 0      x = upper → w ≤ 0      in between → w = 0
// A must be symmetric and positive definite; then the solution exists and is unique. The cost is cubic in the size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace moraine
{

struct BoxedLcp
{
    int n = 0;
    const double* a = nullptr; // n × n, by rows
    const double* b = nullptr;
    const double* lower = nullptr; // may be infinite; equal bounds fix a variable
    const double* upper = nullptr;
};

size_t lcp_scratch_bytes(int n);

// x holds a guess on entry: its places at the bounds or between them are tried first. False: no solution was found, and
// x has no meaning. `scratch` is aligned like a double.
//
// Block principal pivoting (Júdice & Pires 1994): all variables that break their condition change sides at once, which
// mostly ends after a few factorisations. Where it stops making progress only the worst do, and at last Dantzig's method
// takes over. Sums run in the order of the variables: parts of a problem that are not connected get the bits that they would
// get alone.
bool solve_boxed_lcp(const BoxedLcp& problem, double* x, void* scratch);

// Dantzig's method with bounds (Cottle & Dantzig 1968, Baraff 1994): brings in one variable after the other and keeps
// the conditions of those before it. Slower, but it always ends. The guess is not used.
bool solve_boxed_lcp_dantzig(const BoxedLcp& problem, double* x, void* scratch);

// Bounds that follow another variable: those of i are ± share[i] x[leader[i]]. Leader −1: the problem's own.
struct FollowingBounds
{
    const int32_t* leader = nullptr;
    const double* share = nullptr;
};

// x solves the problem for bounds that its leaders had before; who is at a bound and who between is now taken for granted
// and solved for with bounds that follow. Some more places are tried where that breaks a condition. False: some conditions
// are still broken, and what is connected with them in x is as it was. What is found does not depend on how x came about,
// only on the places.
bool solve_following_lcp(const BoxedLcp& problem, const FollowingBounds& bounds, double* x, void* scratch);

// How far x is from a solution: the largest |w| that no bound explains. x outside its bounds counts as the w it makes.
double lcp_residual(const BoxedLcp& problem, const double* x);

} // namespace moraine
