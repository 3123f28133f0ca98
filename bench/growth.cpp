// Step time against the number of bodies: a good engine's cost for each body does not grow.
#include "options.h"

#include <fmt/core.h>

#include <chrono>
#include <map>

namespace moraine::bench
{

namespace
{

using Clock = std::chrono::steady_clock;

// How long the last count took: what a larger one will take at least.
struct Cost
{
    int count = 0;
    double seconds = 0;
};

std::vector<std::string> row_of(const Case& c, const std::string& text, int count, const Measurement& m)
{
    std::vector<std::string> row{text, c.peer->name, std::to_string(c.options.threads), std::to_string(count), "-",
                                 "-",  "-"};
    if (m.outcome == Outcome::measured)
    {
        row[4] = fmt::format("{:.4g}", m.step_ms);
        row[5] = fmt::format("{:.4g}", 1000 * m.step_ms / count);
        row[6] = fmt::format("{:.3g}", m.penetration.max * 1000);
    }
    return row;
}

} // namespace

Result<Table> compare_growth(const Options& options)
{
    const auto engines = chosen_engines(options);
    if (!engines)
        return engines.error();
    Table table;
    table.columns = {"scene", "engine", "threads", "count", "ms_per_step", "us_per_body", "penetration_max_mm"};
    const std::vector<std::string> default_scenes{"falling", "resting", "pile_5000"};
    for (const std::string& text : options.scenes.empty() ? default_scenes : options.scenes)
    {
        std::map<std::pair<std::string, int>, Cost> costs;
        for (int count : options.counts)
        {
            const auto scene = load_bench_scene(text, options, {{"count", std::to_string(count)}});
            if (!scene)
                return scene.error();
            for (int threads : options.threads)
                for (const PeerKind& engine : *engines)
                {
                    const Case c{
                        &engine, &*scene, {threads, wants_sleep(text, options)}, options.warmup, options.steps};
                    Cost& cost = costs[{engine.name, threads}];
                    Measurement best;
                    if (cost.seconds * count > options.limit_seconds * cost.count)
                        table.notes.push_back(fmt::format("{}: {} {} would take too long", engine.name, text, count));
                    else
                    {
                        const auto start = Clock::now();
                        best = measure_best({&c, 1}, options.rounds).front();
                        cost = {count, std::chrono::duration<double>(Clock::now() - start).count()};
                        note_failure(c, best, table);
                    }
                    table.rows.push_back(row_of(c, text, count, best));
                }
        }
    }
    return table;
}

} // namespace moraine::bench
