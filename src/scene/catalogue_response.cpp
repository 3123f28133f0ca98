// Hits that are felt elsewhere, in things that vibrate: the scenes of distant-collision-response-2020 with one struck
// object each. Masses, moduli and densities are those of its text and table 2.
#include "scene/catalogue_response.h"

#include <cmath>

namespace moraine
{

namespace
{

SceneBody part(DVec3 position, std::vector<ShapeDef> shapes, float mass)
{
    SceneBody body = make_compound(position, std::move(shapes));
    body.def.mass = mass;
    return body;
}

ShapeDef disc(float radius, float height, float y, const Material& material)
{
    return make_shape_def(Cylinder{radius, 0.5f * height}, {{0, y, 0}, {}}, material);
}

// ---- dinner ----

constexpr float table_top = 0.75f;

int add_table(SceneDescription& scene, const Material& material)
{
    const Vec3 top{0.8f, 0.02f, 0.45f};
    std::vector<ShapeDef> shapes{make_shape_def(Box{top}, {{0, table_top - top.y, 0}, {}}, material)};
    const float leg = 0.5f * (table_top - 2 * top.y);
    for (float x : {-0.74f, 0.74f})
        for (float z : {-0.39f, 0.39f})
            shapes.push_back(make_shape_def(Box{{0.04f, leg, 0.04f}}, {{x, leg, z}, {}}, material));
    SceneBody table = make_compound({0, 0, 0}, std::move(shapes));
    table.def.type = BodyType::static_;
    // All modes up to 510 Hz, as far as the 20 of the paper's table reach by its table 1 (samples of 4.9e-4 s); here 20 would
    // end at 157 Hz, many of them in the legs.
    table.response = SceneResponse{
        .material = elastic(1.1e9, 770), .fixed = {{.upper = {10, 0.01f, 10}}}, .cell_size = 0.1f, .modes = 58};
    return add(scene, std::move(table), "table", MaterialColor::wood);
}

void add_setting(SceneDescription& scene, double x, double z, const Material& material)
{
    add(scene, part({x, double(table_top), z}, {disc(0.12f, 0.016f, 0.008f, material)}, 0.5f), "plate");
    add(scene, part({x + 0.17, double(table_top), z}, {disc(0.035f, 0.07f, 0.035f, material)}, 0.4f), "teacup",
        MaterialColor::blue);
}

SceneDescription build_dinner(const ParameterValues& values)
{
    SceneDescription scene = response_scene();
    // The table swings for a tenth of a second: dishes jump when it comes back, steps after the hit.
    scene.world.response.kick = ResponseKick::thrown;
    const Material material{.friction = 0.5f, .restitution = response_restitution};
    add_ground(scene, 3, material);
    add_table(scene, material);
    for (double x : {-0.5, 0.0, 0.42})
        for (double z : {-0.28, 0.28})
            add_setting(scene, x, z, material);
    for (double x : {-0.35, 0.3})
        add(scene,
            part({x, double(table_top), 0},
                 {disc(0.05f, 0.02f, 0.01f, material), disc(0.012f, 0.25f, 0.145f, material)}, 0.8f),
            "candlestick", MaterialColor::yellow);
    const double y = double(table_top) + double(values.number("height"));
    add(scene, part({0, y, 0}, {disc(0.13f, 0.18f, 0.09f, material)}, 5), "pot", MaterialColor::steel);
    return scene;
}

// ---- wrench_roof ----

SceneBody make_toolbox(DVec3 position, const Material& material)
{
    return part(position,
                {make_shape_def(Box{{0.25f, 0.1f, 0.1f}}, {}, material),
                 make_shape_def(Box{{0.15f, 0.02f, 0.015f}}, {{0, 0.12f, 0}, {}}, material)},
                10);
}

SceneDescription build_wrench_roof(const ParameterValues& values)
{
    SceneDescription scene = response_scene();
    const float angle = radians(values.number("angle_degrees"));
    const Material material{.friction = 0.45f, .restitution = response_restitution};
    add_ground(scene, 8, material);
    const Quat tilt = axis_angle({0, 0, 1}, -angle); // falls towards +x
    const Vec3 half{2, 0.015f, 1.5f};
    SceneBody roof = make_static({0, 2.5, 0}, Box{half}, material);
    roof.def.rotation = tilt;
    const Pose frame{roof.def.position, tilt};
    // On rafters along both gables.
    roof.response = SceneResponse{
        .material = elastic(1.1e9, 770),
        .fixed = {{.upper = {10, 10, -half.z + 0.05f}}, {.lower = {-10, -10, half.z - 0.05f}}},
        .cell_size = 0.25f};
    add(scene, std::move(roof), "roof", MaterialColor::red);

    // Two heads and a handle, flat on the roof.
    SceneBody wrench = part(apply(frame, {0.7f, half.y + 0.015f, 0.6f}),
                            {make_shape_def(Box{{0.14f, 0.008f, 0.012f}}, {{0, -0.005f, 0}, {}}, material),
                             make_shape_def(Box{{0.03f, 0.015f, 0.03f}}, {{-0.14f, 0, 0}, {}}, material),
                             make_shape_def(Box{{0.03f, 0.015f, 0.03f}}, {{0.14f, 0, 0}, {}}, material)},
                            0.6f);
    wrench.def.rotation = tilt * axis_angle({0, 1, 0}, radians(90));
    add(scene, std::move(wrench), "wrench", MaterialColor::steel);

    SceneBody toolbox = make_toolbox(apply(frame, {-0.2f, 0.15f, -0.3f}) + DVec3{0, 1.5, 0}, material);
    toolbox.def.rotation = axis_angle({0, 0, 1}, radians(6)) * tilt; // one edge first, then the other
    // It stays where it falls: the roof is steeper than what wrench and roof bear, but not than a box on tar.
    for (ShapeDef& shape : toolbox.def.shapes)
        shape.friction = 4;
    add(scene, std::move(toolbox), "toolbox", MaterialColor::blue);
    scene.steps = 1000;
    return scene;
}

// ---- scaffold ----

void add_deck(float y, const Material& material, std::vector<ShapeDef>& shapes)
{
    shapes.push_back(make_shape_def(Box{{2, 0.03f, 0.6f}}, {{0, y - 0.03f, 0}, {}}, material));
}

SceneDescription build_scaffold(const ParameterValues& values)
{
    SceneDescription scene = response_scene();
    const Material material{.friction = 0.5f, .restitution = response_restitution};
    add_ground(scene, 6, material);
    const float levels[2] = {1.6f, 3.2f};
    std::vector<ShapeDef> shapes;
    for (float x : {-1.95f, 0.0f, 1.95f})
        for (float z : {-0.65f, 0.65f})
            shapes.push_back(make_shape_def(Box{{0.05f, 2, 0.05f}}, {{x, 2, z}, {}}, material));
    for (float y : levels)
        add_deck(y, material, shapes);
    SceneBody scaffold = make_compound({0, 0, 0}, std::move(shapes));
    scaffold.def.type = BodyType::static_;
    scaffold.response = SceneResponse{
        .material = elastic(10e9, 100),
        .fixed = {{.upper = {10, 0.01f, 10}}},
        .cell_size = 0.1f,
        .attenuation = Attenuation{.beta = values.number("beta"), .scale = values.number("scale")},
        .blend = values.number("waves")};
    add(scene, std::move(scaffold), "scaffold", MaterialColor::steel);

    Random random(3);
    for (int i = 0; i < 16; ++i)
    {
        const double x = -1.75 + 0.5 * (i % 8), z = i % 2 ? -0.3 : 0.3, y = double(levels[i / 8]);
        const float mass = 0.1f + 0.6f * float(i % 7) / 6;
        if (i / 8 == 1 && std::fabs(x) < 0.4)
            continue; // where the toolbox comes down
        if (i % 3 == 0)
            add(scene, part({x, y, z}, {disc(0.05f, 0.08f, 0.04f, material)}, mass), "tin", MaterialColor::yellow);
        else
        {
            SceneBody tool = part({x, y + 0.015, z}, {make_shape_def(Box{{0.12f, 0.015f, 0.02f}}, {}, material)}, mass);
            tool.def.rotation = axis_angle({0, 1, 0}, random.within({0, 1, 0}).y * 1.5f);
            add(scene, std::move(tool), "tool", MaterialColor::red);
        }
    }
    add(scene,
        part({1.2, double(levels[1]), 0}, {disc(0.12f, 0.03f, 0.015f, material), disc(0.09f, 0.08f, 0.07f, material)},
             0.4f),
        "hard hat", MaterialColor::yellow);
    // A ladder lies on the lower deck.
    SceneBody ladder = part({0, double(levels[0]) + 0.015, 0}, {}, 0.7f);
    for (float z : {-0.15f, 0.15f})
        ladder.def.shapes.push_back(make_shape_def(Box{{0.8f, 0.015f, 0.015f}}, {{0, 0, z}, {}}, material));
    for (float x : {-0.6f, -0.2f, 0.2f, 0.6f})
        ladder.def.shapes.push_back(make_shape_def(Box{{0.01f, 0.01f, 0.15f}}, {{x, 0, 0}, {}}, material));
    add(scene, std::move(ladder), "ladder", MaterialColor::wood);
    add(scene, make_toolbox({0, double(levels[1]) + double(values.number("height")), 0}, material), "toolbox",
        MaterialColor::blue);
    return scene;
}

const CatalogueParameter dinner_parameters[] = {{"height", 0.5, 0.05, 5, false, "that the pot falls from, metres"}};
const CatalogueParameter roof_parameters[] = {
    {"angle_degrees", 24, 0, 24, false, "of the roof; tan of it below the friction, 0.45"}};
const CatalogueParameter scaffold_parameters[] = {
    {"height", 1.5, 0.15, 10, false, "that the toolbox falls from, metres"},
    {"waves", 0, 0, 1, false, "0: vibration by modes; 1: waves that get smaller with the distance"},
    {"beta", 0.5, 0, 4, false, "how fast they do"},
    {"scale", 1, 0, 10, false, "of the waves"}};

const CatalogueEntry entries[] = {
    {"dinner", "a pot falls on a laid table, and plates and cups jump", dinner_parameters, build_dinner},
    {"wrench_roof", "a toolbox falls on a roof; the wrench that lay there slides", roof_parameters, build_wrench_roof},
    {"scaffold", "a toolbox falls on a scaffold; tools on both levels jump", scaffold_parameters, build_scaffold},
};

} // namespace

ElasticMaterial elastic(double young, double density)
{
    return {.young = young, .poisson = 0.3, .density = density, .alpha0 = 10, .alpha1 = 1e-6};
}

SceneDescription response_scene()
{
    SceneDescription scene;
    scene.dt = 0.01f;
    scene.steps = 300;
    scene.world.restitution_threshold = 0.5f;
    return scene;
}

std::span<const CatalogueEntry> response_scenes() { return entries; }

} // namespace moraine
