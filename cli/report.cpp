// moraine report: runs side by side, in one page.
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/recording_file.h"
#include "cli/statistics.h"
#include "viewer/page.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace moraine::cli
{

namespace
{

using nlohmann::ordered_json;

constexpr const char* examples = R"(Examples:
  moraine run ferry --merging on --record on.mrec
  moraine run ferry --merging off --record off.mrec
  moraine report on.mrec off.mrec -o report.html)";

constexpr size_t points_limit = 1500; // in a plot

struct ReportOptions
{
    std::vector<std::string> files{};
    std::string output = "report.html";
    bool json = false;
};

struct Run
{
    std::string name{};
    Recording recording;
    std::vector<double> times{};
    std::vector<uint64_t> hashes{};
    std::map<std::string, std::vector<float>> stats{};
};

Status gather(Run& run)
{
    const std::vector<std::string>& names = run.recording.info().stat_names;
    for (size_t f = 0; f < run.recording.frame_count(); ++f)
    {
        if (Status status = run.recording.seek(f); !status)
            return status;
        const Frame& frame = run.recording.frame();
        run.times.push_back(frame.time);
        run.hashes.push_back(frame.state_hash);
        for (size_t i = 0; i < names.size(); ++i)
            run.stats[names[i]].push_back(i < frame.stats.size() ? frame.stats[i] : 0);
    }
    std::vector<float>& energy = run.stats["energy"];
    energy = run.stats["kinetic_energy"];
    const std::vector<float>& potential = run.stats["potential_energy"];
    for (size_t i = 0; i < energy.size() && i < potential.size(); ++i)
        energy[i] += potential[i];
    return Ok{};
}

double mean(const std::vector<float>& values)
{
    double sum = 0;
    for (size_t i = 1; i < values.size(); ++i) // the first frame is the state before the first step
        sum += double(values[i]);
    return values.size() > 1 ? sum / double(values.size() - 1) : 0;
}

double sum_of(const std::vector<float>& values)
{
    return mean(values) * double(values.empty() ? 0 : values.size() - 1);
}

ordered_json table_of(Run& run)
{
    ordered_json table = ordered_json::array();
    const auto add = [&](const std::string& name, const ordered_json& value) { table.push_back({name, value}); };
    add("scene", run.recording.info().scene);
    for (const auto& [key, value] : run.recording.info().settings)
        add(key, value);
    add("steps", run.times.size() - 1);
    add("seconds simulated", run.times.back() - run.times.front());
    const Percentiles ms = percentiles({run.stats["ms"].begin() + 1, run.stats["ms"].end()});
    add("ms a step, mean", ms.mean);
    add("ms a step, median", ms.p50);
    add("ms a step, 99 of 100", ms.p99);
    for (const char* name : {"movers_awake", "bodies_merged", "bodies_asleep", "contacts_solved", "contacts_internal"})
        add(std::string(name) + ", mean", mean(run.stats[name]));
    for (const char* name : {"merges", "unmerges"})
        add(name, sum_of(run.stats[name]));
    const std::vector<float>& deepest = run.stats["penetration_max"];
    add("deepest penetration, m", deepest.empty() ? 0 : *std::max_element(deepest.begin(), deepest.end()));
    add("energy at the end, J", run.stats["energy"].back());
    add("state at the end", fmt::format("{:016x}", run.hashes.back()));
    return table;
}

// Every so many frames, so that long runs stay light.
template <class T>
std::vector<T> thinned(const std::vector<T>& values)
{
    std::vector<T> out;
    const size_t stride = 1 + values.size() / points_limit;
    for (size_t i = 1; i < values.size(); i += stride)
        out.push_back(values[i]);
    return out;
}

ordered_json describe(Run& run)
{
    ordered_json stats = ordered_json::object();
    for (const auto& [name, values] : run.stats)
        stats[name] = thinned(values);
    return {{"name", run.name},
            {"scene", run.recording.info().scene},
            {"description", run.recording.info().description},
            {"table", table_of(run)},
            {"times", thinned(run.times)},
            {"stats", stats}};
}

std::string verdict(const Run& a, const Run& b)
{
    const size_t count = std::min(a.hashes.size(), b.hashes.size());
    const auto differs = std::mismatch(a.hashes.begin(), a.hashes.begin() + ptrdiff_t(count), b.hashes.begin()).first;
    const size_t first = size_t(differs - a.hashes.begin());
    if (first == count)
        return fmt::format("{} and {} are the same to the last bit in all {} steps they share.", a.name, b.name,
                           count - 1);
    if (first <= 1)
        return fmt::format("{} and {} differ from {} on.", a.name, b.name,
                           first == 0 ? "the beginning" : "the first step");
    return fmt::format("{} and {} are the same to the last bit up to step {}; step {} is the first that differs.",
                       a.name, b.name, first - 1, first);
}

// How far apart the same bodies are in two runs.
Result<ordered_json> difference(Run& a, Run& b)
{
    std::vector<double> times{}, largest{}, means{};
    const size_t count = std::min(a.times.size(), b.times.size());
    const size_t stride = 1 + count / points_limit;
    for (size_t f = 0; f < count; f += stride)
    {
        if (Status status = a.recording.seek(f); !status)
            return status.error();
        if (Status status = b.recording.seek(f); !status)
            return status.error();
        double sum = 0, most = 0, bodies = 0;
        const ViewState &sa = a.recording.state(), &sb = b.recording.state();
        for (int32_t i = 0; i < int32_t(std::min(sa.bodies.size(), sb.bodies.size())); ++i)
        {
            if (!sa.has_body(i) || !sb.has_body(i))
                continue;
            if (a.recording.visuals()[sa.bodies[size_t(i)].visual].type != BodyType::dynamic_)
                continue;
            const double apart = length(sa.pose(i).position - sb.pose(i).position);
            sum += apart, most = std::max(most, apart), ++bodies;
        }
        times.push_back(a.times[f]);
        largest.push_back(most);
        means.push_back(bodies > 0 ? sum / bodies : 0);
    }
    return ordered_json{{"of", b.name},   {"from", a.name},     {"verdict", verdict(a, b)},
                        {"times", times}, {"largest", largest}, {"mean", means}};
}

Result<ordered_json> compare(const std::vector<std::string>& files)
{
    std::vector<std::unique_ptr<Run>> runs;
    for (const std::string& file : files)
    {
        auto recording = open_recording(file);
        if (!recording)
            return recording.error();
        const std::string name = std::filesystem::path(file).stem().string();
        runs.push_back(std::make_unique<Run>(Run{name, std::move(*recording)}));
        if (Status status = gather(*runs.back()); !status)
            return status.error();
    }
    ordered_json out{{"runs", ordered_json::array()}, {"differences", ordered_json::array()}};
    for (size_t i = 0; i < runs.size(); ++i)
    {
        out["runs"].push_back(describe(*runs[i]));
        if (i == 0)
            continue;
        const auto apart = difference(*runs[0], *runs[i]);
        if (!apart)
            return apart.error();
        out["differences"].push_back(*apart);
    }
    return out;
}

int report_command(const ReportOptions& options)
{
    const auto compared = compare(options.files);
    if (!compared)
        return fail(exit_bad_input, compared.error().message);
    const std::string json = compared->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const Status written = write_file(options.output, options.json ? json + "\n" : viewer::report_with_data(json));
    if (!written)
        return fail(exit_bad_input, written.error().message);
    if (!viewer::has_pages() && !options.json)
        warn("this program was built without its pages (npm was missing, or could not fetch its packages); the report "
             "will say what to do");
    for (const auto& apart : (*compared)["differences"])
        fmt::print(stderr, "{}\n", apart["verdict"].get<std::string>());
    if (options.output != "-")
        fmt::print(stderr, "{} is written.\n", options.output);
    return exit_done;
}

} // namespace

Command add_report(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("report", "Compare recordings in one page: plots, tables, divergence");
    command->footer(examples);
    auto options = std::make_shared<ReportOptions>();
    command->add_option("FILE", options->files, "Recordings; the others are compared with the first")
        ->required()
        ->type_name("");
    command->add_option("-o,--output", options->output, "Where to")->type_name("FILE.html");
    command->add_flag("--json", options->json, "Write the numbers instead of the page");
    return [options] { return report_command(*options); };
}

} // namespace moraine::cli
