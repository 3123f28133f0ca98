// Engines beside each other: time, penetration, drift and joint gaps of the same scenes.
#include "options.h"

#include <fmt/core.h>

#include <algorithm>
#include <list>

namespace moraine::bench
{

namespace
{

const std::vector<std::string> default_scenes{"pyramid", "pile_5000",       "bowl", "chains", "hull_pile",
                                              "ferry",   "tower:springs=1", "wall"};

std::string millimetres(double metres) { return fmt::format("{:.3g}", metres * 1000); }

std::vector<std::string> row_of(const Case& c, const Measurement& m)
{
    std::vector<std::string> row{c.scene->name, c.peer->name, std::to_string(c.options.threads)};
    if (m.outcome != Outcome::measured)
    {
        row.insert(row.end(), 7, "-");
        return row;
    }
    const bool has_joints = !c.scene->joints.empty();
    row.push_back(fmt::format("{:.4g}", m.step_ms));
    row.push_back(millimetres(m.penetration.max));
    row.push_back(millimetres(m.penetration.mean));
    row.push_back(m.drift.riders > 0 ? millimetres(m.drift.max) : "-");
    row.push_back(m.drift.riders > 0 ? std::to_string(m.drift.count) : "-");
    row.push_back(has_joints ? millimetres(m.joint_gap) : "-");
    row.push_back(m.state_hash != 0 ? fmt::format("{:016x}", m.state_hash) : "-");
    return row;
}

} // namespace

Result<Table> compare(const Options& options)
{
    const auto engines = chosen_engines(options);
    if (!engines)
        return engines.error();
    std::list<SceneDescription> scenes; // the cases point to them
    std::vector<Case> cases;
    for (const std::string& text : options.scenes.empty() ? default_scenes : options.scenes)
    {
        auto scene = load_bench_scene(text, options);
        if (!scene)
            return scene.error();
        scenes.push_back(std::move(*scene));
        for (int threads : options.threads)
            for (const PeerKind& engine : *engines)
                cases.push_back(
                    {&engine, &scenes.back(), {threads, wants_sleep(text, options)}, options.warmup, options.steps});
    }

    const std::vector<Measurement> measurements = measure_best(cases, options.rounds);
    Table table;
    table.columns = {
        "scene",    "engine",       "threads",      "ms_per_step", "penetration_max_mm", "penetration_mean_mm",
        "drift_mm", "drifted_10cm", "joint_gap_mm", "state_hash"};
    for (size_t i = 0; i < cases.size(); ++i)
    {
        table.rows.push_back(row_of(cases[i], measurements[i]));
        note_failure(cases[i], measurements[i], table);
    }
    return table;
}

} // namespace moraine::bench
