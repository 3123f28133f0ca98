#include "graph/find_pairs.h"

#include "graph/members.h"

#include <algorithm>
#include <atomic>

namespace moraine
{

namespace
{

constexpr int block_size = 64;

struct Search
{
    const Bodies& bodies;
    const ContactGraph& graph;
    const Movers& movers;
    int64_t most_pairs; // more than any sensible scene has
    std::atomic<int64_t> found{0};

    bool is_full() const { return found.load(std::memory_order_relaxed) > most_pairs; }
};

// Sorted: those that a body has an edge with.
void find_neighbours(const Search& s, int32_t body, std::vector<int32_t>& neighbours)
{
    neighbours.clear();
    for_each_edge(body, s.bodies, s.graph,
                  [&](int32_t e) { neighbours.push_back(other_body(s.graph.edges[e], body)); });
    std::sort(neighbours.begin(), neighbours.end());
}

void add_pair(const Search& s, int32_t body, int32_t other, const std::vector<int32_t>& neighbours,
              std::vector<BodyPair>& pairs)
{
    if (can_interact(s.bodies[body], s.bodies[other]) &&
        !std::binary_search(neighbours.begin(), neighbours.end(), other))
        pairs.push_back({std::min(body, other), std::max(body, other)});
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

void search_mover(Search& s, int32_t index, std::vector<int32_t>& neighbours, std::vector<BodyPair>& pairs)
{
    const Mover& mover = s.movers[index];
    if (!mover.has_members())
        find_neighbours(s, mover.body, neighbours);
    const size_t before = pairs.size();
    const auto visit = [&](int32_t other) {
        // Two moved movers find each other twice: the one with the smaller index reports.
        if (other == index || (s.movers[other].is_moved && other < index))
            return true;
        bool goes = true;
        for_each_near_pair(s.movers, index, other, [&](int32_t a, int32_t b) {
            if (!mover.has_members())
                add_pair(s, a, b, neighbours, pairs);
            else if (can_interact(s.bodies[a], s.bodies[b]) && find_edge(s.bodies, s.graph, a, b) == none)
                pairs.push_back({std::min(a, b), std::max(a, b)});
            return goes = int64_t(pairs.size() - before) <= s.most_pairs && !s.is_full();
        });
        return goes;
    };
    const Aabb fat = s.movers.fat(mover);
    s.movers.dynamic_tree.query(fat, visit);
    if (mover.type != BodyType::static_)
        s.movers.static_tree.query(fat, visit);
    s.found.fetch_add(int64_t(pairs.size() - before), std::memory_order_relaxed);
}

} // namespace

bool can_interact(const Body& a, const Body& b)
{
    if (a.type != BodyType::dynamic_ && b.type != BodyType::dynamic_)
        return false;
    if ((a.flags | b.flags) & body_is_passive)
        return false;
    if (a.has(body_is_trigger) && b.has(body_is_trigger))
        return false;
    if (a.filter.group != 0 && a.filter.group == b.filter.group)
        return a.filter.group > 0;
    return (a.filter.category & b.filter.mask) != 0 && (b.filter.category & a.filter.mask) != 0;
}

void find_pairs(const Bodies& bodies, const ContactGraph& graph, Tasks& tasks, Movers& movers, PairSearch& out)
{
    out.has_overflowed = false;
    const int count = int(movers.moved.size());
    const int blocks = (count + block_size - 1) / block_size;
    if (int(out.blocks.size()) < blocks)
        out.blocks.resize(size_t(blocks));
    for (std::vector<BodyPair>& block : out.blocks)
        block.clear();
    out.searched.clear();
    if (count == 0)
        return;

    Search search{bodies, graph, movers, 1'000'000 + 100 * int64_t(movers.movers.count())};
    out.neighbours.resize(size_t(tasks.thread_count()));
    tasks.parallel_for(count, block_size, [&](int begin, int end, int worker) {
        std::vector<BodyPair>& pairs = out.blocks[size_t(begin / block_size)];
        for (int i = begin; i < end && !search.is_full(); ++i)
            search_mover(search, movers.moved[size_t(i)], out.neighbours[size_t(worker)], pairs);
    });
    for (int32_t m : movers.moved)
    {
        movers[m].is_moved = false;
        if (movers[m].has_members())
            movers.members[movers[m].members].searched = movers[m].pose;
    }
    out.searched.swap(movers.moved);
    movers.moved.clear();
    out.has_overflowed = search.is_full();
    if (out.has_overflowed)
        for (std::vector<BodyPair>& block : out.blocks)
            block = {};
}

} // namespace moraine
