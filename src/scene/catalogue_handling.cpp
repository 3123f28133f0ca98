// Machines that carry goods: a conveyor of slats and a gripper.
#include "scene/catalogue_scenes.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

// ---- the conveyor: slats on a loop of two straight runs and two half circles ----

struct Belt
{
    double run = 14, radius = 0.35, height = 2; // of the upper run's slats
    double turn() const { return double(pi) * radius; }
    double around() const { return 2 * run + 2 * turn(); }

    Pose at(double way) const
    {
        way = std::fmod(way, around());
        const double x0 = -0.5 * run, low = height - 2 * radius;
        const auto turned = [](double x, double y, double angle) {
            return Pose{{x, y, 0}, axis_angle({0, 0, 1}, float(-angle))};
        };
        if (way < run)
            return turned(x0 + way, height, 0);
        if (way < run + turn())
        {
            const double a = (way - run) / radius;
            return turned(-x0 + radius * std::sin(a), low + radius * (1 + std::cos(a)), a);
        }
        if (way < 2 * run + turn())
            return turned(-x0 - (way - run - turn()), low, double(pi));
        const double a = (way - 2 * run - turn()) / radius;
        return turned(x0 - radius * std::sin(a), low + radius * (1 - std::cos(a)), double(pi) + a);
    }
};

// Frames at the ends of the straight runs and every eighth of the half circles; one round, and again.
KeyFrameMotion make_round(const Belt& belt, double start, double speed)
{
    constexpr int parts = 8;
    std::vector<double> marks;
    for (const double begin : {belt.run, 2 * belt.run + belt.turn()})
        for (int i = 0; i <= parts; ++i)
            marks.push_back(std::fmod(begin + belt.turn() * i / parts, belt.around()));
    for (double& mark : marks)
        mark = std::fmod(mark - start + belt.around(), belt.around());
    std::sort(marks.begin(), marks.end());
    KeyFrameMotion motion;
    motion.loops = true;
    motion.frames.push_back({0, belt.at(start)});
    for (const double mark : marks)
        if (mark > 1e-6 && mark < belt.around() - 1e-6)
            motion.frames.push_back({float(mark / speed), belt.at(start + mark)});
    motion.frames.push_back({float(belt.around() / speed), belt.at(start)});
    return motion;
}

SceneDescription build_conveyor(const ParameterValues& values)
{
    const float speed = values.number("speed");
    const Belt belt;
    SceneDescription scene;
    scene.world.merging = true;
    add_ground(scene, 20);
    const int slats = int(belt.around() / 0.5);
    for (int i = 0; i < slats; ++i)
    {
        const double start = belt.around() * i / slats;
        const Pose pose = belt.at(start);
        SceneBody slat = make_static(pose.position, Box{{0.24f, 0.05f, 0.9f}}, {.friction = 0.8f});
        slat.def.rotation = pose.rotation;
        slat.def.type = BodyType::kinematic;
        slat.motion = make_round(belt, start, double(speed));
        add(scene, std::move(slat), "slat", i % 2 ? MaterialColor::dark : MaterialColor::steel);
    }
    // A bin at the end.
    const double bin = 0.5 * belt.run + 3.6;
    for (const double side : {-1.0, 1.0})
    {
        add(scene, make_static({bin + 3 * side, side < 0 ? 0.3 : 0.6, 0}, Box{{0.1f, side < 0 ? 0.3f : 0.6f, 2}}));
        add(scene, make_static({bin, 0.4, 2 * side}, Box{{3, 0.4f, 0.1f}}));
    }
    // Crates on it at the start, and one more every few seconds.
    const Material wood{.density = 300, .friction = 0.7f};
    const Vec3 half{0.5f, 0.3f, 0.4f};
    const double top = belt.height + 0.05 + double(half.y);
    for (int i = 0; i < 6; ++i)
    {
        SceneBody crate = make_body({1.6 * i - 5.5, top, 0}, Box{half}, wood);
        crate.def.linear_velocity = {speed, 0, 0};
        add(scene, std::move(crate), "", MaterialColor::wood);
        SceneBody upper = make_body({1.6 * i - 5.5, top + 0.5, 0}, Box{{0.25f, 0.2f, 0.25f}}, wood);
        upper.def.linear_velocity = {speed, 0, 0};
        add(scene, std::move(upper), "", MaterialColor::red);
    }
    FactoryAction factory;
    for (const uint32_t color : {MaterialColor::wood, MaterialColor::blue, MaterialColor::green})
    {
        SceneBody crate = make_body({}, Box{half}, wood);
        crate.color = color;
        factory.prototypes.push_back(std::move(crate));
    }
    factory.interval = 2 / speed;
    factory.until = (float(values.count("count")) - 0.5f) * factory.interval;
    factory.position = {-0.5 * belt.run + 0.8, top + 0.2, 0};
    factory.spread = {0.1f, 0, 0.2f};
    factory.velocity = {speed, 0, 0};
    factory.turn_spread = {0, 0.3f, 0};
    scene.events.push_back({0.5f, std::move(factory)});
    scene.steps = 1800;
    return scene;
}

// ---- the gripper: an arm on key frames, two jaws with motors ----

SliderJoint make_jaw_drive(float speed, float force)
{
    return {.limit = {0, 0.55f}, .motor = {.speed = speed, .max_force = force}};
}

SceneDescription build_gripper(const ParameterValues& values)
{
    const float force = values.number("force");
    SceneDescription scene;
    scene.world.merging = true;
    add_ground(scene, 20);
    const Material wood{.density = 300, .friction = 0.7f};
    const double x0 = -3, x1 = 3;
    // A pile of three: the lowest is gripped, the others ride on it.
    add(scene, make_body({x0, 0.5, 0}, Box{{0.5f, 0.5f, 0.5f}}, wood), "crate", MaterialColor::wood);
    add(scene, make_body({x0, 1.2, 0}, Box{{0.3f, 0.2f, 0.3f}}, wood), "middle", MaterialColor::blue);
    add(scene, make_body({x0, 1.6, 0}, Box{{0.2f, 0.2f, 0.2f}}, wood), "upper", MaterialColor::yellow);

    const double high = 5.2, low = 3.1;
    SceneBody arm = make_static({x0, high, 0}, Box{{1.2f, 0.2f, 0.4f}});
    arm.def.type = BodyType::kinematic;
    KeyFrameMotion path;
    const auto stop_at = [&](float time, double x, double y) { path.frames.push_back({time, {{x, y, 0}, {}}}); };
    stop_at(0, x0, high);
    stop_at(1, x0, high);
    stop_at(3, x0, low);
    stop_at(5, x0, low);
    stop_at(7.5f, x0, high);
    stop_at(11, x1, high);
    stop_at(12, x1, high);
    stop_at(14, x1, low + 0.3);
    stop_at(17, x1, low + 0.3);
    stop_at(19, x1, high);
    arm.motion = path;
    const int carrier = add(scene, std::move(arm), "arm", MaterialColor::yellow);
    const float closing = 0.4f;
    for (const float side : {-1.0f, 1.0f})
    {
        // They hang 2.6 m below the arm and close towards the middle.
        const DVec3 center(x0 + 1.0 * double(side), high - 2.6, 0);
        SceneBody jaw = make_compound(
            center, {make_shape_def(Box{{0.08f, 0.3f, 0.4f}}, {}, {.density = 800}),
                     make_shape_def(Box{{0.08f, 1.1f, 0.1f}}, {{0.17f * side, 1.2f, 0}, {}}, {.density = 800})});
        const int index = add(scene, std::move(jaw), "jaw", MaterialColor::red);
        const int drive = add_joint(scene, carrier, index, {center, x_axis_along({-side, 0, 0})},
                                    make_jaw_drive(-closing, force));
        scene.events.push_back({3.3f, JointAction{drive, make_jaw_drive(closing, force)}});
        scene.events.push_back({15, JointAction{drive, make_jaw_drive(-closing, force)}});
    }
    scene.steps = 1200;
    return scene;
}

const CatalogueParameter conveyor_parameters[] = {{"count", 20, 1, 1000, true, "crates that are put on it"},
                                                  {"speed", 1, 0.1, 5, false, "of the belt, m/s"}};
const CatalogueParameter gripper_parameters[] = {
    {"force", 6000, 100, 1e5, false, "of each jaw, N; with little of it the crate slips"}};

const CatalogueEntry entries[] = {
    {"conveyor", "crates ride on slats that go round, into a bin", conveyor_parameters, build_conveyor},
    {"gripper", "two jaws lift a crate with others on it, carry it over and let go", gripper_parameters, build_gripper},
};

} // namespace

std::span<const CatalogueEntry> handling_scenes() { return entries; }

} // namespace moraine
