// The number of workers follows the load: nothing is lost by it, nothing jumps, and it happens in the same way again.
#include "distribute/run.h"
#include "scene/builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace moraine::distribute
{
namespace
{

std::shared_ptr<const SceneDescription> bowl(const std::function<void(DistributeDef&)>& change)
{
    auto scene = load_scene("bowl", {{"count", "400"}});
    EXPECT_TRUE(bool(scene));
    change(scene->distribute);
    return std::make_shared<const SceneDescription>(std::move(*scene));
}

// While the bowl fills, one worker becomes several.
void grow(DistributeDef& def)
{
    def.first_workers = 1;
    def.grow_above = 500;
}

void shrink(DistributeDef& def) { def.shrink_below = 1e6f; }

struct Seen
{
    RunResult result{};
    std::vector<int> active{}; // by step
    float largest_jump = 0;    // metres: beyond what a body's speed explains
};

Seen run(const std::shared_ptr<const SceneDescription>& scene, int workers, uint64_t steps)
{
    Seen seen;
    std::vector<BodyCopy> before;
    const auto observe = [&](const ServerStep& s, uint64_t) {
        seen.active.push_back(s.active);
        return Decision{};
    };
    const auto show = [&](const Shown& shown) {
        for (size_t i = 0; i < before.size(); ++i)
        {
            const BodyState &was = before[i].state, &is = shown.bodies[i].state;
            const float way = length(relative(is.pose.position, was.pose.position));
            const float explained = scene->dt * std::max(length(was.linear), length(is.linear));
            seen.largest_jump = std::max(seen.largest_jump, way - explained);
        }
        before = shown.bodies;
    };
    const auto result = run_workers(scene, {.steps = steps, .observe = observe, .show = show}, workers);
    EXPECT_TRUE(bool(result)) << (result ? "" : result.error().message);
    seen.result = result ? *result : RunResult{};
    return seen;
}

double mean_height(const RunResult& result)
{
    double sum = 0;
    for (const BodyCopy& copy : result.bodies)
        sum += copy.state.pose.position.y;
    return sum / double(result.bodies.size());
}

void expect_whole(const SceneDescription& scene, const RunResult& result)
{
    ASSERT_EQ(result.bodies.size(), scene.bodies.size());
    for (size_t i = 0; i < scene.bodies.size(); ++i)
    {
        EXPECT_EQ(result.bodies[i].body, int32_t(i));
        EXPECT_EQ(result.masks[i] != 0, scene.bodies[i].def.type == BodyType::dynamic_) << i;
    }
}

TEST(ChangeWorkers, TheyBecomeMoreWhereTheLoadGrows)
{
    const auto scene = bowl(grow);
    const Seen seen = run(scene, 4, 300);
    EXPECT_EQ(seen.active.front(), 1);
    EXPECT_EQ(seen.active.back(), 4);
    for (size_t i = 1; i < seen.active.size(); ++i)
        EXPECT_LE(std::abs(seen.active[i] - seen.active[i - 1]), 1);
    expect_whole(*scene, seen.result);
    const Seen alone = run(scene, 1, 300);
    EXPECT_NEAR(mean_height(seen.result) / mean_height(alone.result), 1, 0.05);
    // Gravity within a step, and as much as contacts push bodies apart in one that has no others.
    EXPECT_LT(seen.largest_jump, alone.largest_jump + 0.005f);
}

TEST(ChangeWorkers, TheyBecomeFewerWhereThereIsLittleToDo)
{
    const auto scene = bowl(shrink);
    const Seen seen = run(scene, 4, 300);
    EXPECT_EQ(seen.active.front(), 4);
    EXPECT_EQ(seen.active.back(), 1);
    expect_whole(*scene, seen.result);
    for (size_t i = 0; i < scene->bodies.size(); ++i)
        EXPECT_TRUE(seen.result.masks[i] == 0 || seen.result.masks[i] == mask_of(0)) << i;
    const Seen alone = run(bowl([](DistributeDef&) {}), 1, 300);
    EXPECT_NEAR(mean_height(seen.result) / mean_height(alone.result), 1, 0.05);
    EXPECT_LT(seen.largest_jump, alone.largest_jump + 0.005f);
}

TEST(ChangeWorkers, HappensInTheSameWayAgainAndAcrossACheckpointBitForBit)
{
    const auto scene = bowl(grow);
    const std::string path =
        (std::filesystem::temp_directory_path() / ("moraine_change_workers_" + std::to_string(::getpid()))).string();
    const Seen whole = run(scene, 3, 200);
    EXPECT_EQ(run(scene, 3, 200).result.state_hash, whole.result.state_hash);
    // At the step in which a worker has just been asked for half of what it has, and one in between.
    size_t begun = 1;
    while (begun < whole.active.size() && whole.active[begun] == whole.active[begun - 1])
        ++begun;
    ASSERT_LT(begun, whole.active.size());
    for (uint64_t at : {uint64_t(begun), uint64_t(begun) + 20})
    {
        const auto save = [&](const ServerStep&, uint64_t step) { return Decision{.saves = step == at}; };
        ASSERT_TRUE(bool(run_workers(scene, {.steps = at, .observe = save, .checkpoint_path = path}, 3)));
        const auto checkpoint = load_checkpoint(path);
        ASSERT_TRUE(bool(checkpoint));
        ASSERT_EQ(checkpoint->step, at);
        const auto resumed = run_workers(scene, {.steps = 200, .resumed = &*checkpoint}, 3);
        ASSERT_TRUE(bool(resumed));
        EXPECT_EQ(resumed->state_hash, whole.result.state_hash) << at;
    }
    for (const char* end : {".a", ".b"})
        std::filesystem::remove(path + end);
}

TEST(ChangeWorkers, ThresholdsThatCannotWorkAreErrors)
{
    const auto message = [](const std::function<void(DistributeDef&)>& change) {
        const auto result = run_workers(bowl(change), {.steps = 1}, 2);
        return result ? std::string() : result.error().message;
    };
    EXPECT_NE(message([](DistributeDef& d) { d.first_workers = 3; }).find("first_workers"), std::string::npos);
    EXPECT_NE(message([](DistributeDef& d) { d.grow_above = 10, d.shrink_below = 6; }).find("half of grow_above"),
              std::string::npos);
    EXPECT_NE(message([](DistributeDef& d) { d.grow_above = 10, d.balance = Balance::paper; }).find("--balance steady"),
              std::string::npos);
}

// Twenty bodies in a row; then every other one flies up and the others down: those that are together now go together.
TEST(ChangeWorkers, ARunThatGoesOnWithOthersIsDividedByWhereBodiesAreNow)
{
    SceneDescription scene;
    scene.name = "row";
    scene.world.gravity = {};
    scene.dt = 0.01f;
    for (int i = 0; i < 20; ++i)
    {
        SceneBody body;
        body.def.shapes = {ShapeDef{}};
        body.def.position = {3.0 * i, 0, 0};
        body.def.linear_velocity = {0, i % 2 == 0 ? -100.0f : 100.0f, 0};
        scene.bodies.push_back(body);
    }
    const auto shared = std::make_shared<const SceneDescription>(scene);
    const std::string path =
        (std::filesystem::temp_directory_path() / ("moraine_row_" + std::to_string(::getpid()))).string();
    const auto save = [](const ServerStep&, uint64_t step) { return Decision{.saves = step == 100}; };
    ASSERT_TRUE(bool(run_workers(shared, {.steps = 100, .observe = save, .checkpoint_path = path}, 1)));
    const auto checkpoint = load_checkpoint(path);
    ASSERT_TRUE(bool(checkpoint));
    const auto resumed = run_workers(shared, {.steps = 101, .resumed = &*checkpoint}, 2);
    ASSERT_TRUE(bool(resumed));
    for (size_t i = 0; i < 20; ++i)
        EXPECT_EQ(resumed->masks[i], mask_of(int(i % 2))) << i;
    for (const char* end : {".a", ".b"})
        std::filesystem::remove(path + end);
}

} // namespace
} // namespace moraine::distribute
