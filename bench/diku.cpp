#include "diku.h"

#include "plot.h"
#include "scene/description.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>

namespace moraine::bench
{

namespace
{

enum SpeedUp
{
    caching,
    tweaking,
    reduction,
    zeroing,
    damping,
    subgrouping,
    fixation,
    speed_up_count
};

struct Config
{
    SolverKind solver = SolverKind::direct;
    bool groups = true;
    bool sleeping = true;
    unsigned speed_ups = 0; // bits
};

struct Outcome
{
    double seconds = 0; // of the whole run
    std::vector<double> milliseconds{};
    std::vector<double> variables{};         // of the largest group
    std::vector<double> variables_mean{};    // of a group
    std::vector<double> contacts{};          // points
    std::vector<std::vector<DVec3>> track{}; // positions, every tenth step
};

constexpr int track_interval = 10;
constexpr int usual_iterations = 500; // pgs: the paper's solver has this limit, and tweaking lowers it to 15

WorldDef settings_of(const Config& config, WorldDef def)
{
    const auto has = [&](SpeedUp s) { return (config.speed_ups >> s) & 1; };
    def.solver = config.solver;
    def.iterations = usual_iterations;
    def.merging = false;
    def.contact_groups = config.groups;
    def.sleeping = config.sleeping;
    def.caching = def.coherence = has(caching);
    def.tweaking = has(tweaking);
    def.reduction = has(reduction);
    def.zeroing = has(zeroing);
    def.damping = has(damping);
    def.subgrouping = has(subgrouping);
    def.fixation = has(fixation);
    return def;
}

Result<Outcome> run(const Config& config, double seconds)
{
    Result<SceneDescription> description = load_scene("diku");
    if (!description)
        return description.error();
    const auto shared = std::make_shared<const SceneDescription>(std::move(*description));
    Result<Scene> scene = Scene::create(shared, settings_of(config, shared->world));
    if (!scene)
        return scene.error();
    Outcome out;
    const int steps = int(std::lround(seconds / double(shared->dt)));
    for (int i = 0; i < steps; ++i)
    {
        const auto start = std::chrono::steady_clock::now();
        const StepReport report = scene->step();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        out.seconds += spent.count();
        out.milliseconds.push_back(1000 * spent.count());
        out.variables.push_back(report.variables_largest);
        out.variables_mean.push_back(report.groups > 0 ? double(report.variables) / report.groups : 0);
        out.contacts.push_back(report.contacts_solved);
        if (i % track_interval != track_interval - 1)
            continue;
        std::vector<DVec3>& places = out.track.emplace_back();
        for (BodyId body : scene->bodies())
            places.push_back(scene->world().center_of_mass(body));
    }
    return out;
}

struct Difference
{
    double largest = 0, mean_at_end = 0;
};

Difference difference(const Outcome& a, const Outcome& b)
{
    Difference d;
    const size_t count = std::min(a.track.size(), b.track.size());
    for (size_t t = 0; t < count; ++t)
    {
        double sum = 0;
        for (size_t i = 0; i < a.track[t].size(); ++i)
        {
            const double far = length(a.track[t][i] - b.track[t][i]);
            d.largest = std::max(d.largest, far);
            sum += far;
        }
        d.mean_at_end = sum / double(a.track[t].size());
    }
    return d;
}

// Fixation makes sense with subgrouping only.
bool is_sensible(unsigned speed_ups) { return !((speed_ups >> fixation) & 1) || ((speed_ups >> subgrouping) & 1); }

std::string name_of(const Config& config)
{
    if (!config.groups)
        return "brute force";
    std::string name = config.sleeping ? "groups, sleepy groups" : "contact groups";
    static constexpr const char* names[] = {"caching", "tweaking",    "reduction", "zeroing",
                                            "damping", "subgrouping", "fixation"};
    for (int i = 0; i < speed_up_count; ++i)
        if ((config.speed_ups >> i) & 1)
            name += std::string(", ") + names[i];
    return name;
}

struct Experiment
{
    const DikuOptions& options;
    SolverKind solver;
    std::string solver_name;
    Table& table;
    std::vector<std::pair<Config, Outcome>> done{};

    const Outcome& reference() const { return done.front().second; }
};

void add_row(Experiment& e, const Config& config, const Outcome& outcome)
{
    const Difference d = difference(e.reference(), outcome);
    std::vector<std::string> row{e.solver_name};
    row.push_back(!config.groups ? "brute force" : config.sleeping ? "groups, sleepy" : "groups");
    for (int i = 0; i < speed_up_count; ++i)
        row.push_back((config.speed_ups >> i) & 1 ? "+" : "-");
    double mean = 0, largest = 0;
    for (size_t i = 0; i < outcome.variables.size(); ++i)
    {
        mean += outcome.variables_mean[i] / double(outcome.variables.size());
        largest = std::max(largest, outcome.variables[i]);
    }
    row.push_back(fmt::format("{:.3f}", outcome.seconds));
    row.push_back(fmt::format("{:.1f}", e.reference().seconds / outcome.seconds));
    row.push_back(fmt::format("{:.1f}", mean));
    row.push_back(fmt::format("{:.0f}", largest));
    row.push_back(fmt::format("{:.2g}", d.largest));
    row.push_back(fmt::format("{:.2g}", d.mean_at_end));
    e.table.rows.push_back(std::move(row));
}

Status measure(Experiment& e, const Config& config)
{
    Result<Outcome> outcome = run(config, e.options.seconds);
    if (!outcome)
        return outcome.error();
    e.done.emplace_back(config, std::move(*outcome));
    add_row(e, config, e.done.back().second);
    fmt::print(stderr, "{}: {}: {:.3f} s\n", e.solver_name, name_of(config), e.done.back().second.seconds);
    return Ok{};
}

std::vector<Config> configs_of(const Experiment& e)
{
    std::vector<Config> configs;
    if (e.options.brute_force)
        configs.push_back({e.solver, false, false, 0});
    configs.push_back({e.solver, true, false, 0});
    configs.push_back({e.solver, true, true, 0});
    for (unsigned bits = 1; bits < 1u << speed_up_count; ++bits)
    {
        const bool is_single = (bits & (bits - 1)) == 0 || bits == ((1u << subgrouping) | (1u << fixation));
        if (is_sensible(bits) && (e.options.combinations == "all" || (e.options.combinations == "single" && is_single)))
            configs.push_back({e.solver, true, true, bits});
    }
    return configs;
}

// ---- figures ----

Panel time_panel(const std::vector<const std::pair<Config, Outcome>*>& runs)
{
    Panel panel{.title = "Time of a step", .y_label = "milliseconds"};
    for (const auto* run : runs)
        panel.lines.push_back({name_of(run->first), run->second.milliseconds});
    return panel;
}

Panel variables_panel(const std::vector<const std::pair<Config, Outcome>*>& runs)
{
    Panel panel{.title = "Variables of the largest group", .y_label = "variables"};
    for (const auto* run : runs)
        panel.lines.push_back({"", run->second.variables});
    return panel;
}

Status draw(const Experiment& e, const std::string& figure, const std::string& title,
            const std::vector<const std::pair<Config, Outcome>*>& runs)
{
    Plot plot{.title = title, .x_label = "simulated seconds", .x_end = e.options.seconds};
    plot.panels = {time_panel(runs), variables_panel(runs)};
    Panel contacts{.title = "Contact points", .y_label = "points"};
    for (const auto* run : runs)
        contacts.lines.push_back({"", run->second.contacts});
    plot.panels.push_back(std::move(contacts));
    return save_svg(plot, (std::filesystem::path(e.options.out) / (figure + "_" + e.solver_name + ".svg")).string());
}

// The fastest run in which this is the last speed-up that is on, as the paper picks its four.
const std::pair<Config, Outcome>* best_up_to(const Experiment& e, int last)
{
    const std::pair<Config, Outcome>* best = nullptr;
    for (const auto& run : e.done)
    {
        const unsigned bits = run.first.speed_ups;
        if (!run.first.groups || bits == 0 || (bits >> last) != 1)
            continue;
        if (!best || run.second.seconds < best->second.seconds)
            best = &run;
    }
    return best;
}

Status draw_figures(const Experiment& e)
{
    std::error_code ignored;
    std::filesystem::create_directories(e.options.out, ignored);
    for (const auto& run : e.done)
    {
        const bool is_brute = !run.first.groups, is_plain = run.first.groups && !run.first.sleeping;
        if (!is_brute && !is_plain)
            continue;
        const Status drawn = is_brute ? draw(e, "figure_13", "Brute force", {&run})
                                      : draw(e, "figure_14", "Contact groups", {&run});
        if (!drawn)
            return drawn;
    }
    std::vector<const std::pair<Config, Outcome>*> picked;
    for (int last : {int(reduction), int(damping), int(subgrouping), int(fixation)})
        if (const auto* best = best_up_to(e, last))
            picked.push_back(best);
    return picked.empty() ? Status(Ok{}) : draw(e, "figure_16", "Selected combinations", picked);
}

void note_bars(const Experiment& e)
{
    const auto best = std::min_element(
        e.done.begin(), e.done.end(), [](const auto& a, const auto& b) { return a.second.seconds < b.second.seconds; });
    e.table.notes.push_back(fmt::format("{}: the fastest is {}, {:.0f} times as fast as {}", e.solver_name,
                                        name_of(best->first), e.reference().seconds / best->second.seconds,
                                        name_of(e.done.front().first)));
}

Status run_experiment(Experiment& e)
{
    for (const Config& config : configs_of(e))
    {
        const Status measured = measure(e, config);
        if (!measured)
            return measured;
    }
    note_bars(e);
    return e.options.out.empty() ? Status(Ok{}) : draw_figures(e);
}

} // namespace

void add_diku_options(CLI::App& app, DikuOptions& options)
{
    app.add_option("--solvers", options.solvers, "direct, pgs or both")
        ->delimiter(',')
        ->check(CLI::IsMember({"direct", "pgs"}).description(""))
        ->type_name("NAME,...");
    app.add_option("--combinations", options.combinations, "Which speed-ups together: all sensible, one by one, none")
        ->check(CLI::IsMember({"all", "single", "none"}).description(""))
        ->type_name("all|single|none");
    app.add_option("--seconds", options.seconds, "Simulated time")->check(CLI::Range(0.1, 1000.0).description(""));
    app.add_flag("!--no-brute-force", options.brute_force, "Leave out the slow one; distances are then from groups");
    app.add_option("--out", options.out, "Folder for the plots of figures 13, 14 and 16")->type_name("FOLDER");
    app.add_option("--csv", options.csv, "Save the table")->type_name("FILE");
}

Result<Table> run_diku(const DikuOptions& options)
{
    Table table;
    table.columns = {"solver",        "method",         "cache",     "tweak",      "reduce",
                     "zero",          "damp",           "subgroup",  "fixate",     "time s",
                     "times as fast", "variables mean", "variables", "distance m", "mean end"};
    for (const std::string& name : options.solvers)
    {
        Experiment e{options, name == "pgs" ? SolverKind::pgs : SolverKind::direct, name, table};
        const Status status = run_experiment(e);
        if (!status)
            return status.error();
    }
    return table;
}

} // namespace moraine::bench
