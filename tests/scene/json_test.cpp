#include "scene/catalogue.h"
#include "scene/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace moraine
{
namespace
{

SceneDescription parsed(const std::string& text)
{
    Result<SceneDescription> scene = parse_json_scene(text);
    EXPECT_TRUE(scene) << scene.error().message;
    return scene ? *scene : SceneDescription{};
}

// A folder that is gone after the test.
class Folder
{
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("moraine_json_" + std::to_string(::getpid())))
    {
        std::filesystem::create_directories(path_ / "parts");
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream(path_ / name) << text;
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

TEST(Json, ReadsWorldSettingsUnderTheirOwnNames)
{
    const SceneDescription scene = parsed(R"({"name": "a", "dt": 0.01, "steps": 7, "world": {
        "gravity": [0, -1, 0], "solver": "pgs", "iterations": 30, "friction_model": "cone", "merging": false}})");
    EXPECT_EQ(scene.name, "a");
    EXPECT_EQ(scene.dt, 0.01f);
    EXPECT_EQ(scene.steps, 7);
    EXPECT_EQ(scene.world.gravity, (Vec3{0, -1, 0}));
    EXPECT_EQ(scene.world.solver, SolverKind::pgs);
    EXPECT_EQ(scene.world.iterations, 30);
    EXPECT_EQ(scene.world.friction_model, FrictionModel::cone);
    EXPECT_FALSE(scene.world.merging);
    EXPECT_EQ(scene.world.substeps, WorldDef{}.substeps);
}

TEST(Json, ReadsEveryKindOfRotation)
{
    const SceneDescription scene = parsed(R"({"bodies": [
        {"shape": {"kind": "box"}, "rotation": [0, 0, 0.70710678, 0.70710678]},
        {"shape": {"kind": "box"}, "rotation": {"axis": [0, 0, 2], "angle_degrees": 90}},
        {"shape": {"kind": "box"}, "rotation": {"euler_degrees": [0, 0, 90]}},
        {"shape": {"kind": "box"}, "rotation": [0, 0, 3, 3]},
        {"shape": {"kind": "box"}, "rotation": {"euler_degrees": [90, 90, 0]}}]})");
    for (size_t i = 0; i < 4; ++i)
    {
        const Vec3 turned = rotate(scene.bodies[i].def.rotation, {1, 0, 0});
        EXPECT_NEAR(turned.x, 0, 1e-6f);
        EXPECT_NEAR(turned.y, 1, 1e-6f);
    }
    // About x first: y goes to z, and that about y to x.
    const Vec3 turned = rotate(scene.bodies[4].def.rotation, {0, 1, 0});
    EXPECT_NEAR(turned.x, 1, 1e-6f);
}

TEST(Json, ReadsEveryKindOfShape)
{
    const SceneDescription scene = parsed(R"({"bodies": [{"type": "static", "shapes": [
        {"kind": "sphere", "radius": 2}, {"kind": "capsule", "radius": 0.5, "half_length": 1},
        {"kind": "cylinder", "radius": 0.5, "half_length": 1}, {"kind": "box", "half_extents": [1, 2, 3]},
        {"kind": "half_space"}, {"kind": "hull", "points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "scale": 2},
        {"kind": "mesh", "vertices": [[0,0,0],[0,0,1],[1,0,0]], "indices": [0,1,2]},
        {"kind": "height_field", "heights": [0,0,0,0,1,0], "columns": 3, "rows": 2, "spacing": 2}]}]})");
    const auto& shapes = scene.bodies[0].def.shapes;
    ASSERT_EQ(shapes.size(), 8u);
    for (size_t i = 0; i < shapes.size(); ++i)
        EXPECT_EQ(shapes[i].geometry.index(), i);
    EXPECT_EQ(std::get<Sphere>(shapes[0].geometry).radius, 2);
    EXPECT_EQ(std::get<Box>(shapes[3].geometry).half_extents, (Vec3{1, 2, 3}));
    EXPECT_EQ(corners(*std::get<HullRef>(shapes[5].geometry)).size(), 4u);
}

TEST(Json, MaterialsGiveDefaultsThatShapesOverride)
{
    const SceneDescription scene = parsed(R"({"materials": {"ice": {"friction": 0.01, "density": 900}},
        "bodies": [{"shape": {"kind": "box", "material": "ice", "density": 950}}]})");
    const ShapeDef& shape = scene.bodies[0].def.shapes[0];
    EXPECT_EQ(shape.friction, 0.01f);
    EXPECT_EQ(shape.density, 950);
    EXPECT_EQ(shape.restitution, ShapeDef{}.restitution);
}

TEST(Json, AJointAtAPlaceHasBothFramesThere)
{
    const SceneDescription scene = parsed(R"({"bodies": [
        {"name": "a", "position": [1, 2, 3], "rotation": {"axis": [0, 1, 0], "angle_degrees": 30}, "shape": {"kind": "box"}},
        {"name": "b", "position": [3, 2, 3], "shape": {"kind": "box"}}],
        "joints": [{"kind": "hinge", "body_a": "a", "body_b": "b", "at": {"position": [2, 2, 3],
            "rotation": {"axis": [0, 0, 1], "angle_degrees": 90}}, "limit": {"lower": -1, "upper": 1},
            "motor": {"speed": 2, "max_force": "infinity"}}, {"kind": "spring", "body_b": 0, "stiffness": 5}]})");
    const SceneJoint& joint = scene.joints[0];
    const auto world_point = [&](int body, const Transform& frame) {
        const BodyDef& def = scene.bodies[size_t(body)].def;
        return apply(Pose{def.position, def.rotation}, frame.position);
    };
    EXPECT_LT(length(world_point(0, joint.def.frame_a) - DVec3(2, 2, 3)), 1e-6);
    EXPECT_LT(length(world_point(1, joint.def.frame_b) - DVec3(2, 2, 3)), 1e-6);
    EXPECT_EQ(std::get<HingeJoint>(joint.def.kind).limit.upper, 1);
    EXPECT_EQ(std::get<HingeJoint>(joint.def.kind).motor.max_force, infinity);
    EXPECT_EQ(scene.joints[1].body_a, -1);
    EXPECT_EQ(scene.joints[1].body_b, 0);
}

TEST(Json, FiveThousandBodiesInAFewLines)
{
    const SceneDescription scene = parsed(R"({
        "materials": {"wood": {"density": 600, "friction": 0.6}},
        "prefabs": {"stack": {"groups": [{"kind": "stack", "count": 10, "spacing": 1,
            "body": {"name": "box", "position": [0, 0.5, 0], "shape": {"kind": "box", "material": "wood"}}}]}},
        "bodies": [{"name": "ground", "type": "static", "shape": {"kind": "half_space"}}],
        "groups": [{"kind": "grid", "name": "yard", "count": [25, 1, 20], "spacing": [2, 1, 2], "prefab": "stack"}]})");
    ASSERT_EQ(scene.bodies.size(), 5001u);
    EXPECT_EQ(scene.bodies[1].def.position, DVec3(-24, 0.5, -19));
    EXPECT_EQ(scene.bodies[5000].def.position, DVec3(24, 9.5, 19));
    EXPECT_EQ(scene.bodies[11].def.name, "yard[1].box");
}

TEST(Json, LayoutsHaveTheirCounts)
{
    const auto count = [](const std::string& layout) {
        return parsed(R"({"groups": [{"body": {"shape": {"kind": "sphere"}}, )" + layout + "}]}").bodies.size();
    };
    EXPECT_EQ(count(R"("kind": "one")"), 1u);
    EXPECT_EQ(count(R"("kind": "array", "count": 5, "step": [2, 0, 0])"), 5u);
    EXPECT_EQ(count(R"("kind": "ring", "count": 6, "radius": 4)"), 6u);
    EXPECT_EQ(count(R"("kind": "grid", "count": [2, 3, 4], "jitter": [0.1, 0, 0.1], "rotation_jitter_degrees": 5)"),
              24u);
    EXPECT_EQ(count(R"("kind": "stack", "count": 4, "twist_degrees": 10)"), 4u);
    EXPECT_EQ(count(R"("kind": "wall", "columns": 4, "rows": 3)"), 11u);
    EXPECT_EQ(count(R"("kind": "pyramid", "base": 4)"), 10u);
    EXPECT_EQ(count(R"("kind": "random", "count": 30, "size": [20, 20, 20], "separation": 1.5, "any_rotation": true)"),
              30u);
}

TEST(Json, RandomFillsKeepTheirDistanceAndDependOnTheSeed)
{
    const auto fill = [](int seed) {
        return parsed(R"({"groups": [{"kind": "random", "count": 200, "size": [10, 10, 10], "separation": 1,
            "body": {"shape": {"kind": "sphere"}}, "seed": )" +
                      std::to_string(seed) + "}]}");
    };
    const SceneDescription a = fill(3);
    for (size_t i = 0; i < a.bodies.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            ASSERT_GE(length(a.bodies[i].def.position - a.bodies[j].def.position), 1.0);
    EXPECT_EQ(to_json(a), to_json(fill(3)));
    EXPECT_NE(to_json(a), to_json(fill(4)));
}

TEST(Json, CopiesCarryTheirJointsAndMotionsAlong)
{
    const SceneDescription scene = parsed(
        R"({"groups": [{"kind": "array", "count": 2, "step": [10, 0, 0], "name": "swing",
        "rotation": {"axis": [0, 1, 0], "angle_degrees": 90}, "contents": {
        "bodies": [{"name": "seat", "position": [1, 0, 0], "shape": {"kind": "box"}},
                   {"type": "kinematic", "motion": {"kind": "key_frames", "frames": [{"time": 0, "position": [1, 1, 0]}]}}],
        "joints": [{"kind": "distance", "body_b": "seat", "frame_a": {"position": [1, 5, 0]}, "lower": 5, "upper": 5}]}}]})");
    ASSERT_EQ(scene.joints.size(), 2u);
    EXPECT_EQ(scene.joints[1].body_b, 2);
    // A quarter turn about y takes x to -z; the second copy is ten metres along the turned axis.
    EXPECT_LT(length(scene.bodies[2].def.position - DVec3(0, 0, -11)), 1e-5);
    EXPECT_LT(distance(scene.joints[1].def.frame_a.position, {0, 5, -11}), 1e-5f);
    const auto& motion = std::get<KeyFrameMotion>(scene.bodies[3].motion);
    EXPECT_LT(length(motion.frames[0].pose.position - DVec3(0, 1, -11)), 1e-5);
    EXPECT_EQ(scene.bodies[2].def.name, "swing[1].seat");
}

TEST(Json, ReadsEveryKindOfEvent)
{
    const SceneDescription scene = parsed(R"({"bodies": [{"name": "a", "shape": {"kind": "box"}},
            {"name": "k", "type": "kinematic", "shape": {"kind": "box"}}],
        "joints": [{"name": "j", "kind": "hinge", "body_a": "a", "body_b": "k"}],
        "events": [
        {"time": 1, "action": "impulse", "body": "a", "impulse": [1, 2, 3], "point": [0, 1, 0]},
        {"time": 1, "action": "velocity", "body": 0, "linear": [1, 0, 0]},
        {"time": 1, "action": "spawn", "new_body": {"shape": {"kind": "sphere"}}},
        {"time": 1, "action": "destroy", "body": "a"},
        {"time": 1, "action": "magnet", "body": "a", "is_on": false},
        {"time": 1, "action": "motion", "body": "k", "motion": {"kind": "sine", "translation": [0, 1, 0], "period": 2}},
        {"time": 1, "action": "joint", "joint": "j", "settings": {"kind": "hinge", "motor": {"speed": 3, "max_force": 10}}},
        {"time": 1, "action": "gravity", "gravity": [0, 1, 0]},
        {"time": 1, "action": "factory", "prototypes": [{"shape": {"kind": "box"}}], "interval": 0.5, "spread": [1, 0, 1]},
        {"time": 1, "action": "merge", "body_a": "a", "body_b": "k", "break_impulse": 3},
        {"time": 1, "action": "unmerge", "body_a": "a"}]})");
    ASSERT_EQ(scene.events.size(), std::variant_size_v<SceneAction>);
    for (size_t i = 0; i < scene.events.size(); ++i)
        EXPECT_EQ(scene.events[i].action.index(), i);
}

TEST(Json, IncludesOtherFilesOnce)
{
    const Folder folder;
    folder.write("parts/materials.json", R"({"materials": {"wood": {"friction": 0.6}}, "dt": 0.02, "steps": 5})");
    folder.write("parts/ground.json", R"({"include": ["materials.json"],
        "bodies": [{"name": "ground", "type": "static", "shape": {"kind": "half_space", "material": "wood"}}]})");
    const std::string path = folder.write("yard.json",
                                          R"({"include": ["parts/materials.json", "parts/ground.json"], "dt": 0.01,
        "bodies": [{"shape": {"kind": "box", "material": "wood"}}]})");
    Result<SceneDescription> scene = load_json_scene(path);
    ASSERT_TRUE(scene) << scene.error().message;
    EXPECT_EQ(scene->name, "yard");
    EXPECT_EQ(scene->bodies.size(), 2u);
    EXPECT_EQ(scene->dt, 0.01f);
    EXPECT_EQ(scene->steps, 5);
    EXPECT_TRUE(validate_scene_file(path));
}

TEST(Json, ReadsMeshesFromObjFiles)
{
    const Folder folder;
    folder.write("parts/wedge.obj",
                 "mtllib /etc/passwd\nv 0 0 0\nv 0 0 1\nv 1 0 0\nv 1 0 1\nv 0 1 0\nf 1 2 4 3\nf 1 5 2\n");
    const std::string path = folder.write("a.json", R"({"bodies": [
        {"type": "static", "shape": {"kind": "mesh", "file": "parts/wedge.obj", "scale": 2}},
        {"shape": {"kind": "hull", "file": "parts/wedge.obj"}}]})");
    Result<SceneDescription> scene = load_json_scene(path);
    ASSERT_TRUE(scene) << scene.error().message;
    const Mesh& mesh = *std::get<MeshRef>(scene->bodies[0].def.shapes[0].geometry);
    EXPECT_EQ(indices(mesh).size(), 9u);
    EXPECT_EQ(vertices(mesh)[2], (Vec3{2, 0, 0}));
}

TEST(Json, FilesOutsideTheFolderAreRefused)
{
    const Folder folder;
    const auto message = [&](const std::string& include) {
        const std::string path = folder.write("parts/a.json", "{\"include\": [\"" + include + "\"]}");
        Result<SceneDescription> scene = load_json_scene(path);
        return scene ? std::string("loaded") : scene.error().message;
    };
    folder.write("outside.json", "{}");
    std::filesystem::create_symlink("../outside.json",
                                    std::filesystem::path(folder.write("x", "")).parent_path() / "parts/link.json");
    EXPECT_NE(message("../outside.json").find("lies outside the scene's folder; move the file into it"),
              std::string::npos);
    EXPECT_NE(message("link.json").find("lies outside the scene's folder"), std::string::npos);
    EXPECT_NE(message("/etc/passwd").find("give a path relative to the scene's folder"), std::string::npos);
    EXPECT_NE(message("a.json").find("includes itself"), std::string::npos);
    EXPECT_NE(message("none.json").find("there is no file"), std::string::npos);
}

TEST(Json, ALoopOfIncludesIsAnError)
{
    const Folder folder;
    folder.write("b.json", R"({"include": ["a.json"]})");
    const std::string path = folder.write("a.json", R"({"include": ["b.json"]})");
    Result<SceneDescription> scene = load_json_scene(path);
    ASSERT_FALSE(scene);
    EXPECT_NE(scene.error().message.find("b.json:1: /include/0: the file includes itself"), std::string::npos)
        << scene.error().message;
}

// ---- writing ----

void expect_round_trip(const SceneDescription& scene)
{
    const std::string text = to_json(scene);
    Result<SceneDescription> again = parse_json_scene(text, scene.name);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(to_json(*again), text) << scene.name;
    ASSERT_EQ(again->bodies.size(), scene.bodies.size());
    for (size_t i = 0; i < scene.bodies.size(); ++i)
    {
        const BodyDef &a = scene.bodies[i].def, &b = again->bodies[i].def;
        ASSERT_EQ(a.position, b.position);
        ASSERT_EQ(a.rotation, b.rotation);
        ASSERT_EQ(a.linear_velocity, b.linear_velocity);
        ASSERT_EQ(a.shapes.size(), b.shapes.size());
        ASSERT_EQ(scene.bodies[i].color, again->bodies[i].color);
    }
    EXPECT_EQ(again->dt, scene.dt);
    EXPECT_EQ(again->world.gravity, scene.world.gravity);
}

TEST(JsonRoundTrip, KeepsTheWholeCatalogue)
{
    for (const CatalogueEntry& entry : catalogue())
    {
        if (entry.name == "resting" || entry.name == "falling" || entry.name == "hull_pile")
            continue; // large and alike
        Result<SceneDescription> scene = build_catalogue_scene(entry);
        ASSERT_TRUE(scene);
        expect_round_trip(*scene);
    }
    expect_round_trip(*load_scene("hull_pile", {{"count", "50"}}));
    expect_round_trip(*load_scene("falling", {{"count", "50"}}));
}

TEST(JsonRoundTrip, KeepsEveryMember)
{
    SceneDescription scene;
    scene.name = "everything \"quoted\"";
    scene.dt = 0.0123f;
    scene.world.erp = 0.3f;
    scene.world.solver = SolverKind::direct;
    scene.distribute.growth_depth = 6;
    scene.distribute.search_depth = 14;
    scene.distribute.partition = PartitionKind::semantic;
    scene.distribute.weights = BlendWeights::equal;
    scene.distribute.load = LoadKind::bodies;
    scene.distribute.detection = Detection::central;
    scene.distribute.balance = Balance::paper;
    scene.distribute.border = Border::held;
    scene.distribute.first_workers = 2;
    scene.distribute.grow_above = 5000;
    scene.distribute.shrink_below = 1000.5f;
    scene.distribute.solvers = {SolverKind::pgs, SolverKind::direct};
    SceneBody body;
    body.part = 3;
    body.def.type = BodyType::kinematic;
    body.def.position = {1e8 + 0.1, 0.1, -3};
    body.def.shapes = {ShapeDef{}};
    body.def.mass = 3;
    body.def.mass_properties = MassProperties{
        2, {0.1f, 0.2f, 0.3f}, {{1, 0.1f, 0.2f}, {0.1f, 2, 0.3f}, {0.2f, 0.3f, 3}}};
    body.def.linear_damping = 0.1f;
    body.def.angular_damping = 0.2f;
    body.def.gravity_scale = 0.5f;
    body.def.can_sleep = body.def.can_merge = body.def.is_awake = false;
    body.def.is_fast = body.def.is_passive = body.def.is_trigger = body.def.is_magnet = body.def.planar = true;
    body.def.merge = {.speed = 0.02f, .steps = 12, .rest = 0.01f};
    body.def.rule_groups = 1ull << 63;
    body.def.filter = {2, 0xfff0u, -3};
    body.def.name = "b";
    body.def.user_data = 0xfedcba9876543210u;
    body.motion = SineMotion{{1, 2, 3}, {0.1f, 0.2f, 0.3f}, 4, 0.5f};
    body.color = 0x0102ff;
    scene.bodies = {body, body};
    const JointKind kinds[] = {
        BallJoint{0.5f, {-1, 1}},
        HingeJoint{{-1, 2}, {3, 4}, {5, 6, 7}},
        SliderJoint{{-infinity, 2}, {3, 4}, {5, 6, 7}},
        FixedJoint{},
        DistanceJoint{1, infinity},
        UniversalJoint{},
        SixDofJoint{{{AxisMode::free, {}, {}, {}}, {AxisMode::limited, {-1, 1}, {1, 2}, {3, 4, 5}}, {}}, {}},
        SpringJoint{1, 2, 3},
        DragJoint{1, 2, 3}};
    for (const JointKind& kind : kinds)
    {
        SceneJoint joint;
        joint.body_a = 0;
        joint.body_b = 1;
        joint.def.kind = kind;
        joint.def.collides = true;
        joint.def.break_impulse = 12.5f;
        joint.def.frame_a = {{1, 2, 3}, normalize(Quat{1, 2, 3, 4})};
        scene.joints.push_back(joint);
    }
    scene.events.push_back({2, JointAction{1, kinds[1]}});
    scene.events.push_back({3, MergeAction{0, 1, 2.5f}});
    scene.events.push_back({4, UnmergeAction{0, 1}});
    scene.rules.push_back({.kind = RuleKind::never_merge, .group_a = 3, .group_b = 63});
    scene.world.merge.steps = 9;
    scene.world.merge.checks_trend = scene.world.merge.checks_cycles = true;
    expect_round_trip(scene);

    const SceneDescription again = parsed(to_json(scene));
    const BodyDef& def = again.bodies[0].def;
    EXPECT_EQ(def.mass_properties->inertia, body.def.mass_properties->inertia);
    EXPECT_EQ(def.filter, body.def.filter);
    EXPECT_EQ(def.user_data, body.def.user_data);
    EXPECT_FALSE(def.can_merge);
    EXPECT_EQ(def.merge, body.def.merge);
    EXPECT_EQ(def.rule_groups, body.def.rule_groups);
    EXPECT_EQ(again.world.merge.steps, 9);
    EXPECT_TRUE(again.world.merge.checks_cycles);
    EXPECT_EQ(again.rules.at(0).group_b, 63);
    EXPECT_EQ(again.distribute.search_depth, 14);
    EXPECT_EQ(again.distribute.balance, Balance::paper);
    EXPECT_EQ(again.distribute.first_workers, 2);
    EXPECT_EQ(again.distribute.grow_above, 5000);
    EXPECT_EQ(again.distribute.shrink_below, 1000.5f);
    EXPECT_EQ(again.distribute.solvers, scene.distribute.solvers);
    EXPECT_EQ(again.bodies[0].part, 3);
    EXPECT_EQ(std::get<MergeAction>(again.events[1].action).break_impulse, 2.5f);
    EXPECT_EQ(std::get<UnmergeAction>(again.events[2].action).body_b, 1);
    EXPECT_EQ(std::get<SineMotion>(again.bodies[0].motion).phase, 0.5f);
    EXPECT_EQ(std::get<DistanceJoint>(again.joints[4].def.kind).upper, infinity);
    EXPECT_EQ(std::get<SliderJoint>(again.joints[2].def.kind).limit.lower, -infinity);
    EXPECT_EQ(again.joints[0].def.frame_a, scene.joints[0].def.frame_a);
    EXPECT_EQ(std::get<SixDofJoint>(again.joints[6].def.kind).linear[1].spring.damping, 4);
}

} // namespace
} // namespace moraine
