#include "cli/run_options.h"

#include "cli/choice.h"
#include "cli/distributed.h"
#include "cli/merge_options.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <map>

namespace moraine::cli
{

namespace
{

const std::map<std::string, SolverKind> solver_names{
    {"substep", SolverKind::substep}, {"pgs", SolverKind::pgs}, {"direct", SolverKind::direct}};

// Like CLI::Range, but not-a-number is refused too, and the help is left short.
template <class T>
CLI::Validator between(T lower, T upper)
{
    return CLI::Validator(
        [lower, upper](std::string& text) {
            T value{};
            const bool is_fine = CLI::detail::lexical_cast(text, value) && value >= lower && value <= upper;
            return is_fine ? std::string() : fmt::format("{} is not between {} and {}", text, lower, upper);
        },
        "");
}

// "--merging on": a word, so that a script can set either way.
void add_switch(CLI::App& command, const char* flag, std::optional<bool>& value, const char* help)
{
    const auto take = [&value](const std::string& word) { value = word == "on"; };
    command.add_option_function<std::string>(flag, take, help)
        ->check(CLI::IsMember({"on", "off"}).description(""))
        ->type_name("on|off");
}

Result<uint64_t> parse_step(std::string_view text, const std::string& whole)
{
    uint64_t step = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), step);
    if (problem != std::errc() || end != text.data() + text.size())
        return Error{fmt::format("--window {}: expected steps A:B, as in 100:600, 100: or :600", whole)};
    return step;
}

} // namespace

void add_scene_options(CLI::App& command, RunOptions& options)
{
    command.add_option("SCENE", options.words, "Built-in name (see moraine list), .json scene or importable file")
        ->required()
        ->type_name("");
    command.add_option("--dt", options.dt, "Seconds in a step")->check(between(1e-6f, 1.0f))->type_name("H");
    command.add_option("--threads", options.threads, "Threads; 0: one for each core. The result does not depend on it")
        ->check(between(0, 1024))
        ->type_name("N");
    command.add_option("--solver", options.solver, "Contact and joint solver")
        ->transform(choice_of(solver_names))
        ->type_name("substep|pgs|direct");
    command.add_option("--substeps", options.substeps, "Sub-steps of the substep solver")
        ->check(between(1, 1000))
        ->type_name("N");
    command.add_option("--iterations", options.iterations, "Iterations of the pgs solver")
        ->check(between(1, 100000))
        ->type_name("N");
    add_switch(command, "--merging", options.merging, "Merge bodies that move together");
    command.add_option("--merge", options.merge, "Set a limit or switch of merging; may be repeated")
        ->check(CLI::Validator(
            [](std::string& word) {
                MergeDef def;
                const Status status = set_merge_option(word, def);
                return status ? std::string() : status.error().message;
            },
            ""))
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    add_switch(command, "--response", options.response, "Let hits be felt at other contacts of bodies with a model");
    add_switch(command, "--sleeping", options.sleeping, "Let bodies at rest sleep");
    add_switch(command, "--graph", options.graph,
               "Use the contact graph: skip what has not moved, solve groups apart, reuse forces");
    command.add_option("--param", options.parameters, "Set a parameter of the scene; may be repeated")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
}

void add_record_options(CLI::App& command, RunOptions& options)
{
    CLI::Option* record = command.add_option("--record", options.record,
                                             "Record the run, to look at with moraine replay");
    record->type_name("FILE.mrec");
    command
        .add_option("--record-details", options.record_details,
                    "Record too what can be shown besides bodies: all, or some of contacts, friction, graph, welds, "
                    "bounds, joints, group, contact_count, …; makes the file many times larger")
        ->delimiter(',')
        ->type_name("WHAT,…");
}

void add_run_options(CLI::App& command, RunOptions& options)
{
    add_scene_options(command, options);
    auto* steps = command.add_option("--steps", options.steps, "Number of steps");
    steps->check(between(0, 2000000000))->type_name("N");
    command.add_option("--seconds", options.seconds, "Simulated seconds, instead of --steps")
        ->check(between(0.0, 1e9))
        ->type_name("T")
        ->excludes(steps);
    command.add_option("--window", options.window, "Restrict every statistic to the steps from A to before B")
        ->type_name("A:B");
    command.add_option("--stats", options.stats, "Write one line of numbers for each step")->type_name("FILE.csv");
    command.add_option("--audio", options.audio, "Write the sound of hits on bodies with a response model")
        ->type_name("FILE.wav");
    add_record_options(command, options);
    command.add_option("--snapshot", options.snapshot, "Save the state at the end")->type_name("FILE");
    command.add_option("--from", options.from, "Start from a saved state; steps are counted on")->type_name("FILE");
    command.add_option("--graph-out", options.graph_out, "Save the contact graph at the end, for GraphViz or as JSON")
        ->type_name("FILE.dot|FILE.json");
    command.add_flag("--json", options.json, "Print the summary as one JSON object");
    add_distributed_options(command, options);
}

Result<SceneParameters> parse_parameters(const std::vector<std::string>& words)
{
    SceneParameters parameters;
    for (const std::string& word : words)
    {
        const size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            return Error{fmt::format("--param {}: expected KEY=VALUE, as in count=100", word)};
        parameters[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return parameters;
}

Result<Window> parse_window(const std::string& text)
{
    Window window;
    if (text.empty())
        return window;
    const size_t colon = text.find(':');
    const std::string_view view = text;
    if (colon == std::string::npos)
        return parse_step("", text).error();
    if (colon > 0)
    {
        const auto first = parse_step(view.substr(0, colon), text);
        if (!first)
            return first.error();
        window.first = *first;
    }
    if (colon + 1 < text.size())
    {
        const auto end = parse_step(view.substr(colon + 1), text);
        if (!end)
            return end.error();
        window.end = *end;
    }
    if (window.first >= window.end)
        return Error{fmt::format("--window {}: the end must come after the beginning", text)};
    return window;
}

Result<SceneParameters> scene_parameters(const RunOptions& options)
{
    // The first word is the scene; `count=100` behind it is a parameter that lost its flag.
    std::vector<std::string> words = options.parameters;
    words.insert(words.end(), options.words.begin() + 1, options.words.end());
    return parse_parameters(words);
}

void apply_overrides(const RunOptions& options, SceneDescription& scene)
{
    scene.dt = options.dt.value_or(scene.dt);
    WorldDef& world = scene.world;
    world.threads = options.threads.value_or(world.threads);
    world.solver = options.solver.value_or(world.solver);
    world.substeps = options.substeps.value_or(world.substeps);
    world.iterations = options.iterations.value_or(world.iterations);
    world.merging = options.merging.value_or(world.merging);
    for (const std::string& word : options.merge)
        static_cast<void>(set_merge_option(word, world.merge)); // checked when it was read
    world.response.is_on = options.response.value_or(world.response.is_on);
    world.sleeping = options.sleeping.value_or(world.sleeping);
    if (options.graph)
        world.coherence = world.contact_groups = world.caching = *options.graph;
    apply_distributed_overrides(options, scene);
}

Result<SceneDescription> load_with_options(const RunOptions& options)
{
    const auto parameters = scene_parameters(options);
    if (!parameters)
        return parameters.error();
    auto scene = load_scene(options.words.front(), *parameters);
    if (scene)
        apply_overrides(options, *scene);
    return scene;
}

Result<uint64_t> step_count(const RunOptions& options, const SceneDescription& scene)
{
    if (options.steps)
        return uint64_t(*options.steps);
    if (!options.seconds)
        return uint64_t(scene.steps > 0 ? scene.steps : 600);
    const double steps = std::round(*options.seconds / double(scene.dt));
    if (!(steps < 2e9))
        return Error{fmt::format("--seconds {}: that is {:.3g} steps; ask for fewer", *options.seconds, steps)};
    return uint64_t(steps);
}

} // namespace moraine::cli
