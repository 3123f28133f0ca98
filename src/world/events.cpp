#include "world/activity.h"
#include "world/body_store.h"
#include "world/step.h"

namespace moraine
{

namespace
{

void take(std::vector<ContactEvent>& from, std::vector<ContactEvent>& to)
{
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
}

HitEvent make_hit(WorldData& world, const Edge& edge, float speed)
{
    const Mover& a = mover_of(world, edge.body_a);
    HitEvent hit{world.bodies.id(edge.body_a), world.bodies.id(edge.body_b), {}, {}, 0, speed};
    float largest = -1;
    for_each_manifold(edge, world.graph, [&](int32_t m) {
        const Manifold& manifold = world.graph.manifolds[m];
        hit.impulse += manifold.total_impulse;
        if (manifold.total_impulse <= largest)
            return;
        largest = manifold.total_impulse;
        hit.point = apply(a.pose, manifold.points[0].position);
        hit.normal = rotate(a.pose.rotation, manifold.normal);
    });
    return hit;
}

// Contacts that came in fast, with the impulse the solve found. A contact that began just outside its surface may get
// its impulse a step later: it waits.
void report_hits(WorldData& world)
{
    std::erase_if(world.pending_hits, [&](const PendingHit& pending) {
        const int32_t index = find_edge(world.bodies, world.graph, pending.body_a, pending.body_b);
        if (index == none || !world.graph.edges[index].has(edge_is_touching))
            return true;
        const HitEvent hit = make_hit(world, world.graph.edges[index], pending.speed);
        if (hit.impulse > 0)
            world.events.hits.push_back(hit);
        return hit.impulse > 0;
    });
}

void break_joints(WorldData& world)
{
    std::span<int32_t> broken = world.arena.allocate<int32_t>(size_t(world.joints.awake.size()));
    size_t count = 0;
    for (int32_t j : world.joints.awake)
        if (world.joints[j].linear_impulse > world.joints[j].break_impulse)
            broken[count++] = j;
    for (size_t i = 0; i < count; ++i)
    {
        world.events.joints_broken.push_back({world.joints.id(broken[i])});
        destroy_joint(world, broken[i]);
    }
}

void prefetch(const Manifold& manifold)
{
    for (const ContactPoint& point : manifold.points)
        __builtin_prefetch(&point);
}

void count_contacts(const WorldData& world, StepReport& report)
{
    report.bodies_dynamic = world.dynamic_count;
    report.bodies_asleep = world.asleep_count;
    report.movers_awake = world.movers.awake.size();
    report.edges = world.graph.awake.size();
    constexpr size_t ahead = 12;
    for (const std::vector<int32_t>& colour : world.colouring.contacts)
        for (size_t k = 0; k < colour.size(); ++k)
        {
            if (k + ahead < colour.size())
                prefetch(world.graph.manifolds[colour[k + ahead]]);
            const Manifold& manifold = world.graph.manifolds[colour[k]];
            report.contacts_solved += manifold.count;
            for (int i = 0; i < manifold.count; ++i)
            {
                const float depth = -manifold.points[i].separation;
                if (depth <= 0)
                    continue;
                report.penetration_max = depth > report.penetration_max ? depth : report.penetration_max;
                report.penetration_sum += double(depth);
            }
        }
}

} // namespace

void publish_events(WorldData& world, Step& s)
{
    report_hits(world);
    break_joints(world);
    take(world.pending_ends[0], world.events.touch_ended);
    take(world.pending_ends[1], world.events.trigger_left);
    world.events.sleeps.insert(world.events.sleeps.end(), world.pending_sleeps.begin(), world.pending_sleeps.end());
    world.pending_sleeps.clear();
    world.events.merges.insert(world.events.merges.end(), world.pending_merges.begin(), world.pending_merges.end());
    world.pending_merges.clear();
    s.report.has_error |= world.pair_search.has_overflowed;
    count_contacts(world, s.report);
}

void clear(Events& events)
{
    events.touch_began.clear();
    events.touch_ended.clear();
    events.trigger_entered.clear();
    events.trigger_left.clear();
    events.hits.clear();
    events.sleeps.clear();
    events.merges.clear();
    events.joints_broken.clear();
    events.frozen.clear();
}

const char* phase_name(Phase phase)
{
    static constexpr const char* names[] = {
        "find_pairs",
        "update_contact_graph",
        "collide",
        "group_contacts",
        "order_contacts",
        "wake",
        "probe_collections",
        "unmerge",
        "respond",
        "solve",
        "integrate",
        "merge",
        "sleep",
        "publish_events",
    };
    static_assert(std::size(names) == size_t(Phase::count));
    return phase < Phase::count ? names[size_t(phase)] : "";
}

} // namespace moraine
