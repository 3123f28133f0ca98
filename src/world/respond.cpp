// The phase `respond`: what hit a body in the last step shakes what else touches it.
//
// Impacts come from the last solve, so their impulses are those that were really exchanged, however many bodies took part;
// what they shake is told one step later, about as long as a wave takes to get there. (The paper's engine calls back
// after its solve, too.)
#include "world/activity.h"
#include "world/collections.h"
#include "world/response.h"
#include "world/shaking.h"
#include "world/step.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr double plenty = 1e30; // J

// Who sleeps wakes and who is merged leaves, where the kick is worth it; other kicks at such contacts are dropped.
void free_kicked(WorldData& world)
{
    Responses& r = world.responses;
    const auto is_solved = [&](const ContactKick& k) { return world.graph.manifolds[k.manifold].colour >= 0; };
    for (const ContactKick& kick : r.kicks)
    {
        if (is_solved(kick) || kick.speed < world.settings.response.wake_speed)
            continue;
        const Edge edge = world.graph.edges[world.graph.manifolds[kick.manifold].edge];
        const int32_t other = other_body(edge, r.bodies[size_t(kick.source)].body);
        if (edge.has(edge_is_merged))
            detach_body(world, world.bodies[other].type == BodyType::dynamic_ ? other : other_body(edge, other));
        wake_body(world, edge.body_a);
        wake_body(world, edge.body_b);
    }
    std::erase_if(r.kicks, [&](const ContactKick& k) { return !is_solved(k); });
}

int32_t receiver_of(const WorldData& world, const ContactKick& kick)
{
    const Edge& edge = world.graph.edges[world.graph.manifolds[kick.manifold].edge];
    return other_body(edge, world.responses.bodies[size_t(kick.source)].body);
}

// What the impacts have lost may be spent; half of it is kept for bodies that pass the kick on.
void share_energy(WorldData& world, StepReport& report)
{
    Responses& r = world.responses;
    const bool is_bounded = world.settings.response.energy_bound;
    r.energy.assign(r.bodies.size(), 0);
    r.reserved.assign(r.bodies.size(), 0);
    for (int32_t place : r.active)
    {
        ResponseBody& body = r.bodies[size_t(place)];
        double energy = std::exchange(body.energy, 0.0);
        for (const Impact& impact : r.impacts_of(body.body))
            energy += double(impact.energy);
        report.response_energy += energy;
        r.energy[size_t(place)] = is_bounded ? energy : plenty;
    }
    for (const ContactKick& kick : r.kicks)
    {
        double& kept = r.reserved[size_t(kick.source)];
        if (is_bounded && kept == 0 && r.find(receiver_of(world, kick)) >= 0)
        {
            double& left = r.energy[size_t(kick.source)];
            left *= 0.5;
            kept = left;
        }
    }
}

void find_active(Responses& r)
{
    // The solve found them in its own order; who was hit comes together, in the order of bodies. (A stable sort would
    // ask for memory.)
    std::ranges::sort(r.impacts, {}, [](const Impact& i) { return std::pair(i.body, i.other); });
    r.active.clear();
    for (size_t i = 0; i < r.bodies.size(); ++i)
        if (r.bodies[i].is_ringing || !r.impacts_of(r.bodies[i].body).empty())
            r.active.push_back(int32_t(i));
}

bool has_work(const WorldData& world)
{
    const Responses& r = world.responses;
    return !r.impacts.empty() || (world.settings.response.is_continuous &&
                                  std::ranges::any_of(r.bodies, [](const ResponseBody& b) { return b.is_ringing; }));
}

} // namespace

void respond(WorldData& world, Step& s)
{
    Responses& r = world.responses;
    r.kicks.clear();
    r.active.clear();
    if (r.is_empty() || !world.settings.response.is_on || !has_work(world))
    {
        r.impacts.clear();
        return;
    }
    find_active(r);
    for (int32_t place : r.active)
        shake(world, place, s.dt);
    free_kicked(world);
    share_energy(world, s.report);
    s.report.impacts = int(std::ranges::count_if(r.impacts, [](const Impact& i) { return i.impulse != Vec3{}; }));
    s.report.kicks = int(r.kicks.size());
    r.impacts.clear();
    if (r.kicks.empty())
        return;
    const Kicks kicks{r.kicks, r.energy};
    fit_kicks(world.graph, world.movers, world.arena, kicks);
    if (world.settings.response.injection == ResponseInjection::impulse)
        apply_kicks(world.graph, 1, world.movers, world.arena, kicks);
}

ImpactWatch* watch_of(WorldData& world)
{
    if (world.responses.is_empty() || !world.settings.response.is_on)
        return nullptr;
    world.responses.watch.threshold = world.settings.response.threshold;
    return &world.responses.watch;
}

std::optional<Kicks> kicks_of(WorldData& world)
{
    if (world.responses.kicks.empty() || world.settings.response.injection == ResponseInjection::impulse)
        return {};
    return Kicks{world.responses.kicks, world.responses.energy};
}

} // namespace moraine
