// moraine view: a scene live in the browser.
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/run_options.h"
#include "cli/serve.h"
#include "cli/view_modes.h"
#include "cli/view_recording.h"
#include "scene/catalogue.h"
#include "viewer/page.h"
#include "viewer/simulation.h"
#include "viewer/thumbnail.h"
#include "viewer/worker_run.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace moraine::cli
{

namespace
{

using namespace moraine::viewer;

constexpr const char* examples = R"(Examples:
  moraine view wagon
  moraine view ferry --merging on --color collection
  moraine view pile_5000 --param count=2000 --threads 2
  moraine view bowl --workers 4
  moraine view wagon --record wagon.mrec
  moraine view my_scene.json --port 9000 --no-browser
  moraine view table.modes)";

struct ViewOptions
{
    RunOptions run{};
    ServeOptions serve{};
    bool is_paused = false;
    std::string color{}; // empty: by body, or by worker where there are some
    double speed = 1;
    double seconds = 0; // for measurements: end after so long
};

std::shared_ptr<const std::string> shared(std::string text)
{
    return std::make_shared<const std::string>(std::move(text));
}

// "/modes" is the scene that was asked for at the start, "/modes/NAME" one of the catalogue.
std::optional<Document> find_modes(std::string_view path, const std::string& scene)
{
    const CatalogueEntry* entry = path.empty() ? nullptr : find_catalogue_entry(path.substr(1));
    if (!path.empty() && entry == nullptr)
        return std::nullopt;
    const auto found = describe_mode_shapes(path.empty() ? scene : std::string(entry->name));
    return found ? std::optional(Document{"application/json", shared(*found)}) : std::nullopt;
}

std::optional<Document> find_document(std::string_view path, const std::string& scene)
{
    constexpr std::string_view modes = "/modes";
    if (path.starts_with(modes))
        return find_modes(path.substr(modes.size()), scene);
    static const auto page = shared(std::string(viewer_page()));
    if (path == "/" || path == "/index.html")
        return Document{"text/html; charset=utf-8", page};
    constexpr std::string_view thumbnail = "/thumbnail/";
    if (!path.starts_with(thumbnail))
        return std::nullopt;
    const CatalogueEntry* entry = find_catalogue_entry(path.substr(thumbnail.size()));
    if (entry == nullptr)
        return std::nullopt;
    static std::map<std::string_view, std::shared_ptr<const std::string>> made;
    auto& svg = made[entry->name];
    if (!svg)
        if (const auto scene = build_catalogue_scene(*entry))
            svg = shared(thumbnail_svg(*scene));
    return svg ? std::optional(Document{"image/svg+xml", svg}) : std::nullopt;
}

Status check_color(const std::string& color, std::span<const Channel> channels)
{
    const std::vector<std::string> names = color_names(channels);
    if (std::find(names.begin(), names.end(), color) != names.end())
        return Ok{};
    return Error{fmt::format("--color {}: here bodies can be coloured by {}", color, fmt::join(names, ", "))};
}

// Says so where somebody looks; the simulation goes on.
void tell_problem(ViewRecording& recording, Server& server)
{
    const std::string problem = recording.take_problem();
    if (problem.empty())
        return;
    warn(problem);
    server.send_text(0, describe_error("No longer recording. " + problem));
}

void serve_until_stopped(const ViewOptions& options, Server& server, Broadcast& broadcast, Simulation& simulation,
                         ViewRecording& recording)
{
    server.set_greeting(simulation.hello());
    uint64_t shown = 0;
    const Deadline deadline(options.seconds);
    while (!is_stop_asked() && !deadline.is_over())
    {
        simulation.turn(server.page_count() > 0 || options.seconds > 0);
        tell_problem(recording, server);
        if (simulation.take_is_reloaded())
            server.set_greeting(simulation.hello());
        if (broadcast.version() == shown)
            continue;
        shown = broadcast.version();
        server.notify();
    }
    recording.close();
    server.stop();
}

int say_goodbye(const Simulation& simulation, const Server& server, ViewRecording& recording)
{
    fmt::print("\nStopped after {} steps; {:.1f} MB were sent.\n", simulation.scene().world().step_count(),
               double(server.bytes_sent()) * 1e-6);
    for (const std::string& line : recording.written())
        fmt::print("Recorded {}\n", line);
    std::fflush(stdout);
    if (const std::string problem = recording.take_problem(); !problem.empty())
        return fail(exit_bad_input, problem);
    return recording.has_failed() ? exit_bad_input : exit_done;
}

int view_command(const ViewOptions& options)
{
    const auto parameters = scene_parameters(options.run);
    if (!parameters)
        return fail(exit_bad_input, parameters.error().message);
    const bool has_workers = options.run.workers.has_value();
    const auto known = std::make_shared<WorkerKnowledge>(options.run.workers.value_or(1));
    const auto channels = [&] { return has_workers ? WorkerKnowledge::channels(known) : world_channels(); };
    const ContactsOf contacts_of = has_workers ? WorkerKnowledge::contacts_of(known) : ContactsOf();
    Broadcast broadcast(channels(), contacts_of);
    const std::string color = !options.color.empty() ? options.color : has_workers ? "worker" : "body";
    if (const Status known = check_color(color, broadcast.channels()); !known)
        return fail(exit_bad_input, known.error().message);
    ViewRecording recording(options.run, channels, contacts_of);
    CommandQueue commands;
    Server server(broadcast, commands,
                  [&](std::string_view path) { return find_document(path, options.run.words.front()); });
    Simulation simulation(broadcast, commands,
                          [&](uint32_t client, std::string text) { server.send_text(client, std::move(text)); });
    if (!options.run.record.empty())
        simulation.set_witness(recording);
    const auto adjust = [run = options.run](SceneDescription& scene) { apply_overrides(run, scene); };
    SceneChoice choice{options.run.words.front(), *parameters, adjust, color, {}};
    if (has_workers)
        choice.make_stepper = [&](Scene& scene) { return WorkerRun::create(scene, *options.run.workers, known); };
    const Status loaded = simulation.load(choice);
    if (!loaded)
        return fail(exit_bad_input, loaded.error().message);
    if (const Status fine = recording.check(simulation.scene()); !fine)
        return fail(exit_bad_input, fine.error().message);
    for (const std::string& warning : simulation.scene().description().warnings)
        warn(warning);
    simulation.set_playing(!options.is_paused);
    simulation.set_speed(options.speed);

    const Status started = start_serving(server, options.serve, simulation.scene().description().name);
    if (!started)
        return fail(exit_bad_input, started.error().message);
    serve_until_stopped(options, server, broadcast, simulation, recording);
    return say_goodbye(simulation, server, recording);
}

} // namespace

Command add_view(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("view", "Show a scene live in the browser");
    command->footer(examples);
    auto options = std::make_shared<ViewOptions>();
    add_scene_options(*command, options->run);
    add_serve_options(*command, options->serve);
    command
        ->add_option("--workers", options->run.workers,
                     "Divide the scene among threads, coloured by who has what; bodies cannot be touched then")
        ->check(CLI::Range(1, distribute::max_workers).description(""))
        ->type_name("W");
    add_record_options(*command, options->run);
    command->add_flag("--paused", options->is_paused, "Begin with time standing still");
    command
        ->add_option("--color", options->color,
                     "What bodies are coloured by at first: body, collection, sleeping, speed, group, contact_count, "
                     "contact_force, response, response_distance; with --workers: worker, contact_count, contact_force")
        ->type_name("WHAT");
    command->add_option("--speed", options->speed, "Times real time; 0 is as fast as it goes")
        ->check(CLI::Range(0.0, 100.0).description(""))
        ->type_name("X");
    command->add_option("--for", options->seconds, "End after so many seconds, with or without a page")
        ->check(CLI::Range(0.0, 1e6).description(""))
        ->type_name("T");
    return [options] { return view_command(*options); };
}

} // namespace moraine::cli
