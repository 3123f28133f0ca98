// What the probe needs to know of bodies that come into a collection, and of those that stay when others leave.
#include "merge/probe.h"
#include "merge/response.h"
#include "world/activity.h"
#include "world/collections.h"
#include "world/membership.h"
#include "world/merge_limits.h"

#include <algorithm>

namespace moraine::membership
{

static void measure_collection(WorldData& world, int32_t index)
{
    Collection& c = world.collections.pool[index];
    Aabb box;
    for (int32_t body : c.members)
        box = merge(box, Aabb{world.bodies[body].pose_in_mover.position, world.bodies[body].pose_in_mover.position});
    c.center = center(box);
    c.extent = length(half_extents(box));
}

// ---- levels: how many welds lie between a member and the anchor, or the root of a free collection ----

constexpr int far_off = 1 << 20;

static int32_t other_side(const Collections& c, int32_t weld, int32_t merged)
{
    return c.welds[weld].b == merged ? c.welds[weld].a : c.welds[weld].b;
}

static bool is_heavier(const WorldData& world, int32_t body, int32_t than)
{
    const float a = world.bodies.infos[size_t(body)].mass, b = world.bodies.infos[size_t(than)].mass;
    return a > b || (a == b && body < than);
}

static bool is_held(const Collections& c, int32_t merged)
{
    bool is = false;
    for_each_weld(c, merged, [&](int32_t w) {
        const int32_t other = other_side(c, w, merged);
        is |= other == none || c.bodies[other].level < c.bodies[merged].level;
    });
    return is;
}

// Finds the levels of those that are far off, and what others gain by them.
static void spread_levels(std::span<const int32_t> bodies, Collections& c)
{
    std::vector<int32_t>& front = c.scratch.front;
    front.clear();
    for (int32_t m : bodies)
    {
        int best = c.bodies[m].level;
        for_each_weld(c, m, [&](int32_t w) {
            const int32_t other = other_side(c, w, m);
            best = std::min(best, 1 + (other == none ? 0 : c.bodies[other].level));
        });
        c.bodies[m].level = best;
        if (best < far_off)
            front.push_back(m);
    }
    for (size_t i = 0; i < front.size(); ++i)
    {
        const int next = c.bodies[front[i]].level + 1;
        for_each_weld(c, front[i], [&](int32_t w) {
            const int32_t other = other_side(c, w, front[i]);
            if (other == none || c.bodies[other].level <= next)
                return;
            c.bodies[other].level = next;
            front.push_back(other);
        });
    }
}

// The heaviest member of a free collection is its root. True if it has got another one.
static bool choose_root(const WorldData& world, int32_t index, std::span<const int32_t> came, Collections& c)
{
    Collection& collection = c.pool[index];
    if (collection.is_anchored)
        return false;
    const int32_t before = collection.root;
    const bool is_there = before != none && c.collection_of(before) == index;
    if (!is_there)
        collection.root = collection.members[0];
    for (int32_t body : is_there ? came : std::span<const int32_t>(collection.members))
        if (is_heavier(world, body, collection.root))
            collection.root = body;
    return !is_there || collection.root != before;
}

static void set_levels(WorldData& world, int32_t index, std::span<const int32_t> came)
{
    Collections& c = world.collections;
    const bool has_new_root = choose_root(world, index, came, c);
    std::vector<int32_t>& order = c.scratch.order;
    order.clear();
    for (int32_t body : has_new_root ? std::span<const int32_t>(c.pool[index].members) : came)
    {
        order.push_back(c.merged(body));
        c.bodies[order.back()].level = far_off;
    }
    if (has_new_root)
        c.bodies[c.merged(c.pool[index].root)].level = 0;
    spread_levels(order, c);
}

// After some have left: who stood on them alone, and who stood on those, look for another way.
static void mend_levels(WorldData& world, int32_t index)
{
    Collections& c = world.collections;
    if (!c.pool[index].is_anchored && c.collection_of(c.pool[index].root) != index)
    {
        set_levels(world, index, {});
        return;
    }
    std::vector<int32_t>& lost = c.scratch.order;
    lost.clear();
    const auto lose = [&](int32_t merged) {
        if (c.bodies[merged].level == 0 || c.bodies[merged].level == far_off || is_held(c, merged))
            return;
        c.bodies[merged].level = far_off;
        lost.push_back(merged);
    };
    for (int32_t body : c.pool[index].members)
        if (c.bodies[c.merged(body)].is_queued)
            lose(c.merged(body));
    for (size_t i = 0; i < lost.size(); ++i)
        for_each_weld(c, lost[i], [&](int32_t w) {
            if (const int32_t other = other_side(c, w, lost[i]); other != none)
                lose(other);
        });
    spread_levels(lost, c);
}

static void take_outer_forces(WorldData& world, MergedBody& m)
{
    set_outer_forces(world, m);
    m.outer = m.seen = m.now;
    m.turn_outer = m.turn_seen = m.turn_now;
    set_springs(world, m);
    sum_forces(world.collections, m);
    if (m.is_jointed)
        gather_body(world.collections.merged(m.body), world.step_count, world.collections);
}

constexpr uint8_t calm = 8;            // steps without a change of members, before it pays to look for a response
constexpr uint32_t steps_of_youth = 5; // in which what touches a body gets used to what it has become

// It is looked at anew, and its response waits until its members stay the same.
static void renew(WorldData& world, int32_t index)
{
    Collection& c = world.collections.pool[index];
    measure_collection(world, index);
    c.wait = std::max(c.wait, calm);
    c.age = 0;
    if (!c.is_certified)
        return;
    c.is_certified = false;
    world.movers.members[world.movers[c.mover].members].watched.push_back(index);
}

// Who is there already feels no difference when what lies on it merges.
static void meet_newcomers(WorldData& world, std::span<const int32_t> came)
{
    Collections& c = world.collections;
    for (int32_t body : came)
        c.bodies[c.merged(body)].is_reached = true;
    for (int32_t body : came)
        for_each_weld(c, c.merged(body), [&](int32_t w) {
            const int32_t index = c.welds[w].b == c.merged(body) ? c.welds[w].a : c.welds[w].b;
            if (index == none || c.bodies[index].is_reached || c.bodies[index].level == 0)
                return;
            MergedBody& other = c.bodies[index];
            const Vec3 rest = other.rest, turn_rest = other.turn_rest;
            take_outer_forces(world, other);
            if (!other.is_new)
                trust(probe_limits(world), other.rest - rest, other.turn_rest - turn_rest, other);
            queue_body(index, c);
        });
    for (int32_t body : came)
        c.bodies[c.merged(body)].is_reached = false;
}

void welcome(WorldData& world, int32_t index, std::span<const int32_t> came, bool is_calm)
{
    Collections& c = world.collections;
    renew(world, index);
    set_levels(world, index, came);
    for (int32_t body : came)
    {
        MergedBody& m = c.bodies[c.merged(body)];
        set_load(world.bodies, c.pool[index].load, m);
        m.ease = ease_of(world, body);
        take_noise(world, world.collections.pool[index], m);
        m.is_new = is_calm;
        m.young_until = is_calm ? uint32_t(world.step_count) + steps_of_youth : 0;
        if (is_calm)
            m.trim = m.turn_trim = {};
    }
    for (int32_t body : came)
    {
        take_outer_forces(world, c.bodies[c.merged(body)]);
        queue_body(c.merged(body), c);
    }
    if (is_calm)
        meet_newcomers(world, came);
}

void bereave(WorldData& world, int32_t index)
{
    Collections& c = world.collections;
    renew(world, index);
    mend_levels(world, index);
    for (int32_t body : c.pool[index].members)
    {
        MergedBody& m = c.bodies[c.merged(body)];
        if (!m.is_queued || m.level == 0)
            continue;
        m.ease = ease_of(world, body);
        m.is_new = false;
        m.young_until = 0;
        take_outer_forces(world, m);
    }
}

} // namespace moraine::membership
