// Unmerging: the probe keeps the forces inside collections up to date, and where they can no longer hold a body it goes.
#include "graph/members.h"
#include "merge/blows.h"
#include "world/activity.h"
#include "world/collection_mass.h"
#include "world/collections.h"
#include "world/frame_loads.h"
#include "world/glue.h"
#include "world/joint_bonds.h"
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

// Who touches something outside, and who did until now.
void gather(WorldData& world, int32_t body)
{
    if (const int32_t index = world.collections.merged(body); index != none)
        gather_body(index, world.step_count, world.collections);
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
        c.bodies[index].is_hit |= !poke.is_force;
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
    watch_collection(world, m.collection);
    m.outer = m.seen;
    m.turn_outer = m.turn_seen;
    sum_forces(world.collections, m);
}

// What touches a body that has just come finds its balance anew, now that this one does not give way any more: for some
// steps forces from outside are taken for what they were when it was seen to rest, if they are no blow.
bool gets_used(const WorldData& world, const ProbeLimits& limits, const MergedBody& m)
{
    return uint32_t(world.step_count) <= m.young_until && m.is_gathered && !m.is_jointed &&
           size_of(m, m.now - m.outer, m.turn_now - m.turn_outer) < thrown * miss_of(limits, m);
}

void take_forces(WorldData& world, MergedBody& m)
{
    const Vec3 left = (m.now - m.outer) * m.inv_mass, turn_left = turn_by(m, m.turn_now - m.turn_outer);
    m.seen = m.now;
    m.turn_seen = m.turn_now;
    believe_forces(world, m);
    accept(left, turn_left, m);
}

// Collections that something free touches, now or not long ago, are judged less strictly: see merge_limits.h.
void note_touches(WorldData& world)
{
    constexpr uint8_t long_ago = 60; // steps
    Collections& c = world.collections;
    for (int32_t index : c.gathered)
    {
        const MergedBody& m = c.bodies[index];
        if (m.level == 0 || m.is_jointed || !(length_squared(m.now) > 0))
            continue;
        c.pool[m.collection].touched = long_ago + 1;
        add_noise(world, m.collection, length(m.now));
    }
    std::erase_if(c.noisy, [&](int32_t index) {
        judge_noise(world, index, has_new_load(world, index));
        if (--c.pool[index].touched == 0)
            end_noise(world, index);
        return c.pool[index].touched == 0;
    });
}

// A contact that has just begun, or an impulse: is it felt in this step and the next alone? What lasts is believed then.
bool is_struck(const ProbeLimits& limits, MergedBody& m)
{
    constexpr int longest = 2; // steps: what would stop the approach, and what the solve makes of it
    const bool rises = length_squared(m.now) > length_squared(m.outer);
    const bool is_hit = limits.in_order && !m.is_jointed && rises &&
                        size_of(m, m.now - m.outer, m.turn_now - m.turn_outer) > thrown * miss_of(limits, m);
    m.struck = is_hit ? uint8_t(m.struck + 1) : uint8_t(0);
    return is_hit && m.struck <= longest;
}

// On what drives about, where another load will ask how the body is held. On ground that does not move it stays as it is, and in a
// pile that is hit such changes would only part what rests.
bool is_push_over(const WorldData& world, const MergedBody& m)
{
    return mover_of(world, m.body).type == BodyType::kinematic &&
           length_squared(m.seen) < 0.25f * length_squared(m.outer);
}

// Bodies whose outer forces have changed by more than a solver wobbles are out of balance.
void apply_forces(WorldData& world, const ProbeLimits& limits, float dt)
{
    Collections& c = world.collections;
    gather_outer_forces(world);
    note_touches(world);
    add_pokes(world, dt);
    for (int32_t index : c.gathered)
    {
        MergedBody& m = c.bodies[index];
        if (is_dormant(world, m))
            continue;
        m.is_gathered = m.level > 0 && (length_squared(m.now) + length_squared(m.turn_now) > 0 || m.is_jointed);
        if (m.level == 0)
            continue;
        if (gets_used(world, limits, m))
        {
            take_forces(world, m);
            continue;
        }
        if (is_struck(limits, m))
        {
            const bool is_hit = m.is_hit || m.stopped * m.inv_mass > thrown * miss_of(limits, m) ||
                                is_pushed_by_moving(world, m.body, unmerge_speed_of(world, m.body));
            c.blows.struck.push_back({index, (m.now - m.outer) * dt, (m.turn_now - m.turn_outer) * dt, is_hit});
            continue;
        }
        follow_forces(limits, m);
        const float ignored = (m.is_jointed ? 1 : wobble) * miss_of(limits, m);
        if (m.is_gathered && size_of(m, m.seen - m.outer, m.turn_seen - m.turn_outer) < ignored)
            continue;
        const bool is_over = is_push_over(world, m);
        believe_forces(world, m);
        if (is_restless(limits, m))
            is_over ? queue_released(index, c) : queue_body(index, c);
    }
    std::erase_if(c.gathered, [&](int32_t index) { return !c.bodies[index].is_gathered; });
}

DVec3 center_of(const WorldData& world, int32_t body)
{
    return apply(mover_of(world, body).pose, world.bodies[body].pose_in_mover.position);
}

// ---- cutting ----

WeldState state_of(const WorldData& world, const Edge& edge)
{
    WeldState state;
    for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
        if (world.graph.manifolds[m].colour < 0 && world.graph.manifolds[m].slot >= 0)
            judge_weld(world.collections, world.graph.manifolds[m].slot, state);
    return state;
}

// How fast a blow must leave a body to set it free. When somebody who has been there, and hardly moves, pushes harder, that
// has moved the collection already, and what lasts of it is for the probe: it is a blow where it does more than gravity.
float blown_speed(const WorldData& world, const Blow& blow, float dt)
{
    const float speed = unmerge_speed_of(world, world.collections.bodies[blow.merged].body);
    return blow.is_hit ? speed : std::max(speed, length(world.settings.gravity) * dt);
}

// Whom the blows of this step move leaves. It has not failed to rest: nothing is learned from that.
int cut_blown(WorldData& world, float dt)
{
    Collections& c = world.collections;
    c.blows.bodies.clear();
    for (const Blow& blow : c.blows.struck)
        find_blown(blow, blown_speed(world, blow, dt), dt, c);
    c.blows.struck.clear();
    int count = 0;
    for (int32_t merged : c.blows.bodies)
        for_each_edge(c.bodies[merged].body, world.bodies, world.graph, [&](int32_t e) {
            if (!world.graph.edges[e].has(edge_is_merged))
                return;
            cut_edge(world, e);
            world.graph.edges[e].is_cut = false;
            ++count;
        });
    return count;
}

// Counts the steps in which the edge looks as if it would not hold. True when it is to be cut.
bool has_failed(WorldData& world, int32_t index, const ProbeLimits& limits)
{
    Edge& edge = world.graph.edges[index];
    MergeDef own;
    const MergeDef& def = merge_def_of(world, edge, own);
    float rest = limits.rest * (def.rest / world.settings.merge.rest);
    for (int32_t body : {edge.body_a, edge.body_b})
        if (const int32_t m = world.collections.merged(body); m != none)
            rest = std::max(rest, slack_of(limits, world.collections.bodies[m]));
    const WeldState state = state_of(world, edge);
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

// Who is set free from a carrier that has stopped is held against where it is, and not where another step like the last
// would take it. Not when it stops: one that is told in every step where to be goes on as it did.
void hold_still(WorldData& world)
{
    for (int32_t mover : world.collections.reload)
        if (!world.movers[mover].is_awake())
            world.movers.velocities[size_t(mover)].shift = world.movers.velocities[size_t(mover)].turn = {};
}

// Only now: who was cut off left with the velocity that the carrier had before.
void remember_carriers(WorldData& world)
{
    for (int32_t mover : world.movers.awake)
        if (world.movers[mover].has_members() && !world.movers[mover].is_dynamic())
            remember_motion(world, mover);
    // What has just stopped is looked at twice: with the load of its stop, and when that is over.
    std::erase_if(world.collections.reload, [&](int32_t mover) {
        if (!world.movers[mover].has_members() || world.movers[mover].is_awake())
            return true;
        const Members& members = world.movers.members[world.movers[mover].members];
        const bool was_moving = members.last_linear != Vec3{} || members.last_angular != Vec3{};
        remember_motion(world, mover);
        return !was_moving;
    });
}

// On ground that does not move, or asleep: who would be gone by now if it had to go waits until something disturbs it.
bool is_left_alone(const WorldData& world, const MergedBody& m)
{
    constexpr int long_enough = 24; // runs, twice those that it takes to cut
    return m.tired >= long_enough && !mover_of(world, m.body).is_awake();
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
    hold_still(world);
    if (c.merged_count == 0)
        c.reload.clear();
    if (c.merged_count > 0)
    {
        const ProbeLimits limits = probe_limits(world);
        for (int i = 0; i < rounds; ++i)
        {
            s.report.unmerges += cut_blown(world, s.dt) + break_glue(world) + cut_failed(world, limits);
            s.report.unmerges += cut_joints(world, limits);
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
                if (!is_left_alone(world, c.bodies[m]))
                    queue_body(m, c);
        c.uneasy.clear();
    }
    apply_pokes(world, s.dt);
    s.report.bodies_merged = c.merged_count;
    s.report.collections = c.pool.count();
    s.report.contacts_internal = c.point_count;
}

} // namespace moraine
