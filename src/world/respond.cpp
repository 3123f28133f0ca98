// The phase `respond`: what hit a body in the last step shakes what else touches it.
//
// Impacts come from the last solve, so their impulses are those that were really exchanged, however many bodies took part;
// what they shake is told one step later, about as long as a wave takes to get there. (The paper's engine calls back
// after its solve, too.)
#include "world/activity.h"
#include "world/collections.h"
#include "world/kick_energy.h"
#include "world/response.h"
#include "world/shaking.h"
#include "world/step.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

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
    r.guests.clear();
    if (!r.is_empty() && world.settings.response.is_on && has_work(world))
        find_active(r);
    // Other worlds wait for an answer, whether there is something to say or not.
    if (r.sharing && world.settings.response.kick == ResponseKick::thrown)
        share_riders(world, s.dt);
    for (int32_t place : r.active)
        shake(world, place, s.dt);
    free_kicked(world);
    if (!r.active.empty() || r.sharing)
        pay_kicks(world, s.report);
    s.report.impacts = int(std::ranges::count_if(r.impacts, [](const Impact& i) { return i.impulse != Vec3{}; }));
    s.report.kicks = int(r.kicks.size());
    r.impacts.clear();
    if (!r.kicks.empty() && world.settings.response.injection == ResponseInjection::impulse)
        apply_kicks(world.graph, 1, world.movers, world.arena, {r.kicks, r.energy});
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
