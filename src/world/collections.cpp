#include "world/collections.h"

#include "base/assert.h"
#include "graph/members.h"
#include "merge/probe.h"
#include "world/activity.h"
#include "world/body_store.h"
#include "world/collection_mass.h"
#include "world/membership.h"
#include "world/merge_limits.h"

#include <algorithm>

namespace moraine
{

using namespace membership;

namespace
{

// A static mover around a group that has come to rest on static bodies.
int32_t create_static_mover(WorldData& world, int32_t body)
{
    const int32_t index = create_mover(world);
    Mover& mover = world.movers[index];
    mover.type = BodyType::static_;
    mover.body = body;
    mover.pose = {pose_of(world, body).position, {}};
    mover.inner_radius = infinity;
    world.movers.masses.set(size_t(index), {.factor = {1, 0, 1, 0, 0, 1}});
    mover.members = world.movers.members.create();
    return index;
}

// All of a group leave their old collection, if they had one.
void disband(WorldData& world, std::span<const int32_t> bodies)
{
    const int32_t old = world.collections.collection_of(bodies[0]);
    if (old == none)
        return;
    for (int32_t body : bodies)
        take_from(world, body);
    destroy_collection(world, old);
}

void anchor(WorldData& world, std::span<const int32_t> bodies, int32_t carrier)
{
    wake_mover(world, world.bodies[bodies[0]].mover);
    disband(world, bodies);
    int32_t mover = world.bodies[carrier].mover;
    if (world.bodies[carrier].type == BodyType::static_)
        mover = create_static_mover(world, bodies[0]);
    else
        open_mover(world, mover);
    const int32_t index = create_collection(world, mover, true);
    enter(world, bodies, index);
    report_change(world, bodies, true);
    refresh_bodies(world, bodies);
    world.collections.pool[index].load = frame_load(world, mover);
    welcome(world, index, bodies, true);
}

// The bodies of `from` join the collection of `into`, which is anchored.
void join_anchored(WorldData& world, std::span<const int32_t> from, int32_t into)
{
    wake_mover(world, world.bodies[from[0]].mover);
    const bool was_awake = mover_of(world, from[0]).is_awake();
    disband(world, from);
    enter(world, from, into);
    report_change(world, from, was_awake);
    refresh_bodies(world, from);
    welcome(world, into, from, true);
}

// Groups that are done with wait for the next ones, so that their memory is used again.
JoinedGroup& create_joined(WorldData& world)
{
    std::vector<JoinedGroup>& spare = world.collections.scratch.spare_groups;
    if (spare.empty())
        return world.joined.emplace_back();
    world.joined.push_back(std::move(spare.back()));
    spare.pop_back();
    return world.joined.back();
}

void release_joined(WorldData& world)
{
    JoinedGroup& group = world.joined.back();
    group.came.clear();
    group = {.came = std::move(group.came)};
    world.collections.scratch.spare_groups.push_back(std::move(group));
    world.joined.pop_back();
}

// Two free groups become one, with their momenta. What costs as much as the collection is large waits for the last of
// those that join in this step: see finish_joins.
void join_free(WorldData& world, std::span<const int32_t> few, std::span<const int32_t> many)
{
    wake_mover(world, world.bodies[few[0]].mover);
    wake_mover(world, world.bodies[many[0]].mover);
    const int32_t mover = world.bodies[many[0]].mover;
    int32_t index = world.collections.collection_of(many[0]);
    JoinedGroup* group = index == none ? nullptr : find_joined(world, index);
    const Momentum before = momentum_of(world, few);
    if (!group)
    {
        const Momentum own = index == none ? momentum_of(world, many) : momentum_of_mover(world, mover);
        group = &create_joined(world);
        group->momentum = own;
    }
    group->momentum = sum_of(group->momentum, before);
    disband(world, few);
    if (index == none)
    {
        open_mover(world, mover);
        index = create_collection(world, mover, false);
        release_rows(world, many[0]);
        enter(world, many, index);
        group->came.push_back(many[0]);
    }
    group->collection = index;
    group->came.insert(group->came.end(), few.begin(), few.end());
    enter(world, few, index);
}

void finish(WorldData& world, const JoinedGroup& group)
{
    const int32_t index = group.collection;
    const std::vector<int32_t>& members = world.collections.pool[index].members;
    const int32_t mover = world.collections.pool[index].mover;
    const Vec3 shift = set_collection_mass(world, mover, members);
    refresh_bodies(world, group.came);
    recenter(world, mover, shift);
    set_momentum(world, mover, group.momentum);
    fit_mover(world, mover);
    welcome(world, index, group.came, true);
    start_afresh(world, index);
}

// Before the bodies of a collection go elsewhere.
void finish_collection(WorldData& world, int32_t index)
{
    for (size_t i = 0; i < world.joined.size(); ++i)
        if (world.joined[i].collection == index)
        {
            std::rotate(world.joined.begin() + ptrdiff_t(i), world.joined.begin() + ptrdiff_t(i) + 1,
                        world.joined.end());
            finish(world, world.joined.back());
            release_joined(world);
            return;
        }
}

void unify(WorldData& world, int32_t body_a, int32_t body_b)
{
    Collections& c = world.collections;
    const int32_t ca = c.collection_of(body_a), cb = c.collection_of(body_b);
    if (ca != none && ca == cb)
        return;
    const std::span<const int32_t> a = group_of(world, body_a, c.scratch.group_a),
                                   b = group_of(world, body_b, c.scratch.group_b);
    const bool anchored_a = is_anchored(world, body_a), anchored_b = is_anchored(world, body_b);
    const bool moves_b = anchored_a ? !anchored_b || a.size() >= b.size()
                                    : !anchored_b && (a.size() > b.size() || (a.size() == b.size() && body_a < body_b));
    finish_collection(world, moves_b ? cb : ca);
    if (anchored_a || anchored_b)
        join_anchored(world, moves_b ? b : a, moves_b ? ca : cb);
    else
        join_free(world, moves_b ? b : a, moves_b ? a : b);
}

} // namespace

bool may_merge(const WorldData& world, int32_t body_a, int32_t body_b)
{
    const Body& a = world.bodies[body_a];
    const Body& b = world.bodies[body_b];
    return !((a.flags | b.flags) & (body_is_trigger | body_is_frozen | body_is_passive)) && a.has(body_can_merge) &&
           b.has(body_can_merge) && !is_ruled(world.bodies, world.graph.rules, body_a, body_b, RuleKind::never_merge);
}

bool can_join(const WorldData& world, const Edge& edge)
{
    if (!may_merge(world, edge.body_a, edge.body_b))
        return false;
    const Body& a = world.bodies[edge.body_a];
    const Body& b = world.bodies[edge.body_b];
    const Mover& ma = world.movers[a.mover];
    const Mover& mb = world.movers[b.mover];
    const bool is_free_a = a.type == BodyType::dynamic_ && ma.is_dynamic();
    const bool is_free_b = b.type == BodyType::dynamic_ && mb.is_dynamic();
    if (is_free_a && is_free_b)
        return ma.is_planar == mb.is_planar;
    if (!is_free_a && !is_free_b) // both have a frame: it must be the same one
        return a.mover == b.mover || (ma.type == BodyType::static_ && mb.type == BodyType::static_);
    // Who never sleeps does not become part of the ground.
    const Mover& frame = is_free_a ? mb : ma;
    return frame.type != BodyType::static_ || (is_free_a ? ma : mb).can_sleep;
}

void join_bodies(WorldData& world, int32_t a, int32_t b)
{
    if (is_carrier(world, a) || is_carrier(world, b))
    {
        const int32_t carrier = is_carrier(world, a) ? a : b, body = is_carrier(world, a) ? b : a;
        if (!is_anchored(world, body))
        {
            finish_collection(world, world.collections.collection_of(body));
            anchor(world, group_of(world, body, world.collections.scratch.group_a), carrier);
        }
    }
    else
        unify(world, a, b);
}

// What the edge has learned counts for both of its bodies.
static void set_merged(WorldData& world, int32_t index)
{
    Edge& edge = world.graph.edges[index];
    edge.set(edge_is_merged, true);
    world.graph.links[size_t(index)].merged_at = uint32_t(world.step_count);
    note_merged(edge);
    edge.steps = 0; // from now on it counts those in which the edge looks as if it would not hold
    for (int32_t body : {edge.body_a, edge.body_b})
        if (const int32_t m = world.collections.merged(body); m != none)
        {
            float& ease = world.collections.bodies[m].ease;
            ease = std::max(ease, ease_along(world, body, edge));
        }
}

void merge_inner_edges(WorldData& world, int32_t a, int32_t b)
{
    for (int32_t body : {a, b})
    {
        const int32_t own = world.collections.collection_of(body);
        if (own == none) // a carrier
            continue;
        for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
            const Edge& other = world.graph.edges[e];
            if (other.has(edge_is_merged) || !other.has(edge_is_touching) || other.has(edge_is_trigger) ||
                world.collections.collection_of(other_body(other, body)) != own ||
                !may_merge(world, other.body_a, other.body_b))
                return;
            set_merged(world, e);
        });
    }
}

void join_edge(WorldData& world, int32_t index)
{
    const int32_t a = world.graph.edges[index].body_a, b = world.graph.edges[index].body_b;
    join_bodies(world, a, b);
    set_merged(world, index);
    refresh_edge(world, index);
    world.pending_merges.push_back({world.bodies.id(a), world.bodies.id(b), true});
    merge_inner_edges(world, a, b);
}

void finish_joins(WorldData& world)
{
    for (const JoinedGroup& group : world.joined)
        finish(world, group);
    while (!world.joined.empty())
        release_joined(world);
}

void mark_cut(WorldData& world, int32_t body)
{
    const int32_t c = world.collections.collection_of(body);
    if (c == none)
        return;
    queue_body(world.collections.merged(body), world.collections);
    world.collections.cut_bodies.push_back(body);
    MORAINE_ASSERT(world.collections.pool[c].mover != none);
    if (world.collections.pool[c].is_cut)
        return;
    world.collections.pool[c].is_cut = true;
    world.collections.cut.push_back(c);
}

void cut_edge(WorldData& world, int32_t index)
{
    Edge& edge = world.graph.edges[index];
    if (!edge.has(edge_is_merged))
        return;
    edge.set(edge_is_merged, false);
    edge.steps = 0;
    note_cut(edge, uint32_t(world.step_count) - world.graph.links[size_t(index)].merged_at);
    world.pending_merges.push_back({world.bodies.id(edge.body_a), world.bodies.id(edge.body_b), false});
    mark_cut(world, edge.body_a);
    mark_cut(world, edge.body_b);
}

void sum_body(WorldData& world, int32_t body)
{
    const int32_t m = world.collections.merged(body);
    if (m == none)
        return;
    sum_forces(world.collections, world.collections.bodies[m]);
    queue_body(m, world.collections);
}

void disturb_body(WorldData& world, int32_t body)
{
    const int32_t m = world.collections.merged(body);
    if (m != none)
        queue_body(m, world.collections);
}

} // namespace moraine
