// Collections fall into the components of the merged edges and the glue that are left.
#include "graph/members.h"
#include "merge/probe.h"
#include "world/activity.h"
#include "world/body_store.h"
#include "world/collection_mass.h"
#include "world/collections.h"
#include "world/glue.h"
#include "world/joint_bonds.h"
#include "world/membership.h"
#include "world/parting.h"

#include <algorithm>

namespace moraine
{

using namespace membership;

namespace
{

using Part = CollectionScratch::Part;

std::span<const int32_t> bodies_of(const WorldData& world, const Part& part)
{
    return std::span(world.collections.scratch.part_bodies).subspan(size_t(part.first), size_t(part.count));
}

void set_free(WorldData& world, int32_t body, const RigidMotion& motion)
{
    const Pose pose = pose_of(world, body);
    release_rows(world, body);
    turn_manifolds(world, body, inverse(world.bodies[body].pose_in_mover));
    forget(world, body);
    leave_mover(world, body);
    make_free(world, body, pose, motion.linear, motion.angular);
    update_edge_movers(body, world.bodies, world.movers, world.graph);
}

// Somebody who sleeps beside a body that rested in a frame is pushed by it, now that it is free.
void wake_beside(WorldData& world, int32_t body)
{
    for_each_pushed(world, body, [&](int32_t other) {
        if (const Mover& mover = mover_of(world, other); mover.is_dynamic() && !mover.is_awake())
            wake_body(world, other);
    });
}

// A part without anchor leaves its mover: as a free body, or as a collection.
void free_part(WorldData& world, std::span<const int32_t> bodies)
{
    const bool was_awake = mover_of(world, bodies[0]).is_awake();
    const RigidMotion motion = last_motion_of(world, bodies[0]);
    for (int32_t body : bodies)
        take_from(world, body);
    set_free(world, bodies[0], motion);
    const int32_t mover = world.bodies[bodies[0]].mover;
    Vec3 shift{};
    if (bodies.size() > 1)
    {
        open_mover(world, mover);
        enter(world, bodies, create_collection(world, mover, false));
        shift = set_collection_mass(world, mover, bodies);
    }
    if (Mover& m = world.movers[mover]; !m.is_awake())
        world.movers.awake.add(mover, m.awake_slot);
    report_change(world, bodies, was_awake);
    refresh_bodies(world, bodies);
    if (bodies.size() > 1)
    {
        recenter(world, mover, shift);
        set_motion(world, mover, motion, shift);
        fit_mover(world, mover);
    }
    if (const Mover& m = world.movers[mover]; m.leaf < 0)
        refit_mover(world.movers, mover, fat_bounds(m, {}, 0));
    mark_moved(world.movers, mover);
    for (int32_t body : bodies)
        wake_beside(world, body);
    if (bodies.size() > 1)
    {
        const int32_t index = world.collections.collection_of(bodies[0]);
        welcome(world, index, bodies, false);
        start_afresh(world, index);
    }
}

// What stays behind in its mover, as a collection of its own.
void keep_part(WorldData& world, std::span<const int32_t> bodies, int32_t mover)
{
    for (int32_t body : bodies)
        take_from(world, body);
    const int32_t index = create_collection(world, mover, true);
    world.collections.pool[index].load = frame_load(world, mover);
    for (int32_t body : bodies)
        add_to(world, body, index);
    welcome(world, index, bodies, false);
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
    }
    fit_mover(world, mover);
    bereave(world, index);
    start_afresh(world, index);
}

void split(WorldData& world, int32_t index)
{
    Collections& c = world.collections;
    c.pool[index].is_cut = false;
    // Its mover may go, and a group of sleepers must not remember it.
    wake_mover(world, c.pool[index].mover);
    find_parts(world, index);
    const std::vector<Part>& parts = c.scratch.parts;
    const bool anchored = c.pool[index].is_anchored;
    const int32_t mover = c.pool[index].mover;
    // The largest part of the kind that the collection was stays; a single free body does not need a collection.
    size_t stays = parts.size();
    for (size_t i = 0; i < parts.size(); ++i)
        if (parts[i].is_anchored == anchored && (anchored || parts[i].count > 1) &&
            (stays == parts.size() || parts[i].count > parts[stays].count))
            stays = i;
    if (stays < parts.size() && parts.size() == 1)
        return;
    if (stays == parts.size()) // the mover may go with its last body
    {
        bring_forces_up(world, index);
        take_off(world, index, mover);
        c.pool[index].mover = none;
    }
    for (size_t i = 0; i < parts.size(); ++i)
    {
        if (i == stays)
            continue;
        if (parts[i].is_anchored)
            keep_part(world, bodies_of(world, parts[i]), mover);
        else
            free_part(world, bodies_of(world, parts[i]));
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
    c.cut_bodies.clear();
}

void cut_bonds(WorldData& world, int32_t body)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) { cut_edge(world, e); });
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        if (world.joints[j].is_glue)
            cut_glue(world, j);
        else
            cut_joint(world, world.joints[j]);
    });
}

void detach_body(WorldData& world, int32_t body)
{
    if (world.collections.merged(body) == none)
        return;
    cut_bonds(world, body);
    settle_collections(world);
}

void release_riders(WorldData& world, int32_t body)
{
    if (!is_carrier(world, body))
        return;
    cut_bonds(world, body);
    settle_collections(world);
}

} // namespace moraine
