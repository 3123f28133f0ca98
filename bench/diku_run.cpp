#include "diku_run.h"

#include "scene/description.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace moraine::bench
{

namespace
{

constexpr int track_interval = 10;
constexpr int usual_iterations = 500; // pgs: the paper's solver has this limit, and tweaking lowers it to 15
constexpr double dt = 0.01;
constexpr const char* names[] = {"caching", "tweaking", "reduction", "zeroing", "damping", "subgrouping", "fixation"};

WorldDef settings_of(const DikuConfig& config, WorldDef def)
{
    def.solver = config.solver;
    def.iterations = usual_iterations;
    def.merging = false;
    def.contact_groups = config.groups;
    def.sleeping = config.sleeping;
    // The paper's caching: forces are a start, points are kept where nothing has moved.
    def.caching = def.coherence = config.has(caching);
    def.tweaking = config.has(tweaking);
    def.reduction = config.has(reduction);
    def.zeroing = config.has(zeroing);
    def.damping = config.has(damping);
    def.subgrouping = config.has(subgrouping);
    def.fixation = config.has(fixation);
    return def;
}

int steps_of(double seconds) { return int(std::lround(seconds / dt)); }

void show_progress(const DikuConfig& config, int step, int steps, double spent)
{
    if (step % 50 == 0 && spent > 5)
        fmt::print(stderr, "  {}: step {} of {}, {:.0f} s\n", name_of(config), step, steps, spent);
}

// How many variables the groups of a step have, and the largest one.
struct Sizes
{
    int groups = 0;
    double sum = 0, largest = 0;
};

// From the graph: solvers that sweep over the rows of all groups at once do not count them.
Sizes sizes_of_groups(const World& world)
{
    constexpr double variables_of_point = 3;
    const GraphView view = world.graph();
    std::vector<double> of_group(size_t(view.groups), 0.0);
    for (const GraphEdge& edge : view.edges)
    {
        const GraphNode& a = view.nodes[size_t(edge.node_a)];
        const GraphNode& b = view.nodes[size_t(edge.node_b)];
        const GraphNode& moving = a.group >= 0 ? a : b;
        if (moving.group >= 0 && (a.is_awake || b.is_awake))
            of_group[size_t(moving.group)] += variables_of_point * edge.contacts;
    }
    Sizes sizes;
    for (double variables : of_group)
    {
        sizes.groups += variables > 0;
        sizes.sum += variables;
        sizes.largest = std::max(sizes.largest, variables);
    }
    return sizes;
}

void add_step(const DikuConfig& config, const World& world, const StepReport& report, double seconds, DikuOutcome& out)
{
    Sizes sizes{report.groups, double(report.variables), double(report.variables_largest)};
    if (config.solver == SolverKind::pgs)
        sizes = sizes_of_groups(world);
    if (!config.groups)
        sizes = {1, sizes.sum, sizes.sum};
    out.seconds += seconds;
    out.milliseconds.push_back(1000 * seconds);
    out.variables.push_back(sizes.largest);
    out.variables_mean.push_back(sizes.groups > 0 ? sizes.sum / sizes.groups : 0);
    out.contacts.push_back(report.contacts_solved);
}

std::filesystem::path file_of(const DikuConfig& config, const std::string& folder, const char* ending)
{
    const char* method = config.groups ? config.sleeping ? "sleepy" : "groups" : "brute";
    return std::filesystem::path(folder) / fmt::format("{}_{}_{:03}{}",
                                                       config.solver == SolverKind::pgs ? "pgs" : "direct", method,
                                                       config.speed_ups, ending);
}

bool save_track(const DikuOutcome& outcome, const std::filesystem::path& path)
{
    std::ofstream file(path, std::ios::binary);
    for (const std::vector<DVec3>& places : outcome.track)
        file.write(reinterpret_cast<const char*>(places.data()), std::streamsize(places.size() * sizeof(DVec3)));
    return bool(file);
}

void load_track(size_t frames, const std::filesystem::path& path, DikuOutcome& out)
{
    std::error_code error;
    const uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error || frames == 0 || bytes % (frames * sizeof(DVec3)))
        return;
    std::ifstream file(path, std::ios::binary);
    out.track.assign(frames, std::vector<DVec3>(bytes / frames / sizeof(DVec3)));
    for (std::vector<DVec3>& places : out.track)
        file.read(reinterpret_cast<char*>(places.data()), std::streamsize(places.size() * sizeof(DVec3)));
}

} // namespace

const char* speed_up_name(int speed_up) { return names[speed_up]; }

Result<unsigned> parse_speed_ups(const std::string& text)
{
    unsigned bits = 0;
    for (size_t start = 0; start <= text.size();)
    {
        const size_t end = std::min(text.find('+', start), text.size());
        const std::string word = text.substr(start, end - start);
        const auto* found = std::find(std::begin(names), std::end(names), word);
        if (found == std::end(names))
            return Error{fmt::format("--combinations: '{}' is no speed-up; they are caching, tweaking, reduction, "
                                     "zeroing, damping, subgrouping and fixation, joined by '+'",
                                     word)};
        bits |= 1u << (found - std::begin(names));
        start = end + 1;
    }
    if (!is_sensible(bits))
        return Error{fmt::format("--combinations: '{}': fixation needs subgrouping", text)};
    return bits;
}

bool is_sensible(unsigned speed_ups) { return !((speed_ups >> fixation) & 1) || ((speed_ups >> subgrouping) & 1); }

std::string name_of(const DikuConfig& config)
{
    if (!config.groups)
        return "brute force";
    std::string name = config.sleeping ? "groups, sleepy groups" : "contact groups";
    for (int i = 0; i < speed_up_count; ++i)
        if ((config.speed_ups >> i) & 1)
            name += std::string(", ") + names[i];
    return name;
}

Result<DikuOutcome> run_diku_once(const DikuConfig& config, double seconds)
{
    Result<SceneDescription> description = load_scene("diku");
    if (!description)
        return description.error();
    const auto shared = std::make_shared<const SceneDescription>(std::move(*description));
    Result<Scene> scene = Scene::create(shared, settings_of(config, shared->world));
    if (!scene)
        return scene.error();
    DikuOutcome out;
    const int steps = steps_of(seconds);
    for (int i = 0; i < steps; ++i)
    {
        const auto start = std::chrono::steady_clock::now();
        const StepReport report = scene->step();
        const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        add_step(config, scene->world(), report, spent, out);
        show_progress(config, i, steps, out.seconds);
        if (i % track_interval != track_interval - 1)
            continue;
        std::vector<DVec3>& places = out.track.emplace_back();
        for (BodyId body : scene->bodies())
            places.push_back(scene->world().center_of_mass(body));
    }
    return out;
}

Result<DikuOutcome> run_diku_rounds(const DikuConfig& config, double seconds, int rounds)
{
    Result<DikuOutcome> best = run_diku_once(config, seconds);
    for (int round = 1; round < rounds && best; ++round)
    {
        const Result<DikuOutcome> again = run_diku_once(config, seconds);
        if (!again)
            return again.error();
        best->seconds = 0;
        for (size_t i = 0; i < best->milliseconds.size(); ++i)
        {
            best->milliseconds[i] = std::min(best->milliseconds[i], again->milliseconds[i]);
            best->seconds += best->milliseconds[i] / 1000;
        }
    }
    return best;
}

void set_distance(const DikuOutcome& reference, DikuOutcome& outcome)
{
    outcome.distance_largest = outcome.distance_mean_at_end = 0;
    const size_t count = std::min(reference.track.size(), outcome.track.size());
    for (size_t t = 0; t < count; ++t)
    {
        double sum = 0;
        for (size_t i = 0; i < reference.track[t].size(); ++i)
        {
            const double far = length(reference.track[t][i] - outcome.track[t][i]);
            outcome.distance_largest = std::max(outcome.distance_largest, far);
            sum += far;
        }
        outcome.distance_mean_at_end = sum / double(reference.track[t].size());
    }
}

Status save_outcome(const DikuConfig& config, const DikuOutcome& outcome, bool with_track, const std::string& folder)
{
    const std::filesystem::path path = file_of(config, folder, ".csv");
    std::ofstream file(path);
    file << fmt::format("seconds,{},distance,{},{}\n", outcome.seconds, outcome.distance_largest,
                        outcome.distance_mean_at_end);
    file << "milliseconds,variables,variables_mean,contacts\n";
    for (size_t i = 0; i < outcome.milliseconds.size(); ++i)
        file << fmt::format("{},{},{},{}\n", outcome.milliseconds[i], outcome.variables[i], outcome.variables_mean[i],
                            outcome.contacts[i]);
    if (!file || (with_track && !save_track(outcome, file_of(config, folder, ".track"))))
        return Error{fmt::format("{}: cannot be written; choose another --out", path.string())};
    return Ok{};
}

bool load_outcome(const DikuConfig& config, double seconds, const std::string& folder, DikuOutcome& out)
{
    std::ifstream file(file_of(config, folder, ".csv"));
    DikuOutcome read;
    std::string line;
    if (!std::getline(file, line) || std::sscanf(line.c_str(), "seconds,%lf,distance,%lf,%lf", &read.seconds,
                                                 &read.distance_largest, &read.distance_mean_at_end) != 3)
        return false;
    std::getline(file, line);
    while (std::getline(file, line))
    {
        double v[4];
        if (std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3) != 4)
            return false;
        read.milliseconds.push_back(v[0]);
        read.variables.push_back(v[1]);
        read.variables_mean.push_back(v[2]);
        read.contacts.push_back(v[3]);
    }
    if (int(read.milliseconds.size()) != steps_of(seconds))
        return false;
    load_track(read.milliseconds.size() / track_interval, file_of(config, folder, ".track"), read);
    out = std::move(read);
    return true;
}

} // namespace moraine::bench
