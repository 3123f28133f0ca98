#include "graph/find_pairs.h"

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

void search_mover(Search& s, int32_t index, std::vector<int32_t>& neighbours, std::vector<BodyPair>& pairs)
{
    const Mover& mover = s.movers[index];
    find_neighbours(s, mover.body, neighbours);
    const size_t before = pairs.size();
    const auto visit = [&](int32_t other) {
        // Two moved movers find each other twice: the one with the smaller index reports.
        if (other == index || (s.movers[other].is_moved && other < index))
            return true;
        add_pair(s, mover.body, s.movers[other].body, neighbours, pairs);
        return int64_t(pairs.size() - before) <= s.most_pairs && !s.is_full();
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
        movers[m].is_moved = false;
    out.searched.swap(movers.moved);
    movers.moved.clear();
    out.has_overflowed = search.is_full();
    if (out.has_overflowed)
        for (std::vector<BodyPair>& block : out.blocks)
            block = {};
}

} // namespace moraine
