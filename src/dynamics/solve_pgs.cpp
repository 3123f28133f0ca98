// Projected Gauss-Seidel on the velocities of a whole step: the solver of the papers, with momentum.
//
// A sweep moves impulses only as far as the lightest mover of each row allows, so a heavy box on light ones, and any tall
// stack, needs hundreds of them; with the few that a step has, the stored impulses swing about what they should be, and
// stacks sway and fall. Momentum makes the sweeps add up: before each one the impulses go on by a share of what the
// last sweep changed them by, with Nesterov's sequence of shares (k - 1) / (k + 2), which needs no knowledge of the masses.
// The error then falls with the square of the number of sweeps: thirty are worth a hundred. Velocities are linear in the
// impulses, so they go on by the same share and no pass over the rows is needed; the sweep that follows restores the bounds.
// Tried instead: over-relaxation (1.3 to 1.8) and sweeps back and forth; both swing as much as before.
#include "dynamics/kick_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace moraine
{

namespace
{

constexpr int mover_grain = 256;

// Linear velocity and spin of a mover, and what lies beside them and does not change.
struct Speeds
{
    Lane lane;
};
static_assert(offsetof(MoverVelocity, shift) - offsetof(MoverVelocity, linear) == sizeof(Lane));

// More than this makes what converges well ring, and in the end only rounding errors would be carried on: long runs finish
// with plain sweeps.
constexpr float largest_momentum = 0.9f;
constexpr int last_with_momentum = 64;

float momentum_of(int sweep)
{
    return sweep < 2 || sweep > last_with_momentum ? 0.0f
                                                   : std::min(float(sweep - 1) / float(sweep + 2), largest_momentum);
}

void carry_on_movers(const SolverWorld& world, float momentum, std::span<Speeds> last, Tasks& tasks)
{
    tasks.parallel_for(world.movers.awake.size(), mover_grain, [&](int begin, int end, int) {
        for (int slot = begin; slot < end; ++slot)
        {
            MoverVelocity& v = world.movers.velocities[size_t(world.movers.awake[slot])];
            Lane now;
            std::memcpy(&now, &v.linear.x, sizeof now);
            const Lane next = now + momentum * (now - last[size_t(slot)].lane);
            if (momentum > 0)
                std::memcpy(&v.linear.x, &next, sizeof next);
            last[size_t(slot)].lane = now;
        }
    });
}

void sweep_all(const SolverInput& input, const SolverWorld& world, std::span<Speeds> last, PgsRows& rows)
{
    MoverVelocity* movers = world.movers.velocities.data();
    const int iterations = std::max(1, input.settings.iterations);
    for (int i = 0; i < iterations; ++i)
    {
        const float momentum = rows.contact.momentum = momentum_of(i);
        carry_on_movers(world, momentum, last, input.tasks);
        for_each_batch(
            rows.batches, input.tasks,
            [&](int b) {
                carry_on_joints(rows.batches.joints[size_t(b)], rows.batches.triples.data(), momentum);
                solve_joints(rows.batches.joints[size_t(b)], rows.batches.triples.data(), rows.joint, movers);
            },
            [&](int b) { sweep_contacts(rows.contacts[size_t(b)], rows.contact, movers); });
    }
}

} // namespace

void solve_pgs(const SolverInput& input, const SolverWorld& world)
{
    const LaneCopies copies(world.movers);
    PgsRows rows = begin_pgs(input, world, &copies);
    std::span<Speeds> last = input.arena.allocate<Speeds>(size_t(world.movers.awake.size()));
    solve_with_kicks(input, world, rows, [&] { sweep_all(input, world, last, rows); });
    end_pgs(input, world, rows);
}

} // namespace moraine
