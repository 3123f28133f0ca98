#include "base/disjoint_sets.h"
#include "world/activity.h"
#include "world/speed_ups.h"
#include "world/step.h"

namespace moraine
{

namespace
{

// Joins the groups of two movers, or notes that one of them is kept awake by something that moves by itself.
void connect(const WorldData& world, int32_t body_a, int32_t body_b, DisjointSets& sets, Step& s)
{
    const Mover& a = mover_of(world, body_a);
    const Mover& b = mover_of(world, body_b);
    if (!a.is_awake() || !b.is_awake())
        return;
    // With fixation everybody sleeps for himself and stands fast for the others.
    if (fixes_sleepers(world.settings) && (is_sleepy(a, world.settings) || is_sleepy(b, world.settings)))
        return;
    if (a.is_dynamic() && b.is_dynamic())
        sets.join(a.awake_slot, b.awake_slot);
    else
        s.restless[size_t(a.is_dynamic() ? a.awake_slot : b.awake_slot)] = 1;
}

} // namespace

// Contact groups: connected components over the rows of the solve. Static and kinematic movers insulate.
void group_contacts(WorldData& world, Step& s)
{
    if (!world.settings.sleeping || !world.has_sleepy)
        return;
    const size_t count = size_t(world.movers.awake.size());
    s.group_of = world.arena.allocate<int32_t>(count);
    s.restless = world.arena.allocate_zeroed<uint8_t>(count);
    DisjointSets sets(s.group_of);
    for (const std::vector<int32_t>& colour : world.colouring.contacts)
        for (int32_t m : colour)
        {
            const Edge& edge = world.graph.edges[world.graph.manifolds[m].edge];
            connect(world, edge.body_a, edge.body_b, sets, s);
        }
    for (int32_t j : world.joints.awake)
        connect(world, world.joints[j].body_a, world.joints[j].body_b, sets, s);
    for (size_t i = 0; i < count; ++i)
        s.group_of[i] = sets.root(int32_t(i));
}

// A group sleeps when all of it has been quiet for long enough.
void sleep(WorldData& world, Step& s)
{
    // Groups are told by slots, and merging has taken movers out of theirs since.
    if (!s.group_of.empty() && !world.pending_merges.empty())
        group_contacts(world, s);
    const size_t count = s.group_of.size();
    if (count == 0)
        return;
    std::span<uint8_t> stays = world.arena.allocate_zeroed<uint8_t>(count); // by root slot
    for (size_t i = 0; i < count; ++i)
        if (s.restless[i] || !is_sleepy(world.movers[world.movers.awake[int32_t(i)]], world.settings))
            stays[size_t(s.group_of[i])] = 1;

    // Slots change while movers leave the list: gather first, in slot order, group by group.
    std::span<int32_t> first = world.arena.allocate<int32_t>(count); // linked lists by root
    std::span<int32_t> next = world.arena.allocate<int32_t>(count);
    std::span<int32_t> mover_at = world.arena.allocate<int32_t>(count);
    for (size_t i = 0; i < count; ++i)
    {
        mover_at[i] = world.movers.awake[int32_t(i)];
        first[i] = -1;
    }
    for (size_t i = count; i-- > 0;)
    {
        const size_t root = size_t(s.group_of[i]);
        next[i] = first[root];
        first[root] = int32_t(i);
    }
    std::span<int32_t> members = world.arena.allocate<int32_t>(count);
    for (size_t root = 0; root < count; ++root)
    {
        if (first[root] < 0 || stays[root])
            continue;
        size_t n = 0;
        for (int32_t i = first[root]; i >= 0; i = next[size_t(i)])
            members[n++] = mover_at[size_t(i)];
        put_to_sleep(world, members.first(n));
    }
}

} // namespace moraine
