#include "distributed_figures.h"

#include "plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace moraine::bench
{

namespace
{

struct PaperRow
{
    const char* scene;
    double speed_up;
    int workers;
};
constexpr PaperRow paper_table_2[] = {{"bowl", 4.10, 7},
                                      {"building", 3.27, 8},
                                      {"chain_net", 5.37, 6},
                                      {"four_way_bridge", 2.86, 3},
                                      {"two_way_bridge", 5.03, 8}};

std::string number(double value) { return fmt::format("{:.5g}", value); }

double quantile(const std::vector<double>& sorted, double share)
{
    return sorted.empty() ? 0 : sorted[size_t(share * double(sorted.size() - 1) + 0.5)];
}

// Figure 13 shows how values are spread over the steps of a run: here by their quartiles.
void add_spread(const std::string& what, size_t worker, std::vector<double> values, Table& table)
{
    std::sort(values.begin(), values.end());
    std::vector<std::string> row{what, std::to_string(worker)};
    for (double share : {0.0, 0.25, 0.5, 0.75, 1.0})
        row.push_back(number(quantile(values, share)));
    table.rows.push_back(std::move(row));
}

PlotLine in_millimetres(const std::string& name, std::vector<double> metres)
{
    for (double& value : metres)
        value *= 1000;
    return {name, std::move(metres)};
}

} // namespace

void Figures::save_table(const Table& table, const std::string& name)
{
    if (has_folder())
        status_ = save_csv(table, folder_ + "/" + name + ".csv");
}

void Figures::save_plot(const Plot& plot, const std::string& name)
{
    if (has_folder())
        status_ = save_svg(plot, folder_ + "/" + name + ".svg");
}

// Figures 11 and 12: each step of each run.
void Figures::add_steps(const std::string& scene, const std::vector<DistributedRun>& runs)
{
    Table table{{"step", "workers", "critical path ms", "error mm", "blend residual mm"}, {}, {}};
    Panel times{"figure 11: critical path of a step", "ms", {}};
    Panel errors{"figure 12: largest joint gap or overlap", "mm", {}}, residuals{"figure 12: blend residual", "mm", {}};
    std::vector<std::string> names;
    for (const DistributedRun& run : runs)
    {
        const std::string workers = std::to_string(run.workers);
        for (size_t i = 0; i < run.frame_ms.size(); ++i)
            table.rows.push_back({std::to_string(i + 1), workers, number(run.frame_ms[i]), number(1000 * run.errors[i]),
                                  number(1000 * run.residuals[i])});
        names.push_back(workers + (run.workers == 1 ? " worker" : " workers"));
        times.lines.push_back({"", run.frame_ms});
        errors.lines.push_back(in_millimetres("", run.errors));
        residuals.lines.push_back(in_millimetres("", run.residuals));
    }
    save_table(table, "figures_11_12_" + scene);
    save_plot({scene, "step", double(runs.front().frame_ms.size()), {times, errors, residuals}, names},
              "figures_11_12_" + scene);
}

// Figures 13 and 14: what each worker of one run had.
void Figures::add_workers(const std::string& scene, const DistributedRun& run)
{
    Table table{{"of", "worker", "least", "quartile", "median", "upper quartile", "most"}, {}, {}};
    Panel contacts{"figure 13: contact points of each worker", "points", {}};
    Panel bodies{"figure 14: bodies of each worker", "bodies", {}};
    std::vector<std::string> names;
    for (size_t w = 0; w < run.contacts_of.size(); ++w)
    {
        add_spread("contacts", w, run.contacts_of[w], table);
        contacts.lines.push_back({"", run.contacts_of[w]});
    }
    for (size_t w = 0; w < run.bodies_of.size(); ++w)
    {
        add_spread("bodies", w, run.bodies_of[w], table);
        bodies.lines.push_back({"", run.bodies_of[w]});
        names.push_back(fmt::format("worker {}", w));
    }
    save_table(table, "figures_13_14_" + scene);
    save_plot({scene, "step", double(run.frame_ms.size()), {contacts, bodies}, names}, "figures_13_14_" + scene);
}

void Figures::add(const SceneDescription& scene, const std::vector<DistributedRun>& runs)
{
    if (has_folder())
    {
        std::error_code ignored;
        std::filesystem::create_directories(folder_, ignored);
    }
    const auto speed_up = [&](const DistributedRun& run) { return runs.front().critical_ms / run.critical_ms; };
    const DistributedRun* best = &runs.front();
    // At each number of workers; what was not measured lies between.
    PlotLine line{"", {}, double(runs.front().workers)};
    for (const DistributedRun& run : runs)
    {
        best = speed_up(run) > speed_up(*best) ? &run : best;
        const double before = line.values.empty() ? 0 : line.values.back();
        const double steps = line.values.empty() ? 1 : run.workers + 1 - line.x_begin - double(line.values.size());
        for (double i = 1; i <= steps; ++i)
            line.values.push_back(before + (speed_up(run) - before) * i / steps);
        speed_ups_.rows.push_back(
            {scene.name, std::to_string(run.workers), number(run.critical_ms), number(speed_up(run))});
    }
    add_steps(scene.name, runs);
    add_workers(scene.name, *best);
    std::vector<std::string> row{scene.name,
                                 std::to_string(scene.bodies.size()),
                                 std::to_string(scene.joints.size()),
                                 fmt::format("{:.0f}", runs.front().contacts),
                                 fmt::format("{:.2f}", speed_up(*best)),
                                 std::to_string(best->workers)};
    const auto* paper = std::find_if(std::begin(paper_table_2), std::end(paper_table_2),
                                     [&](const PaperRow& r) { return scene.name == r.scene; });
    const bool is_known = paper != std::end(paper_table_2);
    Plot plot{scene.name, "workers", double(runs.back().workers), {}, {"critical path", "a core for each, none lost"}};
    plot.panels = {{"figure 10: speed-up", "times", {line, {"", {1, plot.x_end}, 1}}}};
    if (is_known)
    {
        plot.panels[0].lines.push_back({"", {paper->speed_up, paper->speed_up}});
        plot.names.push_back(fmt::format("the paper's best, with {}", paper->workers));
    }
    save_plot(plot, "figure_10_" + scene.name);
    row.push_back(is_known ? fmt::format("{:.2f}", paper->speed_up) : "-");
    row.push_back(is_known ? std::to_string(paper->workers) : "-");
    notes_.push_back(
        fmt::format("table 2: {}, best critical path {} times faster than one worker ({}); the paper {} ({})",
                    scene.name, row[4], row[5], row[6], row[7]));
    table_2_.rows.push_back(std::move(row));
}

void Figures::add_weights(const std::vector<WeightsRun>& runs)
{
    Table table{{"weights", "border", "largest joint gap mm", "largest blend residual mm"}, {}, {}};
    Panel gaps{"figure 8: largest joint gap", "mm", {}};
    std::string note = "figure 8: two_way_bridge, 2 workers, largest joint gap in mm:";
    for (const WeightsRun& r : runs)
    {
        table.rows.push_back({r.weights, r.border, number(1000 * r.run.joint_error), number(1000 * r.run.residual)});
        gaps.lines.push_back(in_millimetres(r.weights + ", " + r.border, r.run.errors));
        note += fmt::format(" {} weights, {} border {:.2f};", r.weights, r.border, 1000 * r.run.joint_error);
    }
    note.back() = '.';
    notes_.push_back(note);
    save_table(table, "figure_8");
    save_plot({"two_way_bridge", "step", double(runs.front().run.frame_ms.size()), {gaps}, {}}, "figure_8");
}

Status Figures::save()
{
    save_table(table_2_, "table_2");
    save_table(speed_ups_, "figure_10");
    return status_;
}

} // namespace moraine::bench
