// The other scenes of the papers on merging: on the ground, on a hinge, on an edge, in a skip.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

constexpr uint32_t bright[] = {MaterialColor::red, MaterialColor::blue, MaterialColor::green, MaterialColor::yellow};

SceneDescription make_merging_scene(float ground_size)
{
    SceneDescription scene;
    scene.world.merging = true;
    add_ground(scene, ground_size);
    return scene;
}

// ---- dominoes on the ground: straight rows, joined by half circles ----

// Distance along the path to a place and a direction in the plane.
void place_on_rows(double way, double row, double radius, int& index, double& x, double& z, double& heading)
{
    const double turn = double(pi) * radius;
    index = int(way / (row + turn));
    const double rest = way - index * (row + turn), sign = index % 2 ? -1 : 1;
    const double z0 = 2 * radius * index;
    if (rest < row)
    {
        x = sign * (rest - 0.5 * row);
        z = z0;
        heading = sign > 0 ? 0 : double(pi);
        return;
    }
    const double angle = (rest - row) / radius;
    x = sign * (0.5 * row + radius * std::sin(angle));
    z = z0 + radius * (1 - std::cos(angle));
    heading = sign > 0 ? angle : double(pi) - angle;
}

SceneDescription build_dominoes(const ParameterValues& values)
{
    const int count = values.count("count");
    const double step = 0.352, radius = 0.9;
    const double row = std::max(2.0, 0.6 * std::sqrt(count * step * 2 * radius) * 1.6);
    SceneDescription scene = make_merging_scene(float(row) + 20);
    const Vec3 half{0.05f, 0.4f, 0.2f};
    const Material wood{.density = 600, .friction = 0.6f};
    int first = -1, last_row = 0;
    for (int i = 0; i < count; ++i)
    {
        double x = 0, z = 0, heading = 0;
        place_on_rows(i * step, row, radius, last_row, x, z, heading);
        SceneBody body = make_body({x, double(half.y), z}, Box{half}, wood);
        body.def.rotation = axis_angle({0, 1, 0}, float(-heading));
        const int index = add(scene, std::move(body), "", i % 10 ? MaterialColor::wood : MaterialColor::red);
        first = i == 0 ? index : first;
    }
    for (SceneBody& body : scene.bodies) // the rows around the middle of the ground
        if (body.def.type == BodyType::dynamic_)
            body.def.position.z -= radius * last_row;
    const float mass = wood.density * 8 * half.x * half.y * half.z;
    scene.events.push_back({2, ImpulseAction{first, {0.8f * mass, 0, 0}, {0, 0.3f, 0}}});
    scene.steps = 600 + 7 * count;
    return scene;
}

// ---- an unstructured stack ----

SceneDescription build_messy_stack(const ParameterValues& values)
{
    SceneDescription scene = make_merging_scene(30);
    Random random(uint64_t(values.count("seed")));
    const Material material{.density = 600, .friction = 0.8f};
    for (int i = 0; i < values.count("count"); ++i)
    {
        const Vec3 half{random.between(0.15f, 0.4f), random.between(0.12f, 0.3f), random.between(0.15f, 0.38f)};
        // Nine to a layer, close together, so that they land on one another.
        const DVec3 at(0.8 * (i % 3 - 1) + double(random.between(-0.1f, 0.1f)), 1.2 + 1.5 * (i / 9),
                       0.8 * (i / 3 % 3 - 1) + double(random.between(-0.1f, 0.1f)));
        SceneBody body = make_body(at, Box{half}, material);
        if (i % 5 == 4)
            body = make_body(at, make_random_hull(random, 14, half.x), material);
        body.def.rotation = random.rotation();
        add(scene, std::move(body), "", bright[random.below(4)]);
    }
    scene.steps = 1200;
    return scene;
}

// ---- a tower of crossed planks, three to a layer; an outer one near the top is struck towards its neighbours ----

SceneDescription build_impulse_tower(const ParameterValues& values)
{
    const int layers = values.count("layers");
    const Vec3 half{0.75f, 0.15f, 0.245f}; // a centimetre between neighbours
    SceneDescription scene = make_merging_scene(40);
    const int struck_layer = std::clamp(int(std::lround(values.at("level") * (layers - 1))), 0, layers - 1);
    int struck = -1;
    for (int layer = 0; layer < layers; ++layer)
        for (int i = 0; i < 3; ++i)
        {
            const double side = 0.5 * (i - 1);
            const bool is_across = layer % 2 != 0;
            const float density = layer % 2 ? 500.0f : 500.0f * values.number("ratio");
            SceneBody plank = make_body({is_across ? side : 0, 0.15 + 0.3 * layer, is_across ? 0 : side}, Box{half},
                                        {.density = density, .friction = 0.6f});
            if (is_across)
                plank.def.rotation = axis_angle({0, 1, 0}, 0.5f * pi);
            const int index = add(scene, std::move(plank), "", bright[(layer + i) % 4]);
            struck = layer == struck_layer && i == 0 ? index : struck;
        }
    SceneBody& plank = scene.bodies[size_t(struck)];
    plank.def.name = "struck";
    const float mass = plank.def.shapes[0].density * 8 * half.x * half.y * half.z;
    const float speed = values.number("speed");
    const Vec3 impulse = values.count("upwards") ? Vec3{0, mass * speed, 0}
                                                 : Vec3{plank.def.position.x < 0 ? mass * speed : 0, 0,
                                                        plank.def.position.z < 0 ? mass * speed : 0};
    scene.events.push_back({values.number("time"), ImpulseAction{struck, impulse, {}}});
    scene.steps = 900;
    return scene;
}

// ---- a spinning tray with four compartments ----

SceneDescription build_spinner(const ParameterValues& values)
{
    SceneDescription scene = make_merging_scene(20);
    scene.world.solver = SolverKind::pgs; // it is the one that can work overlap off after the step
    scene.world.post_stabilization = true;
    const Material slick{.density = 800, .friction = 0.1f};
    std::vector<ShapeDef> parts{make_shape_def(Box{{1.5f, 0.1f, 1.5f}}, {}, slick)};
    for (const float place : {-1.4f, 0.0f, 1.4f})
    {
        parts.push_back(make_shape_def(Box{{1.5f, 0.3f, 0.1f}}, {{0, 0.2f, place}, {}}, slick));
        parts.push_back(make_shape_def(Box{{0.1f, 0.3f, 1.5f}}, {{place, 0.2f, 0}, {}}, slick));
    }
    const DVec3 center(0, 1, 0);
    const int index = add(scene, make_compound(center, parts), "tray", MaterialColor::steel);
    // About 2 rad/s², up to this speed.
    add_joint(scene, -1, index, {center, x_axis_along({0, 1, 0})},
              HingeJoint{.motor = {.speed = values.number("spin"), .max_force = 10000}});
    add(scene, make_static({0, 0.4, 0}, Cylinder{0.2f, 0.4f}), "stand");
    const Material load{.density = 500, .friction = 0.4f};
    for (int i = 0; i < 4; ++i)
    {
        const DVec3 at(i % 2 ? 0.6 : -0.6, 0.31, i / 2 ? 0.6 : -0.6);
        const Geometry geometry = i % 3 == 0 ? Geometry{Box{{0.2f, 0.2f, 0.2f}}} : Geometry{Sphere{0.2f}};
        add(scene, make_body(center + at, geometry, load), "", bright[i]);
    }
    scene.steps = 1200;
    return scene;
}

// ---- a see-saw: a board on an edge, boxes on both sides, and one more that tips it ----

SceneDescription build_see_saw(const ParameterValues& values)
{
    SceneDescription scene = make_merging_scene(20);
    const std::vector<Vec3> corners{{-0.4f, 0, -0.5f}, {0.4f, 0, -0.5f}, {0, 0.8f, -0.5f},
                                    {-0.4f, 0, 0.5f},  {0.4f, 0, 0.5f},  {0, 0.8f, 0.5f}};
    if (Result<HullRef> wedge = make_hull(corners))
        add(scene, make_static({}, *wedge, {.friction = 1}), "edge", MaterialColor::dark);
    const Material wood{.density = 500, .friction = 0.9f};
    const double top = 0.9;
    add(scene, make_body({0, top - 0.05, 0}, Box{{4, 0.05f, 0.5f}}, wood), "board", MaterialColor::wood);
    for (int i = 0; i < values.count("boxes"); ++i)
        for (const double side : {-1.0, 1.0})
            add(scene, make_body({side * 3, top + 0.2 + 0.4 * i, 0}, Box{{0.2f, 0.2f, 0.2f}}, wood), "",
                side < 0 ? MaterialColor::red : MaterialColor::blue);
    SceneBody last = make_body({-3, 2 + 0.4 * values.count("boxes"), 0}, Box{{0.25f, 0.25f, 0.25f}}, wood);
    last.color = MaterialColor::yellow;
    scene.events.push_back({4, SpawnAction{std::move(last)}});
    return scene;
}

// ---- a skip that is tipped until its load slides out ----

SceneDescription build_dumpster(const ParameterValues& values)
{
    SceneDescription scene = make_merging_scene(30);
    Random random(uint64_t(values.count("seed")));
    const Material steel{.friction = 0.6f};
    // The body's frame is the hinge at the lower rear edge, so that tipping is a turn only.
    const std::vector<ShapeDef> parts{
        make_shape_def(Box{{2.5f, 0.1f, 1.2f}}, {{2.5f, 0, 0}, {}}, steel),
        make_shape_def(Box{{2.5f, 0.5f, 0.08f}}, {{2.5f, 0.6f, 1.12f}, {}}, steel),
        make_shape_def(Box{{2.5f, 0.5f, 0.08f}}, {{2.5f, 0.6f, -1.12f}, {}}, steel),
        make_shape_def(Box{{0.08f, 0.5f, 1.04f}}, {{4.92f, 0.6f, 0}, {}}, steel),
    };
    const DVec3 hinge(0, 1.2, 0);
    SceneBody skip = make_compound(hinge, parts);
    skip.def.type = BodyType::kinematic;
    // Up over twelve seconds, softly at both ends, a rest, and down again.
    const double full = double(radians(values.number("angle_degrees")));
    const double push = full / 20; // 2 s of it, 8 s evenly, 2 s against it: 20 s² in all
    const Leg legs[] = {{5, 0}, {2, push}, {8, 0}, {2, -push}, {4, 0}, {2, -push}, {8, 0}, {2, push}, {2, 0}};
    skip.motion = turn_about({hinge, {}}, {0, 0, 1}, legs);
    add(scene, std::move(skip), "skip", MaterialColor::green);
    for (int i = 0; i < values.count("count"); ++i)
    {
        const DVec3 at(0.9 + 0.65 * (i % 6), 1.7 + 0.6 * (i / 18), 0.65 * (i / 6 % 3 - 1));
        SceneBody body = make_body(at, make_random_hull(random, 12, random.between(0.22f, 0.32f)),
                                   {.density = 1500, .friction = 0.6f});
        if (i % 3 == 0)
            body = make_body(at, Box{{0.25f, 0.15f, 0.2f}}, {.density = 800, .friction = 0.6f});
        body.def.rotation = random.rotation();
        add(scene, std::move(body), "", i % 3 ? MaterialColor::steel : MaterialColor::wood);
    }
    scene.steps = 2100;
    return scene;
}

const CatalogueParameter domino_parameters[] = {{"count", 710, 2, 100000, true, "dominoes"}};
const CatalogueParameter messy_parameters[] = {{"count", 60, 1, 2000, true, "bodies"},
                                               {"seed", 1, 0, 1e9, true, "of their sizes and places"}};
const CatalogueParameter impulse_parameters[] = {
    {"layers", 26, 1, 200, true, "layers of three planks"},
    {"ratio", 1, 1, 1000, false, "density of every second layer against the others"},
    {"level", 0.8, 0, 1, false, "which layer is struck: 0 the lowest, 1 the highest"},
    {"speed", 15, 0, 50, false, "that the struck plank alone would get, m/s"},
    {"time", 5, 0, 1000, false, "when, seconds"},
    {"upwards", 0, 0, 1, true, "1: struck from below instead of from the side"}};
const CatalogueParameter spinner_parameters[] = {{"spin", 7, 0, 60, false, "rad/s that its motor goes up to"}};
const CatalogueParameter see_saw_parameters[] = {{"boxes", 3, 1, 20, true, "boxes on each side"}};
const CatalogueParameter dumpster_parameters[] = {{"count", 72, 1, 500, true, "bodies in the skip"},
                                                  {"angle_degrees", 50, 0, 80, false, "how far it is tipped"},
                                                  {"seed", 1, 0, 1e9, true, "of the load"}};

const CatalogueEntry entries[] = {
    {"dominoes", "rows of dominoes on the ground, the first one pushed", domino_parameters, build_dominoes},
    {"messy_stack", "blocks of all sizes fall on one another", messy_parameters, build_messy_stack},
    {"impulse_tower", "a tower of crossed planks, one of them struck", impulse_parameters, build_impulse_tower},
    {"spinner", "cubes and balls in the corners of a fast tray", spinner_parameters, build_spinner},
    {"see_saw", "a board on an edge in balance, until one more box falls on it", see_saw_parameters, build_see_saw},
    {"dumpster", "a skip is tipped until its load slides out", dumpster_parameters, build_dumpster},
};

} // namespace

std::span<const CatalogueEntry> merging_scenes() { return entries; }

} // namespace moraine
