#include "world/memory.h"

namespace moraine
{

namespace
{

MemoryUse tree_memory(const Bvh& tree) { return {tree.nodes().size_bytes(), tree.reserved_bytes()}; }

MemoryUse sum(MemoryUse a, MemoryUse b) { return {a.used + b.used, a.reserved + b.reserved}; }

template <class Lists>
MemoryUse lists_memory(const Lists& lists)
{
    MemoryUse use;
    for (const auto& list : lists)
        use = sum(use, memory_of(list));
    return use;
}

// Collections: what is kept for their members, and the trees that these are in.
MemoryUse collections_memory(const Collections& c, const Movers& m)
{
    MemoryUse use = memory_of(c.pool, c.bodies, c.welds, c.merged_of, m.members, m.member_leaf);
    for (int32_t i = 0; i < m.members.capacity(); ++i)
        use = sum(use, tree_memory(m.members[i].tree));
    return use;
}

} // namespace

std::vector<MemoryPart> memory_parts(const WorldData& world)
{
    const Bodies& b = world.bodies;
    const Movers& m = world.movers;
    const ContactGraph& g = world.graph;
    const Joints& j = world.joints;
    return {
        {"bodies", memory_of(b.ids, b.bodies, b.infos, b.user_data, b.names)},
        {"shapes", memory_of(b.shapes)},
        {"movers", memory_of(m.movers, m.masses, m.velocities, m.forces, m.awake, m.moved)},
        {"trees", sum(tree_memory(m.dynamic_tree), tree_memory(m.static_tree))},
        {"edges", memory_of(g.edges, g.links, g.by_pair, g.awake)},
        {"manifolds", memory_of(g.manifolds, g.point_friction)},
        {"joints", memory_of(j.ids, j.joints, j.awake, j.names)},
        {"colours", sum(lists_memory(world.colouring.contacts), lists_memory(world.colouring.joints))},
        {"collections", collections_memory(world.collections, m)},
        {"sleep", memory_of(world.sleep_groups)},
        {"arena", {world.arena.most_used(), world.arena.capacity()}},
        {"pairs", sum(lists_memory(world.pair_search.found),
                      memory_of(world.pair_search.blocks, world.pair_search.surroundings, world.pair_search.searched))},
    };
}

} // namespace moraine
