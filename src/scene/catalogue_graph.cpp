// Scenes about the contact graph: the experiment of "Contact Graphs in Multibody Dynamics Simulation", and one for time
// warp.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

struct Stroke
{
    float x0, z0, x1, z1;
};

// Letters in boxes 4 wide and 6 high, z downwards, with their upper left corner at `left`, 0.
void add_letters(std::vector<Stroke>& strokes, float left)
{
    const auto line = [&](float shift, float x0, float z0, float x1, float z1) {
        strokes.push_back({left + shift + x0, z0, left + shift + x1, z1});
    };
    const auto arc = [&](float shift, Vec3 center, Vec3 size, float from, float to) {
        constexpr int parts = 8;
        for (int i = 0; i < parts; ++i)
        {
            const float a = from + (to - from) * float(i) / parts, b = from + (to - from) * float(i + 1) / parts;
            line(shift, center.x + size.x * std::cos(a), center.z + size.z * std::sin(a),
                 center.x + size.x * std::cos(b), center.z + size.z * std::sin(b));
        }
    };
    const float step = 5.5f;
    line(0, 0, 0, 0, 6); // D
    arc(0, {0, 0, 3}, {4, 0, 3}, -0.5f * pi, 0.5f * pi);
    line(step, 1, 0, 1, 6);        // I
    line(1.5f * step, 0, 0, 0, 6); // K
    line(1.5f * step, 0, 3, 3.5f, 0);
    line(1.5f * step, 0, 3, 3.5f, 6);
    line(2.5f * step, 0, 0, 0, 4); // U
    arc(2.5f * step, {1.75f, 0, 4}, {1.75f, 0, 2}, pi, 0);
    line(2.5f * step, 3.5f, 0, 3.5f, 4);
}

float distance_to(const Stroke& s, float x, float z)
{
    const float dx = s.x1 - s.x0, dz = s.z1 - s.z0;
    const float along = std::clamp(((x - s.x0) * dx + (z - s.z0) * dz) / (dx * dx + dz * dz), 0.0f, 1.0f);
    return std::hypot(x - s.x0 - along * dx, z - s.z0 - along * dz);
}

std::vector<Stroke> strokes_of_diku()
{
    std::vector<Stroke> strokes;
    add_letters(strokes, -8.6f);
    for (Stroke& s : strokes)
    {
        s.z0 -= 3;
        s.z1 -= 3;
    }
    return strokes;
}

// A plate of equal triangles; those under the strokes are punched in, each a pit with three faces that holds one ball.
// Along smooth grooves balls would roll for ever, or stand in long queues at their lower ends.
MeshRef make_engraved_plate(float half_x, float half_z)
{
    constexpr float side = 1.3f, depth = 0.5f, reach = 0.4f;
    const float height = 0.5f * std::sqrt(3.0f) * side;
    const int columns = int(2 * half_x / side) + 1, rows = int(2 * half_z / height) + 1;
    const std::vector<Stroke> strokes = strokes_of_diku();
    std::vector<Vec3> vertices;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            vertices.push_back(
                {(float(column) + 0.5f * float(row % 2)) * side - half_x, 0, float(row) * height - half_z});
    std::vector<uint32_t> triangles;
    const auto add_triangle = [&](uint32_t a, uint32_t b, uint32_t c) {
        const Vec3 center = (vertices[a] + vertices[b] + vertices[c]) / 3.0f;
        const bool is_punched = std::any_of(strokes.begin(), strokes.end(), [&](const Stroke& s) {
            return distance_to(s, center.x, center.z) < reach;
        });
        if (!is_punched)
            return void(triangles.insert(triangles.end(), {a, b, c}));
        const uint32_t tip = uint32_t(vertices.size());
        vertices.push_back(center - Vec3{0, depth, 0});
        triangles.insert(triangles.end(), {a, b, tip, b, c, tip, c, a, tip});
    };
    for (int row = 0; row + 1 < rows; ++row)
        for (int column = 0; column + 1 < columns; ++column)
        {
            const uint32_t a = uint32_t(row * columns + column), b = a + 1, c = a + uint32_t(columns), d = c + 1;
            add_triangle(a, row % 2 ? d : c, b);
            add_triangle(row % 2 ? a : b, c, d);
        }
    return make_mesh(vertices, triangles).value_or(nullptr);
}

SceneDescription build_diku(const ParameterValues& values)
{
    const int count = values.count("count");
    SceneDescription scene;
    scene.dt = 0.01f;
    scene.steps = 1000;
    // The paper's restitution and friction are not given; these let the balls hop once or twice.
    const Material material{.density = 1000, .friction = 0.6f, .restitution = 0.2f};
    const Quat tilt = axis_angle({1, 0, 0}, radians(values.number("angle")));
    SceneBody plate = make_static({0, 0, 0}, make_engraved_plate(11, 5.5f), material);
    plate.def.rotation = tilt;
    add(scene, std::move(plate), "plate", MaterialColor::ground);
    Random random(uint64_t(values.count("seed")));
    const int columns = 15;
    for (int i = 0; i < count; ++i)
    {
        const int x = i % columns, z = i / columns % 8, y = i / (columns * 8);
        const Vec3 place{1.25f * (float(x) - 0.5f * (columns - 1)), 1.5f + 1.5f * float(y), 1.15f * (float(z) - 3.8f)};
        SceneBody ball = make_body(rotate(tilt, place + random.within({0.1f, 0.1f, 0.1f})), Sphere{0.2f}, material);
        add(scene, std::move(ball), "", x % 2 ? MaterialColor::blue : MaterialColor::red);
    }
    scene.world.sleep_energy = 3e-10f; // of a ball of 34 kg: 4 µm/s
    scene.world.sleep_delay = 0.25f;
    return scene;
}

// One corner where heavy balls are shot through thin plates, and quiet stacks everywhere else.
SceneDescription build_warp_corner(const ParameterValues& values)
{
    const int count = values.count("count");
    SceneDescription scene;
    scene.world.time_warp = true;
    scene.world.merging = false; // time warp cannot take collections back
    scene.world.sleeping = false;
    scene.steps = 300;
    const int side = std::max(1, int(std::ceil(std::sqrt(double(count) / 5))));
    add_ground(scene, float(side) + 40);
    for (int i = 0; i < count; ++i)
    {
        const int stack = i / 5;
        add(scene, make_body({1.5 * (stack % side), 0.5 + i % 5, 1.5 * (stack / side)}, Box{{0.5f, 0.5f, 0.5f}}));
    }
    // In the corner: a row of thin plates, and balls that come at them far too fast for a step of 1/60 s.
    Random random(uint64_t(values.count("seed")));
    const double x = -20;
    for (int i = 0; i < 12; ++i)
        add(scene, make_body({x - 1.5, 0.75, -10 + 1.0 * i}, Box{{0.75f, 0.75f, 0.02f}}, {.density = 2000}), "",
            MaterialColor::wood);
    for (int i = 0; i < 6; ++i)
    {
        SceneBody ball = make_body({x - 1.5 + double(random.between(-0.2f, 0.2f)), 0.75 + 0.05 * i, -16 - 14.0 * i},
                                   Sphere{0.25f}, {.density = 3000});
        ball.def.linear_velocity = {0, 0.5f + 0.6f * float(i), 60};
        add(scene, std::move(ball), "", MaterialColor::red);
    }
    return scene;
}

const CatalogueParameter diku_parameters[] = {{"count", 120, 1, 5000, true, "balls"},
                                              {"angle", 14, 0, 60, false, "of the plane, degrees"},
                                              {"seed", 1, 0, 1e9, true, "of the small shifts"}};
const CatalogueParameter warp_parameters[] = {{"count", 5000, 0, 1e6, true, "boxes that stand in stacks elsewhere"},
                                              {"seed", 1, 0, 1e9, true, "of the small shifts"}};

const CatalogueEntry entries[] = {
    {"diku", "120 balls fall on an inclined plane with the letters DIKU engraved", diku_parameters, build_diku},
    {"warp_corner", "fast balls against thin plates in a corner that needs small steps, and 5000 boxes that do not",
     warp_parameters, build_warp_corner},
};

} // namespace

std::span<const CatalogueEntry> graph_scenes() { return entries; }

} // namespace moraine
