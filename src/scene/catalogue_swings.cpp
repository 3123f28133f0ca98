// Things on platforms that hang on springs: towers, dominoes, a funnel, a boat. Sizes are those of the papers on merging.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

// Everything that can move gets this velocity: a swing starts as one.
void set_all_moving(SceneDescription& scene, Vec3 velocity)
{
    for (SceneBody& body : scene.bodies)
        if (body.def.type == BodyType::dynamic_)
            body.def.linear_velocity = velocity;
}

// ---- the tower: 25 rings of 13 planks and the platform, 326 bodies ----

SceneDescription make_tower_platform(const ParameterValues& values)
{
    SceneDescription scene;
    scene.world.merging = true;
    add_ground(scene, 40);
    // The papers' solver: many sweeps in one step carry the weight of 25 layers down better than small steps do.
    scene.world.solver = SolverKind::pgs;
    scene.world.iterations = 30;
    add_tower_on_springs(scene, values.count("layers"), values.count("around"),
                         {.length = 6, .stretch = 0.5f, .damping = 0.03f});
    // Straight down it would soon stand still and sleep: it swings.
    set_all_moving(scene, {values.number("swing"), 0, 0});
    scene.steps = 2400;
    return scene;
}

SceneDescription build_tower_platform(const ParameterValues& values) { return make_tower_platform(values); }

// A ball of twice a plank's mass, thrown at the upper part of the tower.
SceneDescription build_tower_projectile(const ParameterValues& values)
{
    SceneDescription scene = make_tower_platform(values);
    Random random(uint64_t(values.count("seed")));
    const float speed = values.number("speed"), way = 30;
    const double height = 4 + 0.5 * values.count("layers") * 0.8;
    const float fall = 0.5f * length(scene.world.gravity) * (way / speed) * (way / speed);
    SceneBody ball = make_body({double(way), height + double(fall), 0}, Sphere{0.5f}, {.density = 1000});
    ball.def.position += DVec3(random.within({0, 0.5f, 0.5f}));
    ball.def.linear_velocity = {-speed, 0, 0};
    ball.def.is_fast = true;
    ball.def.name = "projectile";
    ball.color = MaterialColor::red;
    scene.events.push_back({values.number("time"), SpawnAction{std::move(ball)}});
    scene.steps = 1800;
    return scene;
}

// ---- dominoes: three platforms of 33, like stairs; the last of one falls and starts the next ----

constexpr Vec3 domino_half{0.05f, 0.4f, 0.2f};
constexpr double domino_step = 0.352;

int add_domino_platform(SceneDescription& scene, DVec3 start, int count)
{
    const Material wood{.density = 600, .friction = 0.6f};
    const float half_length = 0.5f * float(domino_step) * float(count);
    const DVec3 center = start + DVec3(double(half_length), -0.1, 0);
    const int board = add(scene, make_body(center, Box{{half_length, 0.1f, 0.6f}}, {.density = 300, .friction = 0.6f}),
                          "platform", MaterialColor::steel);
    const float mass = 300 * 8 * half_length * 0.1f * 0.6f +
                       600 * 8 * domino_half.x * domino_half.y * domino_half.z * float(count);
    const float x = half_length - 0.2f;
    const Vec3 corners[] = {{x, 0, 0.6f}, {x, 0, -0.6f}, {-x, 0, 0.6f}, {-x, 0, -0.6f}};
    hang_on_springs(scene, board, corners, {.length = 2, .stretch = 0.05f, .mass = mass});
    int last = -1;
    for (int i = 0; i < count; ++i)
    {
        // The last one stands at the edge, so that it goes over it.
        const double x_of = i + 1 < count ? (i + 0.5) * domino_step : count * domino_step - double(domino_half.x);
        last = add(scene, make_body(start + DVec3(x_of, double(domino_half.y), 0), Box{domino_half}, wood), "",
                   i % 10 ? MaterialColor::wood : MaterialColor::red);
    }
    return last - count + 1;
}

SceneDescription build_dominoes_platforms(const ParameterValues& values)
{
    const int count = values.count("count"), platforms = values.count("platforms");
    SceneDescription scene;
    scene.world.merging = true;
    add_ground(scene, 40);
    const double length_x = count * domino_step, drop = 1.1;
    int first = -1;
    for (int i = 0; i < platforms; ++i)
    {
        const DVec3 start(i * length_x - 0.5 * platforms * length_x, 1 + drop * (platforms - 1 - i), 0);
        const int index = add_domino_platform(scene, start, count);
        first = i == 0 ? index : first;
        // Neighbours swing against each other, across the row.
        const float swing = values.number("swing") * (i % 2 ? -1.0f : 1.0f);
        for (int body = index - 1; body < index + count; ++body)
            scene.bodies[size_t(body)].def.linear_velocity = {0, 0, swing};
    }
    const float mass = 600 * 8 * domino_half.x * domino_half.y * domino_half.z;
    scene.events.push_back({2, ImpulseAction{first, {0.8f * mass, 0, 0}, {0, 0.3f, 0}}});
    scene.steps = 1800;
    return scene;
}

// ---- the funnel ----

constexpr float cube = 0.25f; // half an edge; the paper's funnel is 48 by 22 of them and holds where it slopes

int add_funnel(SceneDescription& scene, double height, float cube_mass)
{
    const float length = 6.67f, slope = 3.06f, thickness = 0.14f, out = 3.75f, turn = 1.07f;
    std::vector<ShapeDef> walls;
    for (const float side : {-1.0f, 1.0f})
    {
        walls.push_back(
            make_shape_def(Box{{length, slope, thickness}}, {{0, 0, side * out}, axis_angle({1, 0, 0}, side * turn)}));
        walls.push_back(
            make_shape_def(Box{{thickness, slope, length}}, {{side * out, 0, 0}, axis_angle({0, 0, 1}, -side * turn)}));
    }
    SceneBody funnel = make_compound({0, height, 0}, walls);
    funnel.def.mass = 666 * cube_mass;
    funnel.def.angular_velocity = {0, 0, -0.05f};
    const int index = add(scene, std::move(funnel), "funnel", MaterialColor::red);
    const Vec3 corners[] = {{6.4f, 1.4f, 6.4f}, {6.4f, 1.4f, -6.4f}, {-6.4f, 1.4f, 6.4f}, {-6.4f, 1.4f, -6.4f}};
    hang_on_springs(scene, index, corners, {.length = 5, .stretch = 0.4f, .mass = 666 * cube_mass, .damping = 0.1f});
    for (const Vec3 corner : corners)
    {
        const double top = height + 1.4 + 5;
        add(scene,
            make_static({1.1 * double(corner.x), 0.5 * top, 1.1 * double(corner.z)},
                        Box{{0.15f, 0.5f * float(top), 0.15f}}),
            "post");
    }
    return index;
}

SceneDescription build_funnel(const ParameterValues& values)
{
    const int count = values.count("count"), every = values.count("every");
    const Material material{.density = 300, .friction = 0.8f};
    SceneDescription scene;
    scene.world.merging = true;
    add_pit(scene, 14, 1.5f);
    add_funnel(scene, 7, material.density * 8 * cube * cube * cube);
    FactoryAction factory;
    for (const uint32_t color : {MaterialColor::yellow, MaterialColor::blue, MaterialColor::green})
    {
        SceneBody body = make_body({}, Box{{cube, cube, cube}}, material);
        body.color = color;
        factory.prototypes.push_back(std::move(body));
    }
    // Half an interval on, so that rounding does not decide between one cube more or less.
    factory.interval = float(every) * scene.dt;
    factory.until = (float(count) - 0.5f) * factory.interval;
    factory.position = {0, 14, 0};
    factory.spread = {3.5f, 0.5f, 3.5f};
    factory.velocity = {0, -2, 0};
    factory.velocity_spread = {0.5f, 0, 0.5f};
    factory.spin_spread = 0.5f;
    factory.turn_spread = {0.3f, pi, 0.3f};
    factory.seed = uint32_t(values.count("seed"));
    scene.events.push_back({0, std::move(factory)});
    scene.steps = count * every + 600;
    return scene;
}

// ---- the boat: five boxes in a hull that rocks ----

SceneDescription build_boat(const ParameterValues& values)
{
    SceneDescription scene;
    scene.world.merging = true;
    SceneBody sea = make_static({0, -0.6, 0}, Box{{30, 0.05f, 30}});
    sea.def.filter.mask = 0; // to be seen only
    add(scene, std::move(sea), "sea", MaterialColor::blue);
    const Material wood{.density = 600, .friction = 0.7f};
    std::vector<ShapeDef> parts{make_shape_def(Box{{3, 0.2f, 1.5f}}, {{0, -0.2f, 0}, {}}, wood)};
    for (const float side : {-1.0f, 1.0f})
    {
        parts.push_back(make_shape_def(Box{{3, 0.35f, 0.1f}}, {{0, 0.35f, 1.4f * side}, {}}, wood));
        parts.push_back(make_shape_def(Box{{0.1f, 0.35f, 1.3f}}, {{2.9f * side, 0.35f, 0}, {}}, wood));
    }
    SceneBody hull = make_compound({}, parts);
    hull.def.mass = 6000;
    const int boat = add(scene, std::move(hull), "boat", MaterialColor::wood);
    const Vec3 corners[] = {{2.5f, 0.7f, 1.4f}, {2.5f, 0.7f, -1.4f}, {-2.5f, 0.7f, 1.4f}, {-2.5f, 0.7f, -1.4f}};
    const float mass = 6000 + 700; // with the boxes
    // Springs without length pull in all directions alike: the water lifts it and keeps it in its place.
    hang_on_springs(scene, boat, corners, {.length = 2.2f, .stretch = 2.2f, .mass = mass, .damping = 0.01f});
    static constexpr uint32_t colors[] = {MaterialColor::red, MaterialColor::yellow, MaterialColor::green,
                                          MaterialColor::steel, MaterialColor::skin};
    const Vec3 spin{values.number("rocking"), 0, 0.3f * values.number("rocking")};
    for (int i = 0; i < 5; ++i)
    {
        const float half = 0.3f + 0.05f * float(i % 3);
        const Vec3 at = i < 4 ? Vec3{1.2f * float(i) - 1.9f, half, 0.3f * float(i % 2) - 0.15f} : Vec3{-0.6f, 1.02f, 0};
        SceneBody box = make_body(DVec3(at), Box{{half, half, half}}, {.density = 500, .friction = 0.7f});
        box.def.linear_velocity = cross(spin, at);
        add(scene, std::move(box), "", colors[i]);
    }
    for (SceneBody& body : scene.bodies)
        if (body.def.type == BodyType::dynamic_)
            body.def.angular_velocity = spin;
    scene.steps = 1200;
    return scene;
}

const CatalogueParameter tower_parameters[] = {{"layers", 25, 1, 100, true, "rings on top of each other"},
                                               {"around", 13, 4, 100, true, "planks in a ring"},
                                               {"swing", 0.3, 0, 3, false, "speed of the swing at the start, m/s"}};
const CatalogueParameter projectile_parameters[] = {{"layers", 25, 1, 100, true, "rings on top of each other"},
                                                    {"around", 13, 4, 100, true, "planks in a ring"},
                                                    {"swing", 0.3, 0, 3, false, "speed of the swing at the start, m/s"},
                                                    {"speed", 40, 5, 200, false, "of the ball, m/s"},
                                                    {"time", 6, 0, 1000, false, "when it is thrown, seconds"},
                                                    {"seed", 1, 0, 1e9, true, "of where it hits"}};
const CatalogueParameter domino_parameters[] = {{"count", 33, 2, 1000, true, "dominoes on a platform"},
                                                {"platforms", 3, 1, 20, true, "platforms"},
                                                {"swing", 0.25, 0, 2, false, "speed of the swing at the start, m/s"}};
const CatalogueParameter funnel_parameters[] = {{"count", 1395, 1, 20000, true, "cubes that are dropped"},
                                                {"every", 4, 1, 1000, true, "steps between two cubes"},
                                                {"seed", 1, 0, 1e9, true, "of where they fall"}};
const CatalogueParameter boat_parameters[] = {{"rocking", 0.15, 0, 2, false, "turn rate at the start, rad/s"}};

const CatalogueEntry entries[] = {
    {"tower_platform", "a tower of 325 planks on a platform that swings on four springs", tower_parameters,
     build_tower_platform},
    {"tower_projectile", "the tower on the swinging platform, hit by a ball", projectile_parameters,
     build_tower_projectile},
    {"dominoes_platforms", "dominoes on swinging platforms, the last of one starts the next", domino_parameters,
     build_dominoes_platforms},
    {"funnel", "cubes fall into a funnel on springs, and through it", funnel_parameters, build_funnel},
    {"boat", "five boxes in a rocking boat", boat_parameters, build_boat},
};

} // namespace

std::span<const CatalogueEntry> swing_scenes() { return entries; }

} // namespace moraine
