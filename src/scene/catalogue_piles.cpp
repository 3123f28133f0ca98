// Things that are dropped and come to rest in a heap.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

const Box unit_box{{0.5f, 0.5f, 0.5f}};

// The pit grows with the number of things, so that the heap stays equally deep.
float pit_half_size(int count, int usual_count, float usual_half_size)
{
    return std::max(usual_half_size * std::sqrt(float(count) / float(usual_count)), 2.0f);
}

SceneDescription build_pile(const ParameterValues& values)
{
    const int count = values.count("count");
    const float half_size = pit_half_size(count, 5000, 12);
    const double step = 1.45;
    const int side = int((2 * double(half_size) - 0.5 - 0.5 * step) / step);
    Random random(uint64_t(values.count("seed")));
    SceneDescription scene;
    add_pit(scene, half_size, 30);
    for (int i = 0; i < count; ++i)
    {
        const int x = i % side, z = i / side % side, y = i / (side * side);
        // Every second layer is shifted and all boxes are tilted, or they would land as neat columns; the tilt is so
        // small that neighbours do not overlap.
        const double shift = (y % 2 - 0.5) * 0.5;
        SceneBody body = make_body(
            {(x - 0.5 * (side - 1) + shift) * step, 1 + y * step, (z - 0.5 * (side - 1) + shift) * step}, unit_box);
        body.def.rotation = rotation_from_vector(random.within({0.25f, 0.25f, 0.25f}));
        add(scene, std::move(body));
    }
    return scene;
}

SceneDescription build_hull_pile(const ParameterValues& values)
{
    const int count = values.count("count");
    const float half_size = pit_half_size(count, 2000, 8);
    const double step = 1.1;
    const int side = int((2 * double(half_size) - 0.3) / step);
    Random random(uint64_t(values.count("seed")));
    SceneDescription scene;
    add_pit(scene, half_size, 15);
    for (int i = 0; i < count; ++i)
    {
        const int x = i % side, z = i / side % side, y = i / (side * side);
        const int corners = 8 + random.below(17);
        SceneBody body = make_body({(x - 0.5 * (side - 1)) * step, 1 + y * step, (z - 0.5 * (side - 1)) * step},
                                   make_random_hull(random, corners, 0.5f));
        body.def.rotation = random.rotation();
        add(scene, std::move(body));
    }
    return scene;
}

SceneDescription build_bowl(const ParameterValues& values)
{
    const int count = values.count("count");
    const float radius = 0.25f, slope = radians(30), half_thickness = 0.5f;
    const int columns = 20, rows = 21;
    // Wide enough that what is heaped up in it stays below the rim.
    const float half_width = 14 * std::max(1.0f, std::cbrt(float(count) / 5040));
    SceneDescription scene;
    for (int side = 0; side < 4; ++side)
    {
        const Quat heading = axis_angle({0, 1, 0}, 0.5f * pi * float(side));
        const Quat tilt = axis_angle({0, 0, 1}, slope); // rises towards +x
        const float half_length = 0.5f * half_width / std::cos(slope);
        // The middle of the upper face lies halfway up the slope; all four upper faces meet in the origin.
        const Vec3 face{0.5f * half_width, 0.5f * half_width * std::tan(slope), 0};
        const Vec3 center = face - rotate(tilt, {0, half_thickness, 0});
        SceneBody plate = make_static(rotate(heading, center), Box{{half_length, half_thickness, half_width}});
        plate.def.rotation = normalize(heading * tilt);
        add(scene, std::move(plate), "side_" + std::to_string(side));
    }
    Random random(1);
    for (int i = 0; i < count; ++i)
    {
        const int x = i % columns, z = i / columns % rows, y = i / (columns * rows);
        const Vec3 jitter = random.within({0.02f, 0, 0.02f});
        const double step = 0.56;
        add(scene,
            make_body(DVec3((x - 0.5 * (columns - 1)) * step, 5 + y * step, (z - 0.5 * (rows - 1)) * step) + jitter,
                      Sphere{radius}));
    }
    scene.dt = values.number("dt");
    scene.steps = int(10 / scene.dt);
    return scene;
}

// Layers of straight chains, every second layer laid across the one below.
SceneDescription build_chains(const ParameterValues& values)
{
    const int chains = values.count("chains"), links = values.count("links");
    const Capsule link{0.1f, 0.2f};
    const float pitch = 0.5f; // joints sit between the centre of the cap and its tip
    const int per_layer = 10;
    SceneDescription scene;
    add_ground(scene, 60);
    for (int chain = 0; chain < chains; ++chain)
    {
        const int layer = chain / per_layer;
        const Quat heading = axis_angle({0, 1, 0}, layer % 2 ? 0.5f * pi : 0.0f);
        const Quat lying = normalize(heading * axis_angle({0, 0, 1}, -0.5f * pi)); // the capsule's y axis along x
        const float aside = 0.5f * (float(chain % per_layer) - 0.5f * float(per_layer - 1));
        int before = -1;
        for (int i = 0; i < links; ++i)
        {
            const Vec3 place{pitch * (float(i) - 0.5f * float(links - 1)), 1 + 0.4f * float(layer), aside};
            SceneBody body = make_body(rotate(heading, place), link);
            body.def.rotation = lying;
            const int index = add(scene, std::move(body), "", chain % 2 ? MaterialColor::steel : MaterialColor::dark);
            if (before >= 0)
                add_joint(scene, before, {0, 0.5f * pitch, 0}, index, {0, -0.5f * pitch, 0}, BallJoint{});
            before = index;
        }
    }
    return scene;
}

std::vector<ShapeDef> dumbbell()
{
    return {make_shape_def(Sphere{0.3f}, {{-0.5f, 0, 0}, {}}, {.density = 800}),
            make_shape_def(Sphere{0.3f}, {{0.5f, 0, 0}, {}}, {.density = 800}),
            make_shape_def(Capsule{0.12f, 0.4f}, {{}, axis_angle({0, 0, 1}, 0.5f * pi)}, {.density = 800})};
}

std::vector<ShapeDef> corner_piece()
{
    return {make_shape_def(Box{{0.5f, 0.15f, 0.15f}}, {{0.35f, 0, 0}, {}}, {.density = 600}),
            make_shape_def(Box{{0.15f, 0.5f, 0.15f}}, {{0, 0.35f, 0}, {}}, {.density = 600}),
            make_shape_def(Cylinder{0.15f, 0.3f}, {{0, 0, 0.45f}, axis_angle({1, 0, 0}, 0.5f * pi)}, {.density = 600})};
}

SceneBody make_mixed(Random& random, int kind, DVec3 position)
{
    const Material material{.density = 600, .friction = 0.6f};
    const float size = random.between(0.7f, 1.2f);
    SceneBody body;
    switch (kind)
    {
    case 0: body = make_body(position, Sphere{0.4f * size}, material); break;
    case 1: body = make_body(position, Capsule{0.2f * size, 0.35f * size}, material); break;
    case 2: body = make_body(position, Cylinder{0.35f * size, 0.35f * size}, material); break;
    case 3: body = make_body(position, Box{Vec3{0.5f, 0.3f, 0.4f} * size}, material); break;
    case 4: body = make_body(position, make_random_hull(random, 16, 0.5f * size), material); break;
    case 5: body = make_compound(position, dumbbell()); break;
    default: body = make_compound(position, corner_piece()); break;
    }
    static constexpr uint32_t colors[] = {MaterialColor::red,    MaterialColor::blue, MaterialColor::green,
                                          MaterialColor::yellow, MaterialColor::wood, MaterialColor::steel,
                                          MaterialColor::skin};
    body.def.rotation = random.rotation();
    body.color = colors[kind];
    return body;
}

// A ramp of triangles beside the height field, for things to roll down.
MeshRef make_ramp()
{
    const Vec3 corners[] = {{0, 0, -3}, {0, 0, 3}, {8, 4, 3}, {8, 4, -3}, {12, 4, 3}, {12, 4, -3}};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 3, 2, 4, 3, 4, 5};
    return make_mesh(corners, triangles).value_or(nullptr);
}

SceneDescription build_mixed_shapes(const ParameterValues& values)
{
    const int count = values.count("count");
    Random random(uint64_t(values.count("seed")));
    SceneDescription scene;
    add(scene, make_static({0, 0, 0}, make_terrain(64, 1, 1.5f)), "terrain", MaterialColor::green);
    add(scene, make_static({6, 1, 0}, make_ramp()), "ramp", MaterialColor::wood);
    add(scene, make_static({0, -6, 0}, HalfSpace{}), "floor");
    const int side = 14;
    for (int i = 0; i < count; ++i)
    {
        const int x = i % side, z = i / side % side, y = i / (side * side);
        add(scene,
            make_mixed(random, i % 7, {2.0 * (x - 0.5 * (side - 1)), 8 + 2.0 * y, 2.0 * (z - 0.5 * (side - 1))}));
    }
    scene.steps = 900;
    return scene;
}

const CatalogueParameter pile_parameters[] = {{"count", 5000, 1, 1e6, true, "boxes; the pit grows with it"},
                                              {"seed", 1, 0, 1e9, true, "of the small shifts"}};
const CatalogueParameter hull_parameters[] = {{"count", 2000, 1, 1e6, true, "hulls; the pit grows with it"},
                                              {"seed", 1, 0, 1e9, true, "of forms and turns"}};
const CatalogueParameter bowl_parameters[] = {{"count", 5040, 1, 1e6, true, "spheres"},
                                              {"dt", 1.0 / 60, 1e-4, 0.1, false, "seconds a step"}};
const CatalogueParameter chain_parameters[] = {{"chains", 200, 1, 10000, true, "chains"},
                                               {"links", 20, 1, 1000, true, "capsules in each"}};
const CatalogueParameter mixed_parameters[] = {{"count", 196, 1, 100000, true, "bodies"},
                                               {"seed", 1, 0, 1e9, true, "of forms and turns"}};

const CatalogueEntry entries[] = {
    {"pile_5000", "5000 unit boxes dropped into a walled pit", pile_parameters, build_pile},
    {"hull_pile", "2000 random hulls of 8 to 24 corners dropped into a walled pit", hull_parameters, build_hull_pile},
    {"bowl", "5040 spheres dropped into a bowl of four slopes", bowl_parameters, build_bowl},
    {"chains", "200 chains of 20 capsules dropped in a heap", chain_parameters, build_chains},
    {"mixed_shapes", "every kind of shape and compound on a height field and a mesh", mixed_parameters,
     build_mixed_shapes},
};

} // namespace

std::span<const CatalogueEntry> pile_scenes() { return entries; }

// Hills that rise towards the rim, so that what falls on it stays on it.
HeightFieldRef make_terrain(int cells, float spacing, float height)
{
    std::vector<float> heights;
    const int corners = cells + 1;
    for (int row = 0; row < corners; ++row)
        for (int column = 0; column < corners; ++column)
        {
            const float u = 2 * float(column) / float(cells) - 1, v = 2 * float(row) / float(cells) - 1;
            const float rim = std::max(std::fabs(u), std::fabs(v));
            const float hills = std::sin(5.3f * u) * std::cos(4.1f * v);
            heights.push_back(height * (0.5f * hills + 3 * rim * rim * rim * rim));
        }
    return make_height_field(heights, corners, corners, spacing).value_or(nullptr);
}

} // namespace moraine
