// Things that ride on moving things.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

// 3 m x 4 m of deck for each stack, twenty stacks by ten at the usual size: 60 m x 40 m.
SceneDescription build_ferry(const ParameterValues& values)
{
    const int stacks = values.count("stacks"), height = values.count("height");
    const int rows = std::max(1, int(std::lround(std::sqrt(0.5 * stacks))));
    const int columns = (stacks + rows - 1) / rows;
    SceneDescription scene;
    SceneBody deck = make_static({0, -0.5, 0}, Box{{1.5f * float(columns), 0.5f, 2.0f * float(rows)}});
    deck.def.type = BodyType::kinematic;
    deck.motion = SineMotion{.translation = {0, 0.3f, 0}, .rotation = {0, 0, radians(1)}, .period = 8};
    add(scene, std::move(deck), "deck", MaterialColor::steel);
    for (int i = 0; i < stacks; ++i)
    {
        const double x = 3.0 * (i % columns - 0.5 * (columns - 1)), z = 4.0 * (i / columns - 0.5 * (rows - 1));
        for (int level = 0; level < height; ++level)
            add(scene, make_body({x, level + 0.5, z}, Box{}, {.density = 300}), "",
                (i + i / columns) % 2 ? MaterialColor::red : MaterialColor::blue);
    }
    return scene;
}

// ---- the wagon ----

// As in the paper: it keeps moving, and is slowed down once, by as much as the wagon then rolls towards the bookcase.
constexpr Leg keeps_moving[] = {{1.5, 0}, {3, 2}, {2.5, 0}, {0.5, -4}, {12.5, 0}};

// Harder: stands, speeds up, cruises, brakes hard, stands, and once more more gently.
constexpr Leg stops_twice[] = {{1.5, 0}, {3, 2}, {2.5, 0}, {1.2, -5}, {3, 0}, {2, 3}, {2, 0}, {2, -3}, {2.8, 0}};

constexpr double bed_top = truck_bed_top;
constexpr float board = 0.02f;                                            // half thickness
constexpr float case_depth = 0.2f, case_height = 1.0f, case_width = 0.9f; // halves
constexpr int shelves = 4;

// One compound, open towards the wagon (-x).
void add_bookcase(SceneDescription& scene, double x)
{
    const Material wood{.density = 600, .friction = 0.6f};
    const float inner = case_width - 2 * board;
    std::vector<ShapeDef> shapes{
        make_shape_def(Box{{board, case_height, case_width}}, {{case_depth - board, 0, 0}, {}}, wood),
        make_shape_def(Box{{case_depth - board, case_height, board}}, {{-board, 0, case_width - board}, {}}, wood),
        make_shape_def(Box{{case_depth - board, case_height, board}}, {{-board, 0, board - case_width}, {}}, wood)};
    for (int i = 0; i <= shelves; ++i)
    {
        const float y = -case_height + board + float(i) * (2 * case_height - 2 * board) / float(shelves);
        shapes.push_back(make_shape_def(Box{{case_depth - board, board, inner}}, {{-board, y, 0}, {}}, wood));
    }
    add(scene, make_compound({x, bed_top + double(case_height), 0}, shapes), "bookcase", MaterialColor::wood);
}

void add_books(SceneDescription& scene, double x, Random& random)
{
    static constexpr uint32_t colors[] = {MaterialColor::red, MaterialColor::blue, MaterialColor::green,
                                          MaterialColor::yellow, MaterialColor::skin};
    const int books = 15;
    const float inner = 2 * (case_width - 2 * board);
    for (int shelf = 0; shelf < shelves; ++shelf)
    {
        // Random thicknesses, scaled so that the row fills the shelf but for one centimetre.
        std::vector<float> thickness;
        float sum = 0;
        for (int i = 0; i < books; ++i)
        {
            thickness.push_back(random.between(0.6f, 1.4f));
            sum += thickness.back();
        }
        const float scale = (inner - 0.01f) / sum;
        const double floor = bed_top + double(2 * board) +
                             shelf * double(2 * case_height - 2 * board) / double(shelves);
        float z = -0.5f * inner + 0.005f;
        for (int i = 0; i < books; ++i)
        {
            const Vec3 half{random.between(0.12f, 0.16f), random.between(0.15f, 0.21f),
                            0.5f * scale * thickness[size_t(i)]};
            // Their backs are flush with the back of the bookcase.
            const double back = x + double(case_depth - 2 * board - half.x);
            add(scene,
                make_body({back, floor + double(half.y), double(z + half.z)}, Box{half},
                          {.density = 500, .friction = 0.5f}),
                "", colors[random.below(5)]);
            z += 2 * half.z;
        }
    }
}

// A tray on four wheels.
void add_wagon(SceneDescription& scene, double x)
{
    const Material wood{.density = 400, .friction = 0.5f};
    const float wheel_radius = 0.2f, axle = 0.5f, track = 0.62f;
    const double tray = bed_top + double(wheel_radius) + 0.1; // middle of the tray's floor
    const std::vector<ShapeDef> shapes{
        make_shape_def(Box{{0.8f, 0.05f, 0.5f}}, {}, wood),
        make_shape_def(Box{{0.8f, 0.25f, 0.03f}}, {{0, 0.3f, -0.47f}, {}}, wood),
        make_shape_def(Box{{0.8f, 0.25f, 0.03f}}, {{0, 0.3f, 0.47f}, {}}, wood),
        make_shape_def(Box{{0.03f, 0.25f, 0.44f}}, {{-0.77f, 0.3f, 0}, {}}, wood),
        make_shape_def(Box{{0.03f, 0.25f, 0.44f}}, {{0.77f, 0.3f, 0}, {}}, wood),
    };
    const int wagon = add(scene, make_compound({x, tray, 0}, shapes), "wagon", MaterialColor::red);
    for (const float front : {-1.0f, 1.0f})
        for (const float side : {-1.0f, 1.0f})
        {
            const DVec3 center(x + double(front * axle), bed_top + double(wheel_radius), double(side * track));
            SceneBody wheel = make_body(center, Cylinder{wheel_radius, 0.05f}, {.density = 600, .friction = 0.9f});
            wheel.def.rotation = axis_angle({1, 0, 0}, 0.5f * pi);
            const int index = add(scene, std::move(wheel), "wheel", MaterialColor::dark);
            add_joint(scene, wagon, index, {center, x_axis_along({0, 0, 1})}, HingeJoint{});
        }
}

void add_toys(SceneDescription& scene, double x, int count, Random& random)
{
    const Material toy{.density = 200, .friction = 0.5f, .restitution = 0.2f};
    for (int i = 0; i < count; ++i)
    {
        const int column = i % 5, row = i / 5 % 3, layer = i / 15;
        const DVec3 center(x + 0.28 * (column - 2), bed_top + 0.55 + 0.28 * layer, 0.28 * (row - 1));
        Geometry geometry = Sphere{0.11f};
        if (i % 4 == 1)
            geometry = Box{{0.09f, 0.09f, 0.09f}};
        else if (i % 4 == 2)
            geometry = make_random_hull(random, 12, 0.12f);
        else if (i % 4 == 3)
            geometry = Capsule{0.06f, 0.06f};
        static constexpr uint32_t colors[] = {MaterialColor::red, MaterialColor::blue, MaterialColor::green,
                                              MaterialColor::yellow};
        SceneBody body = make_body(center, geometry, toy);
        body.def.rotation = random.rotation();
        add(scene, std::move(body), "", colors[random.below(4)]);
    }
}

SceneDescription build_wagon(const ParameterValues& values)
{
    Random random(uint64_t(values.count("seed")));
    SceneDescription scene;
    add(scene, make_static({30, -1, 0}, Box{{150, 1, 60}}), "ground");
    const bool stops = values.count("stops") > 0;
    add_truck(scene, stops ? std::span<const Leg>(stops_twice) : std::span<const Leg>(keeps_moving));
    // The bookcase leans on the wall behind the cab, the wagon stands at the tail.
    const double bookcase = 4.4 - double(case_depth);
    add_bookcase(scene, bookcase);
    add_books(scene, bookcase, random);
    add_wagon(scene, -3.5);
    add_toys(scene, -3.5, values.count("toys"), random);
    for (const double z : {-1.0, 1.0}) // boxes beside the wagon's way
        for (int level = 0; level < 2; ++level)
            add(scene, make_body({1.5, bed_top + 0.25 + 0.5 * level, z}, Box{{0.25f, 0.25f, 0.25f}}, {.density = 200}),
                "", MaterialColor::steel);
    scene.steps = 1200;
    return scene;
}

// ---- the crane ----

// A trolley with a magnet on a rod goes down, takes what it touches, carries it over and lets it fall.
SceneDescription build_magnet_crane(const ParameterValues& values)
{
    SceneDescription scene;
    add_ground(scene, 30);
    const DVec3 start(-5, 9, 0);
    SceneBody trolley = make_static(start, Box{{0.6f, 0.3f, 0.6f}});
    trolley.def.type = BodyType::kinematic;
    KeyFrameMotion motion;
    const auto stop_at = [&](float time, double x, double y) { motion.frames.push_back({time, {{x, y, 0}, {}}}); };
    stop_at(0, -5, 9);
    stop_at(1, -5, 9);
    // Ten centimetres lower than it would hang on the upper boxes: the ropes are slack and it rests on them.
    const int layers = values.count("layers");
    const double low = 0.7 * layers + 3.2 - 0.1;
    stop_at(4, -5, low);
    stop_at(5.5f, -5, low);
    stop_at(8.5f, -5, 9);
    stop_at(13, 5, 9);
    stop_at(16, 5, 9);
    stop_at(20, -5, 9);
    trolley.motion = motion;
    const int carrier = add(scene, std::move(trolley), "trolley", MaterialColor::yellow);
    SceneBody plate = make_body({-5, 6, 0}, Box{{1.2f, 0.2f, 1.2f}}, {.density = 3000});
    plate.def.is_magnet = true;
    const int magnet = add(scene, std::move(plate), "magnet", MaterialColor::red);
    // Four ropes to the corners keep it level.
    for (const Vec3 corner : {Vec3{1, 0.2f, 1}, Vec3{1, 0.2f, -1}, Vec3{-1, 0.2f, 1}, Vec3{-1, 0.2f, -1}})
    {
        const Vec3 above{0.5f * corner.x, -0.3f, 0.5f * corner.z};
        const float rope = length(Vec3(start) + above - (Vec3{-5, 6, 0} + corner));
        add_joint(scene, carrier, above, magnet, corner, DistanceJoint{.lower = 0, .upper = rope});
    }
    for (int layer = 0; layer < layers; ++layer)
        for (int i = 0; i < 9; ++i)
            add(scene,
                make_body({-5 + 0.75 * (i % 3 - 1), 0.35 + 0.7 * layer, 0.75 * (i / 3 - 1)}, Box{{0.35f, 0.35f, 0.35f}},
                          {.density = 300}),
                "", MaterialColor::steel);
    scene.events.push_back({0, MagnetAction{magnet, false}});
    scene.events.push_back({4.5f, MagnetAction{magnet, true}});
    scene.events.push_back({14, MagnetAction{magnet, false}});
    scene.steps = 1260;
    return scene;
}

const CatalogueParameter ferry_parameters[] = {{"stacks", 200, 1, 100000, true, "stacks; the deck grows with them"},
                                               {"height", 10, 1, 40, true, "boxes in a stack"}};
const CatalogueParameter wagon_parameters[] = {{"toys", 48, 0, 60, true, "toys in the wagon"},
                                               {"stops", 0, 0, 1, true, "1: the truck brakes hard and stops, twice"},
                                               {"seed", 1, 0, 1e9, true, "of books and toys"}};
const CatalogueParameter crane_parameters[] = {{"layers", 3, 1, 3, true, "layers of boxes under the magnet"}};

const CatalogueEntry entries[] = {
    {"ferry", "stacks of ten boxes on a deck that heaves and pitches", ferry_parameters, build_ferry},
    {"wagon", "a truck slows down: a wagon full of toys rolls into a bookcase", wagon_parameters, build_wagon},
    {"magnet_crane", "a magnet on ropes picks boxes up and drops them elsewhere", crane_parameters, build_magnet_crane},
};

} // namespace

std::span<const CatalogueEntry> carrier_scenes() { return entries; }

// It drives towards +x.
int add_truck(SceneDescription& scene, std::span<const Leg> legs)
{
    const Material bed{.friction = 0.7f};
    const std::vector<ShapeDef> shapes{
        make_shape_def(Box{{4.5f, 0.15f, 1.4f}}, {{0, -0.15f, 0}, {}}, bed),
        make_shape_def(Box{{4.5f, 0.25f, 0.05f}}, {{0, 0.25f, -1.35f}, {}}, bed),
        make_shape_def(Box{{4.5f, 0.25f, 0.05f}}, {{0, 0.25f, 1.35f}, {}}, bed),
        make_shape_def(Box{{0.05f, 0.4f, 1.4f}}, {{-4.45f, 0.4f, 0}, {}}, bed),
        make_shape_def(Box{{0.05f, 0.7f, 1.4f}}, {{4.45f, 0.7f, 0}, {}}, bed),
        make_shape_def(Box{{0.9f, 1.0f, 1.3f}}, {{5.5f, 0.3f, 0}, {}}, bed), // cab
    };
    SceneBody truck = make_compound({0, truck_bed_top, 0}, shapes);
    truck.def.type = BodyType::kinematic;
    truck.motion = drive_along({truck.def.position, {}}, {1, 0, 0}, legs);
    return add(scene, std::move(truck), "truck", MaterialColor::dark);
}

} // namespace moraine
