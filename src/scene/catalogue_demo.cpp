// One scene that shows most of what the engine does, in stations around a lawn.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

void add_platform_station(SceneDescription& scene)
{
    SceneBody deck = make_static({-14, 1.75, -12}, Box{{4, 0.25f, 4}});
    deck.def.type = BodyType::kinematic;
    deck.motion = SineMotion{.translation = {0, 0.3f, 0}, .rotation = {0, 0.5f, radians(1.5f)}, .period = 6};
    add(scene, std::move(deck), "turning_deck", MaterialColor::steel);
    for (int stack = 0; stack < 9; ++stack)
        for (int level = 0; level < 6; ++level)
            add(scene,
                make_body({-14 + 2.2 * (stack % 3 - 1), 2.3 + 0.6 * level, -12 + 2.2 * (stack / 3 - 1)},
                          Box{{0.3f, 0.3f, 0.3f}}, {.density = 400}),
                "", level % 2 ? MaterialColor::red : MaterialColor::blue);
}

void add_pyramid_station(SceneDescription& scene)
{
    const int base = 10;
    for (int course = 0; course < base; ++course)
        for (int i = 0; i < base - course; ++i)
            add(scene,
                make_body({0.85 * (i - 0.5 * (base - course - 1)), 0.4 + 0.8 * course, -14}, Box{{0.4f, 0.4f, 0.4f}},
                          {.density = 500}),
                "", MaterialColor::wood);
    // A fast ball is fired at it.
    SpawnAction shot{make_body({0.3, 2.5, 14}, Sphere{0.35f}, {.density = 4000})};
    shot.body.def.name = "shot";
    shot.body.def.is_fast = true;
    shot.body.def.linear_velocity = {0, 3, -45};
    shot.body.color = MaterialColor::dark;
    scene.events.push_back({8, shot});
}

void add_rope_station(SceneDescription& scene)
{
    const DVec3 anchor(14, 9, -12);
    int before = -1;
    for (int i = 0; i < 12; ++i)
    {
        SceneBody link = make_body(anchor + DVec3(0.5 * (i + 0.5), 0, 0), Capsule{0.08f, 0.18f}, {.density = 4000});
        link.def.rotation = axis_angle({0, 0, 1}, -0.5f * pi);
        const int index = add(scene, std::move(link), "", MaterialColor::steel);
        add_joint(scene, before, index, {anchor + DVec3(0.5 * i, 0, 0), {}}, BallJoint{});
        before = index;
    }
    const int ball = add(scene, make_body(anchor + DVec3(6.6, 0, 0), Sphere{0.6f}, {.density = 600}), "wrecking_ball",
                         MaterialColor::dark);
    add_joint(scene, before, ball, {anchor + DVec3(6, 0, 0), {}}, BallJoint{});
    for (int level = 0; level < 8; ++level)
        add(scene, make_body({12.2, 0.3 + 0.6 * level, -12}, Box{{0.3f, 0.3f, 0.3f}}, {.density = 300}), "",
            MaterialColor::yellow);
}

// A seesaw with limits, a door with a spring, a lift on a slider motor.
void add_joint_station(SceneDescription& scene)
{
    const Material wood{.density = 400};
    const int seesaw = add(scene, make_body({-14, 1, 6}, Box{{2.5f, 0.08f, 0.5f}}, wood), "seesaw",
                           MaterialColor::wood);
    add_joint(scene, -1, seesaw, {{-14, 1, 6}, x_axis_along({0, 0, 1})}, HingeJoint{.limit = {-0.35f, 0.35f}});
    add(scene, make_body({-16, 1.38, 6}, Box{{0.3f, 0.3f, 0.3f}}, {.density = 300}), "", MaterialColor::red);
    add(scene, make_body({-12, 6, 6}, Box{{0.4f, 0.4f, 0.4f}}, {.density = 900}), "", MaterialColor::red);

    const int door = add(scene, make_body({-14, 1.1, 10}, Box{{0.6f, 1, 0.06f}}, wood), "door", MaterialColor::wood);
    add_joint(scene, -1, door, {{-14.6, 1.1, 10}, x_axis_along({0, 1, 0})},
              HingeJoint{.limit = {-1.5f, 1.5f}, .spring = {.stiffness = 60, .damping = 20}});
    scene.events.push_back({3, ImpulseAction{door, {0, 0, 60}, {0.5f, 0, 0}}});

    const int lift = add(scene, make_body({-8, 0.4, 10}, Box{{1, 0.1f, 1}}, wood), "lift", MaterialColor::steel);
    const int slider = add_joint(scene, -1, lift, {{-8, 0.4, 10}, x_axis_along({0, 1, 0})},
                                 SliderJoint{.limit = {0, 3}, .motor = {.speed = 1, .max_force = 40000}});
    add(scene, make_body({-8, 0.8, 10}, Box{{0.3f, 0.3f, 0.3f}}, wood), "", MaterialColor::blue);
    scene.events.push_back(
        {6, JointAction{slider, SliderJoint{.limit = {0, 3}, .motor = {.speed = -1, .max_force = 40000}}}});
}

void add_factory_station(SceneDescription& scene)
{
    // A bowl of height field with a trigger above it that reports what falls through.
    add(scene, make_static({14, 0.4, 8}, make_terrain(24, 0.5f, 0.8f)), "hollow", MaterialColor::green);
    SceneBody gate = make_static({14, 4, 8}, Box{{2, 0.2f, 2}});
    gate.def.is_trigger = true;
    add(scene, std::move(gate), "gate");
    Random random(7);
    const Material material{.density = 500, .friction = 0.6f};
    FactoryAction factory;
    factory.prototypes = {make_body({}, Sphere{0.3f}, material), make_body({}, Box{{0.3f, 0.2f, 0.25f}}, material),
                          make_body({}, Capsule{0.15f, 0.25f}, material),
                          make_body({}, Cylinder{0.25f, 0.2f}, material),
                          make_body({}, make_random_hull(random, 14, 0.35f), material)};
    factory.interval = 0.2f;
    factory.until = 16;
    factory.position = {14, 7, 8};
    factory.spread = {0.8f, 0, 0.8f};
    factory.velocity = {0, -2, 0};
    factory.velocity_spread = {0.5f, 0, 0.5f};
    factory.spin_spread = 2;
    factory.turn_spread = {pi, pi, pi};
    scene.events.push_back({1, factory});
}

SceneDescription build_demo(const ParameterValues&)
{
    SceneDescription scene;
    add_ground(scene, 40);
    add_platform_station(scene);
    add_pyramid_station(scene);
    add_rope_station(scene);
    add_joint_station(scene);
    add_factory_station(scene);
    add_card_house(scene, {-2, 0, 4}, 3);
    add_dominoes(scene, {3, 0, 10}, 60);
    for (int i = 0; i < 3; ++i)
        add_ragdoll(scene, {5.0 + 1.5 * i, 3.0 + i, 0}, 0.6f * float(i), "figure_" + std::to_string(i));
    add_top(scene, {-4, 0, 9}, 1, 50, "top");
    scene.steps = 1200;
    return scene;
}

const CatalogueEntry entries[] = {
    {"demo", "most features at once: carriers, stacks, ropes, joints, figures, a factory, a shot", {}, build_demo},
};

} // namespace

std::span<const CatalogueEntry> demo_scenes() { return entries; }

} // namespace moraine
