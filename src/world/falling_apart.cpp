// Collections fall into the components of the merged edges that are left.
#include "graph/members.h"
#include "merge/probe.h"
#include "world/activity.h"
#include "world/body_store.h"
#include "world/collection_mass.h"
#include "world/collections.h"
#include "world/membership.h"

#include <algorithm>

namespace moraine
{

using namespace membership;

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
