#include "options.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace moraine::bench
{

namespace
{

const std::map<std::string, SolverKind> solver_names{
    {"substep", SolverKind::substep}, {"pgs", SolverKind::pgs}, {"direct", SolverKind::direct}};

Status add_parameter(const std::string& text, SceneParameters& parameters)
{
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return Error{fmt::format("parameter {}: expected KEY=VALUE, as in count=100", text)};
    parameters[text.substr(0, equals)] = text.substr(equals + 1);
    return Ok{};
}

} // namespace

void add_common_options(CLI::App& app, Options& options)
{
    app.add_option("--scenes", options.scenes, "Scenes; a:count=100 sets a parameter of one")
        ->delimiter(',')
        ->type_name("A,B,...");
    app.add_option("--engines", options.engines, "Engines; all that were found when left out")
        ->delimiter(',')
        ->type_name("A,B,...");
    app.add_option("--param", options.parameters, "Set a parameter of all scenes; may be repeated")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    app.add_option("--warmup", options.warmup, "Steps before the window")
        ->capture_default_str()
        ->check(CLI::Range(0, 1000000));
    app.add_option_function<std::string>(
           "--sleeping", [&options](const std::string& word) { options.sleeping = word == "on"; },
           "May bodies sleep? Off when left out, but on for scenes at rest (wall, resting)")
        ->check(CLI::IsMember({"on", "off"}).description(""))
        ->type_name("on|off");
    app.add_option("--solver", options.solver, "Moraine's solver")
        ->transform(CLI::CheckedTransformer(solver_names).description(""))
        ->type_name("substep|pgs|direct");
    app.add_option("--csv", options.csv, "Write the table to a file too")->type_name("FILE");
}

void add_threads_and_rounds(CLI::App& app, Options& options)
{
    app.add_option("--steps", options.steps, "Steps of the window that is timed")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000000));
    app.add_option("--threads", options.threads, "Numbers of threads")
        ->delimiter(',')
        ->check(CLI::Range(1, 256))
        ->type_name("1,2,...");
    app.add_option("--rounds", options.rounds, "Runs of everything in turn; the fastest counts")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
}

void add_growth_options(CLI::App& app, Options& options)
{
    app.add_option("--counts", options.counts, "Numbers of bodies, ascending")
        ->delimiter(',')
        ->check(CLI::Range(1, 4000000))
        ->type_name("N,M,...");
    app.add_option("--limit", options.limit_seconds, "Leave out what would take longer than this many seconds")
        ->capture_default_str();
}

Result<std::vector<PeerKind>> chosen_engines(const Options& options)
{
    const std::vector<PeerKind> found = peer_kinds();
    if (options.engines.empty())
        return found;
    std::vector<PeerKind> chosen;
    for (const std::string& name : options.engines)
    {
        const auto kind = std::find_if(found.begin(), found.end(), [&](const PeerKind& k) { return k.name == name; });
        if (kind == found.end())
        {
            std::string names;
            for (const PeerKind& k : found)
                names += (names.empty() ? "" : ", ") + k.name;
            return Error{fmt::format("engine {}: not in this build, which has {}", name, names)};
        }
        chosen.push_back(*kind);
    }
    return chosen;
}

Result<SceneDescription> load_bench_scene(const std::string& text, const Options& options, const SceneParameters& extra)
{
    SceneParameters parameters;
    for (const std::string& parameter : options.parameters)
        if (const Status status = add_parameter(parameter, parameters); !status)
            return status.error();
    size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    while (colon != std::string::npos)
    {
        const size_t next = text.find(':', colon + 1);
        const std::string parameter = text.substr(colon + 1, next == std::string::npos ? next : next - colon - 1);
        if (const Status status = add_parameter(parameter, parameters); !status)
            return status.error();
        colon = next;
    }
    for (const auto& [key, value] : extra)
        parameters[key] = value;

    auto scene = load_scene(name, parameters);
    if (!scene)
        return scene;
    scene->name = text;
    scene->world.solver = options.solver.value_or(scene->world.solver);
    return scene;
}

bool wants_sleep(const std::string& scene_text, const Options& options)
{
    const std::string name = scene_text.substr(0, scene_text.find(':'));
    return options.sleeping.value_or(name == "wall" || name == "resting");
}

void note_failure(const Case& c, const Measurement& measurement, Table& table)
{
    std::string note;
    if (measurement.outcome == Outcome::not_supported)
        note = fmt::format("{}: {} needs {}, which the adapter does not offer", c.peer->name, c.scene->name,
                           measurement.reason);
    if (measurement.outcome == Outcome::crashed)
        note = fmt::format("{} did not come back from {}", c.peer->name, c.scene->name);
    if (!note.empty() && std::find(table.notes.begin(), table.notes.end(), note) == table.notes.end())
        table.notes.push_back(note);
}

} // namespace moraine::bench
