#include "world/collections.h"

#include "graph/members.h"
#include "merge/probe.h"
#include "world/activity.h"
#include "world/body_store.h"
#include "world/collection_mass.h"

#include <algorithm>

namespace moraine
{

namespace
{

bool is_carrier(const WorldData& world, int32_t body) { return world.bodies[body].type != BodyType::dynamic_; }

// The bodies that a body moves with: its collection, or itself.
std::vector<int32_t> group_of(const WorldData& world, int32_t body)
{
    const int32_t c = world.collections.collection_of(body);
    return c == none ? std::vector<int32_t>{body} : world.collections.pool[c].members;
}

bool is_anchored(const WorldData& world, int32_t body)
{
    const int32_t c = world.collections.collection_of(body);
    return c != none && world.collections.pool[c].is_anchored;
}

// ---- changing movers ----

// What is solved or welded between the body and others is given up; refresh_body brings it back.
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

void turn_manifold(const Transform& t, Manifold& m)
{
    m.normal = rotate(t.rotation, m.normal);
    m.friction_impulse = rotate(t.rotation, m.friction_impulse);
    for (int i = 0; i < m.count; ++i)
        m.points[i].position = apply(t, m.points[i].position);
}

// The manifolds given in the frame of the body's mover, which changes by `t`.
void turn_manifolds(WorldData& world, int32_t body, const Transform& t)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (edge.body_a == body)
            for_each_manifold(edge, world.graph, [&](int32_t m) { turn_manifold(t, world.graph.manifolds[m]); });
    });
}

Pose pose_of(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    return world.movers[b.mover].pose * b.pose_in_mover;
}

// Out of its mover, which goes when it was the last body in it.
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

void place_body(WorldData& world, int32_t body, int32_t mover)
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
    update_edge_movers(body, world.bodies, world.graph);
    add_member(world.bodies, body, world.movers);
}

// A mover of one body becomes one of several.
void open_mover(WorldData& world, int32_t index)
{
    const Mover& mover = world.movers[index];
    if (mover.has_members())
        return;
    add_member(world.bodies, mover.body, world.movers);
    remember_motion(world, index);
}

// A carrier that nobody rides any more is a plain mover again. A static mover goes with its last body instead.
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

// Box, radius and place in the tree after bodies came or went. No pairs are new to a mover because of that.
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
    c.bodies.destroy(m);
    c.merged_of[size_t(body)] = none;
    --c.merged_count;
}

int32_t create_collection(WorldData& world, int32_t mover, bool anchored)
{
    const int32_t index = world.collections.pool.create();
    world.collections.pool[index].mover = mover;
    world.collections.pool[index].is_anchored = anchored;
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
    c.pool.destroy(index);
}

void measure_collection(WorldData& world, int32_t index)
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
void set_levels(WorldData& world, int32_t index, std::span<const int32_t> came)
{
    constexpr int far = 1 << 20;
    Collections& c = world.collections;
    const Collection& collection = c.pool[index];
    std::span<const int32_t> bodies = collection.is_anchored ? came : std::span<const int32_t>(collection.members);
    std::vector<int32_t> front;
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

void take_outer_forces(WorldData& world, MergedBody& m)
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

// Everything the probe needs to know of bodies that came, or that were left behind. `is_calm`: they came because they
// rest.
void welcome(WorldData& world, int32_t index, std::span<const int32_t> came, bool is_calm)
{
    Collections& c = world.collections;
    measure_collection(world, index);
    c.pool[index].has_failed = false;
    c.pool[index].calm_steps = 0;
    if (c.pool[index].is_certified)
    {
        c.pool[index].is_certified = false;
        world.movers.members[world.movers[c.pool[index].mover].members].watched.push_back(index);
    }
    set_levels(world, index, came);
    for (int32_t body : came)
    {
        MergedBody& m = c.bodies[c.merged(body)];
        set_load(world.bodies, c.pool[index].load, m);
        m.is_new = is_calm;
        if (is_calm)
            m.trim = m.turn_trim = {};
    }
    for (int32_t body : came)
    {
        const int32_t m = c.merged(body);
        take_outer_forces(world, c.bodies[m]);
        queue_body(m, c);
        for_each_weld(c, m, [&](int32_t w) {
            const int32_t other = c.welds[w].b == m ? c.welds[w].a : c.welds[w].b;
            if (other == none)
                return;
            const Vec3 rest = c.bodies[other].rest, turn_rest = c.bodies[other].turn_rest;
            take_outer_forces(world, c.bodies[other]);
            // Who is there already feels no difference when what lies on it merges.
            if (is_calm && !c.bodies[other].is_new)
                trust(probe_limits(world), c.bodies[other].rest - rest, c.bodies[other].turn_rest - turn_rest,
                      c.bodies[other]);
            queue_body(other, c);
        });
    }
}

// Puts bodies into the mover of an existing collection. They belong to no collection now.
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

// ---- joining ----

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

JoinedGroup* find_joined(WorldData& world, int32_t index)
{
    for (JoinedGroup& group : world.joined)
        if (group.collection == index)
            return &group;
    return nullptr;
}

// The acceleration of a free collection's frame is known again two steps after its members have changed.
void start_afresh(WorldData& world, int32_t index)
{
    Collection& c = world.collections.pool[index];
    if (!world.movers[c.mover].is_dynamic())
        return;
    c.fresh_steps = 2;
    c.load = {};
    c.load.gravity = {infinity, 0, 0}; // whatever comes is a change
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
        const Momentum own = momentum_of(world, many);
        group = &world.joined.emplace_back();
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
    recenter(world, mover, shift);
    set_momentum(world, mover, group.momentum);
    fit_mover(world, mover);
    refresh_bodies(world, members);
    welcome(world, index, group.came, true);
    start_afresh(world, index);
}

// Before the bodies of a collection go elsewhere.
void finish_collection(WorldData& world, int32_t index)
{
    for (size_t i = 0; i < world.joined.size(); ++i)
        if (world.joined[i].collection == index)
        {
            const JoinedGroup group = std::move(world.joined[i]);
            world.joined.erase(world.joined.begin() + ptrdiff_t(i));
            finish(world, group);
            return;
        }
}

void unify(WorldData& world, int32_t body_a, int32_t body_b)
{
    Collections& c = world.collections;
    const int32_t ca = c.collection_of(body_a), cb = c.collection_of(body_b);
    if (ca != none && ca == cb)
        return;
    const std::vector<int32_t> a = group_of(world, body_a), b = group_of(world, body_b);
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

bool can_join(const WorldData& world, const Edge& edge)
{
    const Body& a = world.bodies[edge.body_a];
    const Body& b = world.bodies[edge.body_b];
    if (((a.flags | b.flags) & (body_is_trigger | body_is_frozen | body_is_passive)) || !a.has(body_can_merge) ||
        !b.has(body_can_merge))
        return false;
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

void join_edge(WorldData& world, int32_t index)
{
    const int32_t a = world.graph.edges[index].body_a, b = world.graph.edges[index].body_b;
    if (is_carrier(world, a) || is_carrier(world, b))
    {
        const int32_t carrier = is_carrier(world, a) ? a : b, body = is_carrier(world, a) ? b : a;
        if (!is_anchored(world, body))
        {
            finish_collection(world, world.collections.collection_of(body));
            anchor(world, group_of(world, body), carrier);
        }
    }
    else
        unify(world, a, b);
    Edge& edge = world.graph.edges[index];
    edge.set(edge_is_merged, true);
    edge.steps = 0;
    refresh_edge(world, index);
    world.pending_merges.push_back({world.bodies.id(a), world.bodies.id(b), true});
    // Other contacts between the two parts that carry something hold them together too.
    for (int32_t body : {a, b})
        for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
            Edge& other = world.graph.edges[e];
            const int32_t c = world.collections.collection_of(other.body_a);
            const bool is_inner = c != none && c == world.collections.collection_of(other.body_b);
            if (is_inner && other.has(edge_is_touching) && !other.has(edge_is_trigger))
                other.set(edge_is_merged, true);
        });
}

void finish_joins(WorldData& world)
{
    for (const JoinedGroup& group : world.joined)
        finish(world, group);
    world.joined.clear();
}

void cut_edge(WorldData& world, int32_t index)
{
    Edge& edge = world.graph.edges[index];
    if (!edge.has(edge_is_merged))
        return;
    edge.set(edge_is_merged, false);
    edge.steps = 0;
    edge.wear = uint8_t(std::min(edge.wear + 1, 255));
    world.pending_merges.push_back({world.bodies.id(edge.body_a), world.bodies.id(edge.body_b), false});
    for (int32_t body : {edge.body_a, edge.body_b})
    {
        const int32_t c = world.collections.collection_of(body);
        if (c == none)
            continue;
        queue_body(world.collections.merged(body), world.collections);
        if (world.collections.pool[c].is_cut)
            continue;
        world.collections.pool[c].is_cut = true;
        world.collections.cut.push_back(c);
    }
}

void disturb_body(WorldData& world, int32_t body)
{
    const int32_t m = world.collections.merged(body);
    if (m != none)
        queue_body(m, world.collections);
}

// ---- falling apart ----

namespace
{

struct Part
{
    std::vector<int32_t> bodies;
    bool is_anchored = false;
};

// Components over merged edges.
std::vector<Part> parts_of(const WorldData& world, const std::vector<int32_t>& members)
{
    const Collections& c = world.collections;
    std::vector<uint8_t> is_seen(members.size(), 0);
    std::vector<Part> parts;
    for (size_t first = 0; first < members.size(); ++first)
    {
        if (is_seen[first])
            continue;
        Part& part = parts.emplace_back();
        part.bodies.push_back(members[first]);
        is_seen[first] = 1;
        for (size_t i = 0; i < part.bodies.size(); ++i)
            for_each_edge(part.bodies[i], world.bodies, world.graph, [&](int32_t e) {
                const Edge& edge = world.graph.edges[e];
                if (!edge.has(edge_is_merged))
                    return;
                const int32_t other = other_body(edge, part.bodies[i]);
                const int32_t m = c.merged(other);
                part.is_anchored |= m == none;
                if (m == none || is_seen[size_t(c.bodies[m].slot)])
                    return;
                is_seen[size_t(c.bodies[m].slot)] = 1;
                part.bodies.push_back(other);
            });
    }
    return parts;
}

void set_free(WorldData& world, int32_t body, const std::vector<RigidMotion>& motions, size_t i)
{
    const Pose pose = pose_of(world, body);
    release_rows(world, body);
    turn_manifolds(world, body, inverse(world.bodies[body].pose_in_mover));
    forget(world, body);
    leave_mover(world, body);
    make_free(world, body, pose, motions[i].linear, motions[i].angular);
    update_edge_movers(body, world.bodies, world.graph);
}

// A part without anchor leaves its mover: as a free body, or as a collection.
void free_part(WorldData& world, const Part& part)
{
    std::vector<RigidMotion> motions;
    const bool was_awake = mover_of(world, part.bodies[0]).is_awake();
    for (int32_t body : part.bodies)
        motions.push_back(last_motion_of(world, body));
    for (int32_t body : part.bodies)
        take_from(world, body);
    set_free(world, part.bodies[0], motions, 0);
    const int32_t mover = world.bodies[part.bodies[0]].mover;
    if (part.bodies.size() > 1)
    {
        open_mover(world, mover);
        const int32_t index = create_collection(world, mover, false);
        enter(world, part.bodies, index);
        const Vec3 shift = set_collection_mass(world, mover, part.bodies);
        recenter(world, mover, shift);
        set_motion(world, mover, motions[0], shift);
        fit_mover(world, mover);
    }
    Mover& m = world.movers[mover];
    if (m.leaf < 0)
        refit_mover(world.movers, mover, fat_bounds(m, {}, 0));
    mark_moved(world.movers, mover);
    if (!m.is_awake())
        world.movers.awake.add(mover, m.awake_slot);
    report_change(world, part.bodies, was_awake);
    refresh_bodies(world, part.bodies);
    if (part.bodies.size() > 1)
    {
        const int32_t index = world.collections.collection_of(part.bodies[0]);
        welcome(world, index, part.bodies, false);
        start_afresh(world, index);
    }
}

// What stays behind in its mover, as a collection of its own.
void keep_part(WorldData& world, const Part& part, int32_t mover)
{
    for (int32_t body : part.bodies)
        take_from(world, body);
    const int32_t index = create_collection(world, mover, true);
    world.collections.pool[index].load = frame_load(world, mover);
    for (int32_t body : part.bodies)
        add_to(world, body, index);
    welcome(world, index, part.bodies, false);
}

void keep_rest(WorldData& world, int32_t index)
{
    Collections& c = world.collections;
    const int32_t mover = c.pool[index].mover;
    if (!c.pool[index].is_anchored)
    {
        const RigidMotion motion = motion_of_mover(world, mover);
        const Vec3 shift = set_collection_mass(world, mover, c.pool[index].members);
        recenter(world, mover, shift);
        set_motion(world, mover, motion, shift);
        refresh_bodies(world, c.pool[index].members);
    }
    fit_mover(world, mover);
    const std::vector<int32_t> members = c.pool[index].members;
    welcome(world, index, members, false);
    start_afresh(world, index);
}

void split(WorldData& world, int32_t index)
{
    Collections& c = world.collections;
    c.pool[index].is_cut = false;
    // Its mover may go, and a group of sleepers must not remember it.
    wake_mover(world, c.pool[index].mover);
    std::vector<Part> parts = parts_of(world, c.pool[index].members);
    const bool anchored = c.pool[index].is_anchored;
    const int32_t mover = c.pool[index].mover;
    // The largest part of the kind that the collection was stays; a single free body does not need a collection.
    size_t stays = parts.size();
    for (size_t i = 0; i < parts.size(); ++i)
        if (parts[i].is_anchored == anchored && (anchored || parts[i].bodies.size() > 1) &&
            (stays == parts.size() || parts[i].bodies.size() > parts[stays].bodies.size()))
            stays = i;
    if (stays < parts.size() && parts.size() == 1)
        return;
    if (stays == parts.size()) // the mover may go with its last body
    {
        take_off(world, index, mover);
        c.pool[index].mover = none;
    }
    for (size_t i = 0; i < parts.size(); ++i)
    {
        if (i == stays)
            continue;
        if (parts[i].is_anchored)
            keep_part(world, parts[i], mover);
        else
            free_part(world, parts[i]);
    }
    if (stays < parts.size())
        keep_rest(world, index);
    else
        destroy_collection(world, index);
    if (anchored)
        close_carrier(world, mover);
}

} // namespace

void settle_collections(WorldData& world)
{
    Collections& c = world.collections;
    while (!c.cut.empty())
    {
        const int32_t index = *std::ranges::min_element(c.cut);
        std::erase(c.cut, index);
        split(world, index);
    }
}

void detach_body(WorldData& world, int32_t body)
{
    if (world.collections.merged(body) == none)
        return;
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) { cut_edge(world, e); });
    settle_collections(world);
}

void release_riders(WorldData& world, int32_t body)
{
    if (!is_carrier(world, body))
        return;
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) { cut_edge(world, e); });
    settle_collections(world);
}

} // namespace moraine
