#include "diku.h"

#include "diku_run.h"
#include "plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace moraine::bench
{

namespace
{

// What the paper found: brute force 28 424 s, contact groups 1 011 s, the best combination 135 s.
constexpr double bar_groups = 28, bar_best = 210;
constexpr double bar_distance = 1e-4; // metres, of what must not change the motion

struct Run
{
    DikuConfig config{};
    DikuOutcome outcome{};
};

struct Experiment
{
    const DikuOptions& options;
    SolverKind solver;
    std::string solver_name;
    Table& table;
    std::vector<Run> done{};

    const DikuOutcome& reference() const { return done.front().outcome; }
    const Run* find(const DikuConfig& config) const
    {
        const auto found = std::find_if(done.begin(), done.end(), [&](const Run& run) { return run.config == config; });
        return found == done.end() ? nullptr : &*found;
    }
};

// ---- tables ----

void add_row(Experiment& e, const Run& run)
{
    const DikuConfig& config = run.config;
    const DikuOutcome& outcome = run.outcome;
    std::vector<std::string> row{e.solver_name, config.sleeping ? "5" : "4"};
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
    row.push_back(fmt::format("{:.2g}", outcome.distance_largest));
    row.push_back(fmt::format("{:.2g}", outcome.distance_mean_at_end));
    e.table.rows.push_back(std::move(row));
}

void note_factor(const Experiment& e, const Run& run, double bar)
{
    const double factor = e.reference().seconds / run.outcome.seconds;
    e.table.notes.push_back(fmt::format("{}: {}: {:.0f} times as fast as brute force (the paper's {:.0f}: {})",
                                        e.solver_name, name_of(run.config), factor, bar,
                                        factor >= bar ? "met" : "missed"));
}

void note_distance(const Experiment& e, const Run& run)
{
    const double far = run.outcome.distance_largest;
    e.table.notes.push_back(fmt::format("{}: {}: the motion is {:.1g} m from brute force (bar {:.0g}: {})",
                                        e.solver_name, name_of(run.config), far, bar_distance,
                                        far == 0             ? "the same bits"
                                        : far < bar_distance ? "met"
                                                             : "missed"));
}

void note_bars(const Experiment& e)
{
    if (!e.options.brute_force)
        return;
    const auto best = std::min_element(
        e.done.begin(), e.done.end(), [](const Run& a, const Run& b) { return a.outcome.seconds < b.outcome.seconds; });
    const Run* groups = e.find({e.solver, true, false, 0});
    if (groups && e.solver == SolverKind::direct)
    {
        note_factor(e, *groups, bar_groups);
        note_factor(e, *best, bar_best);
    }
    for (const DikuConfig& config : {DikuConfig{e.solver, true, false, 0}, DikuConfig{e.solver, true, true, 0},
                                     DikuConfig{e.solver, true, false, 1u << caching}})
        if (const Run* run = e.find(config))
            note_distance(e, *run);
}

// ---- runs ----

std::string runs_folder(const Experiment& e)
{
    return e.options.out.empty() ? "" : (std::filesystem::path(e.options.out) / "runs").string();
}

Status measure(Experiment& e, const DikuConfig& config)
{
    const std::string folder = runs_folder(e);
    Run run{config};
    const bool is_known = e.options.resume && load_outcome(config, e.options.seconds, folder, run.outcome) &&
                          (!e.done.empty() || !run.outcome.track.empty());
    if (!is_known)
    {
        Result<DikuOutcome> outcome = run_diku_rounds(config, e.options.seconds, e.options.rounds);
        if (!outcome)
            return outcome.error();
        run.outcome = std::move(*outcome);
        if (!e.done.empty())
            set_distance(e.reference(), run.outcome);
        const Status saved = folder.empty() ? Status(Ok{}) : save_outcome(config, run.outcome, e.done.empty(), folder);
        if (!saved)
            return saved;
    }
    if (!e.done.empty())
        run.outcome.track.clear();
    fmt::print(stderr, "{}: {}: {:.3f} s, {:.1g} m{}\n", e.solver_name, name_of(config), run.outcome.seconds,
               run.outcome.distance_largest, is_known ? ", from before" : "");
    e.done.push_back(std::move(run));
    add_row(e, e.done.back());
    return Ok{};
}

Result<std::vector<unsigned>> chosen_speed_ups(const std::vector<std::string>& words)
{
    std::vector<unsigned> chosen;
    for (const std::string& word : words)
    {
        if (word == "none")
            continue;
        if (word != "all" && word != "single")
        {
            const Result<unsigned> bits = parse_speed_ups(word);
            if (!bits)
                return bits.error();
            chosen.push_back(*bits);
            continue;
        }
        for (unsigned bits = 1; bits < 1u << speed_up_count; ++bits)
        {
            const bool is_single = (bits & (bits - 1)) == 0 || bits == ((1u << subgrouping) | (1u << fixation));
            if (is_sensible(bits) && (word == "all" || is_single))
                chosen.push_back(bits);
        }
    }
    return chosen;
}

Result<std::vector<DikuConfig>> configs_of(const Experiment& e)
{
    const Result<std::vector<unsigned>> chosen = chosen_speed_ups(e.options.combinations);
    if (!chosen)
        return chosen.error();
    std::vector<DikuConfig> configs;
    if (e.options.brute_force)
        configs.push_back({e.solver, false, false, 0});
    configs.push_back({e.solver, true, false, 0});
    configs.push_back({e.solver, true, false, 1u << caching}); // alone: the motion must be that of brute force
    configs.push_back({e.solver, true, true, 0});
    for (unsigned bits : *chosen)
        configs.push_back({e.solver, true, true, bits});
    return configs;
}

// ---- figures ----

Status draw(const Experiment& e, const std::string& figure, const std::string& title,
            const std::vector<const Run*>& runs)
{
    Plot plot{.title = title, .x_label = "simulated seconds", .x_end = e.options.seconds};
    Panel time{.title = "Time of a step", .y_label = "milliseconds"};
    Panel variables{.title = "Variables of the largest group", .y_label = "variables"};
    Panel mean{.title = "Variables per group", .y_label = "variables"};
    Panel contacts{.title = "Contact points", .y_label = "points"};
    for (const Run* run : runs)
    {
        plot.names.push_back(name_of(run->config));
        time.lines.push_back({"", run->outcome.milliseconds});
        variables.lines.push_back({"", run->outcome.variables});
        mean.lines.push_back({"", run->outcome.variables_mean});
        contacts.lines.push_back({"", run->outcome.contacts});
    }
    plot.panels = {std::move(time), std::move(variables), std::move(mean), std::move(contacts)};
    return save_svg(plot, (std::filesystem::path(e.options.out) / (figure + "_" + e.solver_name + ".svg")).string());
}

// The fastest run in which this is the last speed-up that is on, as the paper picks its four.
const Run* best_up_to(const Experiment& e, int last)
{
    const Run* best = nullptr;
    for (const Run& run : e.done)
    {
        const unsigned bits = run.config.speed_ups;
        if (!run.config.sleeping || bits == 0 || (bits >> last) != 1)
            continue;
        if (!best || run.outcome.seconds < best->outcome.seconds)
            best = &run;
    }
    return best;
}

Status draw_figures(const Experiment& e)
{
    if (const Run* brute = e.find({e.solver, false, false, 0}))
        if (const Status drawn = draw(e, "figure_13", "Figure 13: no contact graph, " + e.solver_name + " solver",
                                      {brute});
            !drawn)
            return drawn;
    if (const Run* groups = e.find({e.solver, true, false, 0}))
        if (const Status drawn = draw(e, "figure_14", "Figure 14: contact groups, " + e.solver_name + " solver",
                                      {groups});
            !drawn)
            return drawn;
    std::vector<const Run*> picked;
    for (int last : {int(reduction), int(damping), int(subgrouping), int(fixation)})
        if (const Run* best = best_up_to(e, last))
            picked.push_back(best);
    if (picked.empty())
        return Ok{};
    return draw(e, "figure_16", "Figure 16: selected combinations, " + e.solver_name + " solver", picked);
}

Status run_experiment(Experiment& e)
{
    const Result<std::vector<DikuConfig>> configs = configs_of(e);
    if (!configs)
        return configs.error();
    if (!e.options.out.empty())
    {
        std::error_code ignored;
        std::filesystem::create_directories(runs_folder(e), ignored);
    }
    for (const DikuConfig& config : *configs)
    {
        const Status measured = measure(e, config);
        // What there is so far is worth keeping if the rest is stopped.
        if (measured && !e.options.csv.empty())
            (void)save_csv(e.table, e.options.csv);
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
    app.add_option("--combinations", options.combinations,
                   "Which speed-ups together: all sensible, single ones, none, or names joined by '+'")
        ->delimiter(',')
        ->type_name("all|single|none|A+B,...");
    app.add_option("--seconds", options.seconds, "Simulated time")->check(CLI::Range(0.1, 1000.0).description(""));
    app.add_option("--rounds", options.rounds, "Times that each run is taken; the best time of every step counts")
        ->check(CLI::Range(1, 100).description(""));
    app.add_flag("!--no-brute-force", options.brute_force, "Leave out the slow one; distances are then from groups");
    CLI::Option* out = app.add_option("--out", options.out,
                                      "Folder for the plots of figures 13, 14 and 16 and for every run's steps")
                           ->type_name("FOLDER");
    app.add_flag("--resume", options.resume, "Runs whose steps are in FOLDER are not run again")->needs(out);
    app.add_option("--csv", options.csv, "Save the table, row by row")->type_name("FILE");
}

Result<Table> run_diku(const DikuOptions& options)
{
    Table table;
    table.columns = {"solver",
                     "table",
                     "method",
                     "cache",
                     "tweak",
                     "reduce",
                     "zero",
                     "damp",
                     "sub",
                     "fixate",
                     "time s",
                     "faster",
                     "variables per group",
                     "largest",
                     "distance m",
                     "mean at end"};
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
