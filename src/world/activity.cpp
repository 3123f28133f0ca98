#include "world/activity.h"

#include "dynamics/crowds.h"
#include "graph/members.h"
#include "world/body_store.h"
#include "world/collections.h"
#include "world/events.h"
#include "world/speed_ups.h"

namespace moraine
{

namespace
{

bool is_awake_dynamic(const Mover& m) { return m.is_dynamic() && m.is_awake(); }

// Rows act while a dynamic mover is awake and no dynamic mover is asleep (that one is about to be woken).
bool is_solved(const Mover& a, const Mover& b) { return is_awake_dynamic(a) || is_awake_dynamic(b); }

// A body by itself has neighbours that fill the lanes of its contacts' colours; those of a collection are inside it. And
// towers do not bear that the contacts at their foot are taken out of their order.
bool is_crowded(const WorldData& world, const Edge& edge)
{
    const int32_t heavy = heavy_of(world.movers, world.bodies[edge.body_a].mover, world.bodies[edge.body_b].mover);
    return heavy >= 0 && world.movers[heavy].has_members();
}

} // namespace

void set_solved(WorldData& world, const Edge& edge, bool on)
{
    Mover& a = mover_of(world, edge.body_a);
    Mover& b = mover_of(world, edge.body_b);
    const bool is_crowd = on && is_crowded(world, edge);
    for_each_manifold(edge, world.graph, [&](int32_t m) {
        const bool is_on = world.graph.manifolds[m].colour >= 0;
        if (on && !is_on)
            add_contact(m, is_crowd, world.graph, a, b, world.colouring);
        if (!on && is_on)
            remove_contact(m, world.graph, a, b, world.colouring);
    });
}

namespace
{

void add_awake(WorldData& world, int32_t mover) { world.movers.awake.add(mover, world.movers[mover].awake_slot); }

void remove_awake(WorldData& world, int32_t mover)
{
    world.movers.awake.remove(world.movers[mover].awake_slot,
                              [&](int32_t m) -> int32_t& { return world.movers[m].awake_slot; });
}

void report_sleep(WorldData& world, int32_t mover, bool is_awake)
{
    for_each_member(world.movers, mover, [&](int32_t body) { report_body_sleep(world, body, is_awake); });
}

void refresh_mover(WorldData& world, int32_t mover)
{
    for_each_member(world.movers, mover, [&](int32_t body) { refresh_body(world, body); });
}

} // namespace

void report_body_sleep(WorldData& world, int32_t body, bool is_awake)
{
    if (world.bodies[body].type != BodyType::dynamic_)
        return;
    world.asleep_count += is_awake ? -1 : 1;
    note_sleep(world, body, is_awake);
}

void refresh_edge(WorldData& world, int32_t index)
{
    Edge& edge = world.graph.edges[index];
    const Mover& a = mover_of(world, edge.body_a);
    const Mover& b = mover_of(world, edge.body_b);
    // Inside one mover nothing moves.
    const bool is_inner = edge.mover_a == edge.mover_b;
    const bool wants_awake = (a.is_awake() || b.is_awake()) && !is_inner;
    edge.set(edge_has_members, (a.has_members() || b.has_members()) && !is_inner);
    if (wants_awake && edge.awake_slot < 0)
        world.graph.awake.add(index, edge.awake_slot);
    if (!wants_awake && edge.awake_slot >= 0)
        world.graph.awake.remove(edge.awake_slot,
                                 [&](int32_t e) -> int32_t& { return world.graph.edges[e].awake_slot; });
    const bool wants_solve = is_solved(a, b) && !is_inner;
    if (wants_solve)
        remove_welds(world, index);
    set_solved(world, edge, wants_solve);
    refresh_welds(world, index);
}

void refresh_joint(WorldData& world, int32_t index)
{
    Joint& joint = world.joints[index];
    Mover& a = mover_of(world, joint.body_a);
    Mover& b = mover_of(world, joint.body_b);
    // A passive body is as good as absent: its joints wait too.
    const bool is_passive = (world.bodies[joint.body_a].flags | world.bodies[joint.body_b].flags) & body_is_passive;
    const bool wants_awake = is_solved(a, b) && !is_passive && &a != &b;
    if (wants_awake || is_passive)
        remove_joint_weld(world, index);
    if (wants_awake && joint.awake_slot < 0)
    {
        world.joints.awake.add(index, joint.awake_slot);
        add_joint(index, world.joints, a, b, world.colouring);
    }
    if (!wants_awake && joint.awake_slot >= 0)
    {
        world.joints.awake.remove(joint.awake_slot, [&](int32_t j) -> int32_t& { return world.joints[j].awake_slot; });
        remove_joint(index, world.joints, a, b, world.colouring);
    }
    refresh_joint_weld(world, index);
}

void refresh_body(WorldData& world, int32_t body)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) { refresh_edge(world, e); });
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) { refresh_joint(world, j); });
}

void wake_mover(WorldData& world, int32_t index)
{
    Mover& mover = world.movers[index];
    mover.quiet_time = 0;
    if (!mover.is_dynamic() || mover.is_awake())
        return;
    std::vector<int32_t>& woken = world.collections.scratch.woken;
    woken.clear();
    const int32_t group = mover.sleep_group();
    if (group >= 0)
    {
        woken.swap(world.sleep_groups[group].movers);
        world.sleep_groups.destroy(group);
    }
    else
        woken.push_back(index);
    for (int32_t m : woken)
    {
        world.movers[m].quiet_time = 0;
        if (fixes_sleepers(world.settings))
            update_mover_mass(world, world.movers[m].body);
        add_awake(world, m);
        report_sleep(world, m, true);
    }
    for (int32_t m : woken)
        refresh_mover(world, m);
}

void wake_body(WorldData& world, int32_t body)
{
    if (world.bodies[body].has(body_is_passive))
        return;
    wake_mover(world, world.bodies[body].mover);
    disturb_body(world, body);
}

void wake_neighbours(WorldData& world, int32_t body)
{
    for_each_pushed(world, body, [&](int32_t other) { wake_body(world, other); });
}

void set_kinematic_awake(WorldData& world, int32_t index, bool is_awake)
{
    Mover& mover = world.movers[index];
    if (mover.is_awake() == is_awake)
        return;
    if (is_awake)
        add_awake(world, index);
    else
    {
        // It may have moved since its edges were last looked at.
        remove_awake(world, index);
        for_each_member(world.movers, index, [&](int32_t body) {
            for_each_edge(body, world.bodies, world.graph, [&](int32_t e) { mark_fresh(e, world.graph); });
        });
    }
    if ((mover.has_members() || world.settings.merging) && !is_awake)
        world.collections.reload.push_back(index);
    report_sleep(world, index, is_awake);
    if (is_awake)
        for_each_member(world.movers, index, [&](int32_t body) { wake_neighbours(world, body); });
    refresh_mover(world, index);
}

// Who falls asleep has moved once more since its edges were last looked at. That is too little to matter for contacts, but
// it may have taken it across the border of a trigger.
static void look_at_triggers_once_more(WorldData& world, int32_t body)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        if (world.graph.edges[e].has(edge_is_trigger))
            mark_fresh(e, world.graph);
    });
}

void put_to_sleep(WorldData& world, std::span<const int32_t> movers)
{
    const int32_t group = world.sleep_groups.create();
    world.sleep_groups[group].movers.assign(movers.begin(), movers.end());
    for (int32_t m : movers)
    {
        remove_awake(world, m);
        world.movers[m].set_sleep_group(group);
        world.movers.velocities[size_t(m)].linear = {};
        world.movers.velocities[size_t(m)].spin = {};
        if (fixes_sleepers(world.settings))
            fix_mover(world, m);
        report_sleep(world, m, false);
    }
    for (int32_t m : movers)
    {
        for_each_member(world.movers, m, [&](int32_t body) { look_at_triggers_once_more(world, body); });
        refresh_mover(world, m);
    }
}

void remove_edge(WorldData& world, int32_t index)
{
    const Edge& edge = world.graph.edges[index];
    if (edge.has(edge_is_touching))
        note_touch(world, edge, false);
    note_proximity(world, edge, false);
    cut_edge(world, index);
    remove_welds(world, index);
    set_solved(world, edge, false);
    const int32_t bodies[] = {edge.body_a, edge.body_b};
    destroy_edge(index, world.bodies, world.graph);
    // Others may still hold them, but without the forces of this contact.
    for (int32_t body : bodies)
    {
        sum_body(world, body);
        if (const int32_t merged = world.collections.merged(body); merged != none)
            gather_body(merged, world.step_count, world.collections);
    }
}

} // namespace moraine
