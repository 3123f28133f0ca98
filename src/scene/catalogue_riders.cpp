// Loads on a truck, a lift, a turntable and a rope bridge.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

constexpr Material crate_wood{.density = 300, .friction = 0.7f};
constexpr uint32_t crate_colors[] = {MaterialColor::wood, MaterialColor::red, MaterialColor::blue,
                                     MaterialColor::yellow};

// Crates on top of one another, the lowest with its bottom at `base`.
void add_stack(SceneDescription& scene, DVec3 base, Vec3 half, int height, uint32_t color, Quat turn = {})
{
    for (int level = 0; level < height; ++level)
    {
        SceneBody crate = make_body(base + DVec3(0, double(half.y) * (2 * level + 1), 0), Box{half}, crate_wood);
        crate.def.rotation = turn;
        add(scene, std::move(crate), "", color);
    }
}

SceneBody make_carrier(DVec3 position, const Geometry& geometry)
{
    SceneBody carrier = make_static(position, geometry, {.friction = crate_wood.friction});
    carrier.def.type = BodyType::kinematic;
    carrier.color = MaterialColor::steel;
    return carrier;
}

SceneDescription build_braking_truck(const ParameterValues& values)
{
    const double braking = values.at("braking"), speed = 12;
    SceneDescription scene;
    scene.world.merging = true;
    add(scene, make_static({40, -1, 0}, Box{{80, 1, 20}}), "ground");
    // Three times: stand, speed up, cruise, brake.
    std::vector<Leg> legs;
    for (int i = 0; i < 3; ++i)
        legs.insert(legs.end(), {{2, 0}, {6, speed / 6}, {2, 0}, {speed / braking, -braking}});
    legs.push_back({2, 0});
    add_truck(scene, legs);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 3; ++j)
            add_stack(scene, {i - 4.0, truck_bed_top, 0.85 * (j - 1)}, {0.4f, 0.25f, 0.4f}, values.count("height"),
                      crate_colors[(i + j) % 4]);
    scene.steps = int(3 * (10 + speed / braking) * 60) + 120;
    return scene;
}

SceneDescription build_lift(const ParameterValues& values)
{
    const double a = values.at("acceleration"), side = values.count("side");
    SceneDescription scene;
    scene.world.merging = true;
    add_ground(scene, 30);
    SceneBody platform = make_carrier({0, 0.2, 0}, Box{{float(side) + 0.5f, 0.2f, float(side) + 0.5f}});
    std::vector<Leg> legs;
    for (int i = 0; i < 3; ++i) // up and down
        legs.insert(legs.end(), {{3, 0}, {1, a}, {3, 0}, {1, -a}, {2, 0}, {1, -a}, {3, 0}, {1, a}});
    platform.motion = drive_along({platform.def.position, {}}, {0, 1, 0}, legs);
    add(scene, std::move(platform), "platform");
    for (int i = 0; i < int(side); ++i)
        for (int j = 0; j < int(side); ++j)
            add_stack(scene, {2.0 * i - side + 1, 0.4, 2.0 * j - side + 1}, {0.5f, 0.5f, 0.5f}, values.count("height"),
                      crate_colors[(i + j) % 4]);
    for (const double x : {-side - 1, side + 1})
        add(scene, make_static({x, 6, 0}, Box{{0.2f, 6, 0.4f}}), "rail");
    scene.steps = 2700;
    return scene;
}

SceneDescription build_turntable(const ParameterValues& values)
{
    const double spin = values.at("spin");
    SceneDescription scene;
    scene.world.merging = true;
    add_ground(scene, 30);
    SceneBody table = make_carrier({0, 0.8, 0}, Cylinder{7, 0.2f});
    const Leg legs[] = {{2, 0}, {10, spin / 10}, {12, 0}, {8, -spin / 8}, {2, 0}};
    table.motion = turn_about({table.def.position, {}}, {0, 1, 0}, legs);
    add(scene, std::move(table), "table");
    add(scene, make_static({0, 0.3, 0}, Cylinder{1, 0.3f}), "foot");
    for (int ring = 0; ring < 5; ++ring)
    {
        const int around = 5 * (ring + 1);
        for (int i = 0; i < around; ++i)
        {
            const double angle = 2 * double(pi) * i / around, radius = 1.5 + 1.05 * ring;
            add_stack(scene, {radius * std::cos(angle), 1, -radius * std::sin(angle)}, {0.35f, 0.25f, 0.35f},
                      values.count("height"), crate_colors[ring % 4], axis_angle({0, 1, 0}, float(angle)));
        }
    }
    scene.steps = 2040;
    return scene;
}

// Planks on two ropes, each a chain of short links between the planks' ends; crates stand on the middle.
SceneDescription build_rope_bridge(const ParameterValues& values)
{
    const int planks = values.count("planks");
    const Vec3 half{0.21f, 0.04f, 1};
    const float step = 0.5f, sag = 0.1f * step * float(planks), width = 0.9f;
    SceneDescription scene;
    scene.world.merging = true;
    scene.world.substeps = 16; // with four, crates seven times as heavy as a plank keep such a chain dancing for ever
    add_ground(scene, 20 + 0.5f * step * float(planks));
    const double height = 2 + double(sag);
    const auto place = [&](int i) {
        const double u = 2.0 * (i + 0.5) / planks - 1;
        return DVec3(0.5 * double(step) * planks * u, height - double(sag) * (1 - u * u), 0);
    };
    const double shore = 0.5 * double(step) * planks + 1.05;
    std::vector<int> row;
    for (const double side : {-1.0, 1.0})
        add(scene, make_static({side * shore, 0.5 * height, 0}, Box{{1, 0.5f * float(height), 1.5f}}), "shore");
    for (int i = 0; i < planks; ++i)
    {
        const DVec3 along = place(i + 1) - place(i - 1);
        SceneBody plank = make_body(place(i), Box{half}, {.density = 400, .friction = 0.9f});
        plank.def.rotation = axis_angle({0, 0, 1}, float(std::atan2(along.y, along.x)));
        plank.def.linear_damping = plank.def.angular_damping = values.number("damping");
        row.push_back(add(scene, std::move(plank), "", i % 2 ? MaterialColor::wood : MaterialColor::skin));
    }
    const auto frame = [&](int body) {
        return Pose{scene.bodies[size_t(body)].def.position, scene.bodies[size_t(body)].def.rotation};
    };
    for (const float side : {-width, width})
    {
        for (int i = 0; i + 1 < planks; ++i)
        {
            const Vec3 a{half.x, 0, side}, b{-half.x, 0, side};
            const float link = float(length(apply(frame(row[size_t(i)]), a) - apply(frame(row[size_t(i + 1)]), b)));
            add_joint(scene, row[size_t(i)], a, row[size_t(i + 1)], b, DistanceJoint{.lower = 0, .upper = link});
        }
        for (const int end : {0, planks - 1})
        {
            const float outwards = end == 0 ? -1.0f : 1.0f;
            const Vec3 a{outwards * half.x, 0, side};
            const Vec3 b(apply(frame(row[size_t(end)]), a) + DVec3(0.05 * double(outwards), 0, 0));
            add_joint(scene, -1, b, row[size_t(end)], a, DistanceJoint{.lower = 0, .upper = 0.05f});
        }
    }
    const int crates = values.count("crates");
    for (int i = 0; i < crates; ++i)
    {
        const int plank = std::clamp(int((i + 0.5) * planks / crates), 0, planks - 1);
        add_stack(scene, place(plank) + DVec3(0, 0.12, i % 2 ? 0.35 : -0.35), {0.3f, 0.25f, 0.3f}, 2,
                  crate_colors[i % 4]);
    }
    scene.steps = 1200;
    return scene;
}

const CatalogueParameter truck_parameters[] = {
    {"braking", 5, 1, 12, false, "m/s²; the load slides above friction times gravity, 6.9"},
    {"height", 2, 1, 6, true, "crates in a stack"}};
const CatalogueParameter lift_parameters[] = {{"acceleration", 3, 0.1, 20, false, "m/s² when it starts and stops"},
                                              {"side", 5, 1, 40, true, "stacks along each side"},
                                              {"height", 4, 1, 20, true, "crates in a stack"}};
const CatalogueParameter turntable_parameters[] = {{"spin", 0.8, 0, 5, false, "rad/s; outer stacks slide above 1.1"},
                                                   {"height", 2, 1, 10, true, "crates in a stack"}};
const CatalogueParameter bridge_parameters[] = {{"planks", 40, 4, 400, true, "planks"},
                                                {"crates", 8, 0, 100, true, "pairs of crates on it"},
                                                {"damping", 0.5, 0, 10, false, "of the swinging planks, 1/s"}};

const CatalogueEntry entries[] = {
    {"braking_truck", "a truck that brakes three times, its load held by friction", truck_parameters,
     build_braking_truck},
    {"lift", "stacks on a platform that goes up and down", lift_parameters, build_lift},
    {"turntable", "stacks on a table that turns faster, and slower again", turntable_parameters, build_turntable},
    {"rope_bridge_with_crates", "planks on two ropes with crates on them", bridge_parameters, build_rope_bridge},
};

} // namespace

std::span<const CatalogueEntry> rider_scenes() { return entries; }

} // namespace moraine
