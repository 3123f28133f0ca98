// Hits that are felt elsewhere, in ground, rock and houses: the larger scenes of distant-collision-response-2020.
#include "scene/catalogue_response.h"

#include <cmath>

namespace moraine
{

namespace
{

constexpr Material stone{.friction = 0.7f, .restitution = response_restitution};

SceneBody with_mass(SceneBody body, float mass)
{
    body.def.mass = mass;
    return body;
}

// A semi-truck along x, its wheels' lowest points at y = 0: 10 000 kg.
SceneBody make_truck(DVec3 position)
{
    std::vector<ShapeDef> shapes{make_shape_def(Box{{1.2f, 1.1f, 1.2f}}, {{3.2f, 1.9f, 0}, {}}, stone),
                                 make_shape_def(Box{{3, 1.3f, 1.2f}}, {{-1.4f, 2.2f, 0}, {}}, stone)};
    const Quat axle = axis_angle({1, 0, 0}, radians(90));
    for (float x : {3.4f, -1.8f, -3.2f})
        for (float z : {-1.0f, 1.0f})
            shapes.push_back(make_shape_def(Cylinder{0.5f, 0.2f}, {{x, 0.5f, z}, axle}, stone));
    return with_mass(make_compound(position, std::move(shapes)), 10'000);
}

SceneBody make_cone(DVec3 position)
{
    return with_mass(make_compound(position, {make_shape_def(Box{{0.2f, 0.02f, 0.2f}}, {{0, 0.02f, 0}, {}}, stone),
                                              make_shape_def(Cylinder{0.1f, 0.3f}, {{0, 0.34f, 0}, {}}, stone)}),
                     1);
}

SceneDescription build_low_rider(const ParameterValues& values)
{
    SceneDescription scene = response_scene();
    const Vec3 half{16, 0.5f, 10};
    SceneBody ground = make_static({0, -0.5, 0}, Box{half}, stone);
    // A slab that is held at its rim stands for terrain that goes on for ever: distances on it are straight.
    ground.response = SceneResponse{
        .material = elastic(10e9, 500),
        .fixed = {{.upper = {-half.x + 0.1f, 100, 100}}, {.lower = {half.x - 0.1f, -100, -100}}},
        .cell_size = 2,
        .attenuation = Attenuation{.beta = values.number("beta"), .scale = values.number("scale")},
        .blend = 1,
        .geodesics = false,
        .mean_amplitude = true};
    add(scene, std::move(ground), "ground");
    const int truck = add(scene, make_truck({0, 0, 0}), "truck", MaterialColor::blue);
    for (int i = 0; i < 6; ++i)
        for (int side : {-1, 1})
            add(scene, make_cone({-7.5 + 3.0 * i, 0, side * (2.0 + 1.2 * i)}), "cone", MaterialColor::red);
    // Lumber: posts across each other, the upper one only just balanced.
    for (double x : {6.0, 7.0})
        add(scene, with_mass(make_body({x, 0.05, 3}, Box{{0.05f, 0.05f, 1}}, stone), 3), "post", MaterialColor::wood);
    add(scene, with_mass(make_body({6.5, 0.15, 3}, Box{{1, 0.05f, 0.05f}}, stone), 3), "post", MaterialColor::wood);
    add(scene, with_mass(make_body({6.5, 1.2, 3}, Box{{0.05f, 1, 0.05f}}, stone), 3), "upright post",
        MaterialColor::wood);
    for (int hop = 0; hop < 5; ++hop)
        scene.events.push_back({1 + 1.2f * float(hop), VelocityAction{truck, {0, 2.4f, 0}, {}}});
    scene.steps = 800;
    return scene;
}

// Ledges that step back, none quite like its neighbour, by whole metres: a coarse model fits.
constexpr int cliff_columns = 4, cliff_levels = 3;
constexpr float cliff_width = 2.5f, cliff_height = 2, cliff_back = -5; // of a ledge; of all

float ledge_front(int level, int column) { return -float(level + (level + column * column) % 2); }
float ledge_middle(int column) { return cliff_width * (float(column) - 0.5f * (cliff_columns - 1)); }

std::vector<ShapeDef> make_cliff()
{
    std::vector<ShapeDef> shapes;
    for (int level = 0; level < cliff_levels; ++level)
        for (int i = 0; i < cliff_columns; ++i)
        {
            const float front = ledge_front(level, i);
            const Vec3 half{0.5f * (front - cliff_back), 0.5f * cliff_height, 0.5f * cliff_width};
            const Vec3 center{0.5f * (front + cliff_back), cliff_height * (float(level) + 0.5f), ledge_middle(i)};
            shapes.push_back(make_shape_def(Box{half}, {center, {}}, stone));
        }
    return shapes;
}

SceneDescription build_rockfall(const ParameterValues& values)
{
    SceneDescription scene = response_scene();
    add_ground(scene, 40, stone);
    SceneBody cliff = make_compound({0, 0, 0}, make_cliff());
    cliff.def.type = BodyType::static_;
    cliff.response = SceneResponse{.material = elastic(10e9, 500),
                                   .fixed = {{.upper = {100, 0.05f, 100}}, {.upper = {-4.9f, 100, 100}}},
                                   .cell_size = 1.3f};
    add(scene, std::move(cliff), "cliff", MaterialColor::ground);
    // Rocks at the edge of the upper ledge, their middle only just on it.
    for (int i = 0; i < 2 * cliff_columns; ++i)
    {
        const Vec3 half{0.2f + 0.01f * float(i % 3), 0.3f, 0.22f};
        const double x = double(ledge_front(cliff_levels - 1, i / 2)) - 0.012;
        const double z = double(ledge_middle(i / 2)) + (i % 2 ? 0.6 : -0.6);
        add(scene, with_mass(make_body({x, double(cliff_levels * cliff_height + half.y), z}, Box{half}, stone), 50),
            "rock", MaterialColor::dark);
    }
    SceneBody truck = make_truck({16, 0, 0});
    truck.def.rotation = axis_angle({0, 1, 0}, radians(180));
    truck.def.linear_velocity = {-values.number("speed"), 0, 0};
    for (ShapeDef& shape : truck.def.shapes) // it rolls
        shape.friction = 0;
    add(scene, std::move(truck), "truck", MaterialColor::blue);
    scene.steps = 500;
    return scene;
}

// ---- washing_machine ----

void add_plant(SceneDescription& scene, DVec3 position)
{
    const Material material{.friction = 0.6f, .restitution = response_restitution};
    const int pot = add(scene,
                        with_mass(make_body(position + DVec3{0, 0.09, 0}, Cylinder{0.1f, 0.09f}, material), 1.5f),
                        "pot", MaterialColor::red);
    for (int i = 0; i < 6; ++i)
    {
        const float turn = radians(60) * float(i);
        const Quat out = axis_angle({0, 1, 0}, turn) * axis_angle({0, 0, 1}, radians(-35));
        const Pose root{position + DVec3{0, 0.18, 0} + DVec3(rotate(out, {0, 0.02f, 0})), out};
        SceneBody leaf = with_mass(make_body(apply(root, {0, 0.16f, 0}), Box{{0.03f, 0.15f, 0.004f}}, material), 0.03f);
        leaf.def.rotation = out;
        leaf.def.filter.group = -1; // leaves brush past each other
        const int index = add(scene, std::move(leaf), "leaf", MaterialColor::green);
        // The hinge turns about x: across the leaf.
        const Pose frame{root.position, out * axis_angle({0, 1, 0}, radians(-90))};
        add_joint(scene, pot, index, frame,
                  HingeJoint{.limit = {}, .motor = {}, .spring = {.stiffness = 0.5f, .damping = 0.01f, .target = 0}});
    }
}

void add_bottles(SceneDescription& scene, DVec3 position, const Material& material)
{
    std::vector<ShapeDef> crate; // without a bottom: the bottles stand on the floor
    for (float side : {-1.0f, 1.0f})
    {
        crate.push_back(make_shape_def(Box{{0.01f, 0.08f, 0.15f}}, {{0.21f * side, 0.08f, 0}, {}}, material));
        crate.push_back(make_shape_def(Box{{0.22f, 0.08f, 0.01f}}, {{0, 0.08f, 0.16f * side}, {}}, material));
    }
    add(scene, with_mass(make_compound(position, std::move(crate)), 2), "crate", MaterialColor::wood);
    for (int i = 0; i < 6; ++i)
        add(scene,
            with_mass(make_compound(position + DVec3{-0.12 + 0.12 * (i % 3), 0, i < 3 ? -0.07 : 0.07},
                                    {make_shape_def(Cylinder{0.035f, 0.1f}, {{0, 0.1f, 0}, {}}, material),
                                     make_shape_def(Cylinder{0.012f, 0.04f}, {{0, 0.24f, 0}, {}}, material)}),
                      0.5f),
            "bottle", MaterialColor::green);
}

// Impulses of an unbalanced drum: down on alternating sides.
void shake(SceneDescription& scene, int machine, float seconds, float impulse)
{
    for (int i = 0; float(i) * 0.08f < seconds; ++i)
    {
        const float side = i % 2 ? 0.25f : -0.25f;
        scene.events.push_back({1.5f + 0.08f * float(i), ImpulseAction{machine, {0, -impulse, 0}, {side, 0.4f, 0}}});
    }
}

SceneDescription build_washing_machine(const ParameterValues& values)
{
    SceneDescription scene = response_scene();
    const Material material{.friction = 0.6f, .restitution = response_restitution};
    const Vec3 half{2, 0.06f, 1.5f};
    SceneBody floor = make_static({0, -0.06, 0}, Box{half}, material);
    floor.response = SceneResponse{
        .material = elastic(10e9, 540),
        .fixed = {{.upper = {-half.x + 0.05f, 10, 10}}, {.lower = {half.x - 0.05f, -10, -10}}},
        .cell_size = 0.3f};
    add(scene, std::move(floor), "floor", MaterialColor::wood);

    const int machine = add(scene, with_mass(make_body({-1, 0.425, 0}, Box{{0.3f, 0.425f, 0.3f}}, material), 60),
                            "washing machine", MaterialColor::steel);
    const Vec3 fridge_half{0.3f, 0.85f, 0.3f};
    SceneBody fridge = make_body({0.8, 0.85, -0.6}, Box{fridge_half},
                                 {.density = 100, .friction = 0.6f, .restitution = response_restitution});
    fridge.response = SceneResponse{.material = elastic(1e9, 100), .cell_size = 0.25f};
    add(scene, std::move(fridge), "fridge", MaterialColor::blue);
    add_plant(scene, {0.8, 1.7, -0.6});
    add_bottles(scene, {0.3, 0, 0.7}, material);
    shake(scene, machine, 10, values.number("impulse"));
    scene.world.response.threshold = 0.005f; // what the fridge feels is small
    scene.world.response.tangential = false; // a fridge that is kicked aside a thousand times walks
    scene.world.sleeping = false;
    scene.steps = 800;
    return scene;
}

const CatalogueParameter rider_parameters[] = {
    {"beta", 1, 0, 4, false, "how fast the wave gets smaller with the distance"},
    {"scale", 1, 0, 10, false, "of the wave (C in the paper)"}};
const CatalogueParameter rock_parameters[] = {{"speed", 15, 0, 60, false, "of the truck, m/s"}};
const CatalogueParameter machine_parameters[] = {{"impulse", 20, 0, 1000, false, "of the drum, N s"}};

const CatalogueEntry entries[] = {
    {"low_rider", "a truck hops; cones shake and an upright post falls", rider_parameters, build_low_rider},
    {"rockfall", "a truck hits a cliff, and rocks come down from above", rock_parameters, build_rockfall},
    {"washing_machine", "a washing machine shakes the floor, the floor a fridge, the fridge a plant",
     machine_parameters, build_washing_machine},
};

} // namespace

std::span<const CatalogueEntry> large_response_scenes() { return entries; }

} // namespace moraine
