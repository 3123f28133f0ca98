// What holds bodies together inside collections: welds for contacts and joints, and who may not join because of them.
#include "graph/members.h"
#include "world/activity.h"
#include "world/collections.h"

#include <algorithm>

namespace moraine
{

StoredForce stored_force(const WorldData& world)
{
    const float rate = 1 / world.step_dt;
    const bool is_in_parts = world.settings.solver == SolverKind::substep;
    return {rate, is_in_parts ? rate * float(std::max(1, world.settings.substeps)) : rate, !is_in_parts};
}

ProbeLimits probe_limits(const WorldData& world)
{
    const MergeDef& def = world.settings.merge;
    const float gravity = std::max(length(world.settings.gravity), 1.0f);
    return {def.rest * gravity, def.rest, def.leans, def.in_order};
}

void remove_welds(WorldData& world, int32_t index)
{
    Collections& c = world.collections;
    const Edge& edge = world.graph.edges[index];
    for_each_manifold(edge, world.graph, [&](int32_t m) {
        Manifold& manifold = world.graph.manifolds[m];
        if (manifold.colour >= 0 || manifold.slot < 0)
            return;
        remove_weld(world.bodies, manifold.slot, stored_force(world), world.graph, c);
        manifold.slot = none;
    });
}

void refresh_welds(WorldData& world, int32_t index)
{
    Collections& c = world.collections;
    const Edge& edge = world.graph.edges[index];
    const Mover& a = world.movers[edge.mover_a];
    const Mover& b = world.movers[edge.mover_b];
    const bool is_member = c.merged(edge.body_a) != none || c.merged(edge.body_b) != none;
    const bool is_held = is_member && !edge.has(edge_is_trigger) &&
                         (edge.mover_a == edge.mover_b || (a.type == BodyType::static_ && b.type == BodyType::static_));
    if (!is_held)
    {
        remove_welds(world, index);
        return;
    }
    for_each_manifold(edge, world.graph, [&](int32_t m) {
        Manifold& manifold = world.graph.manifolds[m];
        if (manifold.slot < 0)
            manifold.slot = add_weld(world.bodies, world.graph, m, stored_force(world), c);
    });
}

bool is_inner(const WorldData& world, const Joint& joint)
{
    const int32_t a = world.bodies[joint.body_a].mover, b = world.bodies[joint.body_b].mover;
    return a == b || (!world.movers[a].is_dynamic() && !world.movers[b].is_dynamic());
}

void remove_joint_weld(WorldData& world, int32_t index)
{
    Joint& joint = world.joints[index];
    if (joint.weld < 0)
        return;
    Collections& c = world.collections;
    while (joint.weld != none)
    {
        const int32_t also = c.welds[joint.weld].also;
        remove_weld(world.bodies, joint.weld, stored_force(world), world.graph, c);
        joint.weld = also;
    }
    // Who stays behind feels the joint from outside now, or not at all.
    for (int32_t body : {joint.body_a, joint.body_b})
    {
        const int32_t m = c.merged(body);
        if (m == none)
            continue;
        sum_forces(c, c.bodies[m]);
        queue_body(m, c);
        gather_body(m, world.step_count, c);
    }
}

void refresh_joint_weld(WorldData& world, int32_t index)
{
    Joint& joint = world.joints[index];
    Collections& c = world.collections;
    const bool is_member = c.merged(joint.body_a) != none || c.merged(joint.body_b) != none;
    if (!is_member || !is_inner(world, joint))
        remove_joint_weld(world, index);
    else if (joint.weld < 0)
    {
        joint.steps = 0; // what was counted before it came in does not count when it comes out
        joint.weld = add_joint_welds(world.bodies, world.movers, joint, stored_force(world), c);
    }
}

namespace
{

// After bodies of mover `from` have become part of `into`, could the joints of this body still act?
bool joints_allow(const WorldData& world, int32_t body, int32_t from, int32_t into)
{
    bool are_fine = true;
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        const int32_t other = world.bodies[joint.body_a == body ? joint.body_b : joint.body_a].mover;
        const Mover& frame = world.movers[into];
        const bool is_same = other == into || other == from;
        const bool are_static = frame.type == BodyType::static_ && world.movers[other].type == BodyType::static_;
        if (is_same || are_static)
            are_fine &= can_be_inner(joint, world.bodies, world.movers, stored_force(world));
        else
            are_fine &= frame.is_dynamic() || world.movers[other].is_dynamic();
    });
    return are_fine;
}

// A magnet that moves otherwise holds the body.
bool is_on_magnet(const WorldData& world, int32_t body, int32_t into)
{
    bool is_held = false;
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (edge.manifold == none || !(world.graph.manifolds[edge.manifold].friction < 0))
            return;
        const int32_t other = world.bodies[other_body(edge, body)].mover;
        is_held |= other != into && !world.movers[other].is_dynamic();
    });
    return is_held;
}

} // namespace

bool joints_allow(const WorldData& world, const Edge& edge)
{
    const bool joins_a = world.movers[edge.mover_a].is_dynamic();
    const int32_t from = joins_a ? edge.mover_a : edge.mover_b, into = joins_a ? edge.mover_b : edge.mover_a;
    bool are_fine = true;
    for_each_member(world.movers, from, [&](int32_t body) {
        if (world.bodies[body].joint_first != none)
            are_fine = are_fine && joints_allow(world, body, from, into);
        are_fine = are_fine && (world.movers[into].is_dynamic() || !is_on_magnet(world, body, into));
    });
    return are_fine;
}

} // namespace moraine
