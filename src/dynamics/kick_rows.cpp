#include "dynamics/kick_rows.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr double margin = 0.98; // of what there is, so that a second round is seldom followed by a third

Vec3 vector_at(const float (*field)[lane_count], int lane) { return {field[0][lane], field[1][lane], field[2][lane]}; }

struct RowsOfKick
{
    PgsBatch& batch;
    PgsBatch::Point& point;
    int lane;

    RowsOfKick(const ContactKick& kick, const KickedRows& kicked, PgsRows& rows)
        : batch(rows.contacts[size_t(kicked.batch)]),
          point(batch.points[kick.point]),
          lane(kicked.lane)
    {}
    PgsBatch::Row& row(int i) const { return i == 0 ? point.normal : point.tangents[i - 1]; }
    Vec3 tangent(int i) const
    {
        const Vec3 first = vector_at(batch.tangent, lane);
        return i == 0 ? first : cross(vector_at(batch.normal, lane), first);
    }
};

KickedRows find_rows(const SolverWorld& world, const Kicks& kicks, const ContactKick& kick, PgsRows& rows)
{
    KickedRows kicked;
    const Manifold& manifold = world.graph.manifolds[kick.manifold];
    if (manifold.colour < 0)
        return kicked;
    const ColourRange& range = rows.batches.colours[manifold.colour];
    const bool is_packed = manifold.colour == Colouring::crowd; // else in the order of their list
    for (int i = is_packed ? 0 : manifold.slot / lane_count; i < range.contact_count && kicked.batch < 0; ++i)
        for (int lane = 0; lane < lane_count; ++lane)
            if (rows.contacts[size_t(range.contact_first + i)].manifold[lane] == kick.manifold)
                kicked.batch = range.contact_first + i, kicked.lane = lane;
    int of_manifold = 0;
    for (const ContactKick& other : kicks.all)
        of_manifold += other.manifold == kick.manifold;
    kicked.share = 1 / float(of_manifold);
    const RowsOfKick at(kick, kicked, rows);
    kicked.bias = at.point.bias[at.lane];
    for (int t = 0; t < 2; ++t)
        kicked.swing[t] = at.batch.swing[t][at.lane];
    for (int r = 0; r < 3; ++r)
        kicked.impulses[r] = at.row(r).impulse[at.lane];
    return kicked;
}

// What bounces faster by itself is not held back.
void set_targets(const KickSolve& solve)
{
    const std::span<ContactKick> kicks = solve.input.kicks->all;
    for (size_t i = 0; i < kicks.size(); ++i)
    {
        const KickedRows& kicked = solve.kicked[i];
        if (kicked.batch < 0)
            continue;
        const RowsOfKick at(kicks[i], kicked, solve.rows);
        at.point.bias[at.lane] = std::min(kicked.bias, -kicks[i].speed);
        for (int t = 0; t < 2; ++t)
            at.batch.swing[t][at.lane] = kicked.swing[t];
    }
    // Tangential rows have one target for a manifold: the mean of its kicks.
    for (size_t i = 0; i < kicks.size(); ++i)
    {
        const KickedRows& kicked = solve.kicked[i];
        if (kicked.batch < 0)
            continue;
        const RowsOfKick at(kicks[i], kicked, solve.rows);
        for (int t = 0; t < 2; ++t)
            at.batch.swing[t][at.lane] += kicked.share * dot(kicks[i].slide, at.tangent(t));
    }
}

// When the step will have moved them. In spin space the inertia is one.
double energy_of(const SolverInput& input, const Movers& movers)
{
    double sum = 0;
    const Vec3 fall = input.settings.gravity * input.dt;
    for (int slot = 0; slot < movers.awake.size(); ++slot)
    {
        const MoverVelocity& v = movers.velocities[size_t(movers.awake[slot])];
        if (!(v.inv_mass > 0))
            continue;
        sum += (0.5 * double(dot(v.linear, v.linear)) - double(dot(v.linear, fall))) / double(v.inv_mass) +
               0.5 * double(dot(v.spin, v.spin));
    }
    return sum;
}

// All of the work, shared among the kicks as it was expected of them.
void note_work(const KickSolve& solve, double work)
{
    double expected = 0;
    for (float e : solve.expected)
        expected += double(e);
    const double share = expected > 0 ? work / expected : 0;
    const std::span<ContactKick> kicks = solve.input.kicks->all;
    for (size_t i = 0; i < kicks.size(); ++i)
    {
        const KickedRows& kicked = solve.kicked[i];
        kicks[i].impulse = 0, kicks[i].work = 0;
        if (kicked.batch < 0 || !(kicks[i].speed > 0))
            continue;
        const RowsOfKick at(kicks[i], kicked, solve.rows);
        kicks[i].work = double(solve.expected[i]) * share;
        kicks[i].impulse = std::max(0.0f, at.point.normal.impulse[at.lane] - kicked.impulses[0]);
    }
}

} // namespace

KickSolve begin_kicks(const SolverInput& input, const SolverWorld& world, PgsRows& rows)
{
    const Kicks& kicks = *input.kicks;
    KickSolve solve{input, world, rows};
    solve.kicked = input.arena.allocate<KickedRows>(kicks.all.size());
    solve.expected = input.arena.allocate<float>(kicks.all.size());
    for (size_t i = 0; i < kicks.all.size(); ++i)
    {
        solve.kicked[i] = find_rows(world, kicks, kicks.all[i], rows);
        solve.expected[i] = solve.kicked[i].batch < 0 ? 0 : float(std::max(kicks.all[i].work, 0.0));
    }
    solve.energy = energy_of(input, world.movers);
    set_targets(solve);
    return solve;
}

bool lower_kicks(KickSolve& solve, int round)
{
    const Kicks& kicks = *solve.input.kicks;
    note_work(solve, energy_of(solve.input, solve.world.movers) - solve.energy);
    ArenaScope scope(solve.input.arena);
    std::span<double> work = solve.input.arena.allocate_zeroed<double>(kicks.energy.size());
    for (const ContactKick& kick : kicks.all)
        work[size_t(kick.source)] += kick.work * double(kick.share);
    bool is_lower = false;
    for (size_t i = 0; i < kicks.all.size(); ++i)
    {
        ContactKick& kick = kicks.all[i];
        const double energy = kicks.energy[size_t(kick.source)], taken = work[size_t(kick.source)];
        if (!(taken > energy) || !(kick.speed > 0))
            continue;
        is_lower = true;
        // A part of the work grows with the speed, a part with its square.
        const double left = std::max(energy, 0.0) / taken;
        const float scale = round + 2 < most_kick_rounds ? float(margin * std::min(left, std::sqrt(left))) : 0;
        kick.speed *= scale;
        kick.slide *= scale;
        solve.expected[i] *= scale * scale;
    }
    if (is_lower)
        set_targets(solve);
    return is_lower;
}

void forget_kicks(KickSolve& solve)
{
    const std::span<ContactKick> kicks = solve.input.kicks->all;
    for (size_t i = 0; i < kicks.size(); ++i)
    {
        if (solve.kicked[i].batch < 0)
            continue;
        const RowsOfKick at(kicks[i], solve.kicked[i], solve.rows);
        for (int r = 0; r < 3; ++r)
            at.row(r).impulse[at.lane] = solve.kicked[i].impulses[r];
    }
}

} // namespace moraine
