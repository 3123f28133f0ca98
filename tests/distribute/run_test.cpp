// Whole runs: what workers compute together against what one world computes alone.
#include "distribute/partition.h"
#include "support/worker_runs.h"

namespace moraine::distribute
{
namespace
{

TEST(Workers, OneWorkerIsARunWithoutWorkersBitForBit)
{
    const auto scene = load("bowl", {{"count", "300"}});
    auto alone = Scene::create(*scene);
    ASSERT_TRUE(bool(alone));
    for (int i = 0; i < 150; ++i)
        alone->step();
    EXPECT_EQ(run(scene, 1, 150).state_hash, alone->world().state_hash());
}

// A wrench that falls on a roof shakes what else is on it, in a worker too.
TEST(Workers, AHitIsFeltAtADistanceAsItIsAloneBitForBit)
{
    const auto scene = load("wrench_roof", {});
    const auto deaf = load("wrench_roof", {}, [](SceneDescription& s) { s.world.response.is_on = false; });
    const RunResult felt = run(scene, 1, 150);
    auto alone = Scene::create(*scene);
    ASSERT_TRUE(bool(alone));
    for (int i = 0; i < 150; ++i)
        alone->step();
    EXPECT_EQ(felt.state_hash, alone->world().state_hash());
    EXPECT_NE(felt.state_hash, run(deaf, 1, 150).state_hash);
}

TEST(Workers, TheSameBitsInEveryRunBitForBit)
{
    const auto scene = load("bowl", {{"count", "400"}});
    for (int workers : {2, 3, 5})
        EXPECT_EQ(run(scene, workers, 150).state_hash, run(scene, workers, 150).state_hash) << workers;
}

// With an overlap of everything the blend has nothing to do.
TEST(Workers, WhenAllBodiesOverlapTheRunIsTheSameAsAlone)
{
    const auto scene = load("bridge", {}, [](SceneDescription& s) {
        s.distribute.growth_depth = 100000;
        s.distribute.balance = Balance::none;
        s.dt = 0.002f;
        std::erase_if(s.bodies,
                      [&](const SceneBody& b) { return b.def.name.empty() && b.color == MaterialColor::blue; });
    });
    ServerStep last;
    const RunResult alone = run(scene, 1, 100), divided = run(scene, 2, 100, &last);
    EXPECT_EQ(last.overlap, 100);
    EXPECT_LT(largest_distance(alone, divided), 1e-5);
}

TEST(Workers, DetectionByWorkersFindsWhatTheMainServerFindsBitForBit)
{
    const auto scene = load("bowl", {{"count", "400"}});
    const auto central = load("bowl", {{"count", "400"}},
                              [](SceneDescription& s) { s.distribute.detection = Detection::central; });
    EXPECT_EQ(run(scene, 3, 150).state_hash, run(central, 3, 150).state_hash);
}

// Nothing falls through anything, nothing is lost: the heap is as high and as deep in itself as one world makes it.
TEST(Workers, ABowlFillsAsItDoesAlone)
{
    for (Balance balance : {Balance::steady, Balance::paper})
    {
        const auto scene = load("bowl", {{"count", "600"}},
                                [&](SceneDescription& s) { s.distribute.balance = balance; });
        const RunResult alone = run(scene, 1, 300), divided = run(scene, 4, 300);
        double height_alone = 0, height_divided = 0;
        for (size_t i = 4; i < alone.bodies.size(); ++i)
        {
            height_alone += alone.bodies[i].state.pose.position.y;
            height_divided += divided.bodies[i].state.pose.position.y;
            EXPECT_GT(divided.bodies[i].state.pose.position.y, 0);
        }
        EXPECT_NEAR(height_divided / height_alone, 1, 0.05);
    }
}

// Bodies by part, one part for each worker.
std::shared_ptr<const SceneDescription> divided_by_hand(SceneDescription scene, Border border)
{
    scene.dt = 0.002f;
    scene.world.sleeping = false;
    scene.distribute.partition = PartitionKind::semantic;
    scene.distribute.border = border;
    scene.distribute.balance = Balance::steady;
    return std::make_shared<const SceneDescription>(std::move(scene));
}

double lowest_gain(const RunResult& result, const SceneDescription& scene)
{
    double least = infinity;
    for (size_t i = 0; i < result.bodies.size(); ++i)
        least = std::min(least, result.bodies[i].state.pose.position.y - scene.bodies[i].def.position.y);
    return least;
}

// One box on top of the other, so many storeys to a worker.
SceneDescription make_column(int boxes, int storeys)
{
    SceneDescription column;
    add_ground(column, 10);
    for (int i = 0; i < boxes; ++i)
    {
        SceneBody box = make_body({0, 0.5 + i, 0}, Box{{0.5f, 0.5f, 0.5f}});
        box.part = i / storeys;
        add(column, std::move(box));
    }
    return column;
}

// Workers above one another: each must bear what is on top of what it has, and does not know it. What rests has no other
// motion than the contacts' softness, so the column is as high as alone to a tenth of a millimetre.
TEST(Workers, AColumnDividedIntoStoreysBearsItsWeight)
{
    const SceneDescription column = make_column(12, 4);
    const auto scene = divided_by_hand(column, Border::carried);
    const RunResult alone = run(scene, 1, 1000), divided = run(scene, 3, 1000);
    for (size_t i = 0; i < alone.bodies.size(); ++i)
        EXPECT_NEAR(divided.bodies[i].state.pose.position.y, alone.bodies[i].state.pose.position.y, 1e-4) << i;
    // Without the forces of the last step it sinks into itself: this is what they are for.
    const auto free = divided_by_hand(column, Border::free);
    EXPECT_LT(lowest_gain(run(free, 3, 1000), column), 2 * lowest_gain(alone, column));
}

// As the paper proposes: what one worker solves by sub-steps, the next solves with sweeps, and both bear the same weight.
TEST(Workers, MaySolveInDifferentWays)
{
    SceneDescription column = make_column(9, 3);
    column.distribute.solvers = {SolverKind::substep, SolverKind::pgs};
    const auto scene = divided_by_hand(column, Border::carried);
    // Soft contacts give way by some millimetres, rigid ones do not; nothing sinks further or jumps.
    EXPECT_GT(lowest_gain(run(scene, 3, 1000), column), -0.01);
    EXPECT_LT(lowest_gain(run(scene, 3, 1000), column), 1e-4);
}

// A chain hangs from the ceiling, and each third carries all that hangs below it.
TEST(Workers, AChainDividedAcrossItsLengthHangs)
{
    SceneDescription chain;
    SceneBody ceiling = make_body({0, 0, 0}, Box{{0.1f, 0.1f, 0.1f}});
    ceiling.def.type = BodyType::static_;
    int above = add(chain, std::move(ceiling));
    for (int i = 0; i < 30; ++i)
    {
        SceneBody link = make_body({0, -0.5 - i, 0}, Box{{0.1f, 0.45f, 0.1f}});
        link.part = i / 10;
        const int body = add(chain, std::move(link));
        add_joint(chain, above, body, {{0, double(-i), 0}, {}}, BallJoint{});
        above = body;
    }
    const auto scene = divided_by_hand(chain, Border::carried);
    const RunResult alone = run(scene, 1, 1000), divided = run(scene, 3, 1000);
    EXPECT_LT(largest_distance(alone, divided), 1e-3);
}

TEST(Workers, LoadIsEvenAfterTwoHundredSteps)
{
    const auto scene = load("bowl", {{"count", "1500"}},
                            [](SceneDescription& s) { s.distribute.partition = PartitionKind::naive; });
    ServerStep last;
    run(scene, 4, 250, &last);
    EXPECT_LT(last.imbalance, 1.15);
}

TEST(Workers, MoreWorkersThanBodiesIsAnError)
{
    const auto scene = load("bowl", {{"count", "3"}});
    const auto result = run_workers(scene, {.steps = 1}, 4);
    ASSERT_FALSE(bool(result));
    EXPECT_NE(result.error().message.find("use fewer workers"), std::string::npos);
}

TEST(Workers, DepthsThatMakeNoSenseAreRefused)
{
    for (int depth : {-1, 2147483647})
        for (int DistributeDef::*which : {&DistributeDef::growth_depth, &DistributeDef::search_depth})
        {
            const auto scene = load("bowl", {{"count", "10"}});
            scene->distribute.*which = depth;
            const auto result = run_workers(scene, {.steps = 1}, 2);
            ASSERT_FALSE(bool(result));
            EXPECT_NE(result.error().message.find("must be 0 to"), std::string::npos);
        }
}

TEST(Partition, EveryKindGivesEachDynamicBodyAWorkerAndEvenParts)
{
    const auto scene = load("bowl", {{"count", "1000"}});
    for (PartitionKind kind : {PartitionKind::naive, PartitionKind::bisect, PartitionKind::metis})
    {
        if (kind == PartitionKind::metis && !has_metis())
            continue;
        DistributeDef def;
        def.partition = kind;
        const auto parts = make_partition(*scene, def, 6);
        ASSERT_TRUE(bool(parts));
        std::vector<int> counts(6);
        for (size_t b = 0; b < parts->size(); ++b)
        {
            const bool is_dynamic = scene->bodies[b].def.type == BodyType::dynamic_;
            ASSERT_EQ((*parts)[b] >= 0, is_dynamic);
            if (is_dynamic)
                ++counts[size_t((*parts)[b])];
        }
        for (int count : counts)
            EXPECT_NEAR(count, 1000.0 / 6, 12);
    }
}

// A ladder is longer across its rungs than along them, but there are fewer of its rails to cut.
TEST(Partition, HalvesAreCutWhereTheFewestConstraintsAre)
{
    SceneDescription scene;
    std::vector<ContactPair> touching;
    for (int rung = 0; rung < 10; ++rung)
        for (int side = 0; side < 2; ++side)
        {
            SceneBody body;
            body.def.position = {side * 20.0, 0, rung * 1.0};
            scene.bodies.push_back(body);
            const int b = 2 * rung + side;
            if (side == 1)
                touching.push_back({b - 1, b});
            if (rung > 0)
                touching.push_back({b - 2, b});
        }
    const auto parts = make_partition(scene, {}, 2, touching);
    ASSERT_TRUE(bool(parts));
    for (int b = 0; b < 20; ++b)
        EXPECT_EQ((*parts)[size_t(b)], b / 10);
    // Where nothing holds them together the long side is cut.
    const auto loose = make_partition(scene, {}, 2);
    ASSERT_TRUE(bool(loose));
    for (int b = 0; b < 20; ++b)
        EXPECT_EQ((*loose)[size_t(b)], b % 2);
}

// Balls come down layer by layer: whenever some have come to rest and others have not, all workers have as many of both.
TEST(Partition, AColumnThatFallsIsCutUpright)
{
    const auto scene = load("bowl", {{"count", "8400"}}); // layers of 420
    const auto parts = make_partition(*scene, {}, 8);
    ASSERT_TRUE(bool(parts));
    const size_t fixed = parts->size() - 8400;
    for (size_t layer = 0; layer < 20; ++layer)
    {
        std::vector<int> counts(8);
        for (size_t b = 0; b < 420; ++b)
            ++counts[size_t((*parts)[fixed + 420 * layer + b])];
        for (int count : counts)
            EXPECT_NEAR(count, 420 / 8.0, 12);
    }
}

} // namespace
} // namespace moraine::distribute
