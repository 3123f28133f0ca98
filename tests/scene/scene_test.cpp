// Running a description: events are played once, and a restored world goes on as it would have.
#include "scene/catalogue.h"
#include "scene/description.h"

#include <gtest/gtest.h>

namespace moraine
{
namespace
{

SceneBody ball_at(DVec3 position)
{
    SceneBody body;
    body.def.position = position;
    body.def.shapes = {ShapeDef{.geometry = Sphere{0.25f}}};
    return body;
}

SceneDescription scene_with_factory()
{
    SceneDescription scene;
    scene.dt = 0.01f;
    scene.bodies = {ball_at({0, 50, 0})};
    FactoryAction factory;
    factory.prototypes = {ball_at({}), ball_at({})};
    factory.prototypes[1].def.shapes[0].geometry = Box{};
    factory.interval = 0.1f;
    factory.until = 1.05f;
    factory.position = {0, 10, 0};
    factory.spread = {5, 0, 5};
    factory.velocity = {0, -1, 0};
    factory.velocity_spread = {1, 0, 1};
    scene.events.push_back({0.5f, factory});
    return scene;
}

Scene created(const SceneDescription& description)
{
    Result<Scene> scene = Scene::create(description);
    if (!scene)
        throw std::runtime_error(scene.error().message);
    return std::move(scene).value();
}

TEST(Scene, AFactoryMakesOneCloneEachInterval)
{
    Scene scene = created(scene_with_factory());
    for (int i = 0; i < 49; ++i)
        scene.step();
    EXPECT_EQ(scene.world().body_count(), 1);
    for (int i = 0; i < 12; ++i) // past 0.5 and 0.6
        scene.step();
    EXPECT_EQ(scene.world().body_count(), 3);
    for (int i = 0; i < 100; ++i)
        scene.step();
    EXPECT_EQ(scene.world().body_count(), 7); // 0.5, 0.6 ... 1.0
}

TEST(Scene, ARestoredWorldGoesOnTheSame)
{
    Scene scene = created(scene_with_factory());
    for (int i = 0; i < 73; ++i)
        scene.step();
    const std::vector<uint8_t> snapshot = scene.world().snapshot();
    for (int i = 0; i < 60; ++i)
        scene.step();
    const uint64_t hash = scene.world().state_hash();

    // In the same scene, back in time, and in a new one.
    ASSERT_TRUE(scene.world().restore(snapshot));
    for (int i = 0; i < 60; ++i)
        scene.step();
    EXPECT_EQ(scene.world().state_hash(), hash);
    Scene other = created(scene_with_factory());
    ASSERT_TRUE(other.world().restore(snapshot));
    for (int i = 0; i < 60; ++i)
        other.step();
    EXPECT_EQ(other.world().state_hash(), hash);
}

TEST(Scene, EventsArePlayedOnceAtTheirTime)
{
    SceneDescription description;
    description.dt = 0.1f;
    description.bodies = {ball_at({0, 0, 0}), ball_at({5, 0, 0})};
    description.events.push_back({0.25f, DestroyAction{0}});
    description.events.push_back({0.25f, GravityAction{{0, 3, 0}}});
    description.events.push_back({0.35f, VelocityAction{1, {7, 0, 0}, {}}});
    description.events.push_back({0.35f, ImpulseAction{0, {1, 0, 0}, {}}}); // its body is gone: nothing happens
    Scene scene = created(description);
    scene.step();
    scene.step();
    EXPECT_TRUE(scene.world().is_valid(scene.bodies()[0]));
    scene.step();
    EXPECT_FALSE(scene.bodies()[0]);
    EXPECT_EQ(scene.world().gravity(), (Vec3{0, 3, 0}));
    scene.step();
    EXPECT_FLOAT_EQ(scene.world().linear_velocity(scene.bodies()[1]).x, 7);
}

TEST(Scene, BadDescriptionsAreExplained)
{
    const auto complaint = [](auto change) {
        SceneDescription description;
        description.name = "s";
        description.bodies = {ball_at({0, 0, 0}), ball_at({5, 0, 0})};
        change(description);
        Result<Scene> scene = Scene::create(description);
        return scene ? std::string("no complaint") : scene.error().message;
    };
    EXPECT_EQ(complaint([](SceneDescription&) {}), "no complaint");
    EXPECT_EQ(complaint([](SceneDescription& s) { s.bodies[1].def.shapes[0].geometry = Sphere{-1}; }),
              "scene s: body 1: shape 0: sizes must be between 1e-5 and 1e6 metres");
    EXPECT_EQ(complaint([](SceneDescription& s) { s.bodies[1].def.position.x = NAN; }),
              "scene s: body 1: its position must be finite and within 1e9 metres");
    EXPECT_EQ(complaint([](SceneDescription& s) { s.bodies[0].def.shapes.clear(); }),
              "scene s: body 0: a dynamic body needs at least one shape");
    EXPECT_EQ(complaint([](SceneDescription& s) {
                  s.joints.push_back({{}, 0, 2});
              }),
              "scene s: joint 0: refers to a body that is not in the scene");
    EXPECT_EQ(complaint([](SceneDescription& s) {
                  s.events.push_back({0, MagnetAction{9, true}});
              }),
              "scene s: event 0: refers to a body that is not in the scene");
    EXPECT_EQ(complaint([](SceneDescription& s) {
                  s.events.push_back({0, FactoryAction{}});
              }),
              "scene s: event 0: the factory has no prototypes; give at least one body");
    EXPECT_EQ(complaint([](SceneDescription& s) { s.dt = 0; }), "scene s: dt must be between 1e-6 and 1 second");
    EXPECT_EQ(complaint([](SceneDescription& s) { s.bodies[0].motion = SineMotion{}; }),
              "scene s: body 0: only kinematic bodies follow a motion; set its type to kinematic");
}

} // namespace
} // namespace moraine
