// Magnets that lift: the crane that unloads a rocking ship, and one over a small stack.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

// ---- a magnet on ropes under a trolley that follows key frames ----

constexpr float rope = 4; // from the middle of the trolley to the middle of the plate

struct Crane
{
    KeyFrameMotion path{};
    std::vector<SceneEvent> switches{};
    float time = 0;

    void go(float seconds, DVec3 place)
    {
        time += seconds;
        path.frames.push_back({time, {place, {}}});
    }
    void wait(float seconds) { go(seconds, path.frames.back().pose.position); }
};

int add_magnet(SceneDescription& scene, const Crane& crane, Vec3 half)
{
    const DVec3 start = crane.path.frames.front().pose.position;
    SceneBody trolley = make_static(start, Box{{0.6f, 0.3f, 0.6f}});
    trolley.def.type = BodyType::kinematic;
    trolley.motion = crane.path;
    const int carrier = add(scene, std::move(trolley), "trolley", MaterialColor::yellow);
    SceneBody plate = make_body(start - DVec3(0, double(rope), 0), Box{half}, {.density = 3000});
    plate.def.is_magnet = true;
    const int magnet = add(scene, std::move(plate), "magnet", MaterialColor::red);
    for (const float x : {-1.0f, 1.0f})
        for (const float z : {-1.0f, 1.0f})
        {
            const Vec3 corner{0.9f * x * half.x, half.y, 0.9f * z * half.z}, above{0.5f * x, -0.3f, 0.4f * z};
            const float reach = length(above - corner + Vec3{0, rope, 0});
            add_joint(scene, carrier, above, magnet, corner, DistanceJoint{.lower = 0, .upper = reach});
        }
    scene.events.push_back({0, MagnetAction{magnet, false}});
    for (SceneEvent event : crane.switches)
    {
        std::get<MagnetAction>(event.action).body = magnet;
        scene.events.push_back(event);
    }
    return magnet;
}

// ---- the port ----

constexpr Vec3 container{1.5f, 0.5f, 0.5f};
constexpr float container_density = 500;
constexpr float container_mass = container_density * 8 * container.x * container.y * container.z;
constexpr double ship_z = 7.5;
constexpr uint32_t paint[] = {MaterialColor::red, MaterialColor::blue, MaterialColor::green, MaterialColor::yellow,
                              MaterialColor::wood};

struct Block // of containers: how many along x, up and across
{
    int along = 1, up = 1, across = 1;
    double gap = 0.1;
};

// On a floor whose middle is `base`, and which moves like this.
void add_containers(SceneDescription& scene, DVec3 base, const Block& block, Vec3 velocity = {}, Vec3 spin = {})
{
    const double step_x = 2 * double(container.x) + block.gap, step_z = 2 * double(container.z) + block.gap;
    for (int up = 0; up < block.up; ++up)
        for (int i = 0; i < block.along; ++i)
            for (int j = 0; j < block.across; ++j)
            {
                const DVec3 at((i - 0.5 * (block.along - 1)) * step_x, 0.5 + up,
                               (j - 0.5 * (block.across - 1)) * step_z);
                SceneBody body = make_body(base + at, Box{container}, {.density = container_density, .friction = 0.6f});
                body.def.linear_velocity = velocity + cross(spin, Vec3(at));
                body.def.angular_velocity = spin;
                add(scene, std::move(body), "", paint[(3 * i + 5 * j + up) % 5]);
            }
}

// 180 times as heavy as a container. It floats on springs without length: they lift it and keep it in its place.
void add_ship(SceneDescription& scene, const Block& load, float rocking)
{
    const Material steel{.friction = 0.6f};
    const float half_length = 12, half_width = 3.2f;
    std::vector<ShapeDef> parts{
        make_shape_def(Box{{half_length, 0.6f, half_width}}, {{0, -0.6f, 0}, {}}, steel),
        make_shape_def(Box{{1, 2, 2.4f}}, {{half_length - 1, 2, 0}, {}}, steel), // bridge
        make_shape_def(Box{{0.1f, 0.3f, half_width}}, {{-half_length + 0.1f, 0.3f, 0}, {}}, steel)};
    for (const float side : {-1.0f, 1.0f})
        parts.push_back(
            make_shape_def(Box{{half_length, 0.3f, 0.1f}}, {{0, 0.3f, side * (half_width - 0.1f)}, {}}, steel));
    SceneBody ship = make_compound({0, 0, ship_z}, parts);
    ship.def.mass = 180 * container_mass;
    const Vec3 spin{rocking, 0, 0.2f * rocking}, heave{0, 4 * rocking, 0};
    ship.def.linear_velocity = heave;
    ship.def.angular_velocity = spin;
    const int index = add(scene, std::move(ship), "ship", MaterialColor::dark);
    const float x = 0.8f * half_length, z = half_width;
    const Vec3 corners[] = {{x, 2, z}, {x, 2, -z}, {-x, 2, z}, {-x, 2, -z}};
    const float mass = container_mass * float(180 + load.along * load.up * load.across);
    hang_on_springs(scene, index, corners, {.length = 6.2f, .stretch = 6.2f, .mass = mass, .damping = 0.01f});
    add_containers(scene, {-1.5, 0, ship_z}, load, heave, spin);
}

// A flat car that goes to and fro, and what stands on it.
void add_car(SceneDescription& scene, DVec3 top, Vec3 half, const SineMotion& motion, const Block& load)
{
    SceneBody car = make_static(top - DVec3(0, double(half.y), 0), Box{half}, {.friction = 0.6f});
    car.def.type = BodyType::kinematic;
    car.motion = motion;
    add(scene, std::move(car), "car", MaterialColor::dark);
    add_containers(scene, top, load, motion.translation * (2 * pi / motion.period));
}

void add_gantry(SceneDescription& scene)
{
    const float height = 13;
    std::vector<ShapeDef> parts;
    for (const float x : {-5.0f, 5.0f})
    {
        for (const float z : {-9.5f, 1.5f})
            parts.push_back(make_shape_def(Box{{0.25f, 0.5f * height, 0.25f}}, {{x, 0.5f * height, z}, {}}));
        parts.push_back(make_shape_def(Box{{0.25f, 0.25f, 11}}, {{x, height + 0.25f, 1}, {}}));
    }
    SceneBody gantry = make_compound({}, parts);
    gantry.def.type = BodyType::static_;
    add(scene, std::move(gantry), "gantry", MaterialColor::yellow);
}

// Containers of the highest layer, one after the other, from the ship to the quay.
Crane plan_unloading(int picks, const Block& load)
{
    const Vec3 plate{0.6f, 0.15f, 0.35f};
    const double high = 11, step_x = 2 * double(container.x) + load.gap, step_z = 2 * double(container.z) + load.gap;
    // A quarter of a metre lower than it would hang: the ship rocks, and slack ropes do not push.
    const double touch = load.up + double(plate.y + rope) - 0.25;
    Crane crane;
    crane.go(0, {0, high, ship_z});
    crane.wait(2);
    for (int i = 0; i < picks; ++i)
    {
        const int column = i % load.along, row = i / load.along % load.across;
        const double x = (column - 0.5 * (load.along - 1)) * step_x - 1.5;
        const double z = ship_z + (row - 0.5 * (load.across - 1)) * step_z;
        const DVec3 pick(x, high, z), drop(x, high, -1.6 - 1.3 * row);
        crane.go(3, pick);
        crane.go(4, {x, touch, z});
        crane.switches.push_back({crane.time + 0.7f, MagnetAction{-1, true}});
        crane.wait(1.5f);
        crane.go(4, pick);
        crane.go(4, drop);
        // It hangs a container's height above the quay, and a little.
        crane.go(4, {drop.x, 1 + double(plate.y + rope) + 0.1, drop.z});
        crane.switches.push_back({crane.time + 1, MagnetAction{-1, false}});
        crane.wait(2);
        crane.go(3, drop);
    }
    return crane;
}

SceneDescription build_ship_crane(const ParameterValues& values)
{
    const Block load{.along = 6, .up = values.count("layers"), .across = 4};
    SceneDescription scene;
    scene.world.merging = true;
    SceneBody sea = make_static({0, -1, 10}, Box{{38, 0.05f, 7}});
    sea.def.filter.mask = 0; // to be seen only
    add(scene, std::move(sea), "sea", MaterialColor::blue);
    add(scene, make_static({0, -1, -14.5}, Box{{40, 1, 17}}, {.friction = 0.6f}), "quay");
    add_gantry(scene);
    add_ship(scene, load, values.number("rocking"));
    const Block wagons{.along = 13, .up = 2, .across = 2, .gap = 0.15};
    add_car(scene, {0, 1, -13}, {21, 0.3f, 1.4f}, {.translation = {16, 0, 0}, .period = 60}, wagons);
    add_car(scene, {0, 1, -17}, {21, 0.3f, 1.4f}, {.translation = {-12, 0, 0}, .period = 40}, wagons);
    for (int i = 0; i < 4; ++i)
        add_car(scene, {20.0 * (i - 1.5), 1, -6.5}, {1.8f, 0.2f, 1.2f},
                {.translation = {i % 2 ? 6.0f : -6.0f, 0, 0}, .period = 16 + 2 * float(i)}, {.up = 2, .across = 2});
    add_containers(scene, {-20, 0, -27}, {.along = 6, .up = 3, .across = 4});
    add_containers(scene, {20, 0, -27}, {.along = 6, .up = 3, .across = 4});
    const Crane crane = plan_unloading(values.count("picks"), load);
    add_magnet(scene, crane, {0.6f, 0.15f, 0.35f});
    scene.steps = int(crane.time / scene.dt);
    return scene;
}

// ---- the poster's magnet: it takes the box that a plank rests on ----

SceneDescription build_magnet(const ParameterValues&)
{
    SceneDescription scene;
    scene.world.merging = true;
    add_ground(scene, 20);
    const Material wood{.density = 300, .friction = 0.6f};
    add(scene, make_body({-1.2, 0.6, 0}, Box{{0.4f, 0.6f, 0.4f}}, wood), "post", MaterialColor::wood);
    add(scene, make_body({0.8, 0.6, 0}, Box{{0.6f, 0.6f, 0.6f}}, wood), "box", MaterialColor::blue);
    // From the post to the box's near edge: the magnet has room beside it.
    add(scene, make_body({-0.65, 1.25, 0}, Box{{1.05f, 0.05f, 0.3f}}, wood), "plank", MaterialColor::yellow);
    add(scene, make_body({-1.1, 1.5, 0}, Box{{0.2f, 0.2f, 0.2f}}, wood), "load", MaterialColor::red);
    const Vec3 plate{0.4f, 0.15f, 0.4f};
    const double x = 0.95, high = 9, touch = 1.2 + double(plate.y + rope) - 0.1;
    Crane crane;
    crane.go(0, {x, high, 0});
    crane.wait(2);
    crane.go(3, {x, touch, 0});
    crane.switches.push_back({crane.time + 1, MagnetAction{-1, true}});
    crane.wait(2);
    crane.go(3, {x, high, 0});
    crane.go(2, {x + 3, high, 0});
    crane.switches.push_back({crane.time + 2, MagnetAction{-1, false}});
    crane.wait(4);
    add_magnet(scene, crane, plate);
    scene.steps = int(crane.time / scene.dt);
    return scene;
}

const CatalogueParameter ship_parameters[] = {
    {"layers", 4, 1, 8, true, "layers of containers on the ship"},
    {"picks", 3, 1, 24, true, "containers that the crane unloads"},
    {"rocking", 0.03, 0, 0.2, false, "turn rate of the ship at the start, rad/s"}};

const CatalogueEntry entries[] = {
    {"ship_crane", "a magnet crane unloads a rocking ship; trains and trucks pass", ship_parameters, build_ship_crane},
    {"magnet", "a magnet takes the box that a plank rests on", {}, build_magnet},
};

} // namespace

std::span<const CatalogueEntry> port_scenes() { return entries; }

} // namespace moraine
