// Sets, overlap, weights and load balance on graphs small enough to be drawn.
#include "distribute/balance.h"
#include "distribute/overlap.h"
#include "distribute/weights.h"

#include <gtest/gtest.h>

#include <numeric>

namespace moraine::distribute
{
namespace
{

// Bodies in a row, each jointed to or touching the next.
struct Row
{
    ConstraintGraph graph;
    WorkerSets sets;
    std::vector<JointPair> joints;

    Row(std::vector<WorkerMask> masks, bool is_jointed) : graph(int(masks.size())), sets(std::move(masks), 4)
    {
        for (int32_t b = 0; b + 1 < sets.bodies(); ++b)
            if (is_jointed)
            {
                graph.add_joint(b, b + 1);
                joints.push_back({b, b + 1});
            }
            else
                graph.add_contact(b, b + 1,
                                  (sets[b] & sets[b + 1]) != 0 ? sets[b] & sets[b + 1] : ConstraintGraph::met);
    }

    void balance(Balance kind = Balance::paper, int growth_depth = 0, std::vector<double> loads = {})
    {
        DistributeDef def;
        def.growth_depth = growth_depth;
        def.balance = kind;
        std::vector<ContactPair> met;
        for (int32_t b = 0; b + 1 < sets.bodies(); ++b)
            if ((sets[b] & sets[b + 1]) == 0)
                met.push_back({b, b + 1});
        if (loads.empty())
            for (int w = 0; w < sets.workers(); ++w)
                loads.push_back(sets.active(w));
        const std::vector<bool> is_asleep(size_t(sets.bodies()));
        balance_load(met, sets.overlap(), def, is_asleep, Loads(loads, sets), graph, sets);
    }

    std::vector<WorkerMask> masks() const
    {
        std::vector<WorkerMask> all;
        for (int32_t b = 0; b < sets.bodies(); ++b)
            all.push_back(sets[b]);
        return all;
    }
};

using Masks = std::vector<WorkerMask>;
constexpr WorkerMask red = 1, green = 2, both = 3;

// Figure 4: the two ends of the joint between the workers, and `growth_depth` more to each side.
TEST(Overlap, GrowsFromTheInterfaceByItsDepth)
{
    Row row({red, red, red, red, green, green, green, green}, true);
    assign_to_overlap(row.joints, 0, row.graph, row.sets);
    EXPECT_EQ(row.masks(), (Masks{red, red, red, both, both, green, green, green}));

    Row grown({red, red, red, red, green, green, green, green}, true);
    assign_to_overlap(grown.joints, 2, grown.graph, grown.sets);
    EXPECT_EQ(grown.masks(), (Masks{red, both, both, both, both, both, both, green}));
}

TEST(Overlap, EveryJointHasAWorkerThatHasBothBodies)
{
    Row row({1, 2, 4, 8, 1, 2, 4, 8}, true);
    assign_to_overlap(row.joints, 1, row.graph, row.sets);
    for (const JointPair& joint : row.joints)
        EXPECT_NE(row.sets[joint.body_a] & row.sets[joint.body_b], 0u) << joint.body_a;
}

// D(o, red) = 1 and D(o, green) = 2: inverse distances 1 and 1/2.
TEST(Weights, AreInverseGraphDistances)
{
    Row row({red, both, both, green}, true);
    std::vector<float> weights;
    compute_weights(1, 0, DistributeDef{}, row.graph, row.sets, {}, weights);
    ASSERT_EQ(weights.size(), 2u);
    EXPECT_FLOAT_EQ(weights[0], 2.0f / 3);
    EXPECT_FLOAT_EQ(weights[1], 1.0f / 3);
    DistributeDef equal;
    equal.weights = BlendWeights::equal;
    compute_weights(1, 0, equal, row.graph, row.sets, {}, weights);
    EXPECT_FLOAT_EQ(weights[0], 0.5f);
}

TEST(Weights, AddUpToOneHoweverFarTheSearchGoes)
{
    Row row({red, both, both, both, both, both, both, green}, true);
    for (int depth = 0; depth < 9; ++depth)
        for (int32_t body = 1; body < 7; ++body)
        {
            DistributeDef def;
            def.search_depth = depth;
            std::vector<float> weights;
            compute_weights(body, 0, def, row.graph, row.sets, {}, weights);
            EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0f), 1, 1e-6f);
            EXPECT_GE(weights[0], 0);
            if (depth >= body) // red is in reach, and the nearer the more it counts
                EXPECT_GT(weights[0], 0);
        }
}

// Bodies 0 to 3 are red's, 4 to 7 green's, 8 to 11 blue's, and green shares all that it has. In the middle of its own part it
// counts most all the same; where parts are thick the distances are those of the paper.
TEST(Weights, TheOwnerOfAThinPartCounts)
{
    constexpr WorkerMask blue = 4, green_and_blue = 6;
    Row row(
        {red, red, both, both, both, both, green_and_blue, green_and_blue, green_and_blue, green_and_blue, blue, blue},
        true);
    const std::vector<int> owners{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    DistributeDef def;
    def.growth_depth = 1;
    def.search_depth = 8;
    std::vector<float> weights;
    // Green's own would begin at body 6 or beyond: D = 3 - 2 = 1 where the border is two constraints away. Red's begin at 1.
    compute_weights(5, 0, def, row.graph, row.sets, owners, weights);
    EXPECT_FLOAT_EQ(weights[0], 0.25f / 1.25f);
    EXPECT_FLOAT_EQ(weights[1], 1 / 1.25f);
    // Without owners it is the paper's: green has nothing alone.
    compute_weights(5, 0, def, row.graph, row.sets, {}, weights);
    EXPECT_EQ(weights, (std::vector<float>{1, 0}));
}

// The last overlap body before the red ones misses a neighbour in green's world: there it is held, and does not count.
TEST(Weights, ACopyThatMissesNeighboursIsHeld)
{
    DistributeDef def;
    def.border = Border::held;
    Row row({red, both, both, both, green}, true);
    EXPECT_EQ(find_held(1, def, row.graph, row.sets), green);
    EXPECT_EQ(find_held(2, def, row.graph, row.sets), 0u);
    EXPECT_EQ(find_held(3, def, row.graph, row.sets), red);
    // Where forces are carried it is not held, but does not count either.
    EXPECT_EQ(find_held(1, DistributeDef{}, row.graph, row.sets), 0u);
    EXPECT_EQ(find_idle(1, DistributeDef{}, row.graph, row.sets), green);
    EXPECT_EQ(find_idle(2, DistributeDef{}, row.graph, row.sets), 0u);
    std::vector<float> weights;
    compute_weights(1, green, DistributeDef{}, row.graph, row.sets, {}, weights);
    EXPECT_EQ(weights, (std::vector<float>{1, 0}));
    Row bridge({red, both, green}, true); // nobody has all: both copies count
    EXPECT_EQ(find_held(1, def, bridge.graph, bridge.sets), 0u);
}

// Figure 9 (i): two bodies of different workers touch. The worker with less to do gets the other's body too.
TEST(Balance, BodiesThatMeetAreShared)
{
    Row row({red, green}, false);
    row.balance(Balance::paper, 0, {1, 5, 0, 0});
    EXPECT_EQ(row.masks(), (Masks{red, both}));
    Row other({red, green}, false);
    other.balance(Balance::paper, 0, {5, 1, 0, 0});
    EXPECT_EQ(other.masks(), (Masks{both, green}));
}

// Figure 9 (ii): what the new overlap body touches, on both sides, follows up to the growth depth.
TEST(Balance, SharingGrowsAlongContacts)
{
    Row row({red, green, green, green}, false);
    row.balance(Balance::none, 1, {1, 5, 0, 0});
    EXPECT_EQ(row.masks(), (Masks{both, both, both, green}));
}

// Figure 9 (iii): an overlap body that touches one worker only is that worker's.
TEST(Balance, AnOverlapBodyWithoutASecondNeighbourIsLetGo)
{
    Row row({red, both}, false);
    row.balance();
    EXPECT_EQ(row.masks(), (Masks{red, red}));
}

// Figure 9 (iv): forces pass through it.
TEST(Balance, ABridgeStaysShared)
{
    Row row({red, both, green}, false);
    EXPECT_TRUE(is_bridge(1, row.graph, row.sets));
    EXPECT_FALSE(is_bridge(0, Row({red, red}, false).graph, Row({red, red}, false).sets));
    row.balance();
    EXPECT_EQ(row.masks(), (Masks{red, both, green}));
}

// Figure 9 (v): two overlap bodies go to the worker with the smallest load.
TEST(Balance, OverlapBodiesThatTouchGoToTheSmallestLoad)
{
    Row row({both, both}, false);
    row.balance(Balance::paper, 0, {7, 3, 0, 0});
    EXPECT_EQ(row.masks(), (Masks{green, green}));
    Row other({both, both}, false);
    other.balance(Balance::paper, 0, {3, 7, 0, 0});
    EXPECT_EQ(other.masks(), (Masks{red, red}));
}

// Whatever collapses, no constraint is left that no worker has whole.
TEST(Balance, EveryContactHasAWorkerAfterwards)
{
    for (uint32_t seed = 0; seed < 500; ++seed)
    {
        std::vector<WorkerMask> masks;
        uint32_t random = seed * 2654435761u + 1;
        for (int b = 0; b < 12; ++b)
        {
            random = random * 1664525u + 1013904223u;
            masks.push_back(WorkerMask(1 + (random >> 16) % 15));
        }
        Row row(masks, false);
        row.balance(seed % 2 ? Balance::paper : Balance::none, int(seed % 3));
        for (int32_t b = 0; b + 1 < row.sets.bodies(); ++b)
            EXPECT_NE(row.sets[b] & row.sets[b + 1], 0u) << "seed " << seed << " body " << b;
    }
}

TEST(Balance, JointsAreNeverTornApart)
{
    Row row({red, both, both, green}, true);
    row.graph.add_contact(1, 2, both);
    row.balance();
    for (const JointPair& joint : row.joints)
        EXPECT_NE(row.sets[joint.body_a] & row.sets[joint.body_b], 0u);
}

TEST(WorkerSets, TheListOfOverlapBodiesFollowsEveryChange)
{
    WorkerSets sets(Masks(20, red), 4);
    uint32_t random = 1;
    for (int round = 0; round < 200; ++round)
    {
        for (int i = 0; i < 5; ++i)
        {
            random = random * 1664525u + 1013904223u;
            sets.set(int32_t((random >> 8) % 20), 1 + (random >> 16) % 15);
            if (random % 7 == 0)
                sets.overlap();
        }
        sets.take_changes();
        std::vector<int32_t> expected;
        for (int32_t b = 0; b < 20; ++b)
            if (count_of(sets[b]) > 1)
                expected.push_back(b);
        const std::span<const int32_t> overlap = sets.overlap();
        ASSERT_EQ(std::vector<int32_t>(overlap.begin(), overlap.end()), expected);
        ASSERT_EQ(sets.overlap_count(), int(expected.size()));
    }
}

} // namespace
} // namespace moraine::distribute
