#include "dynamics/crowds.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr float much_heavier = 32;
constexpr size_t open_batches = 8; // that a row may still go into

// A batch while it is being filled.
struct Filling
{
    int32_t heavy = -1;
    int32_t count = 0;
    int32_t manifolds[lane_count];
    int32_t light[lane_count];

    bool takes(int32_t other_heavy, int32_t other_light) const
    {
        if (heavy != other_heavy || count == lane_count)
            return false;
        return heavy < 0 || std::find(light, light + count, other_light) == light + count;
    }
};

} // namespace

int32_t heavy_of(const Movers& movers, int32_t a, int32_t b)
{
    const float inv_a = movers.velocities[size_t(a)].inv_mass, inv_b = movers.velocities[size_t(b)].inv_mass;
    if (!(inv_a > 0) || !(inv_b > 0) || a == b)
        return -1;
    return much_heavier * inv_a < inv_b ? a : much_heavier * inv_b < inv_a ? b : -1;
}

Crowds pack_crowds(std::span<const int32_t> manifolds, const ContactGraph& graph, const Movers& movers, bool may_share,
                   Arena& arena)
{
    std::span<Filling> all = arena.allocate<Filling>(manifolds.size());
    size_t count = 0;
    for (int32_t m : manifolds)
    {
        const Edge& edge = graph.edges[graph.manifolds[m].edge];
        const int32_t heavy = may_share ? heavy_of(movers, edge.mover_a, edge.mover_b) : -1;
        const int32_t light = heavy == edge.mover_a ? edge.mover_b : edge.mover_a;
        size_t i = count > open_batches ? count - open_batches : 0;
        while (i < count && !all[i].takes(heavy, light))
            ++i;
        if (i == count)
        {
            all[count++] = {};
            all[i].heavy = heavy;
        }
        all[i].manifolds[all[i].count] = m;
        all[i].light[all[i].count++] = light;
    }
    std::span<int32_t> order = arena.allocate<int32_t>(manifolds.size());
    std::span<Crowd> batches = arena.allocate<Crowd>(count);
    int32_t next = 0;
    for (size_t i = 0; i < count; ++i)
    {
        batches[i] = {next, all[i].count, all[i].count > 1 ? all[i].heavy : -1};
        std::copy_n(all[i].manifolds, all[i].count, order.begin() + next);
        next += all[i].count;
    }
    return {order, batches};
}

} // namespace moraine
