#include "world/glue.h"

#include "world/activity.h"
#include "world/body_store.h"
#include "world/collections.h"
#include "world/joint_bonds.h"
#include "world/membership.h"

#include <algorithm>

namespace moraine
{

using namespace membership;

namespace
{

// Where the two touch, in the world; the middle of the lighter one where they do not.
DVec3 place_of_glue(const WorldData& world, int32_t body_a, int32_t body_b)
{
    const int32_t edge = find_edge(world.graph, body_a, body_b);
    Vec3 sum{};
    int count = 0;
    if (edge != none)
        for (int32_t m = world.graph.edges[edge].manifold; m != none; m = world.graph.manifolds[m].next)
            for (int i = 0; i < world.graph.manifolds[m].count; ++i, ++count)
                sum += contact_place(world.bodies, world.collections, world.graph.manifolds[m], i);
    if (count > 0)
        return apply(world.movers[world.graph.edges[edge].mover_a].pose, sum / float(count));
    const bool is_b = is_carrier(world, body_a) ||
                      (!is_carrier(world, body_b) &&
                       world.bodies.infos[size_t(body_b)].mass < world.bodies.infos[size_t(body_a)].mass);
    return pose_of(world, is_b ? body_b : body_a).position;
}

Transform frame_in(const WorldData& world, int32_t body, DVec3 place)
{
    return relative(Pose{place, {}}, pose_of(world, body));
}

int32_t create_glue(WorldData& world, int32_t body_a, int32_t body_b, float break_impulse)
{
    const int32_t index = add_joint_record(world);
    Joint& joint = world.joints[index];
    const DVec3 place = place_of_glue(world, body_a, body_b);
    joint.body_a = body_a;
    joint.body_b = body_b;
    joint.frame_a = frame_in(world, body_a, place);
    joint.frame_b = frame_in(world, body_b, place);
    if (body_a == ground_body)
    {
        joint.origin_a = place;
        joint.frame_a.position = {};
    }
    joint.kind = FixedJoint{};
    joint.break_impulse = break_impulse;
    joint.collides = true;
    joint.is_glue = true;
    link_joint(index, world.bodies, world.joints);
    ++world.joints.glue_count;
    return index;
}

} // namespace

int32_t find_glue(const WorldData& world, int32_t body_a, int32_t body_b)
{
    int32_t found = none;
    for_each_joint(body_a, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        if (joint.is_glue && (joint.body_a == body_b || joint.body_b == body_b))
            found = j;
    });
    return found;
}

std::string glue_problem(const WorldData& world, int32_t body_a, int32_t body_b)
{
    if (body_a == body_b)
        return "the two are the same body: name two";
    if (is_carrier(world, body_a) && is_carrier(world, body_b))
        return "neither of the two can be moved: one must be dynamic";
    if (!may_merge(world, body_a, body_b))
        return "one is a trigger, passive or frozen, has can_merge off, or a rule keeps the two from merging: change "
               "that "
               "first";
    const Edge edge = edge_between(world, body_a, body_b);
    if (!can_join(world, edge))
        return "the two move with different carriers, or only one is planar, or one may not sleep and the other is "
               "part "
               "of the ground: unmerge one of them first";
    if (edge.mover_a != edge.mover_b && !joints_allow(world, edge))
        return "a joint or a magnet of one of them leads elsewhere and could not act any more: destroy it first";
    return "";
}

void glue_bodies(WorldData& world, int32_t body_a, int32_t body_b, float break_impulse)
{
    if (body_a > body_b)
        std::swap(body_a, body_b);
    if (const int32_t old = find_glue(world, body_a, body_b); old != none)
        world.joints[old].break_impulse = break_impulse;
    else
    {
        create_glue(world, body_a, body_b, break_impulse);
        join_bodies(world, body_a, body_b);
        finish_joins(world);
        merge_inner_edges(world, body_a, body_b);
        world.pending_merges.push_back({world.bodies.id(body_a), world.bodies.id(body_b), true});
    }
    // They may have been in one collection before: the probe must learn of what holds them now.
    for (int32_t body : {body_a, body_b})
    {
        if (world.collections.merged(body) == none)
            continue;
        wake_body(world, body);
        refresh_body(world, body);
        welcome(world, world.collections.collection_of(body), std::span(&body, 1), false);
    }
}

void cut_glue(WorldData& world, int32_t index)
{
    const Joint joint = world.joints[index];
    remove_joint_weld(world, index);
    unlink_joint(index, world.bodies, world.joints);
    world.joints.ids.destroy(uint32_t(index));
    --world.joints.glue_count;
    world.pending_merges.push_back({world.bodies.id(joint.body_a), world.bodies.id(joint.body_b), false});
    mark_cut(world, joint.body_a);
    mark_cut(world, joint.body_b);
}

float glue_impulse(const WorldData& world, int32_t index)
{
    const Joint& joint = world.joints[index];
    const Collections& c = world.collections;
    if (joint.weld < 0)
        return 0;
    Vec3 force = force_of(c.welds[joint.weld]); // on B
    const int32_t edge = find_edge(world.graph, joint.body_a, joint.body_b);
    const auto for_each_contact = [&](auto&& visit) {
        if (edge == none)
            return;
        for (int32_t m = world.graph.edges[edge].manifold; m != none; m = world.graph.manifolds[m].next)
            if (world.graph.manifolds[m].colour < 0 && world.graph.manifolds[m].slot >= 0)
                visit(c.welds[world.graph.manifolds[m].slot]);
    };
    for_each_contact([&](const Weld& w) { force += force_of(w); });
    for_each_contact([&](const Weld& w) { force -= w.normal * std::max(0.0f, dot(w.normal, force)); });
    return length(force) * world.step_dt;
}

int break_glue(WorldData& world)
{
    Collections& c = world.collections;
    std::vector<int32_t>& overloaded = c.waiting;
    overloaded.clear();
    int count = 0;
    for (int32_t m : c.strained)
        for_each_joint(c.bodies[m].body, world.bodies, world.joints, [&](int32_t j) {
            const Joint& joint = world.joints[j];
            if (joint.break_impulse == infinity || !is_inner(world, joint))
                return;
            if (joint.is_glue && glue_impulse(world, j) > joint.break_impulse)
                cut_glue(world, j);
            else if (!joint.is_glue && inner_impulse(world, joint) > joint.break_impulse)
                overloaded.insert(overloaded.end(), {joint.body_a, joint.body_b});
            else
                return;
            ++count;
        });
    // Those are for the solve to break.
    for (int32_t body : overloaded)
        if (c.merged(body) != none)
            cut_bonds(world, body);
    c.strained.clear();
    return count;
}

} // namespace moraine
