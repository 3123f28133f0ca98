// Things that stand must stand.
#include "scene/description.h"
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

struct Standing
{
    double worst_shift = 0;
    double worst_sag = 0;
};

// How far the bodies of a scene get from where they are after `settle` seconds, with sleep off: nothing may hide behind
// it.
Standing stand(const std::string& name, const SceneParameters& parameters, double seconds, double settle = 0,
               SolverKind solver = SolverKind::substep)
{
    Result<SceneDescription> description = load_scene(name, parameters);
    if (!description)
    {
        ADD_FAILURE() << description.error().message;
        return {1e9, 1e9};
    }
    description->world.sleeping = false;
    description->world.solver = solver;
    description->world.iterations = 15; // of pgs
    Result<Scene> scene = Scene::create(*description);
    World& world = scene->world();
    std::vector<BodyId> bodies = world.bodies();
    std::vector<DVec3> start;
    for (int i = 0; i < int(settle / double(description->dt)); ++i)
        scene->step();
    for (BodyId b : bodies)
        start.push_back(world.center_of_mass(b));
    for (int i = 0; i < int(seconds / double(description->dt)); ++i)
        scene->step();
    Standing s;
    for (size_t i = 0; i < bodies.size(); ++i)
    {
        const DVec3 way = world.center_of_mass(bodies[i]) - start[i];
        s.worst_shift = std::max(s.worst_shift, std::hypot(way.x, way.z));
        s.worst_sag = std::max(s.worst_sag, std::fabs(way.y));
    }
    return s;
}

// `light` boxes below, one `ratio` times as heavy on top of them.
void heavy_on_light(SolverKind solver, size_t light, float ratio, double allowed_overlap)
{
    WorldDef def = without_sleep();
    def.solver = solver;
    def.iterations = 30; // of pgs
    TestWorld w(def);
    w.add_floor();
    std::vector<BodyId> boxes;
    for (size_t i = 0; i <= light; ++i)
        boxes.push_back(w.add_box({0, 0.5 + double(i), 0}, {0.5f, 0.5f, 0.5f}, {}, i == light ? ratio : 1.0f));
    w.run_seconds(10);
    for (size_t i = 0; i <= light; ++i)
    {
        EXPECT_NEAR(w.position(boxes[i]).y, 0.5 + double(i), allowed_overlap * double(i + 1)) << "box " << i;
        EXPECT_LT(std::hypot(w.way(boxes[i]).x, w.way(boxes[i]).z), 0.02) << "box " << i;
    }
}

} // namespace

TEST(Stack, TwentyBoxesStandForAMinute)
{
    TestWorld w(without_sleep());
    w.add_floor();
    std::vector<BodyId> boxes;
    for (int i = 0; i < 20; ++i)
        boxes.push_back(w.add_box({0, 0.5 + i, 0}));
    w.run_seconds(60);
    for (BodyId b : boxes)
    {
        EXPECT_LT(std::hypot(w.way(b).x, w.way(b).z), 0.01);
        EXPECT_LT(std::fabs(w.way(b).y), 0.05);
        EXPECT_LT(w.speed(b), 1e-2f);
        EXPECT_LT(w.turned(b), 1e-2f);
    }
}

TEST(Stack, TwentyBoxesSetDownAskewStandForAMinute)
{
    TestWorld w(without_sleep());
    w.add_floor();
    std::vector<BodyId> boxes;
    for (int i = 0; i < 20; ++i)
        boxes.push_back(w.add_box({i % 2 ? 0.05 : -0.05, 0.5 + 1.01 * i, i % 3 ? 0.03 : -0.03}));
    w.run_seconds(60);
    // Contacts give a little, so a tall stack that was set down askew sways; it must not fall.
    for (size_t i = 0; i < boxes.size(); ++i)
    {
        EXPECT_LT(std::hypot(w.way(boxes[i]).x, w.way(boxes[i]).z), 0.25) << "box " << i;
        EXPECT_NEAR(w.position(boxes[i]).y, 0.5 + double(i), 0.05) << "box " << i;
    }
}

TEST(Stack, TheFloorCarriesTheWeightOfTheStack)
{
    TestWorld w(without_sleep());
    const BodyId floor = w.add_floor();
    for (int i = 0; i < 10; ++i)
        w.add_box({0, 0.5 + i, 0}, {0.5f, 0.5f, 0.5f}, {}, 2);
    w.run_seconds(5);
    float impulse = 0;
    for (const ContactInfo& c : w->contacts(floor))
        impulse += c.impulse;
    EXPECT_NEAR(impulse, 20 * gravity * w.dt, 0.01f * 20 * gravity * w.dt);
}

TEST(Stack, PyramidOfBaseThirtyStands)
{
    const Standing s = stand("pyramid", {{"base", "30"}}, 10);
    EXPECT_LT(s.worst_shift, 0.05);
    EXPECT_LT(s.worst_sag, 0.1);
}

TEST(Stack, PyramidOfBaseThirtyStandsByFifteenSweeps)
{
    const Standing s = stand("pyramid", {{"base", "30"}}, 10, 0, SolverKind::pgs);
    EXPECT_LT(s.worst_shift, 0.05);
    EXPECT_LT(s.worst_sag, 0.1);
}

TEST(Stack, WallOfBricksStands)
{
    const Standing s = stand("wall", {{"count", "395"}}, 5);
    EXPECT_LT(s.worst_shift, 0.02);
    EXPECT_LT(s.worst_sag, 0.05);
}

TEST(Stack, TowerOfRingsStands)
{
    const Standing s = stand("tower", {{"layers", "12"}}, 10);
    EXPECT_LT(s.worst_shift, 0.03);
    EXPECT_LT(s.worst_sag, 0.05);
}

TEST(Stack, CardHouseStands)
{
    const Standing s = stand("card_house", {}, 30, 2); // the cards slip into their places first
    EXPECT_LT(s.worst_shift, 0.005);
    EXPECT_LT(s.worst_sag, 0.005);
    const Standing whole = stand("card_house", {}, 2);
    EXPECT_LT(whole.worst_shift, 0.05);
    EXPECT_LT(whole.worst_sag, 0.05);
}

TEST(Stack, AHundredTimesHeavierBoxOnLightOnesStandsByPgs)
{
    heavy_on_light(SolverKind::pgs, 1, 100, 0.005);
    heavy_on_light(SolverKind::pgs, 4, 100, 0.005);
}

TEST(Stack, AHundredTimesHeavierBoxOnLightOnesStandsBySubsteps)
{
    heavy_on_light(SolverKind::substep, 1, 100, 0.02);
    heavy_on_light(SolverKind::substep, 4, 100, 0.02);
}

TEST(Stack, AHundredTimesHeavierBoxOnLightOnesStandsByPivoting)
{
    heavy_on_light(SolverKind::direct, 1, 100, 0.005);
    heavy_on_light(SolverKind::direct, 4, 100, 0.005);
}

namespace
{

void bridge_carries(SolverKind solver, float allowed_gap)
{
    Result<SceneDescription> description = load_scene("bridge", {{"planks", "100"}, {"boxes", "20"}});
    ASSERT_TRUE(description) << description.error().message;
    description->world.sleeping = false;
    description->world.solver = solver;
    Result<Scene> scene = Scene::create(*description);
    ASSERT_TRUE(scene);
    World& world = scene->world();
    const int joints = world.joint_count();
    ASSERT_GE(joints, 100);
    float worst = 0;
    double energy_before = 0, energy_after = 0; // of motion, the largest in ten seconds
    for (int i = 0; i < 3600; ++i)
    {
        scene->step();
        if (i < 600)
            energy_before = std::max(energy_before, world.kinetic_energy());
        if (i >= 3000)
            energy_after = std::max(energy_after, world.kinetic_energy());
        for (JointId j : world.joints())
            worst = std::max(worst, world.joint_error(j));
    }
    EXPECT_EQ(world.joint_count(), joints);
    EXPECT_TRUE(all_finite(world));
    EXPECT_LT(worst, allowed_gap);
    EXPECT_LT(energy_after, 0.25 * energy_before); // it was let go taut, swings, and calms down
}

} // namespace

TEST(Stack, ABridgeOfAHundredPlanksCarriesItsBoxesBySubsteps) { bridge_carries(SolverKind::substep, 0.04f); }

TEST(Stack, ABridgeOfAHundredPlanksCarriesItsBoxesByPgs) { bridge_carries(SolverKind::pgs, 0.15f); }

TEST(Stack, AHeapOfChainsHoldsTogether)
{
    Result<SceneDescription> description = load_scene("chains", {{"chains", "40"}});
    ASSERT_TRUE(description) << description.error().message;
    description->world.sleeping = false;
    Result<Scene> scene = Scene::create(*description);
    ASSERT_TRUE(scene);
    for (int i = 0; i < 300; ++i)
        scene->step();
    float worst = 0;
    for (JointId j : scene->world().joints())
        worst = std::max(worst, scene->world().joint_error(j));
    EXPECT_LT(worst, 0.0026f);
    EXPECT_TRUE(all_finite(scene->world()));
}
