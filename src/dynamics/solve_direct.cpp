// The direct solver: all rows of a group of connected movers at once, as one mixed complementarity problem
//     w = J M⁻¹ Jᵀ λ + J v,    0 ≤ λ ⊥ w ≥ 0 for contacts, w = 0 for joints, |λ| ≤ μ λ_n for friction
// solved by pivoting in double precision (lcp.h). Bounds of friction follow the normal impulses: a solve with the last
// ones tells which contacts open, stick and slide, and one with bounds that follow gives the impulses; both are repeated
// until all conditions hold. Guesses and the company of other groups change the way there, not the result. The cost is
// cubic in the rows of a group.
#include "dynamics/direct_rows.h"
#include "dynamics/kick_rows.h"
#include "dynamics/lcp.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace moraine
{

namespace
{

constexpr int most_rows = 3000; // of a group: 72 MB for its matrix, as much for the factor
constexpr int most_rounds = 12; // of finding the bounds of friction
constexpr int few_rounds = 2;   // the same with tweaking
// From this round on bounds go only half the way: the last ones may go round in a circle.
constexpr int careful_round = 4;
constexpr int fallback_sweeps = 500;
constexpr double regularisation = 1e-6; // of the diagonal: makes redundant rows solvable
// More for friction: otherwise the least impulses lean on friction wherever it helps to carry, much of it at its bounds,
// and pivoting a wall with low friction takes thirty times as long. What slides for it is below a micrometre a second.
constexpr double friction_regularisation = 1e-5;

struct Change // of a mover's velocity by impulses
{
    double linear[3];
    double spin[3];
};

struct DirectScratch // of one worker
{
    double* a;
    double* b;
    double* lower;
    double* upper;
    double* x;
    double* share;
    int32_t* leader;
    void* lcp;
};

struct DirectStep
{
    DirectRows rows;
    std::span<Change> changes;    // by awake slot
    std::span<double> inv_mass;   // by awake slot
    std::span<int32_t> row_lists; // by awake slot: the last row on the mover that was seen, or -1
    std::span<int32_t> row_next;  // by row and side
    std::span<DirectScratch> scratch;
    std::span<uint8_t> is_solved; // by group
    bool is_tweaked = false;
};

double dot_in_double(Vec3 a, Vec3 b)
{
    return double(a.x) * double(b.x) + double(a.y) * double(b.y) + double(a.z) * double(b.z);
}

// ---- matrix ----

// The share of one mover in the coupling of two rows.
double coupling(const DirectRow& p, int side_p, const DirectRow& q, int side_q, double inv_mass)
{
    const double sum = inv_mass * dot_in_double(p.d, q.d) + dot_in_double(p.j[side_p], q.j[side_q]);
    return side_p == side_q ? sum : -sum;
}

void fill_matrix(const DirectStep& step, int first, std::span<const DirectRow> rows, double* a)
{
    const size_t n = rows.size();
    std::fill(a, a + n * n, 0.0);
    for (size_t i = 0; i < n; ++i)
    {
        for (int side = 0; side < 2; ++side)
        {
            const int32_t slot = rows[i].slot[side];
            if (slot < 0)
                continue;
            const double inv_mass = step.inv_mass[size_t(slot)];
            for (int32_t other = step.row_lists[size_t(slot)]; other >= 0; other = step.row_next[size_t(other)])
            {
                const size_t k = size_t(other / 2 - first);
                a[i * n + k] += coupling(rows[i], side, rows[k], other % 2, inv_mass);
            }
            a[i * n + i] += coupling(rows[i], side, rows[i], side, inv_mass);
        }
        // Only now, so that the row has not met itself.
        for (int side = 0; side < 2; ++side)
        {
            const int32_t slot = rows[i].slot[side];
            if (slot < 0)
                continue;
            const int32_t id = 2 * (first + int32_t(i)) + side;
            step.row_next[size_t(id)] = std::exchange(step.row_lists[size_t(slot)], id);
        }
    }
    for (size_t i = 0; i < n; ++i)
    {
        const double share = rows[i].normal > 0 ? friction_regularisation : regularisation;
        a[i * n + i] = a[i * n + i] * (1 + share) + double(rows[i].compliance);
        for (size_t k = 0; k < i; ++k)
            a[k * n + i] = a[i * n + k];
        // With subgrouping another group may have rows on the same mover.
        for (int32_t slot : rows[i].slot)
            if (slot >= 0)
                step.row_lists[size_t(slot)] = -1;
    }
}

// ---- one group by pivoting ----

// Bounds from the impulses so far, all the way or a part of it.
void set_bounds(std::span<const DirectRow> rows, double way, const DirectScratch& s)
{
    for (size_t i = 0; i < rows.size(); ++i)
    {
        const DirectRow& row = rows[i];
        double lower = double(row.lower), upper = double(row.upper);
        if (row.normal > 0)
        {
            upper = double(row.friction) * std::max(s.x[i - size_t(row.normal)], 0.0);
            if (way < 1)
                upper = s.upper[i] + way * (upper - s.upper[i]);
            lower = -upper;
        }
        s.lower[i] = lower;
        s.upper[i] = upper;
    }
}

void set_guess(std::span<const DirectRow> rows, double* x)
{
    for (size_t i = 0; i < rows.size(); ++i)
        x[i] = double(rows[i].guess);
}

// All of the problem but the bounds.
void set_problem(const DirectStep& step, int first, std::span<const DirectRow> rows, const DirectScratch& s)
{
    fill_matrix(step, first, rows, s.a);
    for (size_t i = 0; i < rows.size(); ++i)
    {
        s.b[i] = double(rows[i].free_speed);
        s.upper[i] = 0;
        s.leader[i] = rows[i].normal > 0 ? int32_t(i) - rows[i].normal : -1;
        s.share[i] = double(rows[i].friction);
    }
}

enum class Rounds
{
    failed, // there is no solution for the last bounds
    open,   // bounds of friction are those of a round ago
    done
};

Rounds solve_rounds(std::span<const DirectRow> rows, int count, const DirectScratch& s)
{
    const BoxedLcp problem{int(rows.size()), s.a, s.b, s.lower, s.upper};
    // Bounds begin at zero: where friction could wedge bodies there are many solutions, and the last step's impulses must not
    // choose among them. They only tell which contacts to try first.
    std::fill(s.x, s.x + rows.size(), 0.0);
    set_bounds(rows, 1, s);
    set_guess(rows, s.x);
    for (int round = 0; round < count; ++round)
    {
        if (!solve_boxed_lcp(problem, s.x, s.lcp))
            return Rounds::failed;
        if (solve_following_lcp(problem, {s.leader, s.share}, s.x, s.lcp))
            return Rounds::done;
        set_bounds(rows, round < careful_round ? 1 : 0.5, s);
    }
    return Rounds::open;
}

// False: the impulses in x are a start for sweeps.
bool solve_by_pivoting(const DirectStep& step, int first, std::span<const DirectRow> rows, const DirectScratch& s)
{
    const int n = int(rows.size());
    if (n > most_rows)
        return false;
    set_problem(step, first, rows, s);
    if (solve_rounds(rows, step.is_tweaked ? few_rounds : most_rounds, s) != Rounds::failed)
        return true;
    set_guess(rows, s.x);
    return false;
}

// ---- one group by sweeps ----

double speed_by_impulses(const DirectStep& step, const DirectRow& row)
{
    double speed = 0;
    for (int side = 0; side < 2; ++side)
    {
        if (row.slot[side] < 0)
            continue;
        const Change& c = step.changes[size_t(row.slot[side])];
        double sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += double(row.d[k]) * c.linear[k] + double(row.j[side][k]) * c.spin[k];
        speed += side == 0 ? -sum : sum;
    }
    return speed;
}

void apply(const DirectStep& step, const DirectRow& row, double impulse)
{
    for (int side = 0; side < 2; ++side)
    {
        if (row.slot[side] < 0)
            continue;
        const double sign = side == 0 ? -impulse : impulse;
        const double by_mass = sign * step.inv_mass[size_t(row.slot[side])];
        Change& c = step.changes[size_t(row.slot[side])];
        for (int k = 0; k < 3; ++k)
        {
            c.linear[k] += double(row.d[k]) * by_mass;
            c.spin[k] += double(row.j[side][k]) * sign;
        }
    }
}

double diagonal_of(const DirectStep& step, const DirectRow& row)
{
    double sum = double(row.compliance);
    for (int side = 0; side < 2; ++side)
        if (row.slot[side] >= 0)
            sum += coupling(row, side, row, side, step.inv_mass[size_t(row.slot[side])]);
    return sum;
}

// Leaves the changes of velocity applied.
void solve_by_sweeps(const DirectStep& step, std::span<const DirectRow> rows, double* x)
{
    const size_t n = rows.size();
    for (size_t i = 0; i < n; ++i)
        apply(step, rows[i], x[i]);
    for (int sweep = 0; sweep < fallback_sweeps; ++sweep)
        for (size_t i = 0; i < n; ++i)
        {
            const DirectRow& row = rows[i];
            const double diagonal = diagonal_of(step, row);
            if (diagonal <= 0)
                continue;
            const double wrong = speed_by_impulses(step, row) + double(row.free_speed) + double(row.compliance) * x[i];
            const double bound = row.normal > 0 ? double(row.friction) * std::max(x[i - size_t(row.normal)], 0.0) : 0;
            const double lower = row.normal > 0 ? -bound : double(row.lower);
            const double upper = row.normal > 0 ? bound : double(row.upper);
            const double wanted = std::clamp(x[i] - wrong / diagonal, lower, upper);
            apply(step, row, wanted - x[i]);
            x[i] = wanted;
        }
}

// ---- all groups ----

void solve_group(const DirectStep& step, int group, const DirectScratch& scratch)
{
    const int first = step.rows.group_first[size_t(group)];
    const int end = step.rows.group_first[size_t(group) + 1];
    const std::span<const DirectRow> rows = step.rows.rows.subspan(size_t(first), size_t(end - first));
    set_guess(rows, scratch.x);
    const bool is_solved = solve_by_pivoting(step, first, rows, scratch);
    step.is_solved[size_t(group)] = is_solved;
    if (!is_solved)
        solve_by_sweeps(step, rows, scratch.x);
    for (size_t i = 0; i < rows.size(); ++i)
    {
        *rows[i].impulse += float(scratch.x[i]);
        if (is_solved)
            apply(step, rows[i], scratch.x[i]);
    }
}

// Room for the largest group, for each worker: which of them solves a group does not matter.
void allocate_scratch(int threads, Arena& arena, DirectStep& step)
{
    int largest = 0, pivoted = 0;
    for (int g = 0; g < step.rows.group_count(); ++g)
    {
        const int n = step.rows.group_first[size_t(g) + 1] - step.rows.group_first[size_t(g)];
        largest = std::max(largest, n);
        if (n <= most_rows)
            pivoted = std::max(pivoted, n);
    }
    step.scratch = arena.allocate<DirectScratch>(size_t(step.rows.group_count() > 1 ? threads : 1));
    const size_t n = size_t(pivoted);
    for (DirectScratch& s : step.scratch)
    {
        s.a = arena.allocate<double>(n * n).data();
        s.b = arena.allocate<double>(3 * n).data();
        s.lower = s.b + n;
        s.upper = s.lower + n;
        s.x = arena.allocate<double>(size_t(largest)).data();
        s.share = arena.allocate<double>(n).data();
        s.leader = arena.allocate<int32_t>(n).data();
        s.lcp = arena.allocate_bytes(lcp_scratch_bytes(pivoted));
    }
}

// Back to the velocities that gravity and forces alone would give.
void take_back_impulses(const SolverWorld& world, const PgsRows& rows)
{
    for (int slot = 0; slot < world.movers.awake.size(); ++slot)
    {
        const Drive& drive = rows.drives.all[size_t(slot)];
        MoverVelocity& v = world.movers.velocities[size_t(world.movers.awake[slot])];
        v.linear = drive.base_linear;
        v.spin = drive.base_spin;
        if (drive.is_planar)
            v.linear.z = 0;
    }
}

void add_changes(const SolverWorld& world, const DirectStep& step)
{
    for (int slot = 0; slot < world.movers.awake.size(); ++slot)
    {
        MoverVelocity& v = world.movers.velocities[size_t(world.movers.awake[slot])];
        const Change& c = step.changes[size_t(slot)];
        for (int k = 0; k < 3; ++k)
        {
            v.linear[k] = float(double(v.linear[k]) + c.linear[k]);
            v.spin[k] = float(double(v.spin[k]) + c.spin[k]);
        }
    }
}

DirectStep begin_direct(const SolverInput& input, const SolverWorld& world, PgsRows& rows)
{
    Arena& arena = input.arena;
    const size_t movers = size_t(world.movers.awake.size());
    DirectStep step;
    step.rows = list_direct_rows(world, input.settings, rows, arena);
    step.is_tweaked = input.settings.tweaking;
    step.changes = arena.allocate_zeroed<Change>(movers);
    step.inv_mass = arena.allocate<double>(movers);
    step.row_lists = arena.allocate<int32_t>(movers);
    step.row_next = arena.allocate<int32_t>(2 * step.rows.rows.size());
    step.is_solved = arena.allocate<uint8_t>(size_t(step.rows.group_count()));
    std::fill(step.row_lists.begin(), step.row_lists.end(), -1);
    for (int slot = 0; slot < int(movers); ++slot)
        step.inv_mass[size_t(slot)] = double(world.movers.velocities[size_t(world.movers.awake[slot])].inv_mass);
    allocate_scratch(input.tasks.thread_count(), arena, step);
    return step;
}

DirectStep solve_groups(const SolverInput& input, const SolverWorld& world, PgsRows& rows)
{
    take_back_impulses(world, rows);
    DirectStep step = begin_direct(input, world, rows);
    // With subgrouping groups share movers: one after the other.
    const int groups = step.rows.group_count();
    input.tasks.parallel_for(groups, input.settings.subgrouping ? groups : 1, [&](int begin, int end, int worker) {
        for (int g = begin; g < end; ++g)
            solve_group(step, g, step.scratch[size_t(worker)]);
    });
    add_changes(world, step);
    return step;
}

} // namespace

void solve_direct(const SolverInput& input, const SolverWorld& world)
{
    PgsRows rows = begin_pgs(input, world, nullptr);
    DirectStep step;
    solve_with_kicks(input, world, rows, [&] { step = solve_groups(input, world, rows); });
    const int groups = step.rows.group_count();
    if (input.report)
    {
        input.report->direct_groups += groups;
        input.report->direct_rows += int(step.rows.rows.size());
        for (int g = 0; g < groups; ++g)
            input.report->direct_rows_largest = std::max(input.report->direct_rows_largest,
                                                         step.rows.group_first[size_t(g) + 1] -
                                                             step.rows.group_first[size_t(g)]);
        input.report->direct_fallbacks += int(std::count(step.is_solved.begin(), step.is_solved.end(), uint8_t(false)));
    }
    end_pgs(input, world, rows);
}

} // namespace moraine
