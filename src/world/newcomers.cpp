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

// Levels of the bodies that came, out from those that are known already; of all in a free collection, where the
// heaviest member is the root.
static void set_levels(WorldData& world, int32_t index, std::span<const int32_t> came)
{
    constexpr int far = 1 << 20;
    Collections& c = world.collections;
    const Collection& collection = c.pool[index];
    std::span<const int32_t> bodies = collection.is_anchored ? came : std::span<const int32_t>(collection.members);
    std::vector<int32_t>& front = c.scratch.front;
    front.clear();
    for (int32_t body : bodies)
        c.bodies[c.merged(body)].level = far;
    if (!collection.is_anchored)
    {
        int32_t root = bodies[0];
        for (int32_t body : bodies)
            if (world.bodies.infos[size_t(body)].mass > world.bodies.infos[size_t(root)].mass ||
                (world.bodies.infos[size_t(body)].mass == world.bodies.infos[size_t(root)].mass && body < root))
                root = body;
        c.bodies[c.merged(root)].level = 0;
        front.push_back(c.merged(root));
    }
    else
        for (int32_t body : bodies)
        {
            const int32_t m = c.merged(body);
            int best = far;
            for_each_weld(c, m, [&](int32_t w) {
                const int32_t other = c.welds[w].b == m ? c.welds[w].a : c.welds[w].b;
                best = std::min(best, other == none ? 0 : c.bodies[other].level);
            });
            if (best < far)
            {
                c.bodies[m].level = best + 1;
                front.push_back(m);
            }
        }
    for (size_t i = 0; i < front.size(); ++i)
    {
        const int32_t m = front[i];
        const int next = c.bodies[m].level + 1;
        for_each_weld(c, m, [&](int32_t w) {
            const int32_t other = c.welds[w].b == m ? c.welds[w].a : c.welds[w].b;
            if (other == none || c.bodies[other].level <= next)
                return;
            c.bodies[other].level = next;
            front.push_back(other);
        });
    }
}

static void take_outer_forces(WorldData& world, MergedBody& m)
{
    set_outer_forces(world, m);
    m.outer = m.seen = m.now;
    m.turn_outer = m.turn_seen = m.turn_now;
    set_springs(world, m);
    sum_forces(world.collections, m);
    if (m.is_jointed && m.level > 0 && !m.is_gathered)
    {
        m.is_gathered = true;
        world.collections.gathered.push_back(world.collections.merged(m.body));
    }
}

constexpr uint8_t calm = 8;           // steps without a change of members, before it pays to look for a response
constexpr uint8_t steps_of_youth = 5; // in which what touches a body gets used to what it has become

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
            if (index == none || c.bodies[index].is_reached)
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
        m.noise = noise_of(world, index, m.inv_mass);
        m.is_new = is_calm;
        m.young = is_calm ? steps_of_youth : 0;
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
    set_levels(world, index, c.pool[index].members);
    for (int32_t body : c.pool[index].members)
    {
        MergedBody& m = c.bodies[c.merged(body)];
        if (!m.is_queued && m.level > 0)
            continue;
        m.ease = ease_of(world, body);
        m.is_new = false;
        m.young = 0;
        take_outer_forces(world, m);
    }
}

} // namespace moraine::membership
