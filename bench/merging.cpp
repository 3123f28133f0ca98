#include "merging.h"

#include "merging_cases.h"
#include "options.h"
#include "plot.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

namespace moraine::bench
{

namespace
{

// One of the two worlds: what each of its steps took and how much there was to solve.
struct Track
{
    std::vector<double> milliseconds{}, movers{}, contacts{};
    int bodies = 0;
    int merges = 0, unmerges = 0;
};

struct Means
{
    double milliseconds = 0, movers = 0, contacts = 0;
};

struct Comparison
{
    Track sleeping{}, merging{}; // merging: and sleeping
};

// Of this thread alone, which does all the work: others on the machine do not count.
double thread_milliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

// To ask for that time takes half a microsecond, a fifth of a step in which all is quiet.
double cost_of_asking()
{
    double least = 1;
    for (int i = 0; i < 1000; ++i)
    {
        const double start = thread_milliseconds();
        least = std::min(least, thread_milliseconds() - start);
    }
    return least;
}

void step(Scene& scene, int count, Track& track)
{
    static const double cost = cost_of_asking();
    for (int i = 0; i < count; ++i)
    {
        const double start = thread_milliseconds();
        const StepReport report = scene.step();
        track.milliseconds.push_back(thread_milliseconds() - start - cost);
        track.movers.push_back(report.movers_awake);
        track.contacts.push_back(report.contacts_solved);
        track.bodies = report.bodies_dynamic;
        track.merges += report.merges;
        track.unmerges += report.unmerges;
    }
}

void show_progress(const std::string& name, int done, int total)
{
    if (isatty(STDERR_FILENO) == 0)
        return;
    fmt::print(stderr, "\r\033[K{}: step {} of {}", name, done, total);
    if (done >= total)
        fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
}

// The two worlds take turns, so that a slow moment of the machine hits both; long ones, since each finds the caches full of what
// the other has left there, and a world alone does not.
Result<Comparison> compare_worlds(const SceneDescription& description, const WorldDef& settings, int steps,
                                  const std::string& label)
{
    const auto shared = std::make_shared<const SceneDescription>(description);
    WorldDef off = settings, on = settings;
    off.merging = false;
    on.merging = true;
    Result<Scene> sleeping = Scene::create(shared, off);
    Result<Scene> merging = Scene::create(shared, on);
    if (!sleeping)
        return sleeping.error();
    if (!merging)
        return merging.error();
    constexpr int turn = 100;
    Comparison result;
    for (int done = 0; done < steps; done += turn)
    {
        const int count = std::min(turn, steps - done);
        step(*sleeping, count, result.sleeping);
        step(*merging, count, result.merging);
        if (done % 200 == 0 || done + turn >= steps)
            show_progress(label, done + count, steps);
    }
    return result;
}

Means means_of(const Track& track, Window window)
{
    Means means;
    const size_t end = std::min(track.milliseconds.size(), size_t(window.end));
    const size_t begin = std::min(size_t(window.begin), end);
    for (size_t i = begin; i < end; ++i)
    {
        means.milliseconds += track.milliseconds[i];
        means.movers += track.movers[i];
        means.contacts += track.contacts[i];
    }
    const double count = std::max(1.0, double(end - begin));
    return {means.milliseconds / count, means.movers / count, means.contacts / count};
}

// Of several rounds, each step's fastest: whoever else uses the machine only ever adds time.
void keep_fastest(const Comparison& round, Comparison& best)
{
    const auto keep = [](const Track& from, Track& to) {
        for (size_t i = 0; i < to.milliseconds.size(); ++i)
            to.milliseconds[i] = std::min(to.milliseconds[i], from.milliseconds[i]);
    };
    keep(round.sleeping, best.sleeping);
    keep(round.merging, best.merging);
}

// ---- plots: time above, bodies and contacts below, as in figures 5, 8, 11 and 12 ----

std::vector<double> smoothed(const std::vector<double>& values)
{
    // At most 300 points, each the mean of its stretch: a plot of thousands of steps is readable that way.
    const size_t stretch = std::max<size_t>(1, values.size() / 300);
    std::vector<double> result;
    for (size_t begin = 0; begin < values.size(); begin += stretch)
    {
        const size_t end = std::min(values.size(), begin + stretch);
        double sum = 0;
        for (size_t i = begin; i < end; ++i)
            sum += values[i];
        result.push_back(sum / double(end - begin));
    }
    return result;
}

Status draw(const MergingCase& c, const std::string& solver, const Comparison& result, const std::string& folder)
{
    const auto panel = [&](const char* title, const char* label, std::vector<double> Track::*member, bool is_named) {
        return Panel{.title = title,
                     .y_label = label,
                     .lines = {{is_named ? "sleeping" : "", smoothed(result.sleeping.*member)},
                               {is_named ? "merging and sleeping" : "", smoothed(result.merging.*member)}}};
    };
    Plot plot{.title = c.shown() + ", " + solver,
              .x_label = "steps",
              .x_end = double(result.sleeping.milliseconds.size()),
              .panels = {panel("Time of a step", "milliseconds", &Track::milliseconds, true),
                         panel("Bodies in the solve", "movers", &Track::movers, false),
                         panel("Contacts in the solve", "points", &Track::contacts, false)}};
    std::string name = c.shown() + "_" + solver;
    std::replace_if(
        name.begin(), name.end(),
        [](char letter) { return letter == ':' || letter == '=' || letter == ' ' || letter == '/'; }, '_');
    if (!c.figure.empty())
        name = c.figure + "_" + name;
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    return save_svg(plot, (std::filesystem::path(folder) / (name + ".svg")).string());
}

// ---- the table ----

std::string ratio_text(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : 0); }
std::string bar_text(double value) { return value > 0 ? fmt::format("{:g}", value) : "-"; }

std::vector<std::string> row_of(const MergingCase& c, const std::string& solver, const Comparison& result,
                                Window window)
{
    const Means off = means_of(result.sleeping, window), on = means_of(result.merging, window);
    const double ratio = on.milliseconds > 0 ? off.milliseconds / on.milliseconds : 0;
    return {c.shown(),
            solver,
            fmt::format("{}:{}", window.begin, window.end),
            fmt::format("{}", result.merging.bodies),
            fmt::format("{:.4f}", off.milliseconds),
            fmt::format("{:.4f}", on.milliseconds),
            ratio_text(ratio),
            bar_text(c.paper),
            bar_text(c.bar),
            c.bar <= 0       ? "-"
            : ratio >= c.bar ? "yes"
                             : "no",
            fmt::format("{:.1f}", off.movers),
            fmt::format("{:.1f}", on.movers),
            fmt::format("{:.0f}", off.contacts),
            fmt::format("{:.0f}", on.contacts),
            fmt::format("{}", result.merging.merges),
            fmt::format("{}", result.merging.unmerges)};
}

WorldDef settings_of(const MergingCase& c, const SceneDescription& scene, const std::string& solver)
{
    WorldDef settings = scene.world;
    settings.threads = 1;
    settings.sleeping = true;
    settings.solver = solver == "pgs" ? SolverKind::pgs : SolverKind::substep;
    if (c.iterations > 0)
        settings.iterations = c.iterations;
    if (c.sleep_speed > 0)
        settings.sleep_speed = c.sleep_speed;
    return settings;
}

std::string solver_text(const WorldDef& settings)
{
    return settings.solver == SolverKind::pgs ? fmt::format("pgs {}", settings.iterations) : "substep";
}

Status measure(const MergingCase& c, const std::string& solver, const MergingOptions& options, Table& table)
{
    Result<SceneDescription> scene = load_bench_scene(c.scene, {});
    if (!scene)
        return scene.error();
    const WorldDef settings = settings_of(c, *scene, solver);
    Window window{c.window.begin, c.window.end > 0 ? c.window.end : scene->steps};
    if (options.steps > 0)
        window = {0, options.steps};
    std::optional<Comparison> best;
    for (int round = 0; round < options.rounds; ++round)
    {
        const std::string label = fmt::format("{}, {}, round {}", c.shown(), solver_text(settings), round + 1);
        Result<Comparison> result = compare_worlds(*scene, settings, window.end, label);
        if (!result)
            return result.error();
        if (best)
            keep_fastest(*result, *best);
        else
            best = std::move(*result);
    }
    table.rows.push_back(row_of(c, solver_text(settings), *best, window));
    return options.out.empty() ? Status(Ok{}) : draw(c, solver_text(settings), *best, options.out);
}

// A merged ferry with ten times the boxes may cost twice as much.
void note_growth(Table& table)
{
    for (const std::string solver : {"pgs 10", "substep"})
    {
        double small = 0, large = 0;
        for (const std::vector<std::string>& row : table.rows)
            if (row[1] == solver && row[0].rfind("ferry", 0) == 0)
                (row[0] == "ferry" ? small : large) = std::stod(row[5]);
        if (small > 0 && large > 0)
            table.notes.push_back(
                fmt::format("{}: the merged ferry with 20 000 boxes costs {:.2f} times as much as with "
                            "2000; at most 2 is wanted",
                            solver, large / small));
    }
}

} // namespace

void add_merging_options(CLI::App& app, MergingOptions& options)
{
    app.add_option("--scenes", options.scenes, "Some of the list, or NAME:KEY=VALUE; all of the list when left out")
        ->delimiter(',')
        ->type_name("A,B,...");
    app.add_option("--solvers", options.solvers, "pgs (10 sweeps, 30 for towers), substep or both")
        ->delimiter(',')
        ->check(CLI::IsMember({"pgs", "substep"}).description(""))
        ->type_name("NAME,...");
    app.add_option("--reference", options.reference,
                   "Folder with XML scenes of the reference implementation: those, beside what was measured there")
        ->type_name("FOLDER");
    app.add_option("--rounds", options.rounds, "Runs of everything; of each step the fastest counts")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
    app.add_option("--steps", options.steps, "Steps of each scene instead of its own window")
        ->check(CLI::Range(1, 10000000));
    app.add_option("--out", options.out, "Folder for plots of time, bodies and contacts over the steps")
        ->type_name("FOLDER");
    app.add_option("--csv", options.csv, "Save the table")->type_name("FILE");
}

Result<Table> run_merging(const MergingOptions& options)
{
    Table table;
    table.columns = {"scene",        "solver",      "steps",  "bodies",  "sleeping ms", "merging ms",
                     "ratio",        "paper",       "wanted", "met",     "movers off",  "movers on",
                     "contacts off", "contacts on", "merges", "unmerges"};
    Result<std::vector<MergingCase>> cases = options.reference.empty() ? chosen_cases(options.scenes)
                                                                       : reference_cases(options.reference, table);
    if (!cases)
        return cases.error();
    for (const MergingCase& c : *cases)
        for (const std::string& solver : options.solvers)
        {
            if (c.solver != "" && c.solver != solver)
                continue;
            if (const Status status = measure(c, solver, options, table); !status)
                return status.error();
            if (isatty(STDERR_FILENO) == 0) // a log grows row by row
                fmt::print(stderr, "{}\n", fmt::join(table.rows.back(), "  "));
        }
    note_growth(table);
    return table;
}

} // namespace moraine::bench
