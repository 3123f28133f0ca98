#include "graph/find_pairs.h"

#include "graph/members.h"

#include <algorithm>
#include <atomic>
#include <limits>

namespace moraine
{

namespace
{

constexpr int block_size = 64;
constexpr int64_t most_in_a_crowd = 32; // new pairs of one mover with moving ones, and with static ones

struct Search
{
    const Bodies& bodies;
    const ContactGraph& graph;
    const Movers& movers;
    int64_t most_pairs;        // of one mover, with moving and with static ones
    int64_t most_pairs_in_all; // more than any sensible scene has
    std::atomic<int64_t> found{0};

    bool is_full() const { return found.load(std::memory_order_relaxed) > most_pairs_in_all; }
};

enum class Found : uint8_t
{
    nothing, // they are known to each other, or cannot meet
    far,     // near, but no edge is needed until one of them has moved on
    pair
};

// There is much room between the shapes of a gantry or a hall: what is in there needs no edge with it before it comes near
// one. Only for what is fixed, whose shapes stay where they are.
bool has_fixed_shapes(const Body& body) { return body.type == BodyType::static_ && body.shape_count > 1; }

bool is_between_shapes(const Search& s, int32_t fixed, const Aabb& box)
{
    bool is_near = false;
    for_each_shape_near(s.bodies, fixed, box_in_frame(box, s.movers[s.bodies[fixed].mover].pose),
                        [&](int32_t) { is_near = true; });
    return !is_near;
}

bool is_between_shapes(const Search& s, int32_t fixed, int32_t other)
{
    if (!has_fixed_shapes(s.bodies[fixed]))
        return false;
    const Mover& mover = s.movers[s.bodies[other].mover];
    return is_between_shapes(s, fixed,
                             mover.has_members()
                                 ? enlarge(body_box(s.bodies, s.movers, other), pair_margin + search_slack(mover))
                                 : s.movers.fat(mover));
}

// All that moves as one is between the shapes of the other: none of its members need be looked at.
bool is_between_shapes_as_one(const Search& s, const Mover& mover, const Mover& other)
{
    return mover.has_members() && !other.has_members() && has_fixed_shapes(s.bodies[other.body]) &&
           is_between_shapes(s, other.body, s.movers.fat(mover));
}

bool can_touch(const Search& s, int32_t body, int32_t other)
{
    return can_interact(s.bodies, s.graph, body, other) && find_edge(s.graph, body, other) == none &&
           !is_between_shapes(s, body, other) && !is_between_shapes(s, other, body);
}

Found add_pair(const Search& s, int32_t body, int32_t other, std::vector<BodyPair>& pairs)
{
    if (!can_touch(s, body, other))
        return Found::nothing;
    if (are_far_apart(s.movers, s.bodies[body].mover, s.bodies[other].mover))
        return Found::far;
    pairs.push_back({std::min(body, other), std::max(body, other)});
    return Found::pair;
}

// The same for a body of a mover with several: boxes of movers say nothing about it.
Found add_member_pair(const Search& s, int32_t body, int32_t other, std::vector<BodyPair>& pairs)
{
    if (!can_touch(s, body, other))
        return Found::nothing;
    pairs.push_back({std::min(body, other), std::max(body, other)});
    return Found::pair;
}

// Bodies of the mover against those of another whose box overlaps. visit(body, other body) returns false to stop.
template <class Visit>
void for_each_near_pair(const Movers& movers, int32_t index, int32_t other_index, Visit&& visit)
{
    const Mover& mover = movers[index];
    const Mover& other = movers[other_index];
    const float slack = pair_margin + search_slack(mover) + search_slack(other);
    if (!mover.has_members())
    {
        const Aabb box = other.has_members() ? enlarge(movers.fat(mover), slack) : movers.fat(mover);
        for_each_member_near(movers, other_index, box, [&](int32_t b) { return visit(mover.body, b); });
        return;
    }
    if (!other.has_members())
    {
        for_each_member_near(movers, index, enlarge(movers.fat(other), slack),
                             [&](int32_t a) { return visit(a, other.body); });
        return;
    }
    // The smaller tree's members are looked up in the larger one.
    const Bvh& tree = movers.members[mover.members].tree;
    const Bvh& other_tree = movers.members[other.members].tree;
    const bool swaps = tree.leaf_count() > other_tree.leaf_count();
    const Bvh& few = swaps ? other_tree : tree;
    const Bvh& many = swaps ? tree : other_tree;
    const Transform few_in_many = swaps ? relative(other.pose, mover.pose) : relative(mover.pose, other.pose);
    few.query(enlarge(transform(many.box(many.root()), inverse(few_in_many)), slack), [&](int32_t a) {
        const Aabb box = enlarge(transform(few.box(movers.member_leaf[size_t(a)]), few_in_many), slack);
        bool goes = true;
        many.query(box, [&](int32_t b) { return goes = swaps ? visit(b, a) : visit(a, b); });
        return goes;
    });
}

Surroundings search_mover(Search& s, int32_t index, std::vector<BodyPair>& pairs)
{
    const Mover& mover = s.movers[index];
    Surroundings around = Surroundings::empty;
    int64_t left = s.most_pairs;
    const auto visit = [&](int32_t other) {
        if (other == index)
            return true;
        around = std::max(around, Surroundings::known);
        // Two moved movers find each other twice: the one with the smaller index reports.
        if (s.movers[other].is_moved && other < index)
        {
            if (mover.has_members() || find_edge(s.graph, mover.body, s.movers[other].body) == none)
                around = Surroundings::undecided;
            return true;
        }
        if (is_between_shapes_as_one(s, mover, s.movers[other]))
            return true;
        for_each_near_pair(s.movers, index, other, [&](int32_t a, int32_t b) {
            const Found found = mover.has_members() ? add_member_pair(s, a, b, pairs) : add_pair(s, a, b, pairs);
            if (found == Found::far)
                around = Surroundings::undecided;
            left -= found == Found::pair;
            return left > 0 && !s.is_full();
        });
        return left > 0 && !s.is_full();
    };
    const size_t before = pairs.size();
    const Aabb fat = s.movers.fat(mover);
    s.movers.dynamic_tree.query(fat, visit);
    left = s.most_pairs;
    if (mover.type != BodyType::static_ || s.bodies.fixed_triggers > 0)
        s.movers.static_tree.query(fat, visit);
    s.found.fetch_add(int64_t(pairs.size() - before), std::memory_order_relaxed);
    return around;
}

// False: there are more pairs than the search may find.
bool search_all(Search& search, Tasks& tasks, PairSearch& out)
{
    const int count = int(search.movers.moved.size());
    const size_t workers = size_t(tasks.thread_count());
    out.found.resize(workers);
    for (std::vector<BodyPair>& found : out.found)
        found.clear();
    tasks.parallel_for(count, block_size, [&](int begin, int end, int worker) {
        std::vector<BodyPair>& pairs = out.found[size_t(worker)];
        PairSearch::Block& block = out.blocks[size_t(begin / block_size)];
        block = {worker, int32_t(pairs.size()), 0};
        for (int i = begin; i < end && !search.is_full(); ++i)
            out.surroundings[size_t(i)] = search_mover(search, search.movers.moved[size_t(i)], pairs);
        block.end = int32_t(pairs.size());
    });
    return !search.is_full();
}

// Who found how many depends on the threads: room for all at each worker, or a warm step might have to grow it.
void even_out(PairSearch& out)
{
    size_t most = 0;
    for (const std::vector<BodyPair>& found : out.found)
        most += found.size();
    for (std::vector<BodyPair>& found : out.found)
        if (found.capacity() < most)
            found.reserve(2 * most);
}

} // namespace

namespace
{

// Two bodies that nothing pushes have nothing to do with each other, unless one of them is a trigger. Static ones are
// noticed only by triggers that ask for them: few sensors want to hear of the floor they stand on.
bool can_meet(const Body& a, const Body& b)
{
    if (a.has(body_is_trigger) && b.has(body_is_trigger))
        return false;
    if (a.type == BodyType::dynamic_ || b.type == BodyType::dynamic_)
        return true;
    if (!((a.flags | b.flags) & body_is_trigger))
        return false;
    const Body& trigger = a.has(body_is_trigger) ? a : b;
    const Body& other = a.has(body_is_trigger) ? b : a;
    return other.type == BodyType::kinematic || trigger.wants(EventMask::trigger_fixed);
}

} // namespace

bool can_interact(const Body& a, const Body& b)
{
    if (!can_meet(a, b))
        return false;
    if ((a.flags | b.flags) & body_is_passive)
        return false;
    if (a.filter.group != 0 && a.filter.group == b.filter.group)
        return a.filter.group > 0;
    return (a.filter.category & b.filter.mask) != 0 && (b.filter.category & a.filter.mask) != 0;
}

bool can_interact(const Bodies& bodies, const ContactGraph& graph, int32_t a, int32_t b)
{
    return can_interact(bodies[a], bodies[b]) && !is_ruled(bodies, graph.rules, a, b, RuleKind::ignore);
}

void find_pairs(const Bodies& bodies, const ContactGraph& graph, Tasks& tasks, Movers& movers, PairSearch& out)
{
    out.has_overflowed = false;
    out.searched.clear();
    out.blocks.clear();
    const size_t count = movers.moved.size();
    if (count == 0)
        return;
    out.blocks.resize((count + block_size - 1) / block_size);
    out.surroundings.assign(count, Surroundings::undecided);

    // In a crowd everybody finds a few of those around it, and the ground it stands on.
    const int64_t most = 1'000'000 + 100 * int64_t(movers.movers.count());
    Search search{bodies, graph, movers, most, most};
    out.has_overflowed = !search_all(search, tasks, out);
    if (out.has_overflowed)
    {
        Search shared{bodies, graph, movers, most_in_a_crowd, std::numeric_limits<int64_t>::max()};
        search_all(shared, tasks, out);
    }
    for (size_t i = 0; i < count; ++i)
    {
        const int32_t m = movers.moved[i];
        movers[m].is_moved = false;
        if (movers[m].has_members())
            movers.members[movers[m].members].searched = movers[m].pose;
        movers[m].is_alone = out.surroundings[i] == Surroundings::empty;
        if (out.surroundings[i] != Surroundings::undecided)
            movers.velocities[size_t(m)].room = infinity;
    }
    even_out(out);
    out.searched.swap(movers.moved);
    movers.moved.clear();
}

} // namespace moraine
