// Things that stand: exact contact, neither gap nor overlap, between what rests on what.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

const Box unit_box{{0.5f, 0.5f, 0.5f}};

SceneDescription build_pyramid(const ParameterValues& values)
{
    const int base = values.count("base");
    const Material material{.friction = 0.6f};
    const double step = 1.1; // neighbours in a course stand apart, courses rest on each other
    SceneDescription scene;
    add_ground(scene, float(base) + 20, material);
    for (int course = 0; course < base; ++course)
    {
        const int boxes = base - course;
        for (int i = 0; i < boxes; ++i)
            add(scene, make_body({(i - 0.5 * (boxes - 1)) * step, course + 0.5, 0}, unit_box, material));
    }
    return scene;
}

// Brick courses: every second course has one box less, so that each box rests on two.
SceneDescription build_wall(const ParameterValues& values)
{
    const int count = values.count("count"), length = 40, height = 10;
    const double step = 1.05;
    const int per_wall = height / 2 * (2 * length - 1);
    const int walls = (count + per_wall - 1) / per_wall;
    SceneDescription scene;
    add_ground(scene, 40 + 2 * float(walls));
    for (int placed = 0, wall = 0; placed < count; ++wall)
        for (int course = 0; course < height && placed < count; ++course)
        {
            const int boxes = course % 2 == 0 ? length : length - 1;
            for (int i = 0; i < boxes && placed < count; ++i, ++placed)
                add(scene, make_body({(i - 0.5 * (boxes - 1)) * step, course + 0.5, 4.0 * (wall - 0.5 * (walls - 1))},
                                     unit_box));
        }
    return scene;
}

SceneDescription build_tower(const ParameterValues& values)
{
    const int layers = values.count("layers"), around = values.count("around");
    const bool has_springs = values.count("springs") != 0;
    const double radius = ring_radius(around);
    SceneDescription scene;
    add_ground(scene, float(radius) + 30);
    if (has_springs)
        add_tower_on_springs(scene, layers, around, {.stretch = 0.25f, .damping = 0.313f});
    else
        add_plank_rings(scene, {}, layers, around);
    scene.steps = 1200;
    return scene;
}

SceneDescription build_card_house(const ParameterValues& values)
{
    SceneDescription scene;
    add_ground(scene, 20);
    add_card_house(scene, {0, 0, 0}, values.count("levels"));
    return scene;
}

SceneDescription build_domino(const ParameterValues& values)
{
    SceneDescription scene;
    const int count = values.count("count");
    add_ground(scene, 20 + 0.6f * std::sqrt(float(count)));
    add_dominoes(scene, {0, 0, 0}, count);
    scene.steps = 1800;
    return scene;
}

SceneDescription build_slope(const ParameterValues& values)
{
    const float angle = radians(values.number("angle_degrees"));
    const Quat tilt = axis_angle({0, 0, 1}, -angle); // falls towards +x
    SceneDescription scene;
    add_ground(scene, 100);
    SceneBody slope = make_static({0, 10, 0}, Box{{25, 0.5f, 15}}, {.friction = 1});
    slope.def.rotation = tilt;
    const Pose frame{slope.def.position, tilt};
    add(scene, std::move(slope), "slope");
    for (int i = 0; i < 10; ++i)
    {
        // A pair's friction is the geometric mean: against the slope's 1 this is (i + 1) / 10.
        const float friction = 0.1f * float(i + 1);
        SceneBody body = make_body(apply(frame, {-18, 1.0f, 2.5f * (float(i) - 4.5f)}), unit_box,
                                   {.friction = friction * friction});
        body.def.rotation = tilt;
        add(scene, std::move(body), "friction_" + std::to_string(10 * (i + 1)));
    }
    return scene;
}

SceneDescription build_resting(const ParameterValues& values)
{
    const int count = values.count("count");
    const int side = int(std::ceil(std::sqrt(double(count))));
    SceneDescription scene;
    add_ground(scene, float(side) + 10);
    for (int i = 0; i < count; ++i)
        add(scene,
            make_body({2.0 * (i % side - 0.5 * (side - 1)), 0.5, 2.0 * (i / side - 0.5 * (side - 1))}, unit_box));
    return scene;
}

SceneDescription build_falling(const ParameterValues& values)
{
    const int count = values.count("count");
    const int side = int(std::ceil(std::cbrt(double(count))));
    Random random(1);
    SceneDescription scene;
    for (int i = 0; i < count; ++i)
    {
        const int x = i % side, y = i / side % side, z = i / (side * side);
        SceneBody body = make_body({3.0 * x, 3.0 * y, 3.0 * z}, unit_box);
        body.def.rotation = random.rotation();
        body.def.angular_velocity = random.within({1, 1, 1});
        add(scene, std::move(body));
    }
    if (values.count("gravity") == 0)
        scene.world.gravity = {};
    scene.world.sleeping = false;
    return scene;
}

const CatalogueParameter pyramid_parameters[] = {{"base", 30, 1, 1000, true, "boxes in the lowest course"}};
const CatalogueParameter wall_parameters[] = {{"count", 2000, 1, 1e6, true, "boxes"}};
const CatalogueParameter tower_parameters[] = {
    {"layers", 26, 1, 400, true, "rings on top of each other"},
    {"around", 13, 4, 400, true, "planks in a ring"},
    {"springs", 0, 0, 1, true, "1: on a platform that hangs on four springs"}};
const CatalogueParameter card_parameters[] = {{"levels", 5, 1, 30, true, "storeys"}};
const CatalogueParameter domino_parameters[] = {{"count", 300, 2, 100000, true, "dominoes"}};
const CatalogueParameter slope_parameters[] = {{"angle_degrees", 20, 0, 60, false, "how steep"}};
const CatalogueParameter resting_parameters[] = {{"count", 10000, 1, 4e6 - 1, true, "boxes"}};
const CatalogueParameter falling_parameters[] = {{"count", 10000, 1, 4e6, true, "boxes"},
                                                 {"gravity", 0, 0, 1, true, "1: they fall, without a ground"}};

const CatalogueEntry entries[] = {
    {"pyramid", "flat pyramid of unit boxes, 30 in the lowest course", pyramid_parameters, build_pyramid},
    {"wall", "walls of unit boxes in brick courses, at rest", wall_parameters, build_wall},
    {"tower", "tower of plank rings, each turned by half a plank", tower_parameters, build_tower},
    {"card_house", "house of leaning cards, held by friction alone", card_parameters, build_card_house},
    {"domino", "a spiral of dominoes, the first one pushed", domino_parameters, build_domino},
    {"slope", "boxes of ten frictions on one slope: those below its tangent slide", slope_parameters, build_slope},
    {"resting", "boxes that rest apart from each other on the ground", resting_parameters, build_resting},
    {"falling", "boxes that fly freely and never meet", falling_parameters, build_falling},
};

} // namespace

std::span<const CatalogueEntry> stack_scenes() { return entries; }

// 0.2 m between the ends of neighbours: a plank rests with 0.4 m on each of two below.
double ring_radius(int around) { return 1.2 / (2 * std::sin(double(pi) / around)); }

// Rings of planks, each ring turned by half a plank against the one below.
void add_plank_rings(SceneDescription& scene, DVec3 base, int layers, int around)
{
    const double radius = ring_radius(around);
    for (int layer = 0; layer < layers; ++layer)
        for (int i = 0; i < around; ++i)
        {
            const double angle = 2 * double(pi) * (i + 0.5 * (layer % 2)) / around;
            const DVec3 at(radius * std::cos(angle), 0.25 + 0.5 * layer, -radius * std::sin(angle));
            SceneBody body = make_body(base + at, Box{{0.25f, 0.25f, 0.5f}}, {.density = 1000});
            body.def.rotation = axis_angle({0, 1, 0}, float(angle));
            body.color = (i + layer) % 2 ? MaterialColor::blue : MaterialColor::yellow;
            add(scene, std::move(body));
        }
}

int add_tower_on_springs(SceneDescription& scene, int layers, int around, Hanging hanging)
{
    const double top = 4;
    const float side = float(ring_radius(around)) + 1;
    const int board = add(scene, make_body({0, top - 0.25, 0}, Box{{side, 0.25f, side}}, {.density = 500}), "platform",
                          MaterialColor::wood);
    const Vec3 corners[] = {{side, 0, side}, {side, 0, -side}, {-side, 0, side}, {-side, 0, -side}};
    hanging.mass = 250 * float(layers * around) + 1000 * side * side;
    hang_on_springs(scene, board, corners, hanging);
    add_plank_rings(scene, {0, top, 0}, layers, around);
    return board;
}

// Pairs of cards lean against each other; level cards bridge from the top of one pair to the next.
void add_card_house(SceneDescription& scene, DVec3 position, int levels)
{
    const float thickness = 0.03f, length = 1, width = 0.7f, lean = radians(16);
    const Material material{.density = 700, .friction = 0.8f};
    const Vec3 half{0.5f * thickness, 0.5f * length, 0.5f * width};
    // Half extents of the leaning card: the pair meets at x = 0 and stands on y = 0.
    const float across = half.x * std::cos(lean) + half.y * std::sin(lean);
    const float up = half.x * std::sin(lean) + half.y * std::cos(lean);
    const float pair_step = 4 * across + 0.12f; // feet stand 6 cm inside the ends of the level cards
    const float storey = 2 * up + thickness;
    for (int level = 0; level < levels; ++level)
    {
        const int pairs = levels - level;
        const double y = position.y + double(storey) * level;
        for (int i = 0; i < pairs; ++i)
            for (const float side : {-1.0f, 1.0f})
            {
                const double x = position.x + double(pair_step) * (i - 0.5 * (pairs - 1)) + double(side * across);
                SceneBody card = make_body({x, y + double(up), position.z}, Box{half}, material);
                card.def.rotation = axis_angle({0, 0, 1}, side * lean);
                add(scene, std::move(card), "", side < 0 ? MaterialColor::red : MaterialColor::blue);
            }
        for (int i = 0; i + 1 < pairs; ++i)
        {
            const double x = position.x + double(pair_step) * (i - 0.5 * (pairs - 2));
            const Vec3 level_half{0.5f * pair_step - 0.005f, half.x, half.z};
            add(scene, make_body({x, y + 2 * double(up) + double(half.x), position.z}, Box{level_half}, material), "",
                MaterialColor::yellow);
        }
    }
}

// An Archimedean spiral outwards at even distances; the first one gets a push.
void add_dominoes(SceneDescription& scene, DVec3 position, int count)
{
    const Vec3 half{0.06f, 0.4f, 0.2f};
    const double spacing = 0.35, turn_step = 0.8;
    double angle = 4 * double(pi);
    int first = -1;
    for (int i = 0; i < count; ++i)
    {
        const double radius = turn_step * angle / (2 * double(pi));
        const DVec3 center = position + DVec3(radius * std::cos(angle), double(half.y), radius * std::sin(angle));
        SceneBody body = make_body(center, Box{half}, {.density = 600, .friction = 0.5f});
        // Its thin side looks along the spiral.
        body.def.rotation = axis_angle({0, 1, 0}, float(-angle - 0.5 * double(pi)));
        const int index = add(scene, std::move(body), "", i % 10 ? MaterialColor::wood : MaterialColor::red);
        first = i == 0 ? index : first;
        angle += spacing / radius;
    }
    const float mass = 600 * 8 * half.x * half.y * half.z;
    const Vec3 ahead = rotate(scene.bodies[size_t(first)].def.rotation, {1, 0, 0});
    const Vec3 along{-std::sin(4 * pi), 0, std::cos(4 * pi)};
    const float sign = dot(ahead, along) < 0 ? -1.0f : 1.0f;
    scene.events.push_back({0.5f, ImpulseAction{first, ahead * (sign * mass * 1.0f), {0, 0.35f, 0}}});
}

} // namespace moraine
