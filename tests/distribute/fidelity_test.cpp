// What is divided moves as what is not. MORAINE_LONG_RUNS=1 tries the scenes in their full size and over many seconds, which takes
// minutes; else they are small and short.
#include "support/worker_runs.h"

#include <algorithm>
#include <cstdlib>

namespace moraine::distribute
{
namespace
{

bool is_long() { return std::getenv("MORAINE_LONG_RUNS") != nullptr; }

// The building stands on its own, so that all of it is one piece of the constraint graph.
TEST(Fidelity, ABuildingOfWhichAllIsSharedStandsAsItDoesAlone)
{
    const auto scene = load("building", {});
    scene->world.sleeping = false;
    scene->distribute.growth_depth = 100000;
    std::erase_if(scene->bodies, [](const SceneBody& b) { return b.def.is_fast; }); // the cannon balls
    ServerStep last;
    const RunResult alone = run(scene, 1, 100), divided = run(scene, 2, 100, &last);
    EXPECT_EQ(last.overlap, 2406);
    EXPECT_LT(largest_distance(alone, divided), 1e-5);
}

// The largest of something over all workers and steps.
double largest(const std::shared_ptr<const SceneDescription>& scene, int workers, uint64_t steps,
               float WorkerStep::*value)
{
    double most = 0;
    const auto observe = [&](const ServerStep& s, uint64_t) {
        for (const WorkerStep& w : s.workers)
            most = std::max(most, double(w.*value));
        return Decision{};
    };
    EXPECT_TRUE(bool(run_workers(scene, {.steps = steps, .observe = observe}, workers)));
    return most;
}

// Balls of 24 t at 45 m/s come upon bricks 9 cm a step: whoever holds these must know of the ball a step before.
TEST(Fidelity, ACannonBallGoesNoDeeperIntoWallsThanAlone)
{
    const auto scene = load("building", {});
    const double alone = largest(scene, 1, 180, &WorkerStep::penetration_max);
    EXPECT_GT(alone, 0.03);
    EXPECT_LT(largest(scene, 8, 180, &WorkerStep::penetration_max), 1.5 * alone);
}

// Ten sections for each of four workers, which share seven to either side: two of them have nothing alone.
TEST(Fidelity, JointsOfAShortBridgeOpenNoFurtherThanAlone)
{
    const auto scene = load("two_way_bridge", {{"sections", "40"}});
    const double alone = largest(scene, 1, 200, &WorkerStep::joint_error_max);
    EXPECT_GT(alone, 0);
    EXPECT_LT(largest(scene, 4, 200, &WorkerStep::joint_error_max), 1.5 * alone);
}

// Rings that are linked cannot be further apart than two radii of 0.1 m and a wire. Each is linked with two of the next row.
TEST(Fidelity, TheNetLosesNoLinkAcrossBorders)
{
    const int columns = is_long() ? 38 : 8, rows = is_long() ? 98 : 12;
    const auto scene = load("chain_net",
                            is_long() ? SceneParameters{} : SceneParameters{{"columns", "8"}, {"rows", "12"}});
    ASSERT_EQ(int(scene->bodies.size()), 1 + columns * (rows + 2));
    float farthest = 0;
    const auto watch = [&](const Shown& shown) {
        if (shown.step % 10 != 0)
            return;
        for (int row = 0; row + 1 < rows + 2; ++row)
            for (int column = 0; column < columns; ++column)
                for (int side : {0, (row - 1) & 1 ? 1 : -1})
                {
                    if (column + side < 0 || column + side >= columns)
                        continue;
                    const auto place = [&](int r, int c) {
                        return shown.bodies[size_t(1 + r * columns + c)].state.pose.position;
                    };
                    farthest = std::max(farthest, length(relative(place(row + 1, column + side), place(row, column))));
                }
    };
    run(scene, is_long() ? 8 : 4, is_long() ? 5000 : 400, nullptr, watch);
    EXPECT_GT(farthest, 0.1f); // they do hang in each other
    EXPECT_LT(farthest, 0.21f);
    RecordProperty("farthest_mm", int(1000 * farthest));
    if (is_long())
        std::printf("linked rings are %.1f mm apart at most\n", double(1000 * farthest));
}

// The middle of the bridge sags and swings back, within 5 % of its height above the ground as it does in one world.
TEST(Fidelity, TheMiddleOfABridgeSagsAsItDoesAlone)
{
    const auto scene = load("two_way_bridge", is_long() ? SceneParameters{} : SceneParameters{{"sections", "80"}});
    const uint64_t steps = is_long() ? 2500 : 300;
    size_t middle = 0;
    const auto from_middle = [&](size_t i) {
        const DVec3 p = scene->bodies[i].def.position;
        return scene->bodies[i].def.type == BodyType::dynamic_ ? std::hypot(p.x, p.z) : 1e9;
    };
    for (size_t i = 0; i < scene->bodies.size(); ++i)
        middle = from_middle(i) < from_middle(middle) ? i : middle;
    const auto heights_with = [&](int workers) {
        std::vector<double> heights;
        run(scene, workers, steps, nullptr,
            [&](const Shown& shown) { heights.push_back(shown.bodies[middle].state.pose.position.y); });
        return heights;
    };
    const std::vector<double> alone = heights_with(1), divided = heights_with(is_long() ? 8 : 4);
    double most = 0, farthest = 0;
    for (size_t i = 0; i < alone.size(); ++i)
    {
        most = std::max(most, std::abs(divided[i] / alone[i] - 1));
        farthest = std::max(farthest, std::abs(divided[i] - alone[i]));
    }
    EXPECT_LT(most, 0.05);
    const auto [lowest, highest] = std::minmax_element(alone.begin(), alone.end());
    if (is_long())
        std::printf("the height of the middle differs by %.2f %% at most: %.0f mm, while it swings by %.0f mm\n",
                    100 * most, 1000 * farthest, 1000 * (*highest - *lowest));
}

} // namespace
} // namespace moraine::distribute
