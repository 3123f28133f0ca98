#include "dynamics/lcp.h"

#include "dynamics/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moraine
{

namespace
{

constexpr double tolerance = 1e-10; // of speeds, relative to the largest one
constexpr double singular = 1e-14;  // what is left of a diagonal
constexpr int patience = 6;         // block pivots without progress
// Of the worst violation: who changes sides, one try after the other.
constexpr double block_shares[] = {0, 0.1, 0.4, 0.8};

enum Place : int32_t
{
    at_lower,
    at_upper,
    between,
    waiting // Dantzig: not brought in yet
};

// Partial sums in a fixed order: the compiler may use vector registers and the result is always the same.
double dot(const double* a, const double* b, int n)
{
    constexpr int parts = 8;
    double sums[parts] = {};
    int i = 0;
    for (; i + parts <= n; i += parts)
        for (int k = 0; k < parts; ++k)
            sums[k] += a[i + k] * b[i + k];
    double sum = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    for (; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

struct Work
{
    double* factor; // L, lower triangular by rows, of the variables in between
    double* w;
    double* step_x;
    double* step_w;
    double* compact; // one entry for each variable in between
    int32_t* place;
    int32_t* free; // variables in between, in the order of the factor

    Work(int n, void* scratch)
    {
        factor = static_cast<double*>(scratch);
        w = factor + size_t(n) * size_t(n);
        step_x = w + n;
        step_w = step_x + n;
        compact = step_w + n;
        place = reinterpret_cast<int32_t*>(compact + n);
        free = place + n;
    }
};

const double* row_of(const BoxedLcp& p, int i) { return p.a + size_t(i) * size_t(p.n); }

double speed_scale(const BoxedLcp& p)
{
    double largest = 0;
    for (int i = 0; i < p.n; ++i)
        largest = std::max(largest, std::fabs(p.b[i]));
    return largest;
}

// One more row of L, for variable `i` after the first `count`. False: it depends on them.
bool append_row(const BoxedLcp& p, int i, int count, Work& work)
{
    double* row = work.factor + size_t(count) * size_t(p.n);
    const double* a = row_of(p, i);
    for (int k = 0; k < count; ++k)
    {
        const double* other = work.factor + size_t(k) * size_t(p.n);
        row[k] = (a[work.free[k]] - dot(row, other, k)) / other[k];
    }
    const double left = a[i] - dot(row, row, count);
    if (!(left > singular * a[i]))
        return false;
    row[count] = std::sqrt(left);
    work.free[count] = i;
    return true;
}

// v ← (L Lᵀ)⁻¹ v
void solve_factored(const Work& work, int n, int count, double* v)
{
    for (int i = 0; i < count; ++i)
    {
        const double* row = work.factor + size_t(i) * size_t(n);
        v[i] = (v[i] - dot(row, v, i)) / row[i];
    }
    for (int i = count - 1; i >= 0; --i)
    {
        const double* row = work.factor + size_t(i) * size_t(n);
        v[i] /= row[i];
        for (int k = 0; k < i; ++k)
            v[k] -= row[k] * v[i];
    }
}

// Takes row `gone` out of L. What it held of the rows below goes back into them, a rank-one update.
void remove_row(const BoxedLcp& p, int gone, int count, Work& work)
{
    double* column = work.compact;
    for (int i = gone + 1; i < count; ++i)
    {
        const double* from = work.factor + size_t(i) * size_t(p.n);
        double* to = work.factor + size_t(i - 1) * size_t(p.n);
        column[i - 1] = from[gone];
        std::copy(from, from + gone, to);
        std::copy(from + gone + 1, from + i + 1, to + gone);
        work.free[i - 1] = work.free[i];
    }
    for (int k = gone; k < count - 1; ++k)
    {
        double* row = work.factor + size_t(k) * size_t(p.n);
        const double length = std::hypot(row[k], column[k]);
        const double c = length / row[k], s = column[k] / row[k];
        row[k] = length;
        for (int i = k + 1; i < count - 1; ++i)
        {
            double& l = work.factor[size_t(i) * size_t(p.n) + size_t(k)];
            l = (l + s * column[i]) / c;
            column[i] = c * column[i] - s * l;
        }
    }
}

// ---- block principal pivoting ----

void place_guess(const BoxedLcp& p, const double* x, Work& work)
{
    for (int i = 0; i < p.n; ++i)
        work.place[i] = x[i] <= p.lower[i] ? at_lower : x[i] >= p.upper[i] ? at_upper : between;
}

// The matrix of those in between, factored. The list of them is in the order of their indices.
bool factor_places(const BoxedLcp& p, Work& work, DenseMatrix& matrix)
{
    int count = 0;
    for (int i = 0; i < p.n; ++i)
        if (work.place[i] == between)
            work.free[count++] = i;
    matrix = {work.factor, count, p.n};
    for (int i = 0; i < count; ++i)
    {
        const double* a = row_of(p, work.free[i]);
        for (int k = i; k < count; ++k)
            matrix.row(i)[k] = a[work.free[k]];
        work.step_x[i] = singular * matrix.row(i)[i];
    }
    return factor_symmetric(matrix, work.step_x);
}

// w = A x + b, by columns: the matrix is symmetric.
void find_speeds(const BoxedLcp& p, const double* x, double* w)
{
    std::copy(p.b, p.b + p.n, w);
    for (int k = 0; k < p.n; ++k)
        if (x[k] != 0)
            add_row(x[k], row_of(p, k), 0, p.n, w);
}

// x and w of the current places. False: singular.
bool solve_places(const BoxedLcp& p, double* x, Work& work)
{
    DenseMatrix matrix{};
    if (!factor_places(p, work, matrix))
        return false;
    for (int i = 0; i < p.n; ++i)
        x[i] = work.place[i] == between ? 0 : work.place[i] == at_lower ? p.lower[i] : p.upper[i];
    find_speeds(p, x, work.w);
    for (int k = 0; k < matrix.n; ++k)
        work.compact[k] = -work.w[work.free[k]];
    solve_symmetric(matrix, work.compact);
    for (int k = 0; k < matrix.n; ++k)
    {
        x[work.free[k]] = work.compact[k];
        add_row(work.compact[k], row_of(p, work.free[k]), 0, p.n, work.w);
    }
    for (int k = 0; k < matrix.n; ++k)
        work.w[work.free[k]] = 0;
    return true;
}

// How wrong the variable is where it is, as a speed, and where it should be instead.
struct Violation
{
    double size = 0;
    int32_t place = between;
};

Violation violation_of(const BoxedLcp& p, int i, const double* x, const Work& work)
{
    if (p.lower[i] == p.upper[i])
        return {};
    switch (work.place[i])
    {
    case at_lower: return {-work.w[i], between};
    case at_upper: return {work.w[i], between};
    default: break;
    }
    // An impulse too much is as bad as the speed it makes.
    const double below = (p.lower[i] - x[i]) * row_of(p, i)[i], above = (x[i] - p.upper[i]) * row_of(p, i)[i];
    return below > above ? Violation{below, at_lower} : Violation{above, at_upper};
}

struct Violations
{
    double largest = 0;
    double sum = 0;
};

Violations find_violations(const BoxedLcp& p, const double* x, const Work& work)
{
    Violations v;
    for (int i = 0; i < p.n; ++i)
    {
        const double size = std::max(violation_of(p, i, x, work).size, 0.0);
        v.largest = std::max(v.largest, size);
        v.sum += size;
    }
    return v;
}

void change_places(const BoxedLcp& p, double above, const double* x, Work& work)
{
    for (int i = 0; i < p.n; ++i)
    {
        const Violation v = violation_of(p, i, x, work);
        if (v.size >= above)
            work.place[i] = v.place;
    }
}

// Pivots until all conditions hold, or until there is no progress. Variables within `share` of the worst change sides.
bool pivot_blocks(const BoxedLcp& p, double share, double limit, double* x, Work& work)
{
    double least = std::numeric_limits<double>::infinity();
    for (int left = patience; left > 0; --left)
    {
        if (!solve_places(p, x, work))
            return false;
        const Violations found = find_violations(p, x, work);
        if (found.largest <= limit)
            return true;
        if (found.sum < least)
        {
            least = found.sum;
            left = patience;
        }
        change_places(p, std::max(std::nextafter(limit, found.largest), share * found.largest), x, work);
    }
    return false;
}

// All at once can go in circles where many solutions are nearly as good; then only the worst ones change.
bool solve_by_blocks(const BoxedLcp& p, double* x, Work& work)
{
    const double limit = tolerance * speed_scale(p);
    place_guess(p, x, work);
    for (double share : block_shares)
        if (pivot_blocks(p, share, limit, x, work))
        {
            for (int i = 0; i < p.n; ++i)
                x[i] = std::clamp(x[i], p.lower[i], p.upper[i]);
            return true;
        }
    return false;
}

// ---- Dantzig ----

// How far variable `i` can be driven before something happens, and to whom.
struct Event
{
    double length = 0;
    int variable = -1;
    int32_t place = between; // where that variable goes
};

void take_nearer(Event& best, double length, int variable, int32_t place)
{
    if (length < best.length)
        best = {std::max(length, 0.0), variable, place};
}

// How everything changes when x[i] does, by `direction`.
void find_direction(const BoxedLcp& p, int i, double direction, int count, Work& work)
{
    const double* a = row_of(p, i);
    for (int k = 0; k < count; ++k)
        work.compact[k] = -a[work.free[k]] * direction;
    solve_factored(work, p.n, count, work.compact);
    std::fill(work.step_x, work.step_x + p.n, 0.0);
    for (int k = 0; k < count; ++k)
        work.step_x[work.free[k]] = work.compact[k];
    work.step_x[i] = direction;
    for (int k = 0; k < p.n; ++k)
        if (k == i || work.place[k] == at_lower || work.place[k] == at_upper)
            work.step_w[k] = dot(row_of(p, k), work.step_x, p.n);
}

Event find_event(const BoxedLcp& p, int i, const double* x, const Work& work)
{
    const double up = work.step_x[i];
    Event best{up > 0 ? p.upper[i] - x[i] : x[i] - p.lower[i], i, up > 0 ? at_upper : at_lower};
    take_nearer(best, -work.w[i] / work.step_w[i], i, between);
    for (int k = 0; k < p.n; ++k)
    {
        if (k == i || work.place[k] == waiting || p.lower[k] == p.upper[k])
            continue;
        if (work.place[k] == between && work.step_x[k] < 0)
            take_nearer(best, (p.lower[k] - x[k]) / work.step_x[k], k, at_lower);
        else if (work.place[k] == between && work.step_x[k] > 0)
            take_nearer(best, (p.upper[k] - x[k]) / work.step_x[k], k, at_upper);
        else if ((work.place[k] == at_lower && work.step_w[k] < 0) || (work.place[k] == at_upper && work.step_w[k] > 0))
            take_nearer(best, -work.w[k] / work.step_w[k], k, between);
    }
    return best;
}

void advance(const BoxedLcp& p, int i, double length, int count, double* x, Work& work)
{
    for (int k = 0; k < count; ++k)
        x[work.free[k]] += length * work.step_x[work.free[k]];
    x[i] += length * work.step_x[i];
    for (int k = 0; k < p.n; ++k)
        if (k == i || work.place[k] == at_lower || work.place[k] == at_upper)
            work.w[k] += length * work.step_w[k];
}

// The event's variable takes its new place.
bool pivot(const BoxedLcp& p, const Event& event, int& count, double* x, Work& work)
{
    const int v = event.variable;
    if (event.place == between)
    {
        work.w[v] = 0;
        work.place[v] = between;
        return append_row(p, v, count++, work);
    }
    if (work.place[v] == between)
    {
        remove_row(p, int(std::find(work.free, work.free + count, v) - work.free), count, work);
        --count;
        work.w[v] = 0;
    }
    x[v] = event.place == at_lower ? p.lower[v] : p.upper[v];
    work.place[v] = event.place;
    return true;
}

// A variable that is right where it stands needs no driving.
bool is_settled(const BoxedLcp& p, int i, const double* x, Work& work)
{
    if (p.lower[i] == p.upper[i] || (x[i] == p.lower[i] && work.w[i] >= 0))
        work.place[i] = at_lower;
    else if (x[i] == p.upper[i] && work.w[i] <= 0)
        work.place[i] = at_upper;
    return work.place[i] != waiting;
}

} // namespace

size_t lcp_scratch_bytes(int n)
{
    const size_t m = size_t(n);
    return sizeof(double) * (m * m + 4 * m) + sizeof(int32_t) * 2 * m;
}

bool solve_boxed_lcp_dantzig(const BoxedLcp& p, double* x, void* scratch)
{
    Work work(p.n, scratch);
    for (int i = 0; i < p.n; ++i)
    {
        x[i] = std::clamp(0.0, p.lower[i], p.upper[i]);
        work.place[i] = waiting;
    }
    int count = 0, pivots = 0;
    for (int i = 0; i < p.n; ++i)
    {
        work.w[i] = p.b[i] + dot(row_of(p, i), x, p.n);
        if (is_settled(p, i, x, work))
            continue;
        const double direction = work.w[i] > 0 ? -1 : 1;
        while (work.place[i] == waiting)
        {
            if (++pivots > 20 * p.n + 100)
                return false;
            find_direction(p, i, direction, count, work);
            const Event event = find_event(p, i, x, work);
            if (!std::isfinite(event.length))
                return false;
            advance(p, i, event.length, count, x, work);
            if (!pivot(p, event, count, x, work))
                return false;
        }
    }
    return true;
}

bool solve_boxed_lcp(const BoxedLcp& p, double* x, void* scratch)
{
    Work work(p.n, scratch);
    if (solve_by_blocks(p, x, work))
        return true;
    if (!solve_boxed_lcp_dantzig(p, x, scratch))
        return false;
    // Once more in the order of the variables, so that the way does not matter.
    solve_places(p, x, work);
    return true;
}

double lcp_residual(const BoxedLcp& p, const double* x)
{
    double worst = 0;
    for (int i = 0; i < p.n; ++i)
    {
        const double w = p.b[i] + dot(row_of(p, i), x, p.n);
        const double may_be_positive = x[i] <= p.lower[i] ? 0 : std::max(w, 0.0);
        const double may_be_negative = x[i] >= p.upper[i] ? 0 : std::max(-w, 0.0);
        worst = std::max({worst, may_be_positive, may_be_negative});
        worst = std::max({worst, (p.lower[i] - x[i]) * row_of(p, i)[i], (x[i] - p.upper[i]) * row_of(p, i)[i]});
    }
    return worst;
}

} // namespace moraine
