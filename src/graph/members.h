// Movers that hold several bodies: two-level bounding volumes. The world's trees hold movers; below a mover with members
// there is a tree of them in its own frame.
#pragma once

#include "graph/bodies.h"
#include "graph/movers.h"

namespace moraine
{

// A box in the world, seen from a frame.
Aabb box_in_frame(const Aabb& world_box, const Pose& frame);
// The box of a body in the frame of its mover.
Aabb box_in_mover(const Bodies& bodies, int32_t body);
// Around one body in the world, wherever it is.
Aabb body_box(const Bodies& bodies, const Movers& movers, int32_t body);

// The body's mover and place in it are set. A mover gets its tree with the first call; the caller adds every body.
void add_member(const Bodies& bodies, int32_t body, Movers& movers);
void remove_member(const Bodies& bodies, int32_t body, Movers& movers);
// Box and radius of the mover from its tree.
void measure_members(Mover& mover, const Movers& movers);

int32_t first_member(const Movers& movers, int32_t mover);

// visit(body) for all bodies of a mover, in a fixed order.
template <class Visit>
void for_each_member(const Movers& movers, int32_t index, Visit&& visit)
{
    const Mover& mover = movers[index];
    if (!mover.has_members())
    {
        visit(mover.body);
        return;
    }
    for (const Bvh::Node& node : movers.members[mover.members].tree.nodes())
        if (node.is_leaf() && !(node.flags & Bvh::free_slot))
            visit(node.item);
}

// visit(body) for the bodies of a mover that may be inside a box in the world; visit returns false to stop.
template <class Visit>
void for_each_member_near(const Movers& movers, int32_t index, const Aabb& box, Visit&& visit)
{
    const Mover& mover = movers[index];
    if (mover.has_members())
        movers.members[mover.members].tree.query(box_in_frame(box, mover.pose), visit);
    else
        goes_on(visit, mover.body);
}

// How far a mover with members may move before pairs are sought again.
float search_slack(const Mover& mover);
// The mover has moved by nearly that since.
bool wants_search(const Mover& mover, const Movers& movers);

} // namespace moraine
