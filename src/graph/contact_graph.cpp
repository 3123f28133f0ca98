#include "graph/contact_graph.h"

#include "graph/movers.h"

#include <cmath>
#include <utility>
#include <vector>

namespace moraine
{

namespace
{

EdgeLinks& links_of(ContactGraph& graph, int32_t edge) { return graph.links[size_t(edge)]; }

// The smaller index first.
uint64_t hash_of_pair(int32_t a, int32_t b)
{
    const uint64_t h = (uint64_t(uint32_t(a)) << 32 | uint32_t(b)) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 32);
}

uint64_t hash_of_edge(const ContactGraph& graph, int32_t edge)
{
    return hash_of_pair(graph.edges[edge].body_a, graph.edges[edge].body_b);
}

void link(int32_t index, int side, int32_t body, Bodies& bodies, ContactGraph& graph)
{
    int32_t& first = bodies[body].edge_first;
    links_of(graph, index).previous[side] = none;
    links_of(graph, index).next[side] = first;
    if (first != none)
        links_of(graph, first).previous[side_of(graph.edges[first], body)] = index;
    first = index;
}

void unlink(int32_t index, int side, int32_t body, Bodies& bodies, ContactGraph& graph)
{
    const int32_t next = links_of(graph, index).next[side], previous = links_of(graph, index).previous[side];
    if (next != none)
        links_of(graph, next).previous[side_of(graph.edges[next], body)] = previous;
    if (previous != none)
        links_of(graph, previous).next[side_of(graph.edges[previous], body)] = next;
    else
        bodies[body].edge_first = next;
}

} // namespace

PackedCache pack(const PairCache& cache)
{
    const Vec3 v = cache.axis;
    const float size = std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z);
    if (!(size > 0))
        return {{}, cache.feature};
    float x = v.x / size, y = v.y / size;
    if (v.z < 0) // the lower half is folded outwards
    {
        const float folded = std::copysign(1 - std::fabs(y), x);
        y = std::copysign(1 - std::fabs(x), y);
        x = folded;
    }
    const auto to_int = [](float f) { return int16_t(std::lround(f * 32000)); };
    const int16_t u = to_int(x), w = to_int(y);
    return {{u, u == 0 && w == 0 ? int16_t(1) : w}, cache.feature}; // zero means that there is no axis
}

PairCache unpack(const PackedCache& packed)
{
    if (packed.axis[0] == 0 && packed.axis[1] == 0)
        return {{}, packed.feature, {}};
    float x = float(packed.axis[0]) / 32000, y = float(packed.axis[1]) / 32000;
    const float z = 1 - std::fabs(x) - std::fabs(y);
    if (z < 0)
    {
        const float folded = std::copysign(1 - std::fabs(y), x);
        y = std::copysign(1 - std::fabs(x), y);
        x = folded;
    }
    return {normalize(Vec3{x, y, z}), packed.feature, {}};
}

int32_t find_edge(const ContactGraph& graph, int32_t body_a, int32_t body_b)
{
    if (body_a > body_b)
        std::swap(body_a, body_b);
    return graph.by_pair.find(hash_of_pair(body_a, body_b), [&](int32_t e) {
        return graph.edges[e].body_a == body_a && graph.edges[e].body_b == body_b;
    });
}

void keep_point_friction(ContactGraph& graph) { graph.point_friction.resize(size_t(graph.manifolds.capacity())); }

int32_t create_edge(int32_t body_a, int32_t body_b, Bodies& bodies, ContactGraph& graph)
{
    if (body_a > body_b)
        std::swap(body_a, body_b);
    const int32_t index = graph.edges.create();
    Edge& edge = graph.edges[index];
    edge.body_a = body_a;
    edge.body_b = body_b;
    edge.mover_a = bodies[body_a].mover;
    edge.mover_b = bodies[body_b].mover;
    edge.flags = edge_is_new;
    graph.links.resize(size_t(graph.edges.capacity()));
    links_of(graph, index) = {};
    link(index, 0, body_a, bodies, graph);
    link(index, 1, body_b, bodies, graph);
    const auto hash_of = [&](int32_t e) { return hash_of_edge(graph, e); };
    graph.by_pair.reserve(graph.links.capacity(), hash_of); // grows when the edges do, and no more often
    graph.by_pair.insert(hash_of_pair(body_a, body_b), index, hash_of);
    return index;
}

void mark_fresh(int32_t index, ContactGraph& graph) { graph.fresh.push_back(index); }

void update_edge_movers(int32_t body, const Bodies& bodies, const Movers& movers, ContactGraph& graph)
{
    for_each_edge(body, bodies, graph, [&](int32_t e) {
        Edge& edge = graph.edges[e];
        (edge.body_a == body ? edge.mover_a : edge.mover_b) = bodies[body].mover;
        edge.apart_until = path_of(movers, edge.mover_a, edge.mover_b);
    });
}

void destroy_edge(int32_t index, Bodies& bodies, ContactGraph& graph)
{
    Edge& edge = graph.edges[index];
    unlink(index, 0, edge.body_a, bodies, graph);
    unlink(index, 1, edge.body_b, bodies, graph);
    for_each_manifold(edge, graph, [&](int32_t m) { graph.manifolds.destroy(m); });
    if (edge.awake_slot >= 0)
        graph.awake.remove(edge.awake_slot, [&](int32_t e) -> int32_t& { return graph.edges[e].awake_slot; });
    graph.by_pair.erase(hash_of_edge(graph, index), index, [&](int32_t e) { return hash_of_edge(graph, e); });
    edge.body_a = none; // for the list of fresh edges, which may still have it
    graph.edges.destroy(index);
}

} // namespace moraine
