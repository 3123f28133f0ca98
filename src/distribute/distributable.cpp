// Which scenes can be divided, and among how many.
#include "distribute/run.h"

namespace moraine::distribute
{

namespace
{

Status check_thresholds(const SceneDescription& scene, int workers)
{
    const DistributeDef& def = scene.distribute;
    if (def.first_workers < 0 || def.first_workers > workers)
        return Error{"scene " + scene.name + ": first_workers is " + std::to_string(def.first_workers) + " of " +
                     std::to_string(workers) + " workers: give at most as many"};
    // With half the load each, two must not become one again.
    if (def.grow_above > 0 && def.shrink_below > 0.5f * def.grow_above)
        return Error{"scene " + scene.name +
                     ": shrink_below must be at most half of grow_above, else workers begin and end in turns"};
    const bool has_any = def.first_workers > 0 || def.grow_above > 0 || def.shrink_below > 0;
    if (has_any && def.balance != Balance::steady)
        return Error{"scene " + scene.name +
                     ": first_workers, grow_above and shrink_below need --balance steady, where bodies have owners"};
    return Ok{};
}

} // namespace

Status check_distributable(const SceneDescription& scene, int workers)
{
    if (workers < 1 || workers > max_workers)
        return Error{"workers: give 1 to " + std::to_string(max_workers)};
    constexpr int deepest = 1000000; // all bodies of any scene, and far from what an int holds
    for (int depth : {scene.distribute.growth_depth, scene.distribute.search_depth})
        if (depth < 0 || depth > deepest)
            return Error{"scene " + scene.name + ": growth_depth and search_depth must be 0 to " +
                         std::to_string(deepest)};
    if (const Status fine = check_thresholds(scene, workers); !fine)
        return fine;
    for (const SceneEvent& event : scene.events)
        if (std::holds_alternative<MergeAction>(event.action) || std::holds_alternative<UnmergeAction>(event.action))
            return Error{"scene " + scene.name +
                         ": its events merge bodies by hand, which workers cannot do; run it without workers"};
    for (const SceneEvent& event : scene.events)
        if (std::holds_alternative<SpawnAction>(event.action) || std::holds_alternative<DestroyAction>(event.action) ||
            std::holds_alternative<FactoryAction>(event.action))
            return Error{"scene " + scene.name +
                         ": its events make or remove bodies, which workers cannot do; run it without workers"};
    return Ok{};
}

} // namespace moraine::distribute
