#include "world/membership.h"

#include "dynamics/pgs_batch.h"
#include "graph/members.h"
#include "merge/probe.h"
#include "merge/response.h"
#include "world/activity.h"
#include "world/body_store.h"
#include "world/collection_mass.h"
#include "world/collections.h"

#include <algorithm>

namespace moraine::membership
{

bool is_carrier(const WorldData& world, int32_t body) { return world.bodies[body].type != BodyType::dynamic_; }

std::span<const int32_t> group_of(const WorldData& world, int32_t body, std::vector<int32_t>& group)
{
    const int32_t c = world.collections.collection_of(body);
    if (c == none)
        group.assign(1, body);
    else
        group.assign(world.collections.pool[c].members.begin(), world.collections.pool[c].members.end());
    return group;
}

bool is_anchored(const WorldData& world, int32_t body)
{
    const int32_t c = world.collections.collection_of(body);
    return c != none && world.collections.pool[c].is_anchored;
}

// ---- changing movers ----

void release_rows(WorldData& world, int32_t body)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        remove_welds(world, e);
        set_solved(world, world.graph.edges[e], false);
    });
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        Joint& joint = world.joints[j];
        remove_joint_weld(world, j);
        if (joint.awake_slot < 0)
            return;
        world.joints.awake.remove(joint.awake_slot, [&](int32_t i) -> int32_t& { return world.joints[i].awake_slot; });
        remove_joint(j, world.joints, mover_of(world, joint.body_a), mover_of(world, joint.body_b), world.colouring);
    });
}

// Friction of single points is kept along two tangents that follow from the normal: others, once that is turned.
static void turn_friction(Vec3 before, Quat turn, Vec3 after, PointFriction& friction)
{
    const Vec3 old[2] = {rotate(turn, first_tangent(before)), rotate(turn, cross(before, first_tangent(before)))};
    const Vec3 tangent = first_tangent(after), second = cross(after, tangent);
    for (float(&along)[2] : friction.along)
    {
        const Vec3 f = old[0] * along[0] + old[1] * along[1];
        along[0] = dot(f, tangent);
        along[1] = dot(f, second);
    }
}

static void turn_manifold(const Transform& t, int32_t index, ContactGraph& graph)
{
    Manifold& m = graph.manifolds[index];
    const Vec3 normal = rotate(t.rotation, m.normal);
    if (size_t(index) < graph.point_friction.size())
        turn_friction(m.normal, t.rotation, normal, graph.point_friction[size_t(index)]);
    m.normal = normal;
    m.friction_impulse = rotate(t.rotation, m.friction_impulse);
    for (int i = 0; i < m.count; ++i)
        m.points[i].position = apply(t, m.points[i].position);
}

void turn_manifolds(WorldData& world, int32_t body, const Transform& t)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (edge.body_a == body)
            for_each_manifold(edge, world.graph, [&](int32_t m) { turn_manifold(t, m, world.graph); });
    });
}

Pose pose_of(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    return world.movers[b.mover].pose * b.pose_in_mover;
}

void leave_mover(WorldData& world, int32_t body)
{
    const int32_t old = world.bodies[body].mover;
    if (!world.movers[old].has_members())
    {
        destroy_mover(world, old);
        return;
    }
    remove_member(world.bodies, body, world.movers);
    if (world.movers.members[world.movers[old].members].tree.is_empty())
        destroy_mover(world, old);
}

static void place_body(WorldData& world, int32_t body, int32_t mover)
{
    const Pose pose = pose_of(world, body);
    const Transform change = relative(world.movers[world.bodies[body].mover].pose, world.movers[mover].pose);
    release_rows(world, body);
    turn_manifolds(world, body, change);
    leave_mover(world, body);
    Body& b = world.bodies[body];
    b.mover = mover;
    b.pose_in_mover = relative(pose, world.movers[mover].pose);
    b.pose_in_mover.rotation = normalize(b.pose_in_mover.rotation);
    if (const int32_t m = world.collections.merged(body); m != none)
    {
        MergedBody& merged = world.collections.bodies[m];
        merged.trim = rotate(change.rotation, merged.trim);
        merged.turn_trim = rotate(change.rotation, merged.turn_trim);
    }
    update_edge_movers(body, world.bodies, world.movers, world.graph);
    add_member(world.bodies, body, world.movers);
}

void open_mover(WorldData& world, int32_t index)
{
    const Mover& mover = world.movers[index];
    if (mover.has_members())
        return;
    add_member(world.bodies, mover.body, world.movers);
    remember_motion(world, index);
}

void close_carrier(WorldData& world, int32_t index)
{
    Mover& mover = world.movers[index];
    if (!mover.has_members() || mover.type != BodyType::kinematic)
        return;
    Members& members = world.movers.members[mover.members];
    if (members.tree.leaf_count() != 1 || !members.collections.empty())
        return;
    const int32_t body = mover.body;
    remove_member(world.bodies, body, world.movers);
    world.movers.members.destroy(mover.members);
    mover.members = none;
    measure_free(world, body);
    refresh_body(world, body);
}

void fit_mover(WorldData& world, int32_t index)
{
    Mover& mover = world.movers[index];
    if (mover.type != BodyType::kinematic && world.bodies[mover.body].mover != index)
        mover.body = first_member(world.movers, index);
    measure_members(mover, world.movers);
    update_tight(mover);
    const Aabb fat = fat_bounds(mover, {}, 0);
    Bvh& tree = world.movers.tree_of(mover);
    if (mover.leaf < 0)
        mover.leaf = tree.insert(fat, index);
    else
        tree.move(mover.leaf, fat);
}

void refresh_bodies(WorldData& world, std::span<const int32_t> bodies)
{
    for (int32_t body : bodies)
        for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
            Edge& edge = world.graph.edges[e];
            edge.placement = relative(world.movers[edge.mover_b].pose, world.movers[edge.mover_a].pose);
        });
    for (int32_t body : bodies)
        refresh_body(world, body);
}

// ---- membership ----

void add_to(WorldData& world, int32_t body, int32_t collection)
{
    Collections& c = world.collections;
    bring_forces_up(world, collection);
    forget_response(collection, c);
    if (c.merged_of.size() < size_t(world.bodies.capacity()))
        c.merged_of.resize(size_t(world.bodies.capacity()), none);
    int32_t m = c.merged(body);
    if (m == none)
    {
        m = c.bodies.create();
        c.merged_of[size_t(body)] = m;
        ++c.merged_count;
    }
    MergedBody& merged = c.bodies[m];
    merged.body = body;
    merged.collection = collection;
    merged.slot = int32_t(c.pool[collection].members.size());
    c.pool[collection].members.push_back(body);
}

void take_from(WorldData& world, int32_t body)
{
    Collections& c = world.collections;
    MergedBody& m = c.bodies[c.merged(body)];
    bring_forces_up(world, m.collection);
    forget_response(m.collection, c);
    std::vector<int32_t>& members = c.pool[m.collection].members;
    const int32_t last = members.back();
    members[size_t(m.slot)] = last;
    c.bodies[c.merged(last)].slot = m.slot;
    members.pop_back();
    m.collection = m.slot = none;
}

void forget(WorldData& world, int32_t body)
{
    Collections& c = world.collections;
    const int32_t m = c.merged(body);
    std::erase(c.queue, m);
    std::erase(c.gathered, m);
    std::erase(c.restless, m);
    std::erase(c.uneasy, m);
    c.bodies.destroy(m);
    c.merged_of[size_t(body)] = none;
    --c.merged_count;
}

int32_t create_collection(WorldData& world, int32_t mover, bool anchored)
{
    const int32_t index = world.collections.pool.create();
    world.collections.pool[index].mover = mover;
    world.collections.pool[index].is_anchored = anchored;
    world.collections.pool[index].may_move = world.movers[mover].type != BodyType::static_;
    Members& members = world.movers.members[world.movers[mover].members];
    members.collections.push_back(index);
    members.watched.push_back(index);
    return index;
}

void take_off(WorldData& world, int32_t index, int32_t mover)
{
    Members& members = world.movers.members[world.movers[mover].members];
    std::erase(members.collections, index);
    std::erase(members.watched, index);
}

void destroy_collection(WorldData& world, int32_t index)
{
    Collections& c = world.collections;
    const int32_t mover = c.pool[index].mover;
    if (mover != none)
        take_off(world, index, mover);
    std::erase(c.cut, index);
    std::erase(c.noisy, index);
    c.pool.destroy(index);
}

void enter(WorldData& world, std::span<const int32_t> bodies, int32_t index)
{
    const int32_t mover = world.collections.pool[index].mover;
    for (int32_t body : bodies)
    {
        add_to(world, body, index);
        if (world.bodies[body].mover != mover)
            place_body(world, body, mover);
        measure_body(world.bodies, world.collections.bodies[world.collections.merged(body)]);
    }
    fit_mover(world, mover);
}

void report_change(WorldData& world, std::span<const int32_t> bodies, bool was_awake)
{
    const bool is_awake = mover_of(world, bodies[0]).is_awake();
    if (is_awake != was_awake)
        for (int32_t body : bodies)
            report_body_sleep(world, body, is_awake);
}

JoinedGroup* find_joined(WorldData& world, int32_t index)
{
    for (JoinedGroup& group : world.joined)
        if (group.collection == index)
            return &group;
    return nullptr;
}

void start_afresh(WorldData& world, int32_t index)
{
    Collection& c = world.collections.pool[index];
    if (!world.movers[c.mover].is_dynamic())
        return;
    c.fresh_steps = 2;
    c.load = {};
    c.load.gravity = {infinity, 0, 0}; // whatever comes is a change
}

} // namespace moraine::membership
