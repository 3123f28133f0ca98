// Resident memory a body, with everything that an engine keeps for it: contacts, caches, trees.
#include "options.h"

#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>

namespace moraine::bench
{

Result<Table> compare_memory(const Options& options)
{
    const auto engines = chosen_engines(options);
    if (!engines)
        return engines.error();
    Table table;
    table.columns = {"scene", "engine", "bodies", "bytes_per_body", "total_mb", "build_ms"};
    const std::vector<std::string> default_scenes{"pile_5000"};
    for (const std::string& text : options.scenes.empty() ? default_scenes : options.scenes)
    {
        const auto scene = load_bench_scene(text, options);
        if (!scene)
            return scene.error();
        // Free memory that the child inherits would hide what its engine takes.
        malloc_trim(0);
        const auto is_dynamic = [](const SceneBody& body) { return body.def.type == BodyType::dynamic_; };
        const auto bodies = std::count_if(scene->bodies.begin(), scene->bodies.end(), is_dynamic);
        for (const PeerKind& engine : *engines)
        {
            const Case c{&engine, &*scene, {1, wants_sleep(text, options)}, options.warmup, 0};
            const Measurement m = measure(c);
            note_failure(c, m, table);
            std::vector<std::string> row{text, engine.name, std::to_string(bodies), "-", "-", "-"};
            if (m.outcome == Outcome::measured && bodies > 0)
            {
                row[3] = fmt::format("{:.0f}", m.memory_bytes / double(bodies));
                row[4] = fmt::format("{:.1f}", m.memory_bytes / 1e6);
                row[5] = fmt::format("{:.1f}", m.build_ms);
            }
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

} // namespace moraine::bench
