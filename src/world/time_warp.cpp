#include "world/time_warp.h"

#include "dynamics/solver.h"
#include "world/activity.h"
#include "world/body_state.h"
#include "world/continuous.h"
#include "world/events.h"
#include "world/speed_ups.h"

#include <algorithm>

namespace moraine
{

namespace
{

// The lists that the step walks, of the warped movers alone. Swapped in, every phase works on them and on nothing else.
struct SmallWorld
{
    SlotList movers, edges, joints;
    Colouring colouring;
};

struct Warp
{
    WorldData& world;
    const Memory& memory;
    Step& s;
    std::vector<int32_t> members{};   // dynamic movers that are awake, group after group
    std::vector<int32_t> carriers{};  // kinematic movers around them
    std::vector<Pose> carrier_ends{}; // where these came to
    std::vector<int32_t> bad{};       // movers that are where they must not be
    std::vector<uint8_t> is_near{};   // by mover: in one of the groups, or asleep among them
    int groups = 0;
    SmallWorld small{};
};

// ---- what went wrong ----

// How far two movers came towards or past each other in the step.
float motion_between(const WorldData& world, int32_t a, int32_t b)
{
    const auto way = [&](int32_t m) {
        const Mover& mover = world.movers[m];
        const MoverVelocity& v = world.movers.velocities[size_t(m)];
        if (!mover.is_awake())
            return Vec3{};
        return v.shift;
    };
    const auto turn = [&](int32_t m) {
        const Mover& mover = world.movers[m];
        return mover.is_awake()
                   ? length(multiply(world.movers.masses[size_t(m)].factor, world.movers.velocities[size_t(m)].turn)) *
                         mover.radius
                   : 0.0f;
    };
    return length(way(a) - way(b)) + turn(a) + turn(b);
}

// Deep, and not because it was so all along.
bool is_illegal(const WorldData& world, const Edge& edge)
{
    const float depth = world.settings.warp_depth;
    for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
    {
        const Manifold& manifold = world.graph.manifolds[m];
        for (int i = 0; i < manifold.count; ++i)
            if (manifold.points[i].separation < -depth) // the first one is enough
                return motion_between(world, edge.mover_a, edge.mover_b) > 0.5f * depth;
    }
    return false;
}

void add_bad(Warp& warp, int32_t mover)
{
    if (warp.world.movers[mover].is_dynamic() && warp.world.movers[mover].is_awake())
        warp.bad.push_back(mover);
}

void find_deep(Warp& warp)
{
    for (int32_t e : warp.world.graph.awake)
    {
        const Edge& edge = warp.world.graph.edges[e];
        if (!is_illegal(warp.world, edge))
            continue;
        add_bad(warp, edge.mover_a);
        add_bad(warp, edge.mover_b);
    }
}

// Fast movers that would have met a moving one on their way. What stands has stopped them already.
void find_missed(Warp& warp)
{
    WorldData& world = warp.world;
    for (const Remembered& was : warp.memory.states)
    {
        const Mover& mover = world.movers[was.mover];
        if (!mover.is_awake() || mover.is_fast || !needs_continuous(mover, world.movers.velocities[size_t(was.mover)]))
            continue;
        const Aabb box = merge(mover.tight, mover_bounds(mover, was.pose));
        bool has_missed = false;
        world.movers.dynamic_tree.query(box, [&](int32_t other) {
            if (other != was.mover && world.movers[other].is_dynamic() &&
                meets_on_way(world, was.mover, was.pose, other))
            {
                has_missed = true;
                add_bad(warp, other);
            }
            return true;
        });
        if (has_missed)
            add_bad(warp, was.mover);
    }
}

// ---- whom it concerns ----

// Everything that can come near in this step: groups over all edges and joints, through sleepers too.
void gather_group(Warp& warp, int32_t first)
{
    WorldData& world = warp.world;
    std::vector<int32_t> queue{first};
    warp.is_near[size_t(first)] = 1;
    const auto visit = [&](int32_t body) {
        const int32_t mover = world.bodies[body].mover;
        if (warp.is_near[size_t(mover)] || world.movers[mover].type == BodyType::static_)
            return;
        warp.is_near[size_t(mover)] = 1;
        if (world.movers[mover].is_dynamic())
            queue.push_back(mover);
        else if (world.movers[mover].is_awake())
            warp.carriers.push_back(mover);
    };
    for (size_t i = 0; i < queue.size(); ++i)
    {
        if (world.movers[queue[i]].is_awake())
            warp.members.push_back(queue[i]);
        const int32_t body = world.movers[queue[i]].body;
        for_each_edge(body, world.bodies, world.graph,
                      [&](int32_t e) { visit(other_body(world.graph.edges[e], body)); });
        for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
            visit(world.joints[j].body_a == body ? world.joints[j].body_b : world.joints[j].body_a);
        });
    }
    ++warp.groups;
}

bool concerns(const Warp& warp, BodyId body)
{
    const WorldData& world = warp.world;
    if (!world.bodies.is_valid(body))
        return false;
    const int32_t mover = world.bodies[int32_t(body.index)].mover;
    return world.movers[mover].is_dynamic() && warp.is_near[size_t(mover)];
}

// ---- taking back ----

// The state of the edge before the event: the queue remembers what the edges have forgotten.
void undo(WorldData& world, const QueuedEvent& queued)
{
    const int32_t a = int32_t(queued.event.body_a.index), b = int32_t(queued.event.body_b.index);
    int32_t edge = find_edge(world.graph, a, b);
    const bool began = uint32_t(queued.kind) % 2 == 0;
    const bool is_proximity = queued.kind <= QueuedKind::proximity_ended;
    if (is_proximity && began && edge != none)
        return remove_edge(world, edge);
    if (edge == none && !began)
        edge = add_edge(world, {std::min(a, b), std::max(a, b)});
    if (edge != none && !is_proximity)
        world.graph.edges[edge].set(edge_is_touching, !began);
}

// Events since `first` of the groups go, last ones first, and the edges are as they were.
void take_back_events(Warp& warp, size_t first)
{
    WorldData& world = warp.world;
    std::vector<QueuedEvent> kept(world.event_queue.begin() + std::ptrdiff_t(first), world.event_queue.end());
    for (size_t i = kept.size(); i-- > 0;)
        if (concerns(warp, kept[i].event.body_a) || concerns(warp, kept[i].event.body_b))
        {
            undo(world, kept[i]);
            kept.erase(kept.begin() + std::ptrdiff_t(i));
        }
    world.event_queue.resize(first); // undoing has made some more
    world.event_queue.insert(world.event_queue.end(), kept.begin(), kept.end());
}

void take_back_mover(WorldData& world, const Remembered& was)
{
    Mover& mover = world.movers[was.mover];
    MoverVelocity& velocity = world.movers.velocities[size_t(was.mover)];
    mover.pose = was.pose;
    mover.quiet_time = was.quiet_time;
    velocity.linear = was.linear;
    velocity.spin = was.spin;
    update_tight(mover);
    if (!contains(world.movers.fat(mover), enlarge(mover.tight, pair_margin)))
        refit_mover(world.movers, was.mover, merge(world.movers.fat(mover), fat_bounds(mover, {}, 0)));
    mark_moved(world.movers, was.mover);
}

// ---- in and out of the small world ----

bool is_in(const SlotList& list, int32_t item, int32_t slot)
{
    return slot >= 0 && slot < list.size() && list[slot] == item;
}

// Out of the lists that are in the world now.
void take_out_edge(WorldData& world, int32_t e)
{
    Edge& edge = world.graph.edges[e];
    for_each_manifold(edge, world.graph, [&](int32_t m) {
        remove_contact(m, world.graph, world.movers[edge.mover_a], world.movers[edge.mover_b], world.colouring);
    });
    if (is_in(world.graph.awake, e, edge.awake_slot))
        world.graph.awake.remove(edge.awake_slot,
                                 [&](int32_t i) -> int32_t& { return world.graph.edges[i].awake_slot; });
}

void take_out_joint(WorldData& world, int32_t j)
{
    Joint& joint = world.joints[j];
    if (!is_in(world.joints.awake, j, joint.awake_slot))
        return;
    world.joints.awake.remove(joint.awake_slot, [&](int32_t i) -> int32_t& { return world.joints[i].awake_slot; });
    remove_joint(j, world.joints, mover_of(world, joint.body_a), mover_of(world, joint.body_b), world.colouring);
}

void take_out_mover(WorldData& world, int32_t m)
{
    const int32_t body = world.movers[m].body;
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) { take_out_edge(world, e); });
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) { take_out_joint(world, j); });
    world.movers.awake.remove(world.movers[m].awake_slot,
                              [&](int32_t i) -> int32_t& { return world.movers[i].awake_slot; });
}

void swap_lists(WorldData& world, SmallWorld& small)
{
    std::swap(world.movers.awake, small.movers);
    std::swap(world.graph.awake, small.edges);
    std::swap(world.joints.awake, small.joints);
    std::swap(world.colouring, small.colouring);
}

// Moves the movers from the lists in the world to the other ones, and puts these in.
void change_lists(Warp& warp, const std::vector<int32_t>& movers)
{
    WorldData& world = warp.world;
    for (int32_t m : movers)
        take_out_mover(world, m);
    swap_lists(world, warp.small);
    for (int32_t m : movers)
        world.movers.awake.add(m, world.movers[m].awake_slot);
    for (int32_t m : movers)
        refresh_body(world, world.movers[m].body);
}

// ---- small steps ----

Pose between(const Pose& a, const Pose& b, float f)
{
    const Vec3 turn = rotation_vector(b.rotation * conjugate(a.rotation));
    return {a.position + (b.position - a.position) * double(f), normalize(rotation_from_vector(turn * f) * a.rotation)};
}

void place_carriers(Warp& warp, float share)
{
    for (size_t i = 0; i < warp.carriers.size(); ++i)
    {
        const int32_t m = warp.carriers[i];
        const Remembered* was = warp.memory.find(m);
        Mover& mover = warp.world.movers[m];
        const Pose before = mover.pose;
        mover.pose = was && share < 1 ? between(was->pose, warp.carrier_ends[i], share) : warp.carrier_ends[i];
        update_tight(mover);
        MoverVelocity& velocity = warp.world.movers.velocities[size_t(m)];
        velocity.shift = velocity.turn = {};
        add_to_path(way_of(mover, before), velocity);
    }
}

// Pairs with those who are not in the groups wait for the next whole step.
void leave_out_strangers(Warp& warp)
{
    const WorldData& world = warp.world;
    const auto is_stranger = [&](int32_t body) {
        const int32_t m = world.bodies[body].mover;
        return world.movers[m].is_dynamic() && !warp.is_near[size_t(m)];
    };
    // What is left out stays so: where nothing has moved there was no new search.
    for (std::vector<BodyPair>& found : warp.world.pair_search.found)
        for (BodyPair& pair : found)
            if (pair.a != none && (is_stranger(pair.a) || is_stranger(pair.b)))
                pair = {};
}

void detect(WorldData& world, Warp* warp)
{
    find_pairs(world.bodies, world.graph, *world.tasks, world.movers, world.pair_search);
    if (warp)
        leave_out_strangers(*warp);
    update_contact_graph(world);
    collide(world.bodies, world.movers, collide_options(world.settings), *world.tasks, world.graph,
            world.collide_report);
    update_touching(world);
}

void scale_impulses(WorldData& world, float by)
{
    for (const std::vector<int32_t>& colour : world.colouring.contacts)
        for (int32_t m : colour)
        {
            Manifold& manifold = world.graph.manifolds[m];
            for (ContactPoint& point : manifold.points)
                point.impulse *= by;
            manifold.friction_impulse *= by;
            manifold.twist_impulse *= by;
            if (size_t(m) < world.graph.point_friction.size())
                for (auto& along : world.graph.point_friction[size_t(m)].along)
                    along[0] *= by, along[1] *= by;
        }
}

// The user's forces act during the whole step; every solve uses them up.
void apply_forces(Warp& warp)
{
    for (int32_t m : warp.members)
    {
        const Remembered* was = warp.memory.find(m);
        if (was && size_t(m) < warp.world.movers.forces.size())
            warp.world.movers.forces[size_t(m)] = was->force;
    }
}

void take_small_steps(Warp& warp, double start_time)
{
    WorldData& world = warp.world;
    const int count = world.settings.warp_steps;
    Step small;
    small.dt = warp.s.dt / float(count);
    for (int i = 0; i < count; ++i)
    {
        const ArenaScope scope(world.arena);
        world.time = start_time + double(i) * double(small.dt);
        place_carriers(warp, float(i) / float(count));
        detect(world, &warp);
        wake(world);
        apply_forces(warp);
        solve({solver_settings(world.settings), small.dt, *world.tasks, world.arena},
              {world.bodies, world.movers, world.graph, world.joints, world.colouring});
        report_hits(world);
        integrate_movers(world, small);
    }
    warp.s.report.has_error |= small.report.has_error;
    warp.s.report.warp_steps += count * warp.groups;
    world.time = start_time + double(warp.s.dt);
    place_carriers(warp, 1);
    detect(world, &warp);
}

void repeat(Warp& warp, size_t first_event)
{
    WorldData& world = warp.world;
    const double start_time = world.time - double(warp.s.dt);
    const bool has_sleepy = world.has_sleepy;
    const CollideCounts counts = world.collide_report.sum;
    for (int32_t m : warp.carriers)
        warp.carrier_ends.push_back(world.movers[m].pose);
    take_back_events(warp, first_event);
    std::erase_if(world.pending_hits, [&](const PendingHit& hit) {
        return concerns(warp, world.bodies.id(hit.body_a)) || concerns(warp, world.bodies.id(hit.body_b));
    });
    change_lists(warp, warp.members);
    for (int32_t m : warp.members)
        if (const Remembered* was = warp.memory.find(m))
            take_back_mover(world, *was);
    for (int32_t e : world.graph.awake)
        world.graph.edges[e].set(edge_is_new, true);
    scale_impulses(world, 1 / float(world.settings.warp_steps));
    take_small_steps(warp, start_time);
    scale_impulses(world, float(world.settings.warp_steps));
    // Sleepers that were touched have come in: all go home.
    const std::vector<int32_t> all(world.movers.awake.begin(), world.movers.awake.end());
    change_lists(warp, all);
    for (int32_t m : all)
        mark_moved(world.movers, m);
    world.has_sleepy |= has_sleepy;
    world.collide_report.sum = counts;
    warp.s.report.groups_warped += warp.groups;
}

MoverForce force_on(const WorldData& world, int32_t m)
{
    return size_t(m) < world.movers.forces.size() ? world.movers.forces[size_t(m)] : MoverForce{};
}

} // namespace

Memory remember(WorldData& world)
{
    Memory memory;
    // Collections change from step to step: with merging there is nothing to go back to.
    if (!world.settings.time_warp || world.settings.merging)
        return memory;
    memory.states = world.arena.allocate<Remembered>(size_t(world.movers.awake.size()));
    memory.place_of = world.arena.allocate<int32_t>(size_t(world.movers.movers.capacity()));
    for (int slot = 0; slot < world.movers.awake.size(); ++slot)
    {
        const int32_t m = world.movers.awake[slot];
        const MoverVelocity& v = world.movers.velocities[size_t(m)];
        memory.states[size_t(slot)] = {m,      world.movers[m].pose, v.linear,
                                       v.spin, force_on(world, m),   world.movers[m].quiet_time};
        memory.place_of[size_t(m)] = slot;
    }
    return memory;
}

void warp_time(WorldData& world, const Memory& memory, Step& s)
{
    if (memory.states.empty() || world.settings.proximity_only)
        return;
    const size_t first_event = world.event_queue.size();
    const CollideCounts counts = world.collide_report.sum; // the step's own
    detect(world, nullptr);
    world.collide_report.sum = counts;
    Warp warp{world, memory, s};
    find_deep(warp);
    find_missed(warp);
    if (warp.bad.empty())
        return;
    warp.is_near.resize(size_t(world.movers.movers.capacity()));
    for (int32_t m : warp.bad)
        if (!warp.is_near[size_t(m)])
            gather_group(warp, m);
    repeat(warp, first_event);
}

} // namespace moraine
