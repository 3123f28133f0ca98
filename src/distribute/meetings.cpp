// Contacts between bodies that no worker has together. Of two workers one tells the other roughly where it is, gets what that
// has there, and looks for contacts: nobody sees all bodies. In a quick look both tell only what has moved.
#include "collide/narrow_phase.h"
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
constexpr size_t few_moved = 8; // one in so many bodies

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

// Movers in some of many boxes, by one walk through the tree: the list of boxes gets shorter from node to node.
template <class Visit>
class BoxWalk
{
public:
    BoxWalk(const Bvh& tree, std::vector<Aabb> boxes, Visit visit)
        : tree_(tree),
          boxes_(std::move(boxes)),
          visit_(visit)
    {
        if (!tree.is_empty())
            walk(tree.root(), 0);
    }

private:
    void walk(int32_t n, size_t first)
    {
        const Bvh::Node& node = tree_.nodes()[size_t(n)];
        const size_t end = boxes_.size();
        for (size_t i = first; i < end; ++i)
        {
            const Aabb box = boxes_[i];
            if (!overlaps(box, node.box))
                continue;
            const bool is_inside = contains(box, node.box);
            if (is_inside)
                boxes_.resize(end); // and so is all below: the other boxes do not matter
            boxes_.push_back(box);
            if (is_inside)
                break;
        }
        if (boxes_.size() > end && node.is_leaf())
            visit_(node.item, std::span<const Aabb>(boxes_).subspan(end));
        else if (boxes_.size() > end)
        {
            walk(node.child_a, end);
            walk(node.child_b, end);
        }
        boxes_.resize(end);
    }

    const Bvh& tree_;
    std::vector<Aabb> boxes_; // a stack of lists
    Visit visit_;
};

} // namespace

BoundaryBody Worker::boundary_of(int32_t body) const
{
    const BodyId id = local_[size_t(body)];
    const WorldData& data = world_.data();
    return {world_.pose(id),
            body_box(data.bodies, data.movers, int32_t(id.index)),
            world_.linear_velocity(id),
            body,
            restless_.moved_at(int32_t(id.index)),
            masks_[id.index]};
}

// Bodies in these boxes that the worker does not have. Of several copies the lowest worker's speaks for the body.
std::vector<BoundaryBody> Worker::near_boxes(std::vector<Aabb> boxes, int worker)
{
    std::vector<BoundaryBody> found;
    const Movers& movers = world_.data().movers;
    ++search_;
    for (Aabb& box : boxes)
        box = enlarge(box, reach + ahead_ + sights_[size_t(worker)].horizon);
    const auto take = [&](int32_t body) {
        if (seen_[size_t(body)] == search_)
            return;
        seen_[size_t(body)] = search_;
        const WorkerMask mask = masks_[size_t(body)]; // 0: fixed
        if (mask != 0 && first_of(mask) == index_ && (mask & mask_of(worker)) == 0)
            found.push_back(boundary_of(global_[size_t(body)]));
    };
    const BoxWalk walk(movers.dynamic_tree, std::move(boxes), [&](int32_t mover, std::span<const Aabb> around) {
        if (!movers[mover].has_members())
            take(movers[mover].body);
        else
            for (const Aabb& box : around)
                for_each_member_near(movers, mover, box, take);
    });
    return found;
}

bool Worker::has_moved(size_t body, const Sight& sight, int worker) const
{
    const WorkerMask mask = masks_[body];
    return mask != 0 && first_of(mask) == index_ && (mask & mask_of(worker)) == 0 &&
           restless_.moved_at(int32_t(body)) > sight.looked_at;
}

bool Worker::have_few_moved(const Sight& sight, int worker) const
{
    const size_t most = masks_.size() / few_moved;
    size_t moved = 0;
    for (size_t body = 0; body < masks_.size() && moved <= most; ++body)
        moved += has_moved(body, sight, worker);
    return moved <= most;
}

// Bodies that have moved since the last look at this worker, and that it does not have.
std::vector<BoundaryBody> Worker::moved_since(const Sight& sight, int worker) const
{
    std::vector<BoundaryBody> moved;
    for (size_t body = 0; body < masks_.size(); ++body)
        if (has_moved(body, sight, worker))
            moved.push_back(boundary_of(global_[body]));
    return moved;
}

// Returns how far the nearest two of those are apart that do not meet, at most the horizon.
float Worker::meet(std::span<const BoundaryBody> others, const Sight& sight, float dt, std::vector<ContactPair>& met)
{
    const WorldData& data = world_.data();
    Lookout lookout(shared_.scene(), shared_.joints_of, ahead_, dt, sight);
    for (const BoundaryBody& other : others)
    {
        const Aabb box = lookout.box_around(other);
        data.movers.dynamic_tree.query(box, [&](int32_t mover) {
            for_each_member_near(data.movers, mover, box, [&](int32_t body) {
                const WorkerMask mask = masks_[size_t(body)];
                if (mask == 0 || first_of(mask) != index_ || (mask & other.workers) != 0)
                    return;
                const int32_t own = global_[size_t(body)];
                if (lookout.meets(body_box(data.bodies, data.movers, body), own, restless_.moved_at(body), other,
                                  [&] { return boundary_of(own); }))
                    met.push_back({std::min(own, other.body), std::max(own, other.body)});
            });
        });
    }
    return lookout.gap();
}

// What is fast comes upon something within one step, and somebody who has only one of the two must know before: else what is
// hit gives way in one worker and stands fast in another.
void Worker::foresee(float dt, std::vector<ContactPair>& met)
{
    const std::span<const int32_t> fast = restless_.fast();
    if (fast.empty() || overlap_.empty())
        return;
    const WorldData& data = world_.data();
    const bool is_few = fast.size() <= overlap_.size();
    for (size_t i = 0; i < (is_few ? fast.size() : overlap_.size()); ++i)
    {
        const int32_t body = is_few ? fast[i] : int32_t(local_[size_t(overlap_[i])].index);
        if (masks_[size_t(body)] == 0)
            continue;
        const BoundaryBody own = boundary_of(global_[size_t(body)]);
        const Aabb box = enlarge(own.box, reach + ahead_ + dt * length(own.velocity));
        data.movers.dynamic_tree.query(box, [&](int32_t mover) {
            for_each_member_near(data.movers, mover, box, [&](int32_t other) {
                if (will_touch(own, other, dt))
                    met.push_back(
                        {std::min(own.body, global_[size_t(other)]), std::max(own.body, global_[size_t(other)])});
            });
        });
    }
}

bool Worker::will_touch(const BoundaryBody& own, int32_t other, float dt) const
{
    const WorkerMask mask = masks_[size_t(other)];
    if (mask == 0 || mask == own.workers) // who has one of them has both
        return false;
    const BoundaryBody second = boundary_of(global_[size_t(other)]);
    if (dt * length(own.velocity - second.velocity) <= 0.5f * default_contact_margin)
        return false;
    const ContactGraph& graph = world_.data().graph;
    const auto first = int32_t(local_[size_t(own.body)].index);
    const int32_t edge = find_edge(graph, std::min(first, other), std::max(first, other));
    if (edge != none && graph.edges[edge].has(edge_is_touching))
        return false;
    return can_collide(shared_.scene(), shared_.joints_of, own.body, second.body) &&
           may_touch(shared_.scene(), own, second, dt);
}

// What of its own the one that looks has to be told, and in a quick look what it has told meets here.
std::vector<BoundaryBody> Worker::answer(const Look& look, int worker, float dt, std::vector<ContactPair>& met)
{
    const Sight& sight = sights_[size_t(worker)];
    if (!look.tells_moved)
        return near_boxes(look.boxes, worker);
    meet(look.moved, sight, dt, met);
    std::vector<BoundaryBody> near = moved_since(sight, worker);
    std::erase_if(near, [&](const BoundaryBody& body) {
        const Aabb box = enlarge(body.box, reach + ahead_);
        return std::none_of(look.boxes.begin(), look.boxes.end(), [&](const Aabb& b) { return overlaps(b, box); });
    });
    return near;
}

void Worker::find_meetings(float dt, Transport& transport, Report& report)
{
    const WorkerMask others = meets_ & (mask_of(workers_) - 1) & ~mask_of(index_);
    if (others == 0)
        return;
    Look look{.boxes = cut_through(world_.data().movers.dynamic_tree)};
    for (Aabb& box : look.boxes)
        box = enlarge(box, ahead_);
    for_each_worker(others, [&](int w) {
        if (!looks(index_, w))
            return;
        const Sight& sight = sights_[size_t(w)];
        look.tells_moved = sight.is_quick() && have_few_moved(sight, w);
        look.moved = look.tells_moved ? moved_since(sight, w) : std::vector<BoundaryBody>();
        transport.send(w, pack(look));
    });
    for_each_worker(others, [&](int w) {
        if (looks(w, index_))
            transport.send(w, pack(answer(unpack<Look>(transport.receive(w)), w, dt, report.met)));
    });
    for_each_worker(others, [&](int w) {
        if (!looks(index_, w))
            return;
        const auto near = unpack<std::vector<BoundaryBody>>(transport.receive(w));
        report.gaps.push_back({w, meet(near, sights_[size_t(w)], dt, report.met)});
    });
    for_each_worker(others, [&](int w) { sights_[size_t(w)].looked_at = restless_.now(); });
}

} // namespace moraine::distribute
