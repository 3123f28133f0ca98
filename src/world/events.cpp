#include "world/events.h"

#include "world/activity.h"
#include "world/body_store.h"
#include "world/step.h"

#include <algorithm>
#include <iterator>

namespace moraine
{

namespace
{

// Edges that only notice overlap are of triggers, or of bodies that a rule tells to observe each other.
bool is_of_trigger(const WorldData& world, const Edge& edge)
{
    return (world.bodies[edge.body_a].flags | world.bodies[edge.body_b].flags) & body_is_trigger;
}

// The trigger comes first.
ContactEvent event_of(const WorldData& world, const Edge& edge)
{
    ContactEvent event{world.bodies.id(edge.body_a), world.bodies.id(edge.body_b), world.time};
    if (is_of_trigger(world, edge) && !world.bodies[edge.body_a].has(body_is_trigger))
        std::swap(event.body_a, event.body_b);
    return event;
}

bool is_wanted(const WorldData& world, const Edge& edge, uint16_t event)
{
    return (world.bodies[edge.body_a].events | world.bodies[edge.body_b].events) & event;
}

// ---- handing out ----

std::vector<ContactEvent>& list_of(Events& events, QueuedKind kind)
{
    switch (kind)
    {
    case QueuedKind::proximity_began: return events.proximity_began;
    case QueuedKind::proximity_ended: return events.proximity_ended;
    case QueuedKind::touch_began: return events.touch_began;
    case QueuedKind::touch_ended: return events.touch_ended;
    case QueuedKind::trigger_entered: return events.trigger_entered;
    default: return events.trigger_left;
    }
}

// Beginnings are even, ends odd; what they are of is the rest.
uint32_t matter_of(QueuedKind kind) { return uint32_t(kind) / 2; }

bool is_same_matter(const QueuedEvent& a, const QueuedEvent& b)
{
    return matter_of(a.kind) == matter_of(b.kind) && a.event.body_a == b.event.body_a &&
           a.event.body_b == b.event.body_b;
}

// Of a few events without any scratch: the two of a detour are taken out as soon as they are found.
void cancel_few_detours(std::vector<QueuedEvent>& queue)
{
    for (size_t i = 0; i < queue.size();)
    {
        const auto later = std::find_if(queue.begin() + std::ptrdiff_t(i) + 1, queue.end(),
                                        [&](const QueuedEvent& e) { return is_same_matter(e, queue[i]); });
        if (later == queue.end())
        {
            ++i;
            continue;
        }
        queue.erase(later);
        queue.erase(queue.begin() + std::ptrdiff_t(i));
    }
}

void cancel_many_detours(WorldData& world)
{
    std::vector<QueuedEvent>& queue = world.event_queue;
    std::span<int32_t> order = world.arena.allocate<int32_t>(queue.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = int32_t(i);
    const auto comes_before = [&](int32_t i, int32_t k) {
        const QueuedEvent &a = queue[size_t(i)], &b = queue[size_t(k)];
        if (matter_of(a.kind) != matter_of(b.kind))
            return matter_of(a.kind) < matter_of(b.kind);
        if (a.event.body_a != b.event.body_a)
            return a.event.body_a < b.event.body_a;
        return a.event.body_b != b.event.body_b ? a.event.body_b < b.event.body_b : i < k;
    };
    std::sort(order.begin(), order.end(), comes_before);
    std::span<uint8_t> goes = world.arena.allocate_zeroed<uint8_t>(queue.size());
    for (size_t first = 0, end = 0; first < order.size(); first = end)
    {
        const QueuedEvent& of = queue[size_t(order[first])];
        while (end < order.size() && is_same_matter(of, queue[size_t(order[end])]))
            ++end;
        const size_t kept = (end - first) % 2; // the last one tells how it stands now
        for (size_t i = first; i + kept < end; ++i)
            goes[size_t(order[i])] = 1;
    }
    size_t count = 0;
    for (size_t i = 0; i < queue.size(); ++i)
        if (!goes[i])
            queue[count++] = queue[i];
    queue.resize(count);
}

// What came and went, or went and came back, since the last step is no change: of each pair and matter beginnings and
// ends alternate, so that two in a row cancel out.
void cancel_detours(WorldData& world)
{
    constexpr size_t few = 64;
    if (world.event_queue.size() <= few)
        cancel_few_detours(world.event_queue);
    else
        cancel_many_detours(world);
}

void hand_out(WorldData& world)
{
    if (world.settings.event_policy == EventPolicy::completed_frames)
        cancel_detours(world);
    for (const QueuedEvent& queued : world.event_queue)
        list_of(world.events, queued.kind).push_back(queued.event);
    world.event_queue.clear();
}

// What goes on, of the bodies that want to hear it, asleep or not.
void report_persisting(WorldData& world)
{
    for (int32_t body : world.bodies.listeners)
        for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
            const Edge& edge = world.graph.edges[e];
            const int32_t other = other_body(edge, body);
            // The event is told once: by the smaller index of those who listen for it.
            const auto tells = [&](uint16_t event) {
                return world.bodies[body].wants(event) && !(other < body && world.bodies[other].wants(event));
            };
            const bool is_trigger = is_of_trigger(world, edge);
            if (tells(EventMask::proximity_persists))
                world.events.proximity_persists.push_back(event_of(world, edge));
            if (!edge.has(edge_is_touching))
                return;
            if (is_trigger && tells(EventMask::trigger_persists))
                world.events.trigger_persists.push_back(event_of(world, edge));
            if (!is_trigger && tells(EventMask::touch_persists))
                world.events.touch_persists.push_back(event_of(world, edge));
        });
}

// What began in this step does not persist yet.
void take_out_new(WorldData& world, const std::vector<ContactEvent>& began, std::vector<ContactEvent>& persists)
{
    if (began.empty() || persists.empty())
        return;
    const auto comes_before = [](const ContactEvent& a, const ContactEvent& b) {
        return a.body_a != b.body_a ? a.body_a < b.body_a : a.body_b < b.body_b;
    };
    std::span<ContactEvent> sorted = world.arena.allocate<ContactEvent>(began.size());
    std::copy(began.begin(), began.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.end(), comes_before);
    std::erase_if(persists, [&](const ContactEvent& event) {
        return std::binary_search(sorted.begin(), sorted.end(), event, comes_before);
    });
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
    report.edges_touching = world.collide_report.sum.touching;
    report.edges_tested = world.collide_report.sum.tested;
    report.edges_followed = world.collide_report.sum.followed;
    report.edges_unchanged = world.collide_report.sum.unchanged;
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

// Contacts that came in fast, with the impulse the solve found. A contact that began just outside its surface may get
// its impulse a step later: it waits.
void report_hits(WorldData& world)
{
    std::erase_if(world.pending_hits, [&](const PendingHit& pending) {
        const int32_t index = find_edge(world.graph, pending.body_a, pending.body_b);
        if (index == none || !world.graph.edges[index].has(edge_is_touching))
            return true;
        const HitEvent hit = make_hit(world, world.graph.edges[index], pending.speed);
        if (hit.impulse > 0 && is_wanted(world, world.graph.edges[index], EventMask::hit))
            world.events.hits.push_back(hit);
        return hit.impulse > 0;
    });
}

void note_touch(WorldData& world, const Edge& edge, bool began)
{
    const bool is_trigger = is_of_trigger(world, edge);
    if (!is_wanted(world, edge, is_trigger ? EventMask::trigger : EventMask::touch))
        return;
    const QueuedKind kind = is_trigger ? (began ? QueuedKind::trigger_entered : QueuedKind::trigger_left)
                                       : (began ? QueuedKind::touch_began : QueuedKind::touch_ended);
    world.event_queue.push_back({event_of(world, edge), kind});
}

void note_proximity(WorldData& world, const Edge& edge, bool began)
{
    if (is_wanted(world, edge, EventMask::proximity))
        world.event_queue.push_back(
            {event_of(world, edge), began ? QueuedKind::proximity_began : QueuedKind::proximity_ended});
}

void note_sleep(WorldData& world, int32_t body, bool is_awake)
{
    if (world.bodies[body].wants(EventMask::sleep))
        world.pending_sleeps.push_back({world.bodies.id(body), is_awake});
}

void set_event_mask(Bodies& bodies, int32_t index, uint16_t events)
{
    forget_event_mask(bodies, index);
    Body& body = bodies[index];
    body.events = uint16_t((body.events & ~EventMask::all) | (events & EventMask::all));
    constexpr uint16_t persists = EventMask::touch_persists | EventMask::proximity_persists |
                                  EventMask::trigger_persists;
    if (body.wants(persists))
        bodies.listeners.insert(std::lower_bound(bodies.listeners.begin(), bodies.listeners.end(), index), index);
    bodies.fixed_triggers += body.has(body_is_trigger) && body.wants(EventMask::trigger_fixed);
}

void forget_event_mask(Bodies& bodies, int32_t index)
{
    Body& body = bodies[index];
    const auto found = std::lower_bound(bodies.listeners.begin(), bodies.listeners.end(), index);
    if (found != bodies.listeners.end() && *found == index)
        bodies.listeners.erase(found);
    bodies.fixed_triggers -= body.has(body_is_trigger) && body.wants(EventMask::trigger_fixed);
    body.events &= uint16_t(~EventMask::all);
}

void publish_events(WorldData& world, Step& s)
{
    report_hits(world);
    for (const Impact& i : world.responses.impacts)
        if (i.impulse != Vec3{})
            world.events.impacts.push_back(
                {world.bodies.id(i.body), world.bodies.id(i.other), i.point, i.impulse, i.energy});
    break_joints(world);
    hand_out(world);
    report_persisting(world);
    take_out_new(world, world.events.proximity_began, world.events.proximity_persists);
    take_out_new(world, world.events.touch_began, world.events.touch_persists);
    take_out_new(world, world.events.trigger_entered, world.events.trigger_persists);
    tick(world.time, world.timers, world.events.ticks);
    world.events.sleeps.insert(world.events.sleeps.end(), world.pending_sleeps.begin(), world.pending_sleeps.end());
    world.pending_sleeps.clear();
    world.events.merges.insert(world.events.merges.end(), world.pending_merges.begin(), world.pending_merges.end());
    world.pending_merges.clear();
    s.report.has_error |= world.pair_search.has_overflowed;
    count_contacts(world, s.report);
}

void clear(Events& events)
{
    events.proximity_began.clear();
    events.proximity_persists.clear();
    events.proximity_ended.clear();
    events.touch_began.clear();
    events.touch_persists.clear();
    events.touch_ended.clear();
    events.trigger_entered.clear();
    events.trigger_persists.clear();
    events.trigger_left.clear();
    events.ticks.clear();
    events.hits.clear();
    events.impacts.clear();
    events.sleeps.clear();
    events.merges.clear();
    events.joints_broken.clear();
    events.frozen.clear();
}

bool has_any(const Events& e)
{
    for (const auto* list :
         {&e.proximity_began, &e.proximity_persists, &e.proximity_ended, &e.touch_began, &e.touch_persists,
          &e.touch_ended, &e.trigger_entered, &e.trigger_persists, &e.trigger_left})
        if (!list->empty())
            return true;
    return !e.ticks.empty() || !e.hits.empty() || !e.impacts.empty() || !e.sleeps.empty() || !e.joints_broken.empty() ||
           !e.frozen.empty();
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
