#include "scene/catalogue.h"
#include "scene/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace moraine
{
namespace
{

int dynamic_count(const SceneDescription& scene)
{
    return int(std::count_if(scene.bodies.begin(), scene.bodies.end(),
                             [](const SceneBody& body) { return body.def.type == BodyType::dynamic_; }));
}

SceneDescription scene_called(const std::string& name, const SceneParameters& parameters = {})
{
    Result<SceneDescription> scene = load_scene(name, parameters);
    EXPECT_TRUE(scene) << scene.error().message;
    return scene ? *scene : SceneDescription{};
}

class EveryScene : public testing::TestWithParam<std::string>
{
};

TEST_P(EveryScene, HasValidDefinitions)
{
    const SceneDescription scene = scene_called(GetParam());
    EXPECT_EQ(scene.name, GetParam());
    EXPECT_FALSE(scene.description.empty());
    EXPECT_GT(dynamic_count(scene), 0);
    EXPECT_GT(scene.steps, 0);
    const Status status = validate_scene(scene);
    EXPECT_TRUE(status) << status.error().message;
}

TEST_P(EveryScene, HasParametersWithinTheirOwnBounds)
{
    const CatalogueEntry* entry = find_catalogue_entry(GetParam());
    ASSERT_NE(entry, nullptr);
    for (const CatalogueParameter& parameter : entry->parameters)
    {
        EXPECT_LE(parameter.lower, parameter.value) << parameter.name;
        EXPECT_LE(parameter.value, parameter.upper) << parameter.name;
        EXPECT_FALSE(parameter.description.empty()) << parameter.name;
    }
}

TEST_P(EveryScene, IsTheSameEachTime)
{
    EXPECT_EQ(to_json(scene_called(GetParam())), to_json(scene_called(GetParam())));
}

TEST_P(EveryScene, WithTheSmallestParametersIsValidToo)
{
    const CatalogueEntry* entry = find_catalogue_entry(GetParam());
    SceneParameters parameters;
    for (const CatalogueParameter& parameter : entry->parameters)
        parameters[std::string(parameter.name)] = std::to_string(parameter.lower);
    const Status status = validate_scene(scene_called(GetParam(), parameters));
    EXPECT_TRUE(status) << status.error().message;
}

std::vector<std::string> all_names()
{
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue())
        names.emplace_back(entry.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryScene, testing::ValuesIn(all_names()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

TEST(Catalogue, HasThePromisedScenes)
{
    const std::vector<std::string> names = all_names();
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    for (const char* name : {"pyramid",
                             "wall",
                             "pile_5000",
                             "hull_pile",
                             "bowl",
                             "chains",
                             "ragdolls",
                             "card_house",
                             "tower",
                             "bridge",
                             "slope",
                             "newton_cradle",
                             "spinning_tops",
                             "ferry",
                             "falling",
                             "resting",
                             "domino",
                             "mixed_shapes",
                             "magnet_crane",
                             "machine",
                             "wagon",
                             "demo",
                             "ship_crane",
                             "dominoes",
                             "dominoes_platforms",
                             "funnel",
                             "messy_stack",
                             "tower_platform",
                             "tower_projectile",
                             "spinner",
                             "see_saw",
                             "impulse_tower",
                             "dumpster",
                             "magnet",
                             "boat",
                             "braking_truck",
                             "lift",
                             "turntable",
                             "conveyor",
                             "gripper",
                             "rope_bridge_with_crates"})
        EXPECT_NE(find_catalogue_entry(name), nullptr) << name;
}

TEST(Catalogue, HasThePromisedBodyCounts)
{
    const std::pair<const char*, int> promised[] = {
        {"pyramid", 465},   {"wall", 2000},       {"pile_5000", 5000},   {"hull_pile", 2000},
        {"bowl", 5040},     {"chains", 4000},     {"ragdolls", 20 * 11}, {"bridge", 120},
        {"slope", 10},      {"newton_cradle", 5}, {"ferry", 2000},       {"falling", 10000},
        {"resting", 10000}, {"domino", 300},      {"tower", 26 * 13},    {"card_house", 40}};
    for (const auto& [name, count] : promised)
        EXPECT_EQ(dynamic_count(scene_called(name)), count) << name;
    // Those of the papers on merging.
    EXPECT_EQ(dynamic_count(scene_called("wagon")), 118);
    EXPECT_EQ(dynamic_count(scene_called("tower_platform")), 326);
    EXPECT_EQ(dynamic_count(scene_called("dominoes_platforms")) + 1, 103); // with the ground
    EXPECT_GE(dynamic_count(scene_called("ship_crane")), 212);
    EXPECT_EQ(dynamic_count(scene_called("boat")), 6);
    EXPECT_EQ(scene_called("chains").joints.size(), 200u * 19u);
    EXPECT_EQ(scene_called("bridge").joints.size(), 101u);
}

TEST(Catalogue, ParametersChangeTheCount)
{
    EXPECT_EQ(dynamic_count(scene_called("pyramid", {{"base", "4"}})), 10);
    EXPECT_EQ(dynamic_count(scene_called("ferry", {{"stacks", "7"}, {"height", "3"}})), 21);
    EXPECT_EQ(dynamic_count(scene_called("wall", {{"count", "123"}})), 123);
    EXPECT_EQ(dynamic_count(scene_called("chains", {{"chains", "3"}, {"links", "4"}})), 12);
}

TEST(Catalogue, ScenesThatPeersRunUseSharedShapesOnly)
{
    for (const char* name : {"pyramid", "wall", "pile_5000", "hull_pile", "bowl", "chains", "ferry"})
        for (const SceneBody& body : scene_called(name).bodies)
            for (const ShapeDef& shape : body.def.shapes)
            {
                const bool is_shared = std::holds_alternative<Box>(shape.geometry) ||
                                       std::holds_alternative<Sphere>(shape.geometry) ||
                                       std::holds_alternative<Capsule>(shape.geometry) ||
                                       std::holds_alternative<HullRef>(shape.geometry);
                EXPECT_TRUE(is_shared) << name;
            }
}

// Two scenes of the papers name the mass ratio of what carries to what is carried.
TEST(Catalogue, CarriersHaveThePapersMassRatios)
{
    const auto mass_of = [](const SceneBody& body) {
        World world;
        return world.mass(world.create_body(body.def));
    };
    const auto named = [](const SceneDescription& scene, std::string_view name) {
        return *std::find_if(scene.bodies.begin(), scene.bodies.end(),
                             [&](const SceneBody& body) { return body.def.name == name; });
    };
    const SceneDescription port = scene_called("ship_crane"), funnel = scene_called("funnel");
    const float ship = mass_of(named(port, "ship"));
    const float container = mass_of(*std::find_if(port.bodies.begin(), port.bodies.end(), [](const SceneBody& body) {
        return body.def.type == BodyType::dynamic_ && body.def.name.empty();
    }));
    EXPECT_NEAR(ship / container, 180, 0.1);
    const auto& factory = std::get<FactoryAction>(funnel.events[0].action);
    EXPECT_NEAR(mass_of(named(funnel, "funnel")) / mass_of(factory.prototypes[0]), 666, 0.5);
}

TEST(Catalogue, TheFunnelDropsAsManyCubesAsPromised)
{
    Result<Scene> scene = Scene::create(scene_called("funnel", {{"count", "30"}, {"every", "3"}}));
    ASSERT_TRUE(scene);
    const int before = scene->world().body_count();
    for (int i = 0; i < 150; ++i)
        scene->step();
    EXPECT_EQ(scene->world().body_count() - before, 30);
}

// Upright boxes that overlap in x and z may touch in y but not overlap.
void expect_exact_stacking(const SceneDescription& scene)
{
    std::map<std::pair<double, double>, std::vector<double>> columns;
    for (const SceneBody& body : scene.bodies)
        if (body.def.type == BodyType::dynamic_)
            columns[{body.def.position.x, body.def.position.z}].push_back(body.def.position.y);
    for (auto& [place, heights] : columns)
    {
        std::sort(heights.begin(), heights.end());
        EXPECT_EQ(heights[0] - 0.5, std::floor(heights[0])) << "stands on a course";
        for (size_t i = 1; i < heights.size(); ++i)
            EXPECT_GE(heights[i] - heights[i - 1], 1.0);
    }
}

TEST(Catalogue, StacksTouchExactly)
{
    expect_exact_stacking(scene_called("pyramid"));
    expect_exact_stacking(scene_called("wall"));
    expect_exact_stacking(scene_called("ferry"));
}

TEST(Catalogue, TheFerryDeckGrowsWithItsLoad)
{
    const auto deck_size = [](const char* stacks) {
        return std::get<Box>(scene_called("ferry", {{"stacks", stacks}}).bodies[0].def.shapes[0].geometry).half_extents;
    };
    EXPECT_EQ(deck_size("200"), (Vec3{30, 0.5f, 20}));
    EXPECT_GT(deck_size("800").x, 50);
}

TEST(Catalogue, WrongParametersAreExplained)
{
    const auto message = [](const std::string& name, const SceneParameters& parameters) {
        Result<SceneDescription> scene = load_scene(name, parameters);
        return scene ? std::string("loaded") : scene.error().message;
    };
    EXPECT_EQ(message("pyramid", {{"bas", "3"}}), "scene pyramid: unknown parameter \"bas\"; it has base");
    EXPECT_EQ(message("pyramid", {{"base", "x"}}),
              "scene pyramid: parameter base is \"x\"; give a whole number such as 30");
    EXPECT_EQ(message("pyramid", {{"base", "2.5"}}),
              "scene pyramid: parameter base is \"2.5\"; give a whole number such as 30");
    EXPECT_EQ(message("pyramid", {{"base", "0"}}), "scene pyramid: parameter base is 0; give 1 to 1000");
    EXPECT_EQ(message("pyramid", {{"base", "nan"}}),
              "scene pyramid: parameter base is \"nan\"; give a whole number such as 30");
    EXPECT_EQ(message("demo", {{"base", "1"}}), "scene demo: it has no parameters; leave out --param base");
    EXPECT_EQ(message("piramid", {}),
              "no scene is called \"piramid\"; near to it: pyramid; see `moraine list`, or give a .json or .xml file");
    EXPECT_EQ(message("pile", {}),
              "no scene is called \"pile\"; near to it: hull_pile, pile_5000; see `moraine list`, or give a .json or "
              ".xml file");
    EXPECT_EQ(message("scene.urdf", {}), "scene.urdf: not a scene file; scenes end in .json or .xml, models in .modes");
    EXPECT_EQ(message("none.json", {}), "none.json: no such file; check the path");
    EXPECT_EQ(message("none.xml", {}), "none.xml: cannot be read; check that the file exists");
}

} // namespace
} // namespace moraine
