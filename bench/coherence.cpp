#include "coherence.h"

#include "scene/description.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace moraine::bench
{

namespace
{

struct Window
{
    double ms_per_step = std::numeric_limits<double>::infinity();
    double touching = 0, tested = 0, followed = 0, unchanged = 0; // edges, mean of a step
    double moved = 0;                                             // furthest from where it was at the start
    std::vector<DVec3> places{};
};

std::vector<DVec3> places_of(const Scene& scene)
{
    std::vector<DVec3> places;
    for (BodyId body : scene.bodies())
        places.push_back(scene.world().center_of_mass(body));
    return places;
}

// Of the share of bodies that are closest; 1: of all.
double furthest(const std::vector<DVec3>& a, const std::vector<DVec3>& b, double share = 1)
{
    std::vector<double> far;
    for (size_t i = 0; i < a.size(); ++i)
        far.push_back(length(a[i] - b[i]));
    std::sort(far.begin(), far.end());
    return far.empty() ? 0 : far[size_t(share * double(far.size() - 1))];
}

int awake_count(const Scene& scene)
{
    const World& world = scene.world();
    return int(std::count_if(scene.bodies().begin(), scene.bodies().end(), [&](BodyId body) {
        return world.type(body) == BodyType::dynamic_ && world.is_awake(body);
    }));
}

Status run_window(Scene& scene, const std::vector<uint8_t>& start, bool coherence, int steps, Window& out)
{
    const Status restored = scene.world().restore(start);
    if (!restored)
        return restored;
    WorldDef settings = scene.world().settings();
    settings.coherence = coherence;
    settings.sleeping = false;
    scene.world().set_settings(settings);
    const std::vector<DVec3> first = places_of(scene);
    Window run;
    double ms = 0;
    for (int i = 0; i < steps; ++i)
    {
        const std::clock_t begin = std::clock(); // of this process: others may be at work
        const StepReport report = scene.step();
        ms += 1000.0 * double(std::clock() - begin) / CLOCKS_PER_SEC;
        run.touching += double(report.edges_touching) / steps;
        run.tested += double(report.edges_tested) / steps;
        run.followed += double(report.edges_followed) / steps;
        run.unchanged += double(report.edges_unchanged) / steps;
    }
    run.ms_per_step = std::min(ms / steps, out.ms_per_step);
    run.places = places_of(scene);
    run.moved = furthest(first, run.places);
    out = std::move(run);
    return Ok{};
}

std::vector<std::string> row_of(const char* name, const Window& run, const Window& without)
{
    return {name,
            fmt::format("{:.3f}", run.ms_per_step),
            fmt::format("{:.2f}", without.ms_per_step / run.ms_per_step),
            fmt::format("{:.0f}", run.touching),
            fmt::format("{:.2f}", 100 * run.tested / std::max(run.touching, 1.0)),
            fmt::format("{:.2f}", 100 * run.followed / std::max(run.touching, 1.0)),
            fmt::format("{:.2f}", 100 * run.unchanged / std::max(run.touching, 1.0)),
            fmt::format("{:.3g}", 1000 * run.moved),
            fmt::format("{:.3g}", 1000 * furthest(run.places, without.places, 0.99)),
            fmt::format("{:.3g}", 1000 * furthest(run.places, without.places))};
}

Result<Scene> settled_scene(const CoherenceOptions& options)
{
    Result<SceneDescription> description = load_scene(options.scene);
    if (!description)
        return description.error();
    description->world.sleeping = true;
    description->world.coherence = !options.settles_without;
    Result<Scene> scene = Scene::create(*description);
    if (!scene)
        return scene;
    if (!options.from.empty())
    {
        const Status loaded = scene->world().load_snapshot(options.from);
        if (!loaded)
            return loaded.error();
        return scene;
    }
    const int steps = int(std::lround(options.settle / double(description->dt)));
    for (int i = 0; i < steps && (i == 0 || awake_count(*scene) > 0); ++i)
    {
        scene->step();
        if (i % 600 == 599)
            fmt::print(stderr, "settling: {} of at most {} steps, {} awake\n", i + 1, steps, awake_count(*scene));
    }
    return scene;
}

// Sleep stops what still moves a little. Awake again it goes on until it has come to rest by itself.
void calm_down(Scene& scene, const CoherenceOptions& options)
{
    WorldDef settings = scene.world().settings();
    settings.coherence = !options.settles_without;
    settings.sleeping = false;
    scene.world().set_settings(settings);
    const int steps = int(std::lround(options.calm / double(scene.description().dt)));
    for (int i = 0; i < steps; ++i)
        scene.step();
}

} // namespace

void add_coherence_options(CLI::App& app, CoherenceOptions& options)
{
    app.add_option("--scene", options.scene, "A scene that comes to rest")->type_name("NAME");
    app.add_option("--settle", options.settle, "At most so many seconds until everything sleeps")
        ->check(CLI::Range(0.0, 1e6).description(""));
    app.add_option("--calm", options.calm, "Then so many seconds without sleeping, to come to rest")
        ->check(CLI::Range(0.0, 1e6).description(""));
    app.add_option("--seconds", options.seconds, "Seconds of the comparison")
        ->check(CLI::Range(0.1, 1e6).description(""));
    app.add_option("--rounds", options.rounds, "Runs of each kind, taken in turn; the best time counts")
        ->check(CLI::Range(1, 100).description(""));
    app.add_flag("--settle-without", options.settles_without, "Settle without coherence");
    app.add_option("--from", options.from, "Start from this snapshot of the scene instead of settling")
        ->type_name("FILE");
    app.add_option("--csv", options.csv, "Save the table")->type_name("FILE");
}

Result<Table> compare_coherence(const CoherenceOptions& options)
{
    Result<Scene> scene = settled_scene(options);
    if (!scene)
        return scene.error();
    const int awake = awake_count(*scene);
    calm_down(*scene, options);
    const std::vector<uint8_t> start = scene->world().snapshot();
    const double settled = scene->world().time();
    const int steps = std::max(1, int(std::lround(options.seconds / double(scene->description().dt))));
    Window with, without;
    for (int round = 0; round < options.rounds; ++round)
        for (bool coherence : {false, true})
            if (const Status ran = run_window(*scene, start, coherence, steps, coherence ? with : without); !ran)
                return ran.error();
    Table table;
    table.columns = {"coherence",  "CPU ms/step", "faster",   "touching edges", "tested %",
                     "followed %", "unchanged %", "moved mm", "99 % apart mm",  "apart mm"};
    table.rows = {row_of("off", without, without), row_of("on", with, without)};
    table.notes = {fmt::format(
        "{} after {:.1f} s, the last {:.1f} s without sleeping (before, {} bodies were still awake); then {} "
        "steps without sleeping from one snapshot",
        options.scene, settled, options.calm, awake, steps)};
    return table;
}

} // namespace moraine::bench
