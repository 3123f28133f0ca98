// Unmerging: the probe keeps the forces inside collections up to date, and where they can no longer hold a body it goes.
#include "graph/members.h"
#include "merge/response.h"
#include "world/activity.h"
#include "world/collection_mass.h"
#include "world/collections.h"
#include "world/glue.h"
#include "world/merge_limits.h"
#include "world/step.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr float thrown = 80;       // times what a solver misses: no wobble of a solver, but a blow or a lost support
constexpr float follow = 0.25f;    // of a small change of a force from outside that is believed in one step
constexpr float wobble = 10;       // times what a solver misses: smaller changes are not followed at all
constexpr int bodies_a_step = 400; // whose response is sought: that can wait, and must not be felt
constexpr int rounds = 4;          // of probe and cut in one step: who leaves may take others along

// Bounds how much the loads of the members have changed.
float change_of(const Collection& c, const FrameLoad& now)
{
    const FrameLoad& then = c.load;
    const Vec3 turn = now.turn_acceleration - then.turn_acceleration;
    const auto at_center = [&](const FrameLoad& l) {
        return l.gravity - l.acceleration - cross(l.turn_acceleration, c.center) -
               cross(l.turn, cross(l.turn, c.center));
    };
    const float spin = std::fabs(length_squared(now.turn) - length_squared(then.turn)) +
                       length(now.turn - then.turn) * length(now.turn);
    return length(at_center(now) - at_center(then)) + (length(turn) + spin) * (c.extent + 0.5f);
}

// The measured acceleration of a free collection wobbles with the solver.
FrameLoad smooth(const FrameLoad& last, FrameLoad now, float rest)
{
    const Vec3 change = now.acceleration - last.acceleration, turn = now.turn_acceleration - last.turn_acceleration;
    if (length(change) > thrown * rest)
        return now;
    now.acceleration = last.acceleration + change * follow;
    now.turn_acceleration = last.turn_acceleration + turn * follow;
    return now;
}

void reload(WorldData& world, int32_t index, const FrameLoad& load, const ProbeLimits& limits)
{
    Collections& c = world.collections;
    c.pool[index].load = load;
    for (int32_t body : c.pool[index].members)
    {
        MergedBody& m = c.bodies[c.merged(body)];
        set_load(world.bodies, load, m);
        sum_forces(c, m);
    }
    probe_collection(limits, index, c);
}

// A force from outside has changed.
void watch(WorldData& world, int32_t index)
{
    Collection& c = world.collections.pool[index];
    c.quiet = {};
    if (!c.is_certified)
        return;
    c.is_certified = false;
    world.movers.members[world.movers[c.mover].members].watched.push_back(index);
}

// Outside its range the mover must be looked at again, with all that it carries. A wide range is hard to hold in: now and
// then, and ever more seldom, it becomes what the load has really been in.
void update_range(WorldData& world, const LoadTerms& load, const Mover& mover, Members& members)
{
    constexpr int first_memory = 120, longest_memory = 2000;
    include(load, members.recent);
    const bool is_old = ++members.recent_steps >= std::max(members.memory, first_memory);
    const bool is_wide = is_old && !members.watched.empty();
    if (is_in_range(members.range, load) && !is_wide)
        return;
    const float gravity = std::max(length(world.settings.gravity), 1.0f);
    const float reach = std::max(length(max(abs(mover.bounds.lower), abs(mover.bounds.upper))), 1.0f);
    members.range = is_wide ? widened(members.recent, gravity, reach) : grown(members.range, load, gravity, reach);
    if (is_old)
    {
        members.memory = std::min(2 * members.recent_steps, longest_memory);
        members.recent = {};
        members.recent_steps = 0;
    }
    members.watched = members.collections;
    for (int32_t index : members.watched)
        world.collections.pool[index].is_certified = false;
}

bool is_at_rest(const WorldData& world, int32_t index)
{
    const Collections& c = world.collections;
    return std::ranges::none_of(c.queue, [&](int32_t m) { return c.bodies[m].collection == index; });
}

LoadRange range_around(const LoadTerms& middle, const LoadTerms& half, float share)
{
    LoadRange range;
    for (size_t k = 0; k < load_terms; ++k)
    {
        range.lower[k] = middle[k] - share * half[k];
        range.upper[k] = middle[k] + share * half[k];
    }
    return range;
}

// How far may the load go? Through the whole range of the mover, or a part of it, or at least around where it is.
void find_room(WorldData& world, int32_t index, const LoadTerms& load, const ProbeLimits& limits,
               const LoadRange& range)
{
    constexpr float safe = 0.98f, least = 0.02f;
    Collection& c = world.collections.pool[index];
    LoadTerms middle, half;
    for (size_t k = 0; k < load_terms; ++k)
    {
        middle[k] = 0.5f * (range.lower[k] + range.upper[k]);
        half[k] = 0.5f * (range.upper[k] - range.lower[k]);
    }
    const float room = room_around(world.collections, limits, index, middle, half);
    c.is_certified = room >= 1;
    c.quiet = {};
    if (c.is_certified)
        return;
    if (room > least)
        c.quiet = range_around(middle, half, safe * room);
    if (is_in_range(c.quiet, load))
        return;
    const float near = std::min(room_around(world.collections, limits, index, load, half), 1.0f);
    c.quiet = near > least ? range_around(load, half, safe * near) : LoadRange{};
}

// True if there is a response now. `budget` is of bodies.
bool seek_response(WorldData& world, int32_t index, const ProbeLimits& limits, int& budget)
{
    constexpr double work_a_step = 1e5; // what has been there for long may cost more
    constexpr double urgent_work = 1e6;
    constexpr int pause = 8;
    Collection& c = world.collections.pool[index];
    c.age = uint16_t(std::min(c.age + 1, 60000));
    if (c.wait > 0)
        --c.wait;
    // Before bodies that the probe finds no forces for are given up, it is not put off for its cost.
    const bool is_urgent = !c.response.is_known() && c.failures == 0 && c.age >= 2 && !is_at_rest(world, index);
    if ((c.wait > 0 && !is_urgent) || budget <= 0)
        return false;
    budget -= int(c.members.size());
    const ResponseSearch search = find_response(world.bodies, limits, is_urgent ? urgent_work : c.age * work_a_step,
                                                index, world.collections);
    c.wait = pause;
    if (search.is_found)
        c.failures = 0;
    else if (search.work > 0 && is_urgent)
        c.failures = 1; // not again before its members change, or it has waited
    else if (search.work > 0)
        c.wait = uint8_t(std::min(search.work / work_a_step - c.age + 1, 250.0));
    else
    {
        c.failures = uint8_t(std::min(c.failures + 1, 5));
        c.wait = uint8_t((pause << c.failures) - 1);
    }
    return search.is_found;
}

void look_at(WorldData& world, int32_t index, const FrameLoad& load, const LoadTerms& terms, const ProbeLimits& limits,
             const LoadRange& range, int& budget)
{
    Collection& c = world.collections.pool[index];
    if (is_in_range(c.quiet, terms))
        return;
    if (c.response.is_known())
    {
        follow_load(world.bodies, limits, load, index, world.collections);
        if (is_at_rest(world, index))
        {
            find_room(world, index, terms, limits, range);
            return;
        }
    }
    else if (change_of(c, load) > limits.rest)
        reload(world, index, load, limits);
    // Also for those that the probe finds no forces for: looking at all at once may.
    if (seek_response(world, index, limits, budget))
        find_room(world, index, terms, limits, range);
}

// Gravity and the motion of the frame, where they have changed.
void update_frame(WorldData& world, int32_t mover, const ProbeLimits& limits, int& budget)
{
    Members& members = world.movers.members[world.movers[mover].members];
    const FrameLoad measured = frame_load(world, mover);
    FrameLoad load = measured;
    if (world.movers[mover].is_dynamic())
    {
        remember_motion(world, mover);
        Collection& c = world.collections.pool[members.collections[0]];
        if (c.fresh_steps > 0 && --c.fresh_steps > 0)
            return;
        if (is_finite(c.load.gravity))
            load = smooth(members.load, measured, limits.rest);
    }
    members.load = load;
    const LoadTerms terms = terms_of(load);
    update_range(world, terms, world.movers[mover], members);
    for (int32_t index : members.watched)
        look_at(world, index, load, terms, limits, members.range, budget);
    std::erase_if(members.watched, [&](int32_t index) { return world.collections.pool[index].is_certified; });
}

// Who touches something outside, and who did until now.
void gather(WorldData& world, int32_t body)
{
    Collections& c = world.collections;
    const int32_t index = c.merged(body);
    if (index == none || c.bodies[index].is_gathered || c.bodies[index].level == 0)
        return; // who bears all others is judged by nobody
    c.bodies[index].is_gathered = true;
    c.gathered.push_back(index);
}

void gather_forces(WorldData& world)
{
    Collections& c = world.collections;
    for (int32_t e : world.collide_report.outer)
        for (int32_t body : {world.graph.edges[e].body_a, world.graph.edges[e].body_b})
            gather(world, body);
    for (const Poke& poke : c.pokes)
        gather(world, poke.body);
}

void add_pokes(WorldData& world, float dt)
{
    Collections& c = world.collections;
    for (const Poke& poke : c.pokes)
    {
        const int32_t index = c.merged(poke.body);
        if (index == none)
            continue;
        const float rate = poke.is_force ? 1.0f : 1 / dt;
        const Quat axes = mover_of(world, poke.body).pose.rotation;
        c.bodies[index].now += inverse_rotate(axes, poke.impulse * rate);
        c.bodies[index].turn_now += inverse_rotate(axes, poke.turn_impulse * rate);
    }
}

float size_of(const MergedBody& m, Vec3 force, Vec3 torque)
{
    return length(force) * m.inv_mass + length(turn_by(m, torque)) * m.radius;
}

// Blows, joints and what ends are believed at once, small changes of contact forces slowly.
void follow_forces(const ProbeLimits& limits, MergedBody& m)
{
    const Vec3 force = m.now - m.seen, torque = m.turn_now - m.turn_seen;
    const bool is_small = m.is_gathered && !m.is_jointed && size_of(m, force, torque) < thrown * miss_of(limits, m);
    m.seen += force * (is_small ? follow : 1.0f);
    m.turn_seen += torque * (is_small ? follow : 1.0f);
}

void believe_forces(WorldData& world, MergedBody& m)
{
    bring_forces_up(world, m.collection);
    watch(world, m.collection);
    m.outer = m.seen;
    m.turn_outer = m.turn_seen;
    sum_forces(world.collections, m);
}

// What touches a body that has just come finds its balance anew, now that this one does not give way any more: for some
// steps forces from outside are taken for what they were when it was seen to rest, if they are no blow.
bool gets_used(const ProbeLimits& limits, MergedBody& m)
{
    if (m.young == 0)
        return false;
    --m.young;
    return m.is_gathered && !m.is_jointed &&
           size_of(m, m.now - m.outer, m.turn_now - m.turn_outer) < thrown * miss_of(limits, m);
}

void take_forces(WorldData& world, MergedBody& m)
{
    const Vec3 rest = m.rest, turn_rest = m.turn_rest;
    m.seen = m.now;
    m.turn_seen = m.turn_now;
    believe_forces(world, m);
    accept(m.rest - rest, m.turn_rest - turn_rest, m);
}

// Bodies whose outer forces have changed by more than a solver wobbles are out of balance.
void apply_forces(WorldData& world, const ProbeLimits& limits, float dt)
{
    Collections& c = world.collections;
    for (int32_t index : c.gathered)
        set_outer_forces(world, c.bodies[index]);
    add_pokes(world, dt);
    for (int32_t index : c.gathered)
    {
        MergedBody& m = c.bodies[index];
        m.is_gathered = m.level > 0 && (length_squared(m.now) + length_squared(m.turn_now) > 0 || m.is_jointed);
        if (m.level == 0)
            continue;
        if (gets_used(limits, m))
        {
            take_forces(world, m);
            continue;
        }
        follow_forces(limits, m);
        const float ignored = (m.is_jointed ? 1 : wobble) * miss_of(limits, m);
        if (m.is_gathered && size_of(m, m.seen - m.outer, m.turn_seen - m.turn_outer) < ignored)
            continue;
        believe_forces(world, m);
        if (is_restless(limits, m))
            queue_body(index, c);
    }
    std::erase_if(c.gathered, [&](int32_t index) { return !c.bodies[index].is_gathered; });
}

DVec3 center_of(const WorldData& world, int32_t body)
{
    return apply(mover_of(world, body).pose, world.bodies[body].pose_in_mover.position);
}

// ---- cutting ----

// Counts the steps in which the edge looks as if it would not hold. True when it is to be cut.
bool has_failed(WorldData& world, int32_t index, const ProbeLimits& limits)
{
    Edge& edge = world.graph.edges[index];
    MergeDef own;
    const MergeDef& def = merge_def_of(world, edge, own);
    float rest = limits.rest * (def.rest / world.settings.merge.rest);
    for (int32_t body : {edge.body_a, edge.body_b})
        if (const int32_t m = world.collections.merged(body); m != none)
            rest = std::max(rest, miss_of(limits, world.collections.bodies[m]));
    WeldState state;
    for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
        if (world.graph.manifolds[m].colour < 0 && world.graph.manifolds[m].slot >= 0)
            judge_weld(world.collections, world.graph.manifolds[m].slot, state);
    if (state.is_magnet || state.motion <= rest)
    {
        edge.steps = 0;
        return false;
    }
    const bool is_broken = def.cuts_broken && !state.is_active;
    const bool slides = def.cuts_sliding && state.is_active && state.is_at_bound && state.slip > rest;
    const bool pivots = def.cuts_pivots && state.active_points < 3;
    // What is thrown off goes at once; what only seems to move may still find its balance.
    if ((is_broken || slides) && state.motion > thrown * rest)
        return true;
    // A run that ended before all were looked at gets twice as long, but not for ever: where much gives way at once, as on
    // a deck full of stacks that is jerked away, none of its runs comes to an end.
    const int looks = is_broken || slides || pivots ? (def.unmerge_steps + 1) / 2 : 2 * def.unmerge_steps;
    const int patience = world.collections.is_exhausted ? 2 * looks : looks;
    edge.steps = uint8_t(std::min(edge.steps + 1, 255));
    return int(edge.steps) >= patience;
}

// Who was stable only together with what is gone goes too, and so on.
void cut_unstable(WorldData& world, std::vector<int32_t>& cut)
{
    for (size_t i = 0; i < cut.size(); ++i)
        for (int32_t body : {world.graph.edges[cut[i]].body_a, world.graph.edges[cut[i]].body_b})
            for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
                const Edge& edge = world.graph.edges[e];
                if (!edge.has(edge_is_merged) || is_stable(world, edge, edge_is_merged))
                    return;
                cut_edge(world, e);
                cut.push_back(e);
            });
}

int cut_failed(WorldData& world, const ProbeLimits& limits)
{
    Collections& c = world.collections;
    std::vector<int32_t>& failed = world.merge_edges;
    failed.clear();
    for (int32_t index : c.restless)
        for_each_edge(c.bodies[index].body, world.bodies, world.graph, [&](int32_t e) {
            const Edge& edge = world.graph.edges[e];
            // Both of its bodies may be restless: the one with the smaller index asks.
            const int32_t other = c.merged(other_body(edge, c.bodies[index].body));
            const bool is_asked = other != none && other < index && std::ranges::binary_search(c.restless, other);
            if (edge.has(edge_is_merged) && !is_asked && has_failed(world, e, limits))
                failed.push_back(e);
        });
    for (int32_t e : failed)
        cut_edge(world, e);
    if (world.settings.merge.checks_cycles)
        cut_unstable(world, failed);
    return int(failed.size());
}

// Only now: who was cut off left with the velocity that the carrier had before.
void remember_carriers(WorldData& world)
{
    for (int32_t mover : world.movers.awake)
        if (world.movers[mover].has_members() && !world.movers[mover].is_dynamic())
            remember_motion(world, mover);
    for (int32_t mover : world.collections.reload)
        if (world.movers[mover].has_members())
            remember_motion(world, mover);
    world.collections.reload.clear();
}

void apply_pokes(WorldData& world, float dt)
{
    for (const Poke& poke : world.collections.pokes)
    {
        const int32_t mover = world.bodies[poke.body].mover;
        const Mover& m = world.movers[mover];
        if (!m.is_dynamic())
            continue;
        const float time = poke.is_force ? dt : 1.0f;
        const Vec3 impulse = poke.impulse * time;
        const Vec3 arm = relative(center_of(world, poke.body), m.pose.position);
        const Vec3 turn = poke.turn_impulse * time + cross(arm, impulse);
        MoverVelocity& v = world.movers.velocities[size_t(mover)];
        const MoverMass& mass = world.movers.masses[size_t(mover)];
        v.linear += impulse * mass.inv_mass;
        v.spin += transpose_multiply(mass.factor, inverse_rotate(m.pose.rotation, turn));
    }
    world.collections.pokes.clear();
}

} // namespace

void bring_forces_up(WorldData& world, int32_t index)
{
    const Collection& c = world.collections.pool[index];
    if (!c.response.is_known() || c.mover == none)
        return;
    const FrameLoad& load = world.movers.members[world.movers[c.mover].members].load;
    if (is_finite(c.load.gravity) && terms_of(load) != terms_of(c.load))
        follow_load(world.bodies, probe_limits(world), load, index, world.collections);
}

void probe_collections(WorldData& world, Step& s)
{
    if (world.collections.merged_count == 0)
        return;
    const ProbeLimits limits = probe_limits(world);
    int budget = bodies_a_step;
    for (int32_t mover : world.movers.awake)
        if (world.movers[mover].has_members())
            update_frame(world, mover, limits, budget);
    for (int32_t mover : world.collections.reload)
        if (world.movers[mover].has_members())
            update_frame(world, mover, limits, budget);
    gather_forces(world);
    apply_forces(world, limits, s.dt);
    run_probe(probe_limits(world), world.collections);
}

void unmerge(WorldData& world, Step& s)
{
    Collections& c = world.collections;
    if (c.merged_count > 0)
    {
        const ProbeLimits limits = probe_limits(world);
        for (int i = 0; i < rounds; ++i)
        {
            s.report.unmerges += break_glue(world) + cut_failed(world, limits);
            if (c.cut.empty())
                break;
            c.uneasy.reserve(size_t(rounds * c.bodies.capacity())); // once, and not again in the midst of a run
            c.uneasy.insert(c.uneasy.end(), c.restless.begin(), c.restless.end());
            settle_collections(world);
            run_probe(probe_limits(world), c);
        }
        remember_carriers(world);
        // Who could not be held but was not cut either is looked at again in the next step.
        for (const std::vector<int32_t>* list : {&c.restless, &c.uneasy})
            for (int32_t m : *list)
                queue_body(m, c);
        c.uneasy.clear();
    }
    apply_pokes(world, s.dt);
    s.report.bodies_merged = c.merged_count;
    s.report.collections = c.pool.count();
    s.report.contacts_internal = c.point_count;
}

} // namespace moraine
