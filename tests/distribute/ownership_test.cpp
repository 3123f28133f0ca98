// Owners, and the overlap that follows from them, against distances counted by hand or by another algorithm.
#include "distribute/ownership.h"

#include <gtest/gtest.h>

#include <numeric>

namespace moraine::distribute
{
namespace
{

using Masks = std::vector<WorkerMask>;
constexpr WorkerMask red = 1, green = 2, both = 3;

struct Graph
{
    ConstraintGraph graph;
    Ownership ownership;
    WorkerSets sets;
    std::vector<int> owners;
    std::vector<std::pair<int32_t, int32_t>> links;

    Graph(std::vector<int> of, int growth_depth, int workers = 2)
        : graph(int(of.size())),
          ownership(of, growth_depth),
          owners(std::move(of))
    {
        Masks masks;
        for (int owner : owners)
            masks.push_back(mask_of(owner));
        sets = WorkerSets(std::move(masks), workers);
    }

    void touch(int32_t a, int32_t b)
    {
        graph.add_contact(a, b, ConstraintGraph::met);
        links.emplace_back(a, b);
    }

    void update_all()
    {
        std::vector<int32_t> all(owners.size());
        std::iota(all.begin(), all.end(), 0);
        ownership.update_sets(all, all, graph, sets);
    }

    Masks masks() const
    {
        Masks all;
        for (int32_t b = 0; b < sets.bodies(); ++b)
            all.push_back(sets[b]);
        return all;
    }

    // Floyd and Warshall.
    std::vector<std::vector<int>> distances() const
    {
        const size_t n = owners.size();
        std::vector<std::vector<int>> far(n, std::vector<int>(n, 1000));
        for (size_t i = 0; i < n; ++i)
            far[i][i] = 0;
        for (const auto& [a, b] : links)
            far[size_t(a)][size_t(b)] = far[size_t(b)][size_t(a)] = 1;
        for (size_t k = 0; k < n; ++k)
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j < n; ++j)
                    far[i][j] = std::min(far[i][j], far[i][k] + far[k][j]);
        return far;
    }

    WorkerMask owner_mask(size_t body) const { return mask_of(ownership.owner(int32_t(body))); }

    // All workers that own something within reach.
    Masks reachable(int depth) const
    {
        const auto far = distances();
        Masks all(far.size());
        for (size_t i = 0; i < far.size(); ++i)
            for (size_t j = 0; j < far.size(); ++j)
                if (far[i][j] <= depth)
                    all[i] |= owner_mask(j);
        return all;
    }

    // Interface bodies, and what has grown from the roots.
    Masks expected(int growth_depth) const
    {
        const auto far = distances();
        Masks all = reachable(1);
        if (growth_depth > 0)
            for (const ContactPair& root : ownership.roots())
                for (size_t i = 0; i < far.size(); ++i)
                    if (std::min(far[i][size_t(root.body_a)], far[i][size_t(root.body_b)]) <= growth_depth)
                        all[i] |= owner_mask(size_t(root.body_a)) | owner_mask(size_t(root.body_b));
        return all;
    }

    // Each constraint between two workers is a root or has an end that has grown from a root of these two, and roots are
    // such constraints.
    void expect_roots(int growth_depth) const
    {
        const auto far = distances();
        for (const ContactPair& root : ownership.roots())
        {
            EXPECT_EQ(far[size_t(root.body_a)][size_t(root.body_b)], 1);
            EXPECT_NE(ownership.owner(root.body_a), ownership.owner(root.body_b));
        }
        if (growth_depth == 0)
            return;
        for (const auto& [a, b] : links)
        {
            const WorkerMask workers = owner_mask(size_t(a)) | owner_mask(size_t(b));
            WorkerMask grown_a = 0, grown_b = 0;
            for (const ContactPair& root : ownership.roots())
            {
                const WorkerMask of_root = owner_mask(size_t(root.body_a)) | owner_mask(size_t(root.body_b));
                const auto is_near = [&](int32_t body) {
                    return std::min(far[size_t(body)][size_t(root.body_a)], far[size_t(body)][size_t(root.body_b)]) <=
                           growth_depth;
                };
                grown_a |= is_near(a) ? of_root : 0;
                grown_b |= is_near(b) ? of_root : 0;
            }
            EXPECT_TRUE(count_of(workers) == 1 || (workers & ~grown_a) == 0 || (workers & ~grown_b) == 0)
                << a << ' ' << b;
        }
    }
};

Graph row(std::vector<int> owners, int growth_depth)
{
    Graph g(std::move(owners), growth_depth);
    for (int32_t b = 0; b + 1 < g.sets.bodies(); ++b)
        g.touch(b, b + 1);
    return g;
}

// A border that is several constraints wide: the overlap grows from the first of them, as algorithm 2 has it, and the others
// are interface bodies only.
TEST(Ownership, TheOverlapGrowsFromOneConstraintWhereOthersAreNear)
{
    // Two rows of eight with rungs between: a ladder.
    Graph g({0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1}, 2);
    for (int32_t b = 0; b < 8; ++b)
    {
        g.touch(b, b + 8);
        if (b < 7)
            g.touch(b, b + 1), g.touch(b + 8, b + 9);
    }
    g.update_all();
    ASSERT_EQ(g.ownership.roots().size(), 1u);
    EXPECT_EQ(g.masks(),
              (Masks{red, both, both, both, both, both, both, green, red, red, both, both, both, both, green, green}));
}

// As figure 4 of the paper.
TEST(Ownership, TheOverlapIsTheInterfaceAndItsGrowth)
{
    Graph g = row({0, 0, 0, 0, 1, 1, 1, 1}, 0);
    g.update_all();
    EXPECT_EQ(g.masks(), (Masks{red, red, red, both, both, green, green, green}));
    Graph grown = row({0, 0, 0, 0, 1, 1, 1, 1}, 2);
    grown.update_all();
    EXPECT_EQ(grown.masks(), (Masks{red, both, both, both, both, both, both, green}));
}

struct Random
{
    uint32_t state;
    int below(int n)
    {
        state = state * 1664525u + 1013904223u;
        return int((state >> 16) % uint32_t(n));
    }
};

// Constraints come one after the other: each time the sets around it are as wide as they must be.
TEST(Ownership, SetsAreWideEnoughAfterEachNewConstraint)
{
    for (uint32_t seed = 1; seed <= 60; ++seed)
    {
        Random random{seed * 2654435761u};
        std::vector<int> owners;
        for (int b = 0; b < 25; ++b)
            owners.push_back(random.below(4));
        const int growth_depth = int(seed % 4);
        Graph g(owners, growth_depth, 4);
        for (int i = 0; i < 30; ++i)
        {
            const int32_t a = random.below(25), b = random.below(25);
            if (a == b)
                continue;
            g.touch(a, b);
            const int32_t changed[] = {a, b};
            g.ownership.update_sets(changed, {}, g.graph, g.sets);
            const Masks masks = g.masks(), least = g.expected(growth_depth), most = g.reachable(growth_depth + 1);
            for (size_t body = 0; body < masks.size(); ++body)
            {
                ASSERT_EQ(least[body] & ~masks[body], 0u) << "seed " << seed << " constraint " << i;
                ASSERT_EQ(masks[body] & ~most[body], 0u) << "seed " << seed << " constraint " << i;
            }
            g.expect_roots(growth_depth);
        }
        g.update_all();
        ASSERT_EQ(g.masks(), g.expected(growth_depth)) << "seed " << seed;
    }
}

// And no wider, whoever gives what to whom.
TEST(Ownership, SetsAreExactAroundWhatWasGiven)
{
    for (uint32_t seed = 1; seed <= 40; ++seed)
    {
        Random random{seed * 2654435761u};
        std::vector<int> owners;
        for (int b = 0; b < 30; ++b)
            owners.push_back(b * 3 / 30);
        Graph g(owners, int(seed % 3), 3);
        for (int32_t b = 0; b + 1 < 30; ++b)
            g.touch(b, b + 1);
        for (int i = 0; i < 8; ++i)
            g.touch(random.below(15), 15 + random.below(15));
        g.update_all();
        const std::vector<bool> is_asleep(30);
        for (int round = 0; round < 10; ++round)
        {
            const std::vector<double> loads{double(1 + random.below(20)), double(1 + random.below(20)),
                                            double(1 + random.below(20))};
            g.ownership.even_out(loads, is_asleep, g.graph, g.sets);
            g.ownership.update_sets({}, {}, g.graph, g.sets);
            g.ownership.forget_given();
            ASSERT_EQ(g.masks(), g.expected(int(seed % 3))) << "seed " << seed << " round " << round;
            g.expect_roots(int(seed % 3));
        }
    }
}

int owned(const Graph& g, int worker)
{
    int count = 0;
    for (int owner : g.ownership.owners())
        count += owner == worker;
    return count;
}

TEST(Ownership, BordersRestWhileTheLoadIsEvenAndMoveUntilItIs)
{
    Graph g = row({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, 0);
    g.update_all();
    const std::vector<bool> is_asleep(16);
    g.ownership.even_out(std::vector<double>{10, 10}, is_asleep, g.graph, g.sets);
    EXPECT_TRUE(g.ownership.given().empty());
    for (int round = 0; round < 30; ++round)
    {
        const std::vector<double> loads{double(owned(g, 0)), double(owned(g, 1))};
        g.ownership.even_out(loads, is_asleep, g.graph, g.sets);
        g.ownership.update_sets({}, {}, g.graph, g.sets);
        g.ownership.forget_given();
    }
    EXPECT_EQ(owned(g, 0), 8);
    EXPECT_EQ(owned(g, 1), 8);
}

TEST(Ownership, BodiesAtRestStayWhereTheyAre)
{
    Graph g = row({0, 0, 0, 0, 1}, 0);
    g.update_all();
    g.ownership.even_out(std::vector<double>{100, 1}, std::vector<bool>(5, true), g.graph, g.sets);
    EXPECT_TRUE(g.ownership.given().empty());
}

// It has rolled over to the others: to keep it would cost an overlap for nothing.
TEST(Ownership, WhatIsAloneAmongOthersIsGivenToThem)
{
    Graph g = row({1, 1, 0, 1, 1}, 0);
    g.update_all();
    g.ownership.even_out(std::vector<double>{1, 100}, std::vector<bool>(5), g.graph, g.sets);
    EXPECT_EQ(g.ownership.owner(2), 1);
}

} // namespace
} // namespace moraine::distribute
