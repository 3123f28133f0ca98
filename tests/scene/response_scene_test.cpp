// The scenes of distant collision response do what they show. Models are made once and then come from the disk.
#include "scene/catalogue.h"
#include "scene/description.h"

#include <gtest/gtest.h>

#include <cmath>

namespace moraine::test
{
namespace
{

struct SceneRun
{
    Scene scene;
    std::vector<Pose> start{};

    static SceneRun of(const std::string& name, bool response, const SceneParameters& parameters = {})
    {
        Result<SceneDescription> description = load_scene(name, parameters);
        EXPECT_TRUE(bool(description)) << (description ? "" : description.error().message);
        description->world.response.is_on = response;
        Result<Scene> scene = Scene::create(*description);
        EXPECT_TRUE(bool(scene)) << (scene ? "" : scene.error().message);
        SceneRun run{std::move(*scene)};
        for (BodyId body : run.scene.bodies())
            run.start.push_back(run.scene.world().pose(body));
        return run;
    }
    int find(const std::string& name) const
    {
        const auto& bodies = scene.description().bodies;
        for (size_t i = 0; i < bodies.size(); ++i)
            if (bodies[i].def.name == name)
                return int(i);
        ADD_FAILURE() << "no body " << name;
        return 0;
    }
    double moved(int body) const
    {
        return length(scene.world().pose(scene.bodies()[size_t(body)]).position - start[size_t(body)].position);
    }
    bool is_called(size_t body, const char* name) const { return scene.description().bodies[body].def.name == name; }
};

TEST(ResponseScenes, ThePotLiftsDishesThatItDoesNotTouch)
{
    for (bool response : {false, true})
    {
        SceneRun run = SceneRun::of("dinner", response);
        World& world = run.scene.world();
        const BodyId pot = run.scene.bodies()[size_t(run.find("pot"))];
        std::vector<double> highest(run.start.size(), 0);
        for (int i = 0; i < 60; ++i)
        {
            const StepReport report = run.scene.step();
            EXPECT_LE(report.response_work, report.response_energy);
            for (size_t k = 0; k < highest.size(); ++k)
                highest[k] = std::max(highest[k],
                                      world.pose(run.scene.bodies()[k]).position.y - run.start[k].position.y);
        }
        int lifted = 0, dishes = 0;
        for (size_t k = 0; k < highest.size(); ++k)
        {
            if (!run.is_called(k, "plate") && !run.is_called(k, "teacup") && !run.is_called(k, "candlestick"))
                continue;
            ++dishes;
            lifted += highest[k] > 1e-3;
        }
        EXPECT_TRUE(world.is_valid(pot));
        EXPECT_EQ(lifted >= dishes / 2, response) << lifted;
        EXPECT_TRUE(response || lifted == 0);
    }
}

TEST(ResponseScenes, TheWrenchStaysUnlessTheRoofShakes)
{
    SceneRun without = SceneRun::of("wrench_roof", false), with = SceneRun::of("wrench_roof", true);
    for (int i = 0; i < 1000; ++i)
    {
        without.scene.step();
        with.scene.step();
    }
    EXPECT_LT(without.moved(without.find("wrench")), 1e-3);
    EXPECT_GT(with.moved(with.find("wrench")), 0.02);
}

TEST(ResponseScenes, LargerBetaIsMoreLocal)
{
    // How much of the motion of all cones is that of the farthest: less and less.
    double share[3];
    int i = 0;
    for (const char* beta : {"0.5", "1", "2"})
    {
        SceneRun run = SceneRun::of("low_rider", true, {{"beta", beta}, {"scale", "1"}});
        std::vector<double> fastest(run.start.size(), 0);
        for (int step = 0; step < 200; ++step)
        {
            run.scene.step();
            for (size_t k = 0; k < fastest.size(); ++k)
                fastest[k] = std::max(fastest[k],
                                      double(length(run.scene.world().linear_velocity(run.scene.bodies()[k]))));
        }
        double near = 0, far = 0;
        for (size_t k = 0; k < fastest.size(); ++k)
        {
            if (!run.is_called(k, "cone"))
                continue;
            const DVec3 p = run.start[k].position;
            const double z = std::fabs(p.z);
            (z < 3.5 ? near : far) += fastest[k];
        }
        share[i++] = far / (near + 1e-9);
    }
    EXPECT_GT(share[0], share[1]);
    EXPECT_GT(share[1], share[2]);
}

TEST(ResponseScenes, ThePlantShakesWhileTheFridgeStands)
{
    double sway[2];
    for (bool response : {false, true})
    {
        SceneRun run = SceneRun::of("washing_machine", response);
        World& world = run.scene.world();
        const int fridge = run.find("fridge");
        for (int i = 0; i < 50; ++i) // until leaves hang
            run.scene.step();
        const Pose fridge_start = world.pose(run.scene.bodies()[size_t(fridge)]);
        double fastest = 0, fridge_moved = 0;
        for (int i = 0; i < 250; ++i)
        {
            run.scene.step();
            const Pose now = world.pose(run.scene.bodies()[size_t(fridge)]);
            fridge_moved = std::max(fridge_moved, length(now.position - fridge_start.position));
            for (size_t k = 0; i > 100 && k < run.start.size(); ++k)
                if (run.is_called(k, "leaf"))
                    fastest = std::max(fastest, double(length(world.angular_velocity(run.scene.bodies()[k]))));
        }
        EXPECT_LT(fridge_moved, 1e-3);
        sway[response] = fastest;
    }
    EXPECT_GT(sway[1], 5 * sway[0] + 0.01);
}

TEST(ResponseScenes, RocksComeDownOnlyWhenTheCliffShakes)
{
    int fallen[2];
    for (bool response : {false, true})
    {
        SceneRun run = SceneRun::of("rockfall", response);
        for (int i = 0; i < 500; ++i)
            run.scene.step();
        fallen[response] = 0;
        for (size_t k = 0; k < run.start.size(); ++k)
            if (run.is_called(k, "rock"))
                fallen[response] += run.scene.world().pose(run.scene.bodies()[k]).position.y <
                                    run.start[k].position.y - 1;
    }
    EXPECT_EQ(fallen[0], 0);
    EXPECT_GT(fallen[1], 0);
}

TEST(ResponseScenes, ToolsJumpOnBothLevelsOfTheScaffold)
{
    for (const char* waves : {"0"})
    {
        SceneRun run = SceneRun::of("scaffold", true, {{"waves", waves}});
        bool has_jumped[2] = {};
        for (int i = 0; i < 120; ++i)
        {
            run.scene.step();
            for (size_t k = 0; k < run.start.size(); ++k)
                if (run.is_called(k, "tool") || run.is_called(k, "tin"))
                    has_jumped[run.start[k].position.y > 2] |=
                        run.scene.world().pose(run.scene.bodies()[k]).position.y > run.start[k].position.y + 1e-4;
        }
        EXPECT_TRUE(has_jumped[0] && has_jumped[1]) << waves;
    }
}

} // namespace
} // namespace moraine::test
