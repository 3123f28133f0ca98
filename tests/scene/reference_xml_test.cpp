#include "scene/json.h"
#include "scene/obj_file.h"
#include "scene/reference_xml.h"
#include "support/paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace moraine
{
namespace
{

// The scene files are not ours to ship: tests that read them are skipped where they are absent.
std::string reference_scene(const std::string& name)
{
    const std::string folder = test::reference_scenes_folder();
    const std::filesystem::path path = std::filesystem::path(folder) / (name + ".xml");
    return !folder.empty() && std::filesystem::exists(path) ? path.string() : "";
}

class TemporaryFile
{
public:
    TemporaryFile(const std::string& name, const std::string& text)
        : path_(std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + name))
    {
        std::ofstream(path_) << text;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

SceneDescription imported(const std::string& xml, const SceneParameters& parameters = {})
{
    const TemporaryFile file("scene.xml", xml);
    Result<SceneDescription> scene = load_reference_scene(file.path(), parameters);
    EXPECT_TRUE(scene) << scene.error().message;
    return scene ? *scene : SceneDescription{};
}

std::string complaint(const std::string& xml)
{
    const TemporaryFile file("scene.xml", xml);
    Result<SceneDescription> scene = load_reference_scene(file.path());
    if (scene)
        return "no complaint";
    const std::string message = scene.error().message;
    return message.substr(std::min(file.path().size(), message.size()));
}

TEST(ReferenceXml, HasTheDefaultsThatFilesDoNotCarry)
{
    const SceneDescription scene = imported("<root><body type='box' name='a' dim='1 2 3'/></root>");
    EXPECT_EQ(scene.dt, 0.05f);
    EXPECT_EQ(scene.world.gravity, (Vec3{0, -1, 0}));
    EXPECT_EQ(scene.world.solver, SolverKind::pgs);
    EXPECT_EQ(scene.world.iterations, 30);
    EXPECT_FLOAT_EQ(scene.world.erp, 0.025f);
    EXPECT_FLOAT_EQ(scene.world.cfm, 1e-3f);
    const ShapeDef& shape = scene.bodies[0].def.shapes[0];
    EXPECT_EQ(std::get<Box>(shape.geometry).half_extents, (Vec3{0.5f, 1, 1.5f}));
    EXPECT_EQ(shape.friction, 0.8f);
    EXPECT_EQ(shape.restitution, 0);
    EXPECT_EQ(shape.density, 1);
}

TEST(ReferenceXml, ReadsCollisionSettings)
{
    const SceneDescription scene = imported("<root><body type='sphere' name='a' r='1'><friction>0.1</friction></body>"
                                            "<COLLISION iterations='7' feedbackStiffness='6' enableCompliance='false' "
                                            "enablePostStabilization='true' friction='0.5'/></root>");
    EXPECT_EQ(scene.world.iterations, 7);
    EXPECT_FLOAT_EQ(scene.world.erp, 0.3f);
    EXPECT_EQ(scene.world.cfm, 0);
    EXPECT_TRUE(scene.world.post_stabilization);
    EXPECT_EQ(scene.bodies[0].def.shapes[0].friction, 0.5f);
}

TEST(ReferenceXml, PlanesArePinnedHalfSpaces)
{
    const SceneDescription scene = imported("<root><body type='plane' p='0 -2 0' n='0 0 3'/></root>");
    const BodyDef& def = scene.bodies[0].def;
    EXPECT_EQ(def.type, BodyType::static_);
    EXPECT_EQ(def.position, DVec3(0, -2, 0));
    EXPECT_LT(distance(rotate(def.rotation, {0, 1, 0}), {0, 0, 1}), 1e-6f);
}

TEST(ReferenceXml, SpringsTakeTheirRestLengthFromTheirKind)
{
    const SceneDescription scene = imported(
        "<root><body type='box' name='a' dim='1 1 1'><x>1 2 3</x><spring pB='1 0 0' ls='2'/></body>"
        "<body type='box' name='b' dim='1 1 1'><x>0 0 0</x><spring pB='0 0 0' pW='0 3 0' k='7' d='8'/>"
        "<spring pB='0 0 0' body2='a' pB2='0 0 0' ls='0.5'/></body></root>");
    ASSERT_EQ(scene.joints.size(), 3u);
    const auto spring = [&](int i) { return std::get<SpringJoint>(scene.joints[size_t(i)].def.kind); };
    EXPECT_EQ(scene.joints[0].def.frame_a.position, (Vec3{2, 2, 3}));
    EXPECT_FLOAT_EQ(spring(0).rest_length, 1);
    EXPECT_EQ(spring(0).stiffness, 100);
    EXPECT_EQ(spring(0).damping, 10);
    EXPECT_FLOAT_EQ(spring(1).rest_length, 3);
    EXPECT_EQ(spring(1).stiffness, 7);
    EXPECT_EQ(scene.joints[2].body_a, 0);
    EXPECT_FLOAT_EQ(spring(2).rest_length, 0.5f * std::sqrt(14.0f));
    EXPECT_TRUE(scene.joints[2].def.collides);
}

TEST(ReferenceXml, ACompositeStandsOnItsUnturnedCentreOfMass)
{
    // Masses 1 and 3 at 0 and 4: the centre of mass is at x = 3, and is added without the quarter turn about z.
    const SceneDescription scene = imported(
        "<root><body type='composite' name='c'><x>10 0 0</x><R>0 0 1 1.5707963</R><spring pB='1 0 0' pW='10 5 0'/>"
        "<body type='box' dim='1 1 1'/><body type='box' dim='1 1 3'><x>4 0 0</x></body></body></root>");
    const BodyDef& def = scene.bodies[0].def;
    EXPECT_LT(length(def.position - DVec3(13, 0, 0)), 1e-5);
    EXPECT_LT(distance(def.shapes[0].pose.position, {-3, 0, 0}), 1e-5f);
    EXPECT_LT(distance(def.shapes[1].pose.position, {1, 0, 0}), 1e-5f);
    // The rest length is measured from the place without the centre: (10, 1, 0) to (10, 5, 0).
    EXPECT_NEAR(std::get<SpringJoint>(scene.joints[0].def.kind).rest_length, 4, 1e-5f);
    EXPECT_EQ(scene.joints[0].def.frame_b.position, (Vec3{1, 0, 0}));
}

TEST(ReferenceXml, FactoryPartsLeaveTheScene)
{
    const char* xml =
        "<root><body type='box' name='part' dim='1 1 1'><x>0 10 0</x></body>"
        "<body type='box' name='board' dim='9 1 9'><factorypart>false</factorypart><spring pB='0 0 0'/></body>"
        "<body type='plane' p='0 0 0' n='0 1 0'/></root>";
    EXPECT_EQ(imported(xml).bodies.size(), 3u);
    const SceneDescription scene = imported(xml, {{"factory", "0.5"}});
    ASSERT_EQ(scene.bodies.size(), 2u);
    EXPECT_EQ(scene.joints[0].body_b, 0);
    const auto& factory = std::get<FactoryAction>(scene.events[0].action);
    EXPECT_EQ(factory.prototypes.size(), 1u);
    EXPECT_EQ(factory.interval, 0.5f);
    EXPECT_EQ(factory.position, DVec3(0, 10, 0));
    EXPECT_EQ(factory.velocity, (Vec3{0, -1, 0}));
}

TEST(ReferenceXml, UnknownElementsAreWarnedAbout)
{
    const SceneDescription scene = imported("<root>\n<bbody/>\n<body type='box' dim='1 1 1'>\n<wobble/></body></root>");
    ASSERT_EQ(scene.warnings.size(), 2u);
    EXPECT_NE(scene.warnings[0].find(":2: unknown element <bbody> ignored"), std::string::npos) << scene.warnings[0];
    EXPECT_NE(scene.warnings[1].find(":4: unknown element <wobble> ignored"), std::string::npos) << scene.warnings[1];
}

TEST(ReferenceXml, BadFilesAreExplained)
{
    EXPECT_EQ(complaint("<root>\n<body"), ":2: not XML: Error parsing start element tag");
    EXPECT_EQ(complaint("<mujoco/>"),
              ":1: has <mujoco> instead of <root>; only scenes of the reference implementation can be imported");
    EXPECT_EQ(complaint("<root>\n<body type='box'/></root>"), ":2: <body>: has no attribute dim; add it");
    EXPECT_EQ(complaint("<root><body type='box' dim='1 2'/></root>"), ":1: <body>: has 2 numbers; give 3");
    EXPECT_EQ(complaint("<root><body type='box' dim='1 2 -1'/></root>"), ":1: <body>: dim must be above zero");
    EXPECT_EQ(complaint("<root><body type='sphere'/></root>"), ":1: <body>: r must be above zero");
    EXPECT_EQ(complaint("<root><body type='cone'/></root>"),
              ":1: <body>: type \"cone\" cannot be used here; give box or sphere");
    EXPECT_EQ(complaint("<root><body type='sphere' r='1'><x>1 b 3</x></body></root>"),
              ":1: <x>: \"1 b 3\" is not a list of numbers within 1e9");
    EXPECT_EQ(complaint("<root><body type='sphere' r='1'><spring pB='0 0 0' body2='x'/></body></root>"),
              ":1: <spring>: body2=\"x\" is not the name of a body before this one");
    EXPECT_EQ(complaint("<root><body type='composite'/></root>"),
              ":1: <body>: a composite needs at least one <body> of type box or sphere");
    EXPECT_EQ(complaint("<root><body type='mesh' obj='/etc/passwd' st='a'/></root>"),
              ":1: <body>: obj=\"/etc/passwd\" is not in the scene's folder or its data/");
}

TEST(ReferenceXml, AllReferenceScenesLoad)
{
    if (reference_scene("pile").empty())
        GTEST_SKIP() << "no reference scenes here";
    const std::pair<const char*, size_t> bodies[] = {{"tower25platform", 328},
                                                     {"tower25platform_collision", 328},
                                                     {"dominosPlatforms", 103},
                                                     {"dominoSpiralPlatform", 146},
                                                     {"dom2", 711},
                                                     {"cargoShip", 431},
                                                     {"chariot", 121},
                                                     {"funnel", 10},
                                                     {"denseTower25", 79},
                                                     {"tower50", 651},
                                                     {"stackOnSwing", 0},
                                                     {"seesaw", 3},
                                                     {"spinner", 7},
                                                     {"venus", 0},
                                                     {"springsTest", 4},
                                                     {"magnet", 3},
                                                     {"pile", 16},
                                                     {"factoryTest2", 4},
                                                     {"compositeBodyTest2", 2}};
    for (const auto& [name, count] : bodies)
    {
        Result<SceneDescription> scene = load_scene(reference_scene(name));
        ASSERT_TRUE(scene) << scene.error().message;
        EXPECT_TRUE(count == 0 || scene->bodies.size() == count) << name << " has " << scene->bodies.size();
        const Status status = validate_scene(*scene);
        EXPECT_TRUE(status) << status.error().message;
        EXPECT_TRUE(scene->warnings.empty()) << scene->warnings[0];
        Result<SceneDescription> again = parse_json_scene(to_json(*scene));
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(to_json(*again), to_json(*scene)) << name;
    }
}

TEST(ReferenceXml, TheVenusWeighsAsItsTriangles)
{
    if (reference_scene("venus").empty())
        GTEST_SKIP() << "no reference scenes here";
    Result<SceneDescription> scene = load_scene(reference_scene("venus"));
    ASSERT_TRUE(scene) << scene.error().message;
    const BodyDef& def = scene->bodies[1].def;
    ASSERT_TRUE(def.mass_properties);
    EXPECT_GT(def.mass_properties->mass, 0);
    EXPECT_GT(def.shapes.size(), 100u);
    // The spheres surround the centre of mass.
    Vec3 lower{infinity, infinity, infinity}, upper = -lower;
    for (const ShapeDef& shape : def.shapes)
    {
        lower = min(lower, shape.pose.position);
        upper = max(upper, shape.pose.position);
    }
    EXPECT_LT(max_component(lower), 0);
    EXPECT_GT(min_component(upper), 0);
}

TEST(ObjFile, ACubeHasTheMassOfACube)
{
    const TemporaryFile file("cube.obj", "v 1 0 0\nv 3 0 0\nv 3 2 0\nv 1 2 0\nv 1 0 2\nv 3 0 2\nv 3 2 2\nv 1 2 2\n"
                                         "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n");
    Result<ObjMesh> mesh = read_obj(file.path());
    ASSERT_TRUE(mesh) << mesh.error().message;
    EXPECT_EQ(mesh->indices.size(), 36u);
    const MassProperties mass = solid_mass_properties(*mesh, 10);
    EXPECT_FLOAT_EQ(mass.mass, 80);
    EXPECT_LT(distance(mass.center, {2, 1, 1}), 1e-5f);
    EXPECT_NEAR(mass.inertia.x.x, 80.0f * 4 / 6, 1e-3f); // m a² / 6
    EXPECT_NEAR(mass.inertia.x.y, 0, 1e-3f);
}

TEST(ObjFile, BadFilesAreExplained)
{
    const TemporaryFile range("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    const TemporaryFile empty("b.obj", "v 0 0 0\n");
    EXPECT_FALSE(read_obj(range.path()));
    EXPECT_FALSE(read_obj(empty.path()));
    EXPECT_FALSE(read_obj("/none.obj"));
}

} // namespace
} // namespace moraine
