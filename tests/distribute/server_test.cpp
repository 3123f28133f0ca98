// What the main server decides, and what workers hold by that.
#include "distribute/server.h"
#include "support/worker_runs.h"
#include "world/memory.h"

namespace moraine::distribute
{
namespace
{

// Two workers solve as many contacts, and one of them has to seek all of its own anew in every step.
double imbalance_after(int steps, int tested)
{
    const SharedScene shared(load("bowl", {{"count", "10"}}));
    Server server(shared, 2);
    EXPECT_TRUE(bool(server.begin()));
    for (int i = 0; i < steps; ++i)
    {
        std::vector<Report> reports(2);
        for (Report& report : reports)
            report.step.contacts = 1000, report.step.touching = 250;
        reports[0].step.tested = tested;
        server.decide(reports, 0.002f);
    }
    return server.last().imbalance;
}

TEST(Load, CountsContactsThatAreSoughtAnew)
{
    EXPECT_EQ(imbalance_after(500, 0), 1);
    EXPECT_GT(imbalance_after(500, 250), 1.3);
    EXPECT_GT(imbalance_after(500, 250), imbalance_after(500, 125));
}

TEST(Load, IsNotThatOfASingleStep) { EXPECT_LT(imbalance_after(1, 250) - 1, 0.1 * (imbalance_after(500, 250) - 1)); }

double radius_of(const SceneDescription& scene, size_t body)
{
    const BodyDef& def = scene.bodies[body].def;
    const bool is_ball = def.type == BodyType::dynamic_ && def.shapes.size() == 1;
    const auto* ball = is_ball ? std::get_if<Sphere>(&def.shapes[0].geometry) : nullptr;
    return ball ? double(ball->radius) : 0;
}

// Pairs of balls that are inside each other, of which nobody knows.
int count_unseen(const SceneDescription& scene, const Shown& shown)
{
    int unseen = 0;
    for (size_t a = 0; a < shown.bodies.size(); ++a)
        for (size_t b = a + 1; b < shown.bodies.size(); ++b)
        {
            const double touch = radius_of(scene, a) + radius_of(scene, b);
            const DVec3 d = shown.bodies[a].state.pose.position - shown.bodies[b].state.pose.position;
            const bool are_balls = radius_of(scene, a) > 0 && radius_of(scene, b) > 0;
            unseen += are_balls && dot(d, d) < touch * touch && (shown.masks[a] & shown.masks[b]) == 0;
        }
    return unseen;
}

TEST(Meetings, WhateverTouchesIsTogetherInSomeWorkerHoweverBordersMove)
{
    // Steps so small that what bounces off within one comes no further than the contact margin.
    const auto scene = load("bowl", {{"count", "300"}}, [](SceneDescription& s) {
        s.distribute.partition = PartitionKind::naive;
        s.dt = 0.002f;
    });
    int unseen = 0, moved = 0;
    run(scene, 6, 1000, nullptr, [&](const Shown& shown) {
        unseen += count_unseen(*scene, shown);
        moved += shown.last.moved;
    });
    EXPECT_EQ(unseen, 0);
    EXPECT_GT(moved, 300); // else nothing was tried
}

size_t largest_world(const SharedScene& shared, int workers)
{
    Server server(shared, workers);
    EXPECT_TRUE(bool(server.begin()));
    std::vector<int> owners;
    for (int32_t body = 0; body < int32_t(server.masks().size()); ++body)
        owners.push_back(server.known_owner(body));
    size_t largest = 0;
    for (int w = 0; w < workers; ++w)
    {
        Worker worker(shared, shared.scene().world, w, workers);
        EXPECT_TRUE(bool(worker.build(server.masks(), owners)));
        run_in_threads(1, [&](Transport& transport) { worker.step(shared.scene().dt, transport); });
        size_t bytes = 0;
        for (const MemoryPart& part : memory_parts(worker.world().data()))
            bytes += part.use.used;
        largest = std::max(largest, bytes);
    }
    return largest;
}

// Nobody holds the whole world: of W workers each holds one W-th of it, and what it shares with its neighbours.
TEST(Memory, OfAWorkerIsLessTheMoreThereAre)
{
    const SharedScene shared(load("two_way_bridge", {}));
    const size_t alone = largest_world(shared, 1);
    EXPECT_LT(largest_world(shared, 2), 0.65 * double(alone));
    EXPECT_LT(largest_world(shared, 4), 0.4 * double(alone));
    EXPECT_LT(largest_world(shared, 8), 0.25 * double(alone));
}

} // namespace
} // namespace moraine::distribute
