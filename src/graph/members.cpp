#include "graph/members.h"

#include <algorithm>

namespace moraine
{

Aabb box_in_frame(const Aabb& world_box, const Pose& frame)
{
    const Vec3 half = half_extents(world_box);
    const Vec3 middle = center(world_box);
    if (!is_finite(middle)) // a half-space: everything
        return {{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
    const Transform place{apply_inverse(frame, DVec3(middle)), conjugate(frame.rotation)};
    const float slack = 4e-7f * max_component(abs(middle)); // the box was rounded in the world
    return enlarge(transform(Aabb{-half, half}, place), slack);
}

Aabb box_in_mover(const Bodies& bodies, int32_t body)
{
    const Body& b = bodies[body];
    Aabb box;
    for (const Shape& s : bodies.shapes_of(b))
        box = merge(box, transform(s.bounds, b.pose_in_mover * s.pose));
    if (b.shape_count == 0)
        box = {b.pose_in_mover.position, b.pose_in_mover.position};
    return box;
}

Aabb body_box(const Bodies& bodies, const Movers& movers, int32_t body)
{
    const Mover& mover = movers[bodies[body].mover];
    if (!mover.has_members())
        return mover.tight;
    const Bvh& tree = movers.members[mover.members].tree;
    return world_bounds(tree.box(movers.member_leaf[size_t(body)]), mover.pose, 0);
}

void add_member(const Bodies& bodies, int32_t body, Movers& movers)
{
    Mover& mover = movers[bodies[body].mover];
    if (!mover.has_members())
    {
        mover.members = movers.members.create();
        movers.members[mover.members].searched = mover.pose;
    }
    if (movers.member_leaf.size() < size_t(bodies.capacity()))
        movers.member_leaf.resize(size_t(bodies.capacity()), -1);
    movers.member_leaf[size_t(body)] = movers.members[mover.members].tree.insert(box_in_mover(bodies, body), body);
}

void remove_member(const Bodies& bodies, int32_t body, Movers& movers)
{
    int32_t& leaf = movers.member_leaf[size_t(body)];
    movers.members[movers[bodies[body].mover].members].tree.remove(leaf);
    leaf = -1;
}

int32_t first_member(const Movers& movers, int32_t mover)
{
    for (const Bvh::Node& node : movers.members[movers[mover].members].tree.nodes())
        if (node.is_leaf() && !(node.flags & Bvh::free_slot))
            return node.item;
    return none;
}

void measure_members(Mover& mover, const Movers& movers)
{
    const Bvh& tree = movers.members[mover.members].tree;
    mover.bounds = tree.is_empty() ? Aabb{{0, 0, 0}, {0, 0, 0}} : tree.box(tree.root());
    mover.radius = std::min(length(max(abs(mover.bounds.lower), abs(mover.bounds.upper))), 1e9f);
    mover.is_round = mover.can_roll = false;
}

float search_slack(const Mover& mover) { return mover.has_members() ? 0.05f : 0.0f; }

bool wants_search(const Mover& mover, const Movers& movers)
{
    const Pose& from = movers.members[mover.members].searched;
    const float turn = length(rotation_vector(mover.pose.rotation * conjugate(from.rotation)));
    const float way = length(relative(mover.pose.position, from.position)) + turn * mover.radius;
    return way > 0.9f * search_slack(mover);
}

} // namespace moraine
