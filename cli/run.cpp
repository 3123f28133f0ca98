// moraine run: simulate a scene and say how it went.
#include "cli/audio.h"
#include "cli/commands.h"
#include "cli/distributed.h"
#include "cli/drift.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "cli/rescue.h"
#include "cli/run_options.h"
#include "cli/start_recording.h"
#include "cli/stats_file.h"
#include "cli/summary.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace moraine::cli
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr const char* examples = R"(Examples:
  moraine run ferry --seconds 20 --threads 2
  moraine run pile_5000 --param count=1000 --window 300:600 --json
  moraine run ferry --steps 600 --snapshot settled.snapshot
  moraine run ferry --seconds 10 --record ferry.mrec
  moraine run ferry --from settled.snapshot --steps 600 --stats ferry.csv
  moraine run bowl --workers 2
  mpirun -n 8 moraine run bowl --distributed
  moraine run my_scene.json --solver pgs --iterations 50 --merging off)";

volatile std::sig_atomic_t stop_asked = 0;

void stop_on_interrupt()
{
    struct sigaction action = {};
    action.sa_handler = [](int) { stop_asked = 1; };
    // The second Ctrl-C ends the process at once, should a step never come back.
    action.sa_flags = int(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
}

double energy(const World& world) { return world.kinetic_energy() + world.potential_energy(); }

// A run in progress: the scene, and everybody who watches it.
struct Run
{
    Scene scene;
    Window window{};
    uint64_t last_step = 0;
    std::optional<StatsFile> stats{};
    std::optional<Recorder> recorder{};
    std::optional<AudioFile> audio{};
    std::string rescue_path{};

    Summary summary{};
    CarrierDrift drift{};
    Rescue rescue{};
    std::vector<std::string> frozen{}; // names of the bodies that broke
    std::string problem{};             // why no last good state could be saved
};

// The state before the window's first step. A world that never stepped has no contacts yet: it waits a step.
void begin_window(Run& run)
{
    const World& world = run.scene.world();
    const uint64_t step = world.step_count();
    const uint64_t first = std::max(run.window.first, run.summary.first_step);
    if (step == first)
        run.summary.energy_start = energy(world);
    if (step == std::max<uint64_t>(first, 1))
        run.drift.begin(world);
}

// The state after the window's last step; kept up to date at the end of the run should that come first.
void end_window(Run& run)
{
    const World& world = run.scene.world();
    run.summary.energy_end = energy(world);
    run.summary.carrier_drift_max = run.drift.largest(world);
    run.summary.riders = run.drift.riders();
}

void note_frozen(Run& run)
{
    const World& world = run.scene.world();
    const bool is_first = run.frozen.empty();
    for (BodyId body : world.events().frozen)
    {
        const std::string_view name = world.name(body);
        run.frozen.push_back(fmt::format("body {}{} in step {}", body.index,
                                         name.empty() ? std::string() : fmt::format(" ({})", name),
                                         world.step_count()));
    }
    if (!is_first)
        return;
    const Status saved = run.rescue.save_last_good(run.scene, run.rescue_path);
    if (!saved)
        run.problem = saved.error().message;
}

StepReport step_once(Run& run)
{
    if (run.frozen.empty())
        run.rescue.observe(run.scene.world());
    begin_window(run);
    const uint64_t step = run.scene.world().step_count();
    const auto start = Clock::now();
    const StepReport report = run.scene.step();
    const float milliseconds = std::chrono::duration<float, std::milli>(Clock::now() - start).count();

    const World& world = run.scene.world();
    if (!world.events().frozen.empty())
        note_frozen(run);
    if (run.recorder)
        run.recorder->add(world, report);
    if (run.audio)
        run.audio->add(world);
    if (!run.window.contains(step))
        return report;
    run.summary.statistics.add(report, milliseconds);
    run.summary.statistics.add_joint_errors(world);
    if (run.stats)
        run.stats->add(world, report, milliseconds);
    if (step + 1 == run.window.end)
        end_window(run);
    return report;
}

void run_to_end(Run& run)
{
    const World& world = run.scene.world();
    Progress progress(run.last_step - run.summary.first_step);
    stop_on_interrupt();
    const auto start = Clock::now();
    while (world.step_count() < run.last_step && stop_asked == 0)
    {
        const StepReport report = step_once(run);
        progress.update(world.step_count() - run.summary.first_step, report);
    }
    run.summary.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    run.summary.is_interrupted = stop_asked != 0;
    if (world.step_count() == run.summary.first_step)
        begin_window(run);
    if (world.step_count() < run.window.end)
        end_window(run);
}

void fill_summary(Run& run)
{
    const World& world = run.scene.world();
    Summary& summary = run.summary;
    summary.scene = run.scene.description().name;
    summary.steps = world.step_count();
    summary.time = world.time();
    summary.dt = run.scene.description().dt;
    const int threads = world.settings().threads;
    summary.threads = threads > 0 ? threads : std::max(1, int(std::thread::hardware_concurrency()));
    summary.state_hash = world.state_hash();
    summary.bodies = world.body_count();
    summary.joints = world.joint_count();
    const auto is_dynamic = [&](BodyId body) { return world.type(body) == BodyType::dynamic_; };
    const std::vector<BodyId> bodies = world.bodies();
    summary.bodies_dynamic = int(std::count_if(bodies.begin(), bodies.end(), is_dynamic));
}

bool changes_bodies(const SceneEvent& event)
{
    return std::holds_alternative<SpawnAction>(event.action) || std::holds_alternative<DestroyAction>(event.action) ||
           std::holds_alternative<FactoryAction>(event.action);
}

Status load_state(World& world, const SceneDescription& scene, const std::string& path)
{
    const Status loaded = world.load_snapshot(path);
    if (!loaded)
        return loaded;
    // A snapshot does not know its scene, but the number of bodies gives most mistakes away.
    const bool is_constant = std::none_of(scene.events.begin(), scene.events.end(), changes_bodies);
    if (is_constant && size_t(world.body_count()) != scene.bodies.size())
        return Error{fmt::format("{}: has {} bodies and {} has {}: it was saved from another scene or other parameters",
                                 path, world.body_count(), scene.name, scene.bodies.size())};
    world.set_threads(scene.world.threads);
    return Ok{};
}

// A snapshot brings its settings along. Whoever asks for others is told so, and not left to think that they had them.
void warn_of_kept(const RunOptions& options, const WorldDef& asked, const WorldDef& kept)
{
    const std::pair<const char*, bool> differs[] = {
        {"--solver", options.solver && asked.solver != kept.solver},
        {"--substeps", options.substeps && asked.substeps != kept.substeps},
        {"--iterations", options.iterations && asked.iterations != kept.iterations},
        {"--merging", options.merging && asked.merging != kept.merging},
        {"--merge", !options.merge.empty() && asked.merge != kept.merge},
        {"--sleeping", options.sleeping && asked.sleeping != kept.sleeping},
        {"--response", options.response && asked.response.is_on != kept.response.is_on},
    };
    for (const auto& [option, is_kept] : differs)
        if (is_kept)
            warn(fmt::format("{} changes nothing: it is as it was when {} was saved; start the run without --from to "
                             "have it otherwise",
                             option, options.from));
}

// The scene, restored where it shall go on from, and the files that will be written. Bad input ends here.
Result<std::unique_ptr<Run>> prepare(const RunOptions& options)
{
    const auto description = load_with_options(options);
    if (!description)
        return description.error();
    const auto window = parse_window(options.window);
    if (!window)
        return window.error();
    const auto steps = step_count(options, *description);
    if (!steps)
        return steps.error();
    for (const std::string& warning : description->warnings)
        warn(warning);

    auto scene = Scene::create(*description);
    if (!scene)
        return scene.error();
    auto run = std::make_unique<Run>(Run{.scene = std::move(*scene), .window = *window});
    World& world = run->scene.world();
    if (!options.from.empty())
    {
        const Status loaded = load_state(world, *description, options.from);
        if (!loaded)
            return loaded.error();
        warn_of_kept(options, description->world, world.settings());
    }
    run->summary.first_step = world.step_count();
    run->last_step = world.step_count() + *steps;
    if (!options.window.empty() && (run->window.first >= run->last_step || run->window.end <= world.step_count()))
        return Error{fmt::format("--window {}: the run has the steps {}:{} only", options.window, world.step_count(),
                                 run->last_step)};
    if (!options.stats.empty())
    {
        auto stats = StatsFile::create(options.stats);
        if (!stats)
            return stats.error();
        run->stats = std::move(*stats);
    }
    if (const Status fine = check_record_details(options, run->scene, viewer::world_channels()); !fine)
        return fine.error();
    if (!options.record.empty())
    {
        auto recorder = start_recording(options, run->scene, viewer::world_channels());
        if (!recorder)
            return recorder.error();
        run->recorder = std::move(*recorder);
    }
    if (!options.audio.empty())
        run->audio.emplace(options.audio, world.time());
    const std::string stem = std::filesystem::path(run->scene.description().name).filename().string();
    run->rescue_path = options.snapshot.empty() ? stem + ".last_good.snapshot" : options.snapshot;
    return run;
}

Status close_files(Run& run)
{
    const Status stats = run.stats ? run.stats->close() : Ok{};
    const Status recorder = run.recorder ? run.recorder->close() : Ok{};
    const Status audio = run.audio ? run.audio->close(run.scene.world().time()) : Ok{};
    return !stats ? stats : !recorder ? recorder : audio;
}

int report_failure(const Run& run)
{
    std::string what = run.frozen.front();
    if (run.frozen.size() > 1)
        what += fmt::format(" and {} more", run.frozen.size() - 1);
    const std::string saved = run.problem.empty() ? fmt::format("the last good state is in {}", run.rescue_path)
                                                  : fmt::format("the last good state was not saved: {}", run.problem);
    return fail(exit_failed,
                fmt::format("{}: {} turned non-finite and was frozen; {}", run.summary.scene, what, saved));
}

// By the name's ending: .json, else GraphViz.
Status save_graph(const World& world, const std::string& path)
{
    const GraphView graph = world.graph();
    std::ofstream file(path, std::ios::trunc);
    file << (std::filesystem::path(path).extension() == ".json" ? to_json(graph) : to_graphviz(graph));
    file.close();
    if (!file)
        return Error{path + ": cannot write the contact graph: check the folder and the free space"};
    return Ok{};
}

int run_command(const RunOptions& options)
{
    if (is_distributed(options))
        return run_distributed(options);
    auto prepared = prepare(options);
    if (!prepared)
        return fail(exit_bad_input, prepared.error().message);
    Run& run = **prepared;
    run_to_end(run);
    fill_summary(run);

    fmt::print("{}", options.json ? to_json(run.summary) + "\n" : to_text(run.summary));
    std::fflush(stdout);
    const Status closed = close_files(run);
    if (!closed)
        return fail(exit_bad_input, closed.error().message);
    if (!options.graph_out.empty())
    {
        const Status saved = save_graph(run.scene.world(), options.graph_out);
        if (!saved)
            return fail(exit_bad_input, saved.error().message);
    }
    if (!run.frozen.empty())
        return report_failure(run);
    if (!options.snapshot.empty())
    {
        const Status saved = run.scene.world().save_snapshot(options.snapshot);
        if (!saved)
            return fail(exit_bad_input, saved.error().message);
    }
    return run.summary.is_interrupted ? exit_interrupted : exit_done;
}

} // namespace

Command add_run(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("run", "Simulate a scene and report time, contacts, merging and quality");
    command->footer(examples);
    auto options = std::make_shared<RunOptions>();
    add_run_options(*command, *options);
    return [options] { return run_command(*options); };
}

} // namespace moraine::cli
