#include "dynamics/lcp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace moraine;

namespace
{

constexpr double no_bound = std::numeric_limits<double>::infinity();

struct Random
{
    uint64_t state;
    double operator()(double lower, double upper)
    {
        state += 0x9e3779b97f4a7c15ull;
        uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        z ^= z >> 31;
        return lower + (upper - lower) * double(z >> 11) * 0x1p-53;
    }
};

struct Problem
{
    int n;
    std::vector<double> a, b, lower, upper;

    BoxedLcp view() const { return {n, a.data(), b.data(), lower.data(), upper.data()}; }
};

// J Jᵀ with `rank` columns: with a small rank the regularisation alone makes it definite, as with redundant contacts.
Problem random_problem(int n, int rank, double regularisation, Random& random)
{
    Problem p{n, std::vector<double>(size_t(n * n)), {}, {}, {}};
    std::vector<double> j(size_t(n * rank));
    for (double& v : j)
        v = random(-1, 1);
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
        {
            double sum = r == c ? regularisation : 0;
            for (int k = 0; k < rank; ++k)
                sum += j[size_t(r * rank + k)] * j[size_t(c * rank + k)];
            p.a[size_t(r * n + c)] = sum;
        }
    for (int i = 0; i < n; ++i)
    {
        p.b.push_back(random(-1, 1));
        const double kind = random(0, 5);
        const double size = random(0, 1);
        p.lower.push_back(kind < 2 ? 0 : kind < 3 ? -no_bound : kind < 4 ? -size : size);
        p.upper.push_back(kind < 3 ? no_bound : kind < 4 ? size : size + (kind < 4.5 ? 0 : 1));
    }
    return p;
}

std::vector<double> scratch_for(int n) { return std::vector<double>(lcp_scratch_bytes(n) / sizeof(double) + 1); }

// Gaussian elimination with pivoting: an independent judge.
bool solve_linear(std::vector<double> m, std::vector<double>& v)
{
    const int n = int(v.size());
    for (int c = 0; c < n; ++c)
    {
        int best = c;
        for (int r = c; r < n; ++r)
            if (std::fabs(m[size_t(r * n + c)]) > std::fabs(m[size_t(best * n + c)]))
                best = r;
        if (m[size_t(best * n + c)] == 0)
            return false;
        for (int k = 0; k < n; ++k)
            std::swap(m[size_t(c * n + k)], m[size_t(best * n + k)]);
        std::swap(v[size_t(c)], v[size_t(best)]);
        for (int r = c + 1; r < n; ++r)
        {
            const double f = m[size_t(r * n + c)] / m[size_t(c * n + c)];
            for (int k = c; k < n; ++k)
                m[size_t(r * n + k)] -= f * m[size_t(c * n + k)];
            v[size_t(r)] -= f * v[size_t(c)];
        }
    }
    for (int r = n - 1; r >= 0; --r)
    {
        for (int k = r + 1; k < n; ++k)
            v[size_t(r)] -= m[size_t(r * n + k)] * v[size_t(k)];
        v[size_t(r)] /= m[size_t(r * n + r)];
    }
    return true;
}

// x for one choice of lower / upper / between for each variable; false where the choice is impossible.
bool solve_choice(const Problem& p, int choice, std::vector<double>& x)
{
    const int n = p.n;
    std::vector<double> m(size_t(n * n), 0.0), v(size_t(n), 0.0);
    for (int i = 0; i < n; ++i, choice /= 3)
    {
        if (choice % 3 == 2)
        {
            std::copy_n(p.a.begin() + i * n, n, m.begin() + i * n);
            v[size_t(i)] = -p.b[size_t(i)];
            continue;
        }
        m[size_t(i * n + i)] = 1;
        v[size_t(i)] = choice % 3 == 0 ? p.lower[size_t(i)] : p.upper[size_t(i)];
        if (!std::isfinite(v[size_t(i)]))
            return false;
    }
    x = v;
    if (!solve_linear(m, x))
        return false;
    for (int i = 0; i < n; ++i) // elimination leaves rounding on bounds
        if (m[size_t(i * n + i)] == 1 && std::fabs(x[size_t(i)] - v[size_t(i)]) < 1e-12)
            x[size_t(i)] = v[size_t(i)];
    return true;
}

std::vector<double> solve_by_enumeration(const Problem& p)
{
    std::vector<double> best, x;
    double least = no_bound;
    for (int choice = 0; choice < int(std::pow(3, p.n) + 0.5); ++choice)
    {
        if (!solve_choice(p, choice, x))
            continue;
        const double residual = lcp_residual(p.view(), x.data());
        if (residual < least)
        {
            least = residual;
            best = x;
        }
    }
    EXPECT_LT(least, 1e-8);
    return best;
}

std::vector<double> solve_by_sweeps(const Problem& p, int sweeps)
{
    std::vector<double> x(size_t(p.n), 0.0);
    for (int s = 0; s < sweeps; ++s)
        for (int i = 0; i < p.n; ++i)
        {
            double w = p.b[size_t(i)];
            for (int k = 0; k < p.n; ++k)
                w += p.a[size_t(i * p.n + k)] * x[size_t(k)];
            x[size_t(i)] = std::clamp(x[size_t(i)] - w / p.a[size_t(i * p.n + i)], p.lower[size_t(i)],
                                      p.upper[size_t(i)]);
        }
    return x;
}

} // namespace

TEST(BoxedLcp, AgreesWithTryingAllChoices)
{
    Random random{1};
    for (int trial = 0; trial < 300; ++trial)
    {
        const int n = 1 + trial % 6;
        const Problem p = random_problem(n, n + 2, 1e-3, random);
        const std::vector<double> expected = solve_by_enumeration(p);
        std::vector<double> scratch = scratch_for(n), x(size_t(n), 0.0), y(size_t(n), 0.0);
        ASSERT_TRUE(solve_boxed_lcp(p.view(), x.data(), scratch.data()));
        ASSERT_TRUE(solve_boxed_lcp_dantzig(p.view(), y.data(), scratch.data()));
        for (int i = 0; i < n; ++i)
        {
            EXPECT_NEAR(x[size_t(i)], expected[size_t(i)], 1e-6) << "trial " << trial;
            EXPECT_NEAR(y[size_t(i)], expected[size_t(i)], 1e-6) << "trial " << trial;
        }
    }
}

TEST(BoxedLcp, AgreesWithManySweeps)
{
    Random random{2};
    for (int trial = 0; trial < 20; ++trial)
    {
        const Problem p = random_problem(40, 60, 0.5, random);
        const std::vector<double> expected = solve_by_sweeps(p, 20000);
        std::vector<double> scratch = scratch_for(p.n), x(size_t(p.n), 0.0);
        ASSERT_TRUE(solve_boxed_lcp(p.view(), x.data(), scratch.data()));
        for (int i = 0; i < p.n; ++i)
            EXPECT_NEAR(x[size_t(i)], expected[size_t(i)], 1e-7);
    }
}

TEST(BoxedLcp, RedundantRowsAreSolved)
{
    Random random{3};
    for (int trial = 0; trial < 50; ++trial)
    {
        const Problem p = random_problem(60, 12, 1e-7, random);
        std::vector<double> scratch = scratch_for(p.n), x(size_t(p.n), 0.0), y(size_t(p.n), 0.0);
        ASSERT_TRUE(solve_boxed_lcp(p.view(), x.data(), scratch.data()));
        EXPECT_LT(lcp_residual(p.view(), x.data()), 1e-6);
        ASSERT_TRUE(solve_boxed_lcp_dantzig(p.view(), y.data(), scratch.data()));
        EXPECT_LT(lcp_residual(p.view(), y.data()), 1e-6);
    }
}

TEST(BoxedLcp, DantzigAndBlocksAgreeOnLargeProblems)
{
    Random random{4};
    const Problem p = random_problem(200, 220, 1e-2, random);
    std::vector<double> scratch = scratch_for(p.n), x(size_t(p.n), 0.0), y(size_t(p.n), 0.0);
    ASSERT_TRUE(solve_boxed_lcp(p.view(), x.data(), scratch.data()));
    ASSERT_TRUE(solve_boxed_lcp_dantzig(p.view(), y.data(), scratch.data()));
    for (int i = 0; i < p.n; ++i)
        EXPECT_NEAR(x[size_t(i)], y[size_t(i)], 1e-6);
}

TEST(BoxedLcp, AGuessChangesOnlyTheWay)
{
    Random random{5};
    const Problem p = random_problem(30, 40, 1e-1, random);
    std::vector<double> scratch = scratch_for(p.n), x(size_t(p.n), 0.0), y(size_t(p.n), 1e3);
    ASSERT_TRUE(solve_boxed_lcp(p.view(), x.data(), scratch.data()));
    ASSERT_TRUE(solve_boxed_lcp(p.view(), y.data(), scratch.data()));
    for (int i = 0; i < p.n; ++i)
        EXPECT_NEAR(x[size_t(i)], y[size_t(i)], 1e-9);
}

// Two problems that are not connected, their variables mixed.
TEST(BoxedLcp, PartsThatAreNotConnectedGetTheBitsThatTheyGetAlone)
{
    Random random{6};
    for (int trial = 0; trial < 20; ++trial)
    {
        const Problem parts[2] = {random_problem(37, 30, 1e-4, random), random_problem(23, 40, 1e-2, random)};
        Problem whole{60, std::vector<double>(3600), {}, {}, {}};
        std::vector<std::pair<int, int>> from; // part and variable there
        for (int taken[2] = {0, 0}; from.size() < 60;)
        {
            const int part = (random(0, 1) < 0.5 && taken[0] < 37) || taken[1] == 23 ? 0 : 1;
            from.emplace_back(part, taken[part]++);
        }
        for (size_t r = 0; r < 60; ++r)
        {
            const auto [part, i] = from[r];
            const Problem& p = parts[part];
            whole.b.push_back(p.b[size_t(i)]);
            whole.lower.push_back(p.lower[size_t(i)]);
            whole.upper.push_back(p.upper[size_t(i)]);
            for (size_t c = 0; c < 60; ++c)
                if (from[c].first == part)
                    whole.a[r * 60 + c] = p.a[size_t(i * p.n + from[c].second)];
        }
        std::vector<double> scratch = scratch_for(60), x(60, 0.0), alone[2] = {{}, {}};
        ASSERT_TRUE(solve_boxed_lcp(whole.view(), x.data(), scratch.data()));
        for (int part = 0; part < 2; ++part)
        {
            alone[part].resize(size_t(parts[part].n), 0.0);
            ASSERT_TRUE(solve_boxed_lcp(parts[part].view(), alone[part].data(), scratch.data()));
        }
        for (size_t r = 0; r < 60; ++r)
            EXPECT_EQ(x[r], alone[from[r].first][size_t(from[r].second)]);
    }
}

// Coulomb's law: conditions are checked by themselves, with the bounds that the leaders of the result give.
TEST(FollowingLcp, MeetsTheConditionsOfFriction)
{
    Random random{7};
    int solved = 0;
    for (int trial = 0; trial < 100; ++trial)
    {
        Problem p = random_problem(30, 40, 1e-2, random);
        std::vector<int32_t> leader(30, -1);
        std::vector<double> share(30, 0.0), scratch = scratch_for(30), x(30, 0.0);
        for (int i = 0; i < 30; ++i)
        {
            leader[size_t(i)] = i % 3 == 0 ? -1 : i - i % 3;
            share[size_t(i)] = 0.3;
            p.lower[size_t(i)] = i % 3 == 0 ? 0 : -0.1;
            p.upper[size_t(i)] = i % 3 == 0 ? no_bound : 0.1;
        }
        ASSERT_TRUE(solve_boxed_lcp(p.view(), x.data(), scratch.data()));
        const std::vector<double> before = x;
        if (!solve_following_lcp(p.view(), {leader.data(), share.data()}, x.data(), scratch.data()))
        {
            EXPECT_EQ(x, before);
            continue;
        }
        ++solved;
        for (int i = 0; i < 30; ++i)
            if (i % 3)
            {
                p.upper[size_t(i)] = 0.3 * x[size_t(i - i % 3)];
                p.lower[size_t(i)] = -p.upper[size_t(i)];
            }
        EXPECT_LT(lcp_residual(p.view(), x.data()), 1e-8);
    }
    EXPECT_GT(solved, 20); // random problems are harder than real ones
}

TEST(BoxedLcp, NothingToSolveIsSolved)
{
    std::vector<double> scratch = scratch_for(1);
    EXPECT_TRUE(solve_boxed_lcp({}, nullptr, scratch.data()));
}

TEST(BoxedLcp, AMatrixThatIsNotDefiniteIsRefused)
{
    const double a[4] = {1, 1, 1, 1}, b[2] = {-1, -2}, lower[2] = {-no_bound, -no_bound},
                 upper[2] = {no_bound, no_bound};
    double x[2] = {};
    std::vector<double> scratch = scratch_for(2);
    EXPECT_FALSE(solve_boxed_lcp({2, a, b, lower, upper}, x, scratch.data()));
}
