#include "world/kick_energy.h"

namespace moraine
{

namespace
{

constexpr double plenty = 1e30; // J

void find_demands(const WorldData& world, Responses& r)
{
    r.demands.clear();
    for (int32_t place : r.active)
        r.demands.push_back({.body = r.bodies[size_t(place)].body});
    for (const ContactKick& kick : r.kicks)
    {
        const auto place = std::ranges::lower_bound(r.active, kick.source) - r.active.begin();
        KickDemand& demand = r.demands[size_t(place)];
        demand.work += kick.work * double(kick.share);
        if (!kick.is_passed_on || r.find(receiver_of(world, kick)) < 0)
            continue;
        demand.passed_on += double(kick.impulse);
        ++demand.passing;
    }
}

double lost_by_impacts(Responses& r, ResponseBody& body)
{
    double energy = std::exchange(body.energy, 0.0);
    for (const Impact& impact : r.impacts_of(body.body))
        energy += double(impact.energy);
    return energy;
}

// Worlds share the energy as they need it: so kicks get smaller by the same in all of them. Where nobody needs any it is
// kept in equal parts.
double share_of(double own, double all, int worlds) { return all > 0 ? own / all : 1 / double(worlds); }

} // namespace

int32_t receiver_of(const WorldData& world, const ContactKick& kick)
{
    const Edge& edge = world.graph.edges[world.graph.manifolds[kick.manifold].edge];
    return other_body(edge, world.responses.bodies[size_t(kick.source)].body);
}

void pay_kicks(WorldData& world, StepReport& report)
{
    Responses& r = world.responses;
    ArenaScope scope(world.arena);
    if (r.sharing)
        r.sharing->weigh(r.kicks);
    measure_kicks(world.graph, world.movers, world.arena, r.kicks);
    find_demands(world, r);
    std::span<KickDemand> own = world.arena.allocate<KickDemand>(r.demands.size());
    std::ranges::copy(r.demands, own.begin());
    if (r.sharing)
        r.sharing->add_up(r.demands);
    r.energy.assign(r.bodies.size(), 0);
    r.reserved.assign(r.bodies.size(), 0);
    for (size_t i = 0; i < r.active.size(); ++i)
    {
        const size_t place = size_t(r.active[i]);
        const KickDemand& all = r.demands[i];
        const double energy = lost_by_impacts(r, r.bodies[place]);
        const double share = r.sharing ? share_of(own[i].work, all.work, all.worlds) : 1;
        report.response_energy += energy * share;
        // Half of it is kept for bodies that pass the kick on.
        const bool is_halved = world.settings.response.energy_bound && all.passing > 0;
        const double left = is_halved ? 0.5 * energy : energy;
        if (is_halved)
            r.reserved[place] = r.sharing ? left * share_of(own[i].passed_on, all.passed_on, all.worlds) : left;
        r.energy[place] = world.settings.response.energy_bound ? left * share : plenty;
    }
    fit_kicks(world.arena, {r.kicks, r.energy});
}

} // namespace moraine
