#include "world/joint_bonds.h"

#include "dynamics/joint_rows.h"
#include "world/activity.h"
#include "world/collections.h"
#include "world/merge_limits.h"
#include "world/relative_motion.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr int joint_grain = 128;
constexpr int early_stride = 4;
constexpr int unlocked = 4; // times as many calm steps for what can turn or slide: a pendulum stands still for a moment
constexpr float little = 0.1f; // of the limits of speed and rest, for the same
constexpr float thrown = 80;   // times what is rest: see unmerge.cpp
constexpr float clearly = 10;  // times what may be left over at its bodies

bool is_rigid(const JointKind& kind)
{
    if (const SixDofJoint* joint = std::get_if<SixDofJoint>(&kind))
        return std::ranges::all_of(joint->linear, [](const Axis& a) { return a.mode == AxisMode::locked; }) &&
               std::ranges::all_of(joint->angular, [](const Axis& a) { return a.mode == AxisMode::locked; });
    return std::holds_alternative<FixedJoint>(kind);
}

bool can_bond(const Joint& joint)
{
    return !joint.is_glue && !std::holds_alternative<SpringJoint>(joint.kind) &&
           !std::holds_alternative<DragJoint>(joint.kind);
}

int steps_needed(const MergeDef& def, const Joint& joint)
{
    const int steps = (std::min(def.steps, 250) * (is_rigid(joint.kind) ? 1 : unlocked)) << joint.partings;
    return std::min(steps, 250);
}

// What swings has next to no speed where it turns round, but gains speed all the time: over its calm steps the motion must
// not have changed by more than a tenth of what the probe calls rest would do.
bool gains_speed(const WorldData& world, const MergeDef& def, const Edge& edge, const Relative& r, Joint& joint)
{
    const Vec3 arm = place_joint(joint, world.bodies, world.movers).arm_a;
    const Vec3 linear = r.linear + cross(r.angular, arm);
    float radius = infinity;
    for (int32_t m : {edge.mover_a, edge.mover_b})
        if (world.movers[m].is_dynamic())
            radius = std::min(radius, length(half_extents(world.movers[m].bounds)));
    const float change = length(linear - joint.calm_linear) + length(r.angular - joint.calm_turn) * radius;
    const float time = float(joint.steps) * world.step_dt;
    const float most = little * std::max(def.speed, def.rest * length(world.settings.gravity) * time);
    if (joint.steps > 0 && change <= most)
        return false;
    joint.calm_linear = linear;
    joint.calm_turn = r.angular;
    return joint.steps > 0;
}

// As with contacts, collections grow from carriers and from heavy bodies.
bool may_grow(const WorldData& world, const Edge& edge)
{
    const Mover &a = world.movers[edge.mover_a], &b = world.movers[edge.mover_b];
    return !a.is_dynamic() || !b.is_dynamic() || a.has_members() || b.has_members() || is_uneven(world, edge);
}

void watch(const WorldData& world, Joint& joint)
{
    if (!can_bond(joint))
        return;
    const Edge edge = edge_between(world, joint.body_a, joint.body_b);
    // Along most joints nothing can grow before a neighbour has merged: a look in every fourth step keeps their count.
    const bool is_early = !may_grow(world, edge);
    if (is_early && (uint64_t(joint.body_a) + world.step_count) % early_stride != 0)
        return;
    MergeDef own;
    const MergeDef& def = merge_def_of(world, edge, own);
    const float inv_mass = std::max(world.movers.velocities[size_t(edge.mover_a)].inv_mass,
                                    world.movers.velocities[size_t(edge.mover_b)].inv_mass);
    // A solver misses a share of what the joint has to hold. What is damped creeps for long.
    const float limit = std::max(is_rigid(joint.kind) ? def.speed : little * def.speed,
                                 def.rest * joint.linear_impulse * inv_mass);
    const Relative r = relative_motion(world, edge);
    const bool is_calm = is_slow(world, limit, edge, r) &&
                         (is_rigid(joint.kind) || !gains_speed(world, def, edge, r, joint));
    const int more = is_early && joint.steps > 0 ? early_stride : 1;
    joint.steps = is_calm ? uint8_t(std::min(joint.steps + more, 255)) : uint8_t(0);
}

void set_merged(WorldData& world, Joint& joint)
{
    joint.is_merged = true;
    joint.steps = 0; // from now on it counts those in which the joint looks as if it would not hold
    joint.merged_at = uint32_t(world.step_count);
    world.pending_merges.push_back({world.bodies.id(joint.body_a), world.bodies.id(joint.body_b), true});
}

// True when it is to be cut.
bool has_failed(const WorldData& world, const ProbeLimits& limits, Joint& joint)
{
    const Collections& c = world.collections;
    if (joint.weld < 0)
        return true; // it holds nothing: a rope that hangs loose
    if (is_rigid(joint.kind))
        return false;
    MergeDef own;
    const MergeDef& def = merge_def_of(world, edge_between(world, joint.body_a, joint.body_b), own);
    float rest = limits.rest * (def.rest / world.settings.merge.rest);
    for (int32_t body : {joint.body_a, joint.body_b})
        if (const int32_t m = c.merged(body); m != none)
            rest = std::max(rest, slack_of(limits, c.bodies[m]));
    WeldState state;
    judge_weld(c, joint.weld, state);
    if (state.motion <= rest)
    {
        joint.steps = 0;
        return false;
    }
    // In a jerk a step more would give it all of the carrier's speed.
    if (state.motion > std::max(thrown * limits.rest, clearly * rest))
        return true;
    joint.steps = uint8_t(std::min(joint.steps + 1, 255));
    const int looks = (def.unmerge_steps + 1) / 2;
    return int(joint.steps) >= (c.is_exhausted ? 2 * looks : looks);
}

// visit(joint) for the merged joints of these bodies.
template <class Visit>
void for_each_merged(WorldData& world, const std::vector<int32_t>& merged, Visit&& visit)
{
    for (int32_t m : merged)
        for_each_joint(world.collections.bodies[m].body, world.bodies, world.joints, [&](int32_t j) {
            if (world.joints[j].is_merged)
                visit(j);
        });
}

} // namespace

Edge edge_between(const WorldData& world, int32_t body_a, int32_t body_b)
{
    Edge edge;
    edge.body_a = body_a;
    edge.body_b = body_b;
    edge.mover_a = world.bodies[body_a].mover;
    edge.mover_b = world.bodies[body_b].mover;
    return edge;
}

bool is_uneven(const WorldData& world, const Edge& edge)
{
    constexpr float much = 4;
    const float mass_a = world.bodies.infos[size_t(edge.body_a)].mass;
    const float mass_b = world.bodies.infos[size_t(edge.body_b)].mass;
    return std::max(mass_a, mass_b) >= much * std::min(mass_a, mass_b);
}

float inner_impulse(const WorldData& world, const Joint& joint)
{
    const Collections& c = world.collections;
    Vec3 force = steady_load(joint, world.bodies, world.movers, stored_force(world)).force; // on B
    if (joint.weld < 0)
        return length(force) * world.step_dt;
    const int32_t m = c.welds[joint.weld].b != none ? c.welds[joint.weld].b : c.welds[joint.weld].a;
    const Quat axes = mover_of(world, c.bodies[m].body).pose.rotation;
    for (int32_t w = joint.weld; w != none; w = c.welds[w].also)
        force += rotate(axes, force_of(c.welds[w]));
    return length(force) * world.step_dt;
}

bool is_ready(const WorldData& world, const Joint& joint)
{
    if (!can_bond(joint) || joint.is_merged || joint.steps == 0)
        return false;
    MergeDef own;
    return int(joint.steps) >=
           steps_needed(merge_def_of(world, edge_between(world, joint.body_a, joint.body_b), own), joint);
}

void watch_joints(WorldData& world)
{
    const SlotList& awake = world.joints.awake;
    world.tasks->parallel_for(awake.size(), joint_grain, [&](int begin, int end, int) {
        for (int i = begin; i < end; ++i)
            watch(world, world.joints[awake[i]]);
    });
    world.merge_joints.clear();
    for (int32_t j : awake)
        if (const Joint& joint = world.joints[j]; is_ready(world, joint))
            if (const Edge edge = edge_between(world, joint.body_a, joint.body_b);
                may_grow(world, edge) && can_join(world, edge))
                world.merge_joints.push_back(j);
}

bool join_if_possible(WorldData& world, Joint& joint)
{
    const Edge edge = edge_between(world, joint.body_a, joint.body_b);
    if (joint.is_merged || !can_join(world, edge))
        return false;
    if (edge.mover_a == edge.mover_b) // by others that have joined before; a carrier may have several collections
    {
        const bool is_held = world.collections.merged(joint.body_a) != none ||
                             world.collections.merged(joint.body_b) != none;
        if (!is_held || joint.weld < 0)
            return false;
        join_bodies(world, joint.body_a, joint.body_b);
        set_merged(world, joint);
        return true;
    }
    if (!may_grow(world, edge) || !joints_allow(world, edge))
        return false;
    join_bodies(world, joint.body_a, joint.body_b);
    set_merged(world, joint);
    merge_inner_edges(world, joint.body_a, joint.body_b);
    return true;
}

void cut_joint(WorldData& world, Joint& joint)
{
    constexpr uint32_t long_enough = 60; // not to be blamed for a merge that came too soon
    constexpr int most_partings = 4;
    if (!joint.is_merged)
        return;
    const bool is_soon = uint32_t(world.step_count) - joint.merged_at < long_enough;
    joint.partings = is_soon ? uint8_t(std::min(joint.partings + 1, most_partings)) : uint8_t(0);
    joint.is_merged = false;
    joint.steps = 0;
    world.pending_merges.push_back({world.bodies.id(joint.body_a), world.bodies.id(joint.body_b), false});
    mark_cut(world, joint.body_a);
    mark_cut(world, joint.body_b);
}

int cut_joints(WorldData& world, const ProbeLimits& limits)
{
    const Collections& c = world.collections;
    std::vector<int32_t>& failed = world.merge_joints;
    failed.clear();
    for_each_merged(world, c.blows.bodies, [&](int32_t j) { failed.push_back(j); });
    for_each_merged(world, c.restless, [&](int32_t j) { failed.push_back(j); });
    // Both of its bodies may be restless: each is asked once.
    std::ranges::sort(failed);
    failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
    std::erase_if(failed, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        const bool is_blown = std::ranges::any_of(c.blows.bodies, [&](int32_t m) {
            return c.bodies[m].body == joint.body_a || c.bodies[m].body == joint.body_b;
        });
        return !is_blown && !has_failed(world, limits, world.joints[j]);
    });
    for (int32_t j : failed)
        cut_joint(world, world.joints[j]);
    return int(failed.size());
}

} // namespace moraine
