// Things held together by joints, and things that spin.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

SceneDescription build_ragdolls(const ParameterValues& values)
{
    const int count = values.count("count");
    SceneDescription scene;
    add_ground(scene, 30);
    for (int step = 0; step < 5; ++step)
        add(scene, make_static({-3.0 + 1.5 * step, 1.0 - 0.2 * step, 0}, Box{{0.75f, 1.0f - 0.2f * float(step), 4}}));
    for (int i = 0; i < count; ++i)
        add_ragdoll(scene, {1.6 * (i % 5 - 2), 4.0 + 2.5 * (i / 20), 1.8 * (i / 5 % 4 - 1.5)}, 0.7f * float(i),
                    "figure_" + std::to_string(i));
    return scene;
}

SceneDescription build_bridge(const ParameterValues& values)
{
    const int planks = values.count("planks");
    const Vec3 half{0.24f, 0.06f, 1.0f};
    const double pitch = 0.5, deck = 12;
    const double left = -0.5 * pitch * planks, right = -left;
    SceneDescription scene;
    add_ground(scene, float(right) + 20);
    const Box pillar{{1, 0.5f * float(deck), 1.5f}};
    int before = add(scene, make_static({left - 1, 0.5 * deck, 0}, pillar), "pillar_left");
    for (int i = 0; i <= planks; ++i)
    {
        const bool is_end = i == planks;
        const DVec3 center = is_end ? DVec3(right + 1, 0.5 * deck, 0) : DVec3(left + pitch * (i + 0.5), deck, 0);
        const int index = is_end ? add(scene, make_static(center, pillar), "pillar_right")
                                 : add(scene, make_body(center, Box{half}, {.density = 400}), "", MaterialColor::wood);
        const Pose hinge{{left + pitch * i, deck, 0}, x_axis_along({0, 0, 1})};
        add_joint(scene, before, index, hinge, HingeJoint{});
        before = index;
    }
    for (int i = 0; i < values.count("boxes"); ++i)
        add(scene,
            make_body({(i % 10 - 4.5) * 0.04 * pitch * planks, deck + 0.4 + 0.7 * (i / 10), 0}, Box{{0.3f, 0.3f, 0.3f}},
                      {.density = 200}),
            "", MaterialColor::blue);
    scene.steps = 900;
    return scene;
}

// Each ball hangs on two rods that spread along z, so that it swings in the x-y plane only.
SceneDescription build_newton_cradle(const ParameterValues& values)
{
    const int balls = values.count("balls"), lifted = std::min(values.count("lifted"), balls);
    const float radius = 0.5f, height = 4, spread = 1.5f, angle = radians(35);
    const float rod = std::sqrt(height * height + spread * spread);
    SceneDescription scene;
    scene.world.restitution_threshold = 0;
    scene.world.sleeping = false;
    add(scene, make_static({0, 0, 0}, HalfSpace{}), "ground");
    for (int i = 0; i < balls; ++i)
    {
        // Two centimetres apart: balls that touch would share one impact instead of handing it on.
        const float x = (2 * radius + 0.02f) * (float(i) - 0.5f * float(balls - 1)), top = height + 2;
        const float swing = i < lifted ? -angle : 0;
        const DVec3 center(x + height * std::sin(swing), top - height * std::cos(swing), 0);
        const int ball = add(scene,
                             make_body(center, Sphere{radius}, {.density = 7800, .friction = 0, .restitution = 1}),
                             "ball_" + std::to_string(i), MaterialColor::steel);
        for (const float side : {-spread, spread})
            add_joint(scene, -1, {x, top, side}, ball, {0, 0, 0}, DistanceJoint{.lower = rod, .upper = rod});
    }
    scene.dt = 1.0f / 240;
    scene.steps = 2400;
    return scene;
}

SceneDescription build_spinning_tops(const ParameterValues& values)
{
    const int count = values.count("count");
    SceneDescription scene;
    add_ground(scene, 20, {.friction = 0.3f});
    for (int i = 0; i < count; ++i)
        add_top(scene, {2.5 * (i % 3 - 1), 0, 2.5 * (i / 3 - 0.5)}, 1 + 0.15f * float(i % 3), 60 - 8 * float(i % 6),
                "top_" + std::to_string(i));
    scene.dt = 1.0f / 120;
    scene.steps = 1800;
    return scene;
}

// A toothed wheel in the x-y plane: a disc with boxes around it.
std::vector<ShapeDef> make_gear(float radius, int teeth, float half_width)
{
    const Material material{.density = 500, .friction = 0.2f};
    std::vector<ShapeDef> shapes{
        make_shape_def(Cylinder{radius, half_width}, {{}, axis_angle({1, 0, 0}, 0.5f * pi)}, material)};
    for (int i = 0; i < teeth; ++i)
    {
        const Quat turn = axis_angle({0, 0, 1}, 2 * pi * float(i) / float(teeth));
        shapes.push_back(
            make_shape_def(Box{{0.2f, 0.1f, half_width}}, {rotate(turn, {radius + 0.1f, 0, 0}), turn}, material));
    }
    return shapes;
}

void add_gears(SceneDescription& scene)
{
    // Twelve teeth against twenty: the distances of the axes follow from the pitch of the teeth.
    const float small = 12 * 0.6f / (2 * pi) - 0.1f, large = 20 * 0.6f / (2 * pi) - 0.1f;
    const DVec3 axis_a(-6, 5, 0), axis_b(-6 + double(small + large + 0.36f), 5, 0);
    const int driver = add(scene, make_compound(axis_a, make_gear(small, 12, 0.2f)), "driver", MaterialColor::red);
    SceneBody follower_body = make_compound(axis_b, make_gear(large, 20, 0.2f));
    follower_body.def.rotation = axis_angle({0, 0, 1}, pi + pi / 20);
    const int follower = add(scene, std::move(follower_body), "follower", MaterialColor::blue);
    const Quat along_z = x_axis_along({0, 0, 1});
    add_joint(scene, -1, driver, {axis_a, along_z}, HingeJoint{.motor = {.speed = 2, .max_force = 20000}});
    add_joint(scene, -1, follower, {axis_b, along_z}, HingeJoint{});
}

// Crank, rod and piston: two hinges, a ball joint and a slider in one loop.
void add_crank(SceneDescription& scene)
{
    const DVec3 axle(4, 4, 0);
    const Material steel{.density = 2000, .friction = 0.3f};
    const Quat along_z = x_axis_along({0, 0, 1});
    const int crank = add(scene, make_body(axle + DVec3(0, 0.5, 0), Box{{0.15f, 0.6f, 0.1f}}, steel), "crank",
                          MaterialColor::red);
    const int rod = add(scene, make_body(axle + DVec3(1.5, 1, 0.25), Box{{1.6f, 0.1f, 0.1f}}, steel), "rod",
                        MaterialColor::steel);
    const int piston = add(scene, make_body(axle + DVec3(3, 1, 0), Box{{0.4f, 0.4f, 0.4f}}, steel), "piston",
                           MaterialColor::blue);
    add_joint(scene, -1, crank, {axle, along_z}, HingeJoint{.motor = {.speed = -3, .max_force = 30000}});
    add_joint(scene, crank, rod, {axle + DVec3(0, 1, 0.12), along_z}, HingeJoint{});
    add_joint(scene, rod, piston, {axle + DVec3(3, 1, 0.12), {}}, BallJoint{});
    add_joint(scene, -1, piston, {axle + DVec3(3, 1, 0), {}}, SliderJoint{.limit = {-2.5f, 2.5f}});
}

SceneDescription build_machine(const ParameterValues& values)
{
    SceneDescription scene;
    add_ground(scene, 30);
    add_gears(scene);
    add_crank(scene);
    // A paddle wheel that stirs a heap of balls.
    std::vector<ShapeDef> paddles;
    for (int i = 0; i < 4; ++i)
        paddles.push_back(make_shape_def(Box{{1.2f, 0.08f, 0.6f}}, {{}, axis_angle({0, 0, 1}, 0.25f * pi * float(i))},
                                         {.density = 400}));
    const DVec3 axle(0, 1.35, 8);
    const int wheel = add(scene, make_compound(axle, paddles), "paddles", MaterialColor::wood);
    add_joint(scene, -1, wheel, {axle, x_axis_along({0, 0, 1})},
              HingeJoint{.motor = {.speed = 1.5f, .max_force = 5000}});
    for (const float side : {-1.0f, 1.0f})
        add(scene, make_static({3.0 * double(side), 0.75, 8}, Box{{0.2f, 0.75f, 1.5f}}));
    for (const float side : {-1.0f, 1.0f})
        add(scene, make_static({0, 0.75, 8 + 1.3 * double(side)}, Box{{3.2f, 0.75f, 0.2f}}));
    for (int i = 0; i < values.count("balls"); ++i)
        add(scene,
            make_body({-2.4 + 0.45 * (i % 11), 2.9 + 0.45 * (i / 22), 7.75 + 0.5 * (i / 11 % 2)}, Sphere{0.2f},
                      {.density = 300, .friction = 0.4f}),
            "", MaterialColor::yellow);
    scene.steps = 1200;
    return scene;
}

const CatalogueParameter ragdoll_parameters[] = {{"count", 20, 1, 2000, true, "figures"}};
const CatalogueParameter bridge_parameters[] = {{"planks", 100, 2, 2000, true, "planks"},
                                                {"boxes", 20, 0, 200, true, "boxes on it"}};
const CatalogueParameter cradle_parameters[] = {{"balls", 5, 2, 50, true, "balls"},
                                                {"lifted", 1, 0, 50, true, "balls drawn aside"}};
const CatalogueParameter top_parameters[] = {{"count", 6, 1, 6, true, "tops"}};
const CatalogueParameter machine_parameters[] = {{"balls", 110, 0, 1000, true, "balls under the paddles"}};

const CatalogueEntry entries[] = {
    {"ragdolls", "20 jointed figures fall on stairs", ragdoll_parameters, build_ragdolls},
    {"bridge", "hinged planks between two pillars, with boxes on them", bridge_parameters, build_bridge},
    {"newton_cradle", "balls on rods that pass on their momentum", cradle_parameters, build_newton_cradle},
    {"spinning_tops", "fast tops that precess and fall", top_parameters, build_spinning_tops},
    {"machine", "motors: two gears, a crank with piston, and a paddle wheel in balls", machine_parameters,
     build_machine},
};

} // namespace

std::span<const CatalogueEntry> joint_scenes() { return entries; }

// Eleven parts, 1.75 m, upright with the feet at `position`, arms spread; z is sideways before the turn.
void add_ragdoll(SceneDescription& scene, DVec3 position, float heading, const std::string& name)
{
    const Pose root{position, axis_angle({0, 1, 0}, heading)};
    const Material flesh{.density = 950, .friction = 0.6f};
    const auto part = [&](Vec3 center, const Geometry& geometry, Quat turn, const std::string& suffix) {
        SceneBody body = make_body(apply(root, center), geometry, flesh);
        body.def.rotation = normalize(root.rotation * turn);
        return add(scene, std::move(body), name + "." + suffix, MaterialColor::skin);
    };
    const auto join = [&](int a, int b, Vec3 point, Vec3 axis, const JointKind& kind) {
        add_joint(scene, a, b, {apply(root, point), normalize(root.rotation * x_axis_along(axis))}, kind);
    };

    const int pelvis = part({0, 0.95f, 0}, Box{{0.1f, 0.1f, 0.16f}}, {}, "pelvis");
    const int torso = part({0, 1.27f, 0}, Box{{0.11f, 0.2f, 0.18f}}, {}, "torso");
    const int head = part({0, 1.62f, 0}, Sphere{0.12f}, {}, "head");
    join(pelvis, torso, {0, 1.06f, 0}, {0, 1, 0}, BallJoint{.cone_limit = radians(35), .twist = {-0.5f, 0.5f}});
    join(torso, head, {0, 1.49f, 0}, {0, 1, 0}, BallJoint{.cone_limit = radians(40), .twist = {-0.9f, 0.9f}});
    for (const float side : {-1.0f, 1.0f})
    {
        const std::string which = side < 0 ? "left_" : "right_";
        const Vec3 out{0, 0, side};
        const Quat sideways = axis_angle({1, 0, 0}, 0.5f * pi); // a capsule's y axis along z
        const int upper_arm = part({0, 1.42f, 0.36f * side}, Capsule{0.05f, 0.1f}, sideways, which + "upper_arm");
        const int lower_arm = part({0, 1.42f, 0.66f * side}, Capsule{0.045f, 0.12f}, sideways, which + "lower_arm");
        const int thigh = part({0, 0.66f, 0.09f * side}, Capsule{0.075f, 0.13f}, {}, which + "thigh");
        const int shin = part({0, 0.23f, 0.09f * side}, Capsule{0.06f, 0.16f}, {}, which + "shin");
        join(torso, upper_arm, {0, 1.42f, 0.21f * side}, out,
             BallJoint{.cone_limit = radians(75), .twist = {-1.2f, 1.2f}});
        join(upper_arm, lower_arm, {0, 1.42f, 0.51f * side}, {0, 1, 0}, HingeJoint{.limit = {-1.2f, 1.2f}});
        join(pelvis, thigh, {0, 0.86f, 0.09f * side}, {0, -1, 0},
             BallJoint{.cone_limit = radians(55), .twist = {-0.4f, 0.4f}});
        join(thigh, shin, {0, 0.45f, 0.09f * side}, {0, 0, 1}, HingeJoint{.limit = {-1.9f, 0.05f}});
    }
}

// A cone on a point under a disc; stands on its tip.
void add_top(SceneDescription& scene, DVec3 position, float size, float spin, const std::string& name)
{
    std::vector<Vec3> points{{0, 0, 0}};
    for (int i = 0; i < 12; ++i)
    {
        const float angle = 2 * pi * float(i) / 12;
        points.push_back(Vec3{0.5f * std::cos(angle), 0.5f, 0.5f * std::sin(angle)} * size);
    }
    const Material material{.density = 800, .friction = 0.3f};
    std::vector<ShapeDef> shapes;
    if (Result<HullRef> cone = make_hull(points))
        shapes.push_back(make_shape_def(*cone, {}, material));
    shapes.push_back(make_shape_def(Cylinder{0.55f * size, 0.06f * size}, {{0, 0.55f * size, 0}, {}}, material));
    shapes.push_back(make_shape_def(Cylinder{0.05f * size, 0.15f * size}, {{0, 0.75f * size, 0}, {}}, material));
    SceneBody body = make_compound(position, std::move(shapes));
    body.def.rotation = axis_angle({0, 0, 1}, 0.12f);
    body.def.angular_velocity = rotate(body.def.rotation, {0, spin, 0});
    add(scene, std::move(body), name, MaterialColor::yellow);
}

} // namespace moraine
