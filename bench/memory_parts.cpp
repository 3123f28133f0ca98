// Where the memory of a settled world of ours is, and what a body, a contact and a collection take of it.
#include "options.h"
#include "world/memory.h"

#include <fmt/core.h>

#include <map>
#include <string_view>

namespace moraine::bench
{

namespace
{

struct Counted
{
    std::string_view what;
    int count = 0;
};

int dynamic_count(const Scene& scene)
{
    int count = 0;
    for (BodyId body : scene.bodies())
        count += scene.world().type(body) == BodyType::dynamic_;
    return count;
}

// What a part of the memory is there for.
Counted purpose_of(std::string_view part, const Scene& scene)
{
    const WorldData& data = scene.world().data();
    if (part == "edges")
        return {"edge", data.graph.edges.count()};
    if (part == "manifolds" || part == "colours")
        return {"contact", data.graph.manifolds.count()};
    if (part == "joints")
        return {"joint", int(scene.joints().size())};
    if (part == "collections")
        return {"merged body", data.collections.merged_count};
    return {"body", dynamic_count(scene)};
}

std::string each(size_t bytes, int count) { return count > 0 ? fmt::format("{:.0f}", double(bytes) / count) : "-"; }

void add_rows(const std::string& name, const Scene& scene, Table& table)
{
    std::map<std::string_view, size_t> sums;
    for (const MemoryPart& part : memory_parts(scene.world().data()))
    {
        const Counted per = purpose_of(part.name, scene);
        sums[per.what] += part.use.used;
        table.rows.push_back({name, part.name, fmt::format("{:.2f}", double(part.use.used) / 1e6),
                              fmt::format("{:.2f}", double(part.use.reserved) / 1e6), std::string(per.what),
                              std::to_string(per.count), each(part.use.used, per.count)});
    }
    const int collections = scene.world().data().collections.pool.count();
    table.rows.push_back({name, "(all)", fmt::format("{:.2f}", double(sums["merged body"]) / 1e6), "-", "collection",
                          std::to_string(collections), each(sums["merged body"], collections)});
}

} // namespace

Result<Table> list_memory_parts(const Options& options)
{
    Table table;
    table.columns = {"scene", "part", "used_mb", "reserved_mb", "per", "count", "bytes_each"};
    const std::vector<std::string> default_scenes{"pile_5000", "ferry"};
    for (const std::string& text : options.scenes.empty() ? default_scenes : options.scenes)
    {
        auto description = load_bench_scene(text, options);
        if (!description)
            return description.error();
        description->world.sleeping = wants_sleep(text, options);
        description->world.merging = true;
        auto scene = Scene::create(*description);
        if (!scene)
            return scene.error();
        for (int i = 0; i < options.warmup; ++i)
            scene->step();
        add_rows(text, *scene, table);
    }
    return table;
}

} // namespace moraine::bench
