// Contacts between bodies that no worker has together. Every worker tells the others roughly where it is, sends them what
// it has there, and one of each two workers looks for contacts: nobody sees all bodies.
#include "distribute/touch.h"
#include "distribute/worker.h"
#include "graph/members.h"

#include <algorithm>
#include <cmath>

namespace moraine::distribute
{

namespace
{

constexpr size_t most_boxes = 64;
constexpr float reach = 0.02f; // as far as contacts are made

// Boxes of the upper part of the tree that together hold all that moves.
std::vector<Aabb> cut_through(const Bvh& tree)
{
    std::vector<Aabb> boxes;
    if (tree.is_empty())
        return boxes;
    std::vector<int32_t> level{tree.root()}, next;
    while (!level.empty())
    {
        // A level that would be too many ends the walk.
        const bool is_last = 2 * level.size() + boxes.size() > most_boxes;
        for (int32_t n : level)
        {
            const Bvh::Node& node = tree.nodes()[size_t(n)];
            if (is_last || node.is_leaf())
                boxes.push_back(node.box);
            else
            {
                next.push_back(node.child_a);
                next.push_back(node.child_b);
            }
        }
        level.swap(next);
        next.clear();
    }
    return boxes;
}

// Of two workers the one that looks: as many pairs for each.
bool looks(int worker, int other) { return (worker + other) % 2 == 0 ? worker < other : worker > other; }

} // namespace

float largest_speed(const Movers& movers)
{
    float most = 0;
    for (int i = 0; i < movers.awake.size(); ++i)
    {
        const int32_t m = movers.awake[i];
        const MoverVelocity& v = movers.velocities[size_t(m)];
        const float turn = length(angular_velocity(movers[m], movers.masses[size_t(m)], v)) * movers[m].radius;
        most = std::max(most, length(v.linear) + turn);
    }
    return most;
}

BoundaryBody Worker::boundary_of(int32_t body) const
{
    const BodyId id = local_[size_t(body)];
    const WorldData& data = world_.data();
    return {world_.pose(id), body_box(data.bodies, data.movers, int32_t(id.index)), world_.linear_velocity(id), body,
            masks_[id.index]};
}

// Bodies in these boxes that the worker does not have. Of several copies the lowest worker's speaks for the body.
std::vector<BoundaryBody> Worker::near_boxes(std::span<const Aabb> boxes, int worker)
{
    std::vector<BoundaryBody> found;
    const Movers& movers = world_.data().movers;
    ++search_;
    for (const Aabb& cut : boxes)
    {
        const Aabb box = enlarge(cut, reach + ahead_);
        movers.dynamic_tree.query(box, [&](int32_t mover) {
            for_each_member_near(movers, mover, box, [&](int32_t body) {
                if (seen_[size_t(body)] == search_)
                    return;
                seen_[size_t(body)] = search_;
                const WorkerMask mask = masks_[size_t(body)]; // 0: fixed
                if (mask != 0 && first_of(mask) == index_ && (mask & mask_of(worker)) == 0)
                    found.push_back(boundary_of(global_[size_t(body)]));
            });
        });
    }
    return found;
}

void Worker::meet(std::span<const BoundaryBody> others, float dt, std::vector<ContactPair>& met)
{
    const Movers& movers = world_.data().movers;
    for (const BoundaryBody& other : others)
    {
        const Aabb box = enlarge(other.box, reach + ahead_ + dt * length(other.velocity));
        movers.dynamic_tree.query(box, [&](int32_t mover) {
            for_each_member_near(movers, mover, box, [&](int32_t body) {
                const WorkerMask mask = masks_[size_t(body)];
                if (mask == 0 || first_of(mask) != index_ || (mask & other.workers) != 0)
                    return;
                const WorldData& data = world_.data();
                if (!overlaps(body_box(data.bodies, data.movers, body), box))
                    return;
                const int32_t own = global_[size_t(body)];
                if (can_collide(shared_.scene(), shared_.joints_of, own, other.body) &&
                    may_touch(shared_.scene(), boundary_of(own), other, dt))
                    met.push_back({std::min(own, other.body), std::max(own, other.body)});
            });
        });
    }
}

void Worker::find_meetings(float dt, Transport& transport, std::vector<ContactPair>& met)
{
    ahead_ = dt * last_.speed_max;
    const WorkerMask others = meets_ & (mask_of(workers_) - 1) & ~mask_of(index_);
    if (others == 0)
        return;
    std::vector<Aabb> boxes = cut_through(world_.data().movers.dynamic_tree);
    for (Aabb& box : boxes)
        box = enlarge(box, ahead_);
    const Bytes cut = pack(boxes);
    for_each_worker(others, [&](int w) {
        if (!looks(w, index_))
            transport.send(w, cut);
    });
    for_each_worker(others, [&](int w) {
        if (looks(w, index_))
            transport.send(w, pack(near_boxes(unpack<std::vector<Aabb>>(transport.receive(w)), w)));
    });
    for_each_worker(others, [&](int w) {
        if (looks(index_, w))
            meet(unpack<std::vector<BoundaryBody>>(transport.receive(w)), dt, met);
    });
}

} // namespace moraine::distribute
