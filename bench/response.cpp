#include "response.h"

#include "plot.h"
#include "response_scenes.h"
#include "scene/description.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numbers>

namespace moraine::bench
{

namespace
{

constexpr float dt = 0.01f;

// A row of the paper's table 1.
struct PaperCase
{
    const char* name;
    int vertices;
    double sample; // seconds between the filter's steps
    int contacts;
    double paper_ms;
};
constexpr PaperCase paper_cases[] = {
    {"table", 966, 4.9e-4, 41, 3.8},   {"roof", 1002, 7.0e-3, 7, 0.8},    {"scaffold", 5384, 3.0e-3, 58, 27.5},
    {"ground", 1570, 3.1e-4, 40, 5.6}, {"cliff", 7182, 4.0e-3, 24, 18.1}, {"floor", 360, 1.7e-4, 26, 1.1},
    {"fridge", 250, 8.6e-5, 6, 0.2},
};

// A simply supported plate of 2 m by 2 m with about so many vertices and 20 modes, the highest as the sample asks for.
std::shared_ptr<const ResponseModel> make_plate(const PaperCase& c)
{
    auto model = std::make_shared<ResponseModel>();
    const int side = std::max(3, int(std::lround(std::sqrt(double(c.vertices)))));
    const double highest = std::numbers::pi / (2 * c.sample);
    const int modes = 20;
    for (int j = 0; j < modes; ++j)
        model->frequencies.push_back(float(highest * std::sqrt((j + 1.0) / modes)));
    model->material.alpha0 = 10;
    model->material.alpha1 = 0;
    for (int i = 0; i < side * side; ++i)
    {
        const double x = double(i % side) / (side - 1), z = double(i / side) / (side - 1);
        model->vertices.push_back({float(2 * x - 1), 0, float(2 * z - 1)});
        model->amplitude.push_back(1e-5f);
        for (int j = 0; j < modes; ++j)
            model->shapes.push_back({0,
                                     float(0.2 * std::sin(std::numbers::pi * (1 + j % 5) * x) *
                                           std::sin(std::numbers::pi * (1 + j / 5) * z)),
                                     0});
    }
    for (int row = 0; row + 1 < side; ++row)
        for (int i = 0; i + 1 < side; ++i)
        {
            const uint32_t a = uint32_t(row * side + i), b = a + uint32_t(side);
            model->triangles.push_back({a, b, a + 1});
            model->triangles.push_back({a + 1, b, b + 1});
        }
    return model;
}

// Balls in a spiral lie on the plate: one contact each.
struct Plate
{
    World world;
    std::vector<BodyId> balls{};
    std::vector<DVec3> places{};
};
Plate make_plate_world(const PaperCase& c, ResponseKick kick)
{
    WorldDef def{.sleeping = false};
    def.response.kick = kick;
    Plate out{World(def)};
    World& world = out.world;
    const BodyId plate = world.create_body(
        {.type = BodyType::static_, .position = {0, -0.1, 0}, .shapes = {{.geometry = Box{{1, 0.1f, 1}}}}});
    auto model = std::make_shared<ResponseModel>(*make_plate(c));
    for (Vec3& v : model->vertices)
        v.y = 0.1f;
    static_cast<void>(world.set_response(plate, {.model = model}));
    for (int i = 0; i < c.contacts; ++i)
    {
        const double r = 0.25 + 0.65 * i / c.contacts, angle = 2.4 * i;
        out.places.push_back({r * std::cos(angle), 0.02, r * std::sin(angle)});
        out.balls.push_back(world.create_body(
            {.position = out.places.back(), .shapes = {{.geometry = Sphere{0.02f}, .friction = 1}}, .mass = 1}));
    }
    return out;
}

struct Cost
{
    double best_ms = 1e9, median_ms = 0;
    int impacts = 0, kicks = 0;
};

// One after the other in one world, as in a game: what lies there is put back and comes to rest in between.
Cost measure_impacts(const PaperCase& c, ResponseKick kick, int rounds)
{
    Plate plate = make_plate_world(c, kick);
    World& world = plate.world;
    Cost cost;
    std::vector<double> all;
    for (int round = 0; round < rounds + 1; ++round)
    {
        for (size_t i = 0; i < plate.balls.size(); ++i)
        {
            world.set_pose(plate.balls[i], {plate.places[i], {}});
            world.set_linear_velocity(plate.balls[i], {});
            world.set_angular_velocity(plate.balls[i], {});
        }
        for (int i = 0; i < 50; ++i)
            world.step(dt);
        const BodyId hammer = world.create_body(
            {.position = {0.05, 0.08, 0.03}, .shapes = {{.geometry = Sphere{0.05f}}}, .mass = 1});
        world.set_linear_velocity(hammer, {0, -3, 0});
        for (int i = 0; i < 20; ++i)
        {
            const StepReport report = world.step(dt);
            if (report.kicks == 0)
                continue;
            if (round > 0) // the first is cold
                all.push_back(double(report.phase_ms[size_t(Phase::respond)]));
            cost.impacts += report.impacts;
            cost.kicks = report.kicks;
            break;
        }
        world.destroy_body(hammer);
    }
    std::sort(all.begin(), all.end());
    if (!all.empty())
    {
        cost.best_ms = all.front();
        cost.median_ms = all[all.size() / 2];
    }
    return cost;
}

// A heap that has come to rest on ground with a model: nothing is hit. Steps with the feature on and off by turns.
struct Quiet
{
    double ratio = 0;
    bool is_same = false;
};
Quiet measure_quiet(int rounds)
{
    std::vector<World> worlds;
    for (bool is_on : {true, false})
    {
        WorldDef def{.sleeping = false};
        def.response.is_on = is_on;
        World& world = worlds.emplace_back(def);
        const BodyId ground = world.create_body(
            {.type = BodyType::static_, .position = {0, -1, 0}, .shapes = {{.geometry = Box{{20, 1, 20}}}}});
        static_cast<void>(world.set_response(ground, {.model = make_plate(paper_cases[0])}));
        for (int i = 0; i < 1000; ++i)
            world.create_body({.position = {1.1 * (i % 10) - 5, 0.5 + (i / 100), 1.1 * (i / 10 % 10) - 5},
                               .shapes = {{.geometry = Box{}}}});
        for (int k = 0; k < 100; ++k)
            world.step(dt);
    }
    double best[2] = {1e9, 1e9};
    for (int i = 0; i < 15 * rounds; ++i)
        for (int k = 0; k < 2; ++k)
        {
            const auto start = std::chrono::steady_clock::now();
            worlds[size_t(k)].step(dt);
            const double ms =
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
            best[k] = std::min(best[k], ms);
        }
    return {best[0] / best[1], worlds[0].state_hash() == worlds[1].state_hash()};
}

struct Cone
{
    double distance; // from the nearest wheel
    double speed;    // the largest
};

double distance_from_wheels(DVec3 p)
{
    double nearest = 1e9;
    for (double x : {3.4, -1.8, -3.2})
        for (double z : {-1.0, 1.0})
            nearest = std::min(nearest, std::hypot(p.x - x, p.z - z));
    return nearest;
}

// Of the truck's first hop, nearest cones first.
Result<std::vector<Cone>> run_low_rider(const char* beta)
{
    auto description = load_scene("low_rider", {{"beta", beta}});
    if (!description)
        return description.error();
    auto scene = Scene::create(*description);
    if (!scene)
        return scene.error();
    std::vector<Cone> cones;
    for (size_t k = 0; k < scene->bodies().size(); ++k)
        if (const SceneBody& body = scene->description().bodies[k]; body.def.name == "cone")
            cones.push_back({distance_from_wheels(body.def.position), 0});
    for (int i = 0; i < 250; ++i)
    {
        scene->step();
        size_t cone = 0;
        for (size_t k = 0; k < scene->bodies().size(); ++k)
            if (scene->description().bodies[k].def.name == "cone")
            {
                const double speed = double(length(scene->world().linear_velocity(scene->bodies()[k])));
                cones[cone].speed = std::max(cones[cone].speed, speed);
                ++cone;
            }
    }
    std::ranges::sort(cones, {}, &Cone::distance);
    return cones;
}

// At equal distances, straight between cones. Nearer than the first there is none.
std::vector<double> resample(const std::vector<Cone>& cones, int count)
{
    std::vector<double> values;
    const double first = cones.front().distance, last = cones.back().distance;
    for (int i = 0; i < count; ++i)
    {
        const double at = first + (last - first) * i / (count - 1);
        size_t k = 1;
        while (k + 1 < cones.size() && cones[k].distance < at)
            ++k;
        const Cone &a = cones[k - 1], &b = cones[k];
        const double gap = b.distance - a.distance;
        const double way = gap > 0 ? std::clamp((at - a.distance) / gap, 0.0, 1.0) : 1;
        values.push_back(a.speed + way * (b.speed - a.speed));
    }
    return values;
}

// Figure 9: how fast cones get, by their distance from the truck, for three exponents.
Status plot_low_rider(const std::string& folder)
{
    Panel panel{.title = "cones beside the truck of low_rider", .y_label = "largest speed, m/s", .lines = {}};
    Panel share{.title = "the same, by that of the nearest", .y_label = "", .lines = {}};
    double reach = 0, first = 0;
    for (const char* beta : {"0.5", "1", "2"})
    {
        const Result<std::vector<Cone>> cones = run_low_rider(beta);
        if (!cones)
            return cones.error();
        first = cones->front().distance;
        reach = cones->back().distance - first;
        std::vector<double> values = resample(*cones, 60);
        panel.lines.push_back({fmt::format("beta {}", beta), values});
        const double nearest = std::max(values.front(), 1e-9);
        for (double& value : values)
            value /= nearest;
        share.lines.push_back({fmt::format("beta {}", beta), std::move(values)});
    }
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    const Plot plot{.title = "How local the response is",
                    .x_label = fmt::format("farther from the wheels than the nearest cone ({:.1f} m), m", first),
                    .x_end = reach,
                    .panels = {std::move(panel), std::move(share)}};
    return save_svg(plot, folder + "/response_low_rider.svg");
}

} // namespace

void add_response_options(CLI::App& app, ResponseOptions& options)
{
    app.add_option("--rounds", options.rounds, "Impacts to each model")->check(CLI::Range(1, 10000))->type_name("N");
    app.add_option("--out", options.out, "Folder for the plot of low_rider")->type_name("FOLDER");
    app.add_flag("--scenes", options.has_scenes, "Tell what the scenes of the paper show");
    app.add_option("--csv", options.csv, "Write the table")->type_name("FILE");
}

Result<Table> run_response(const ResponseOptions& options)
{
    Table table{.columns = {"model", "vertices", "modes", "samples", "contacts", "ms", "median ms", "thrown ms",
                            "median ms", "paper ms"},
                .rows = {},
                .notes = {}};
    for (const PaperCase& c : paper_cases)
    {
        const Cost cost = measure_impacts(c, ResponseKick::displacement, options.rounds);
        const Cost thrown = measure_impacts(c, ResponseKick::thrown, options.rounds);
        table.rows.push_back({c.name, std::to_string(make_plate(c)->vertices.size()), "20",
                              std::to_string(int(std::ceil(double(dt) / c.sample - 1e-6))), std::to_string(cost.kicks),
                              fmt::format("{:.4f}", cost.best_ms), fmt::format("{:.4f}", cost.median_ms),
                              fmt::format("{:.4f}", thrown.best_ms), fmt::format("{:.4f}", thrown.median_ms),
                              fmt::format("{:.1f}", c.paper_ms)});
    }
    const Quiet quiet = measure_quiet(options.rounds);
    table.notes.push_back(
        fmt::format("ms: of the phase `respond` in a step with one impact, best of {}; first kicks by the largest "
                    "displacement, then by what is thrown",
                    options.rounds));
    table.notes.push_back(fmt::format("nothing hit, 1000 boxes at rest: a step takes {:.3f} times as long as with the "
                                      "response off, state hashes {}",
                                      quiet.ratio, quiet.is_same ? "equal" : "DIFFER"));
    if (options.has_scenes)
    {
        const auto sentences = describe_response_scenes();
        if (!sentences)
            return sentences.error();
        table.notes.insert(table.notes.end(), sentences->begin(), sentences->end());
    }
    if (!options.out.empty())
        if (const Status saved = plot_low_rider(options.out); !saved)
            return saved.error();
    return table;
}

} // namespace moraine::bench
