#include "graph/contact_graph.h"

#include <cmath>
#include <utility>
#include <vector>

namespace moraine
{

namespace
{

EdgeLinks& links_of(ContactGraph& graph, int32_t edge) { return graph.links[size_t(edge)]; }
const EdgeLinks& links_of(const ContactGraph& graph, int32_t edge) { return graph.links[size_t(edge)]; }

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

int32_t find_edge(const Bodies& bodies, const ContactGraph& graph, int32_t body_a, int32_t body_b)
{
    int32_t a = bodies[body_a].edge_first, b = bodies[body_b].edge_first;
    while (a != none && b != none)
    {
        const Edge& of_a = graph.edges[a];
        const Edge& of_b = graph.edges[b];
        if (other_body(of_a, body_a) == body_b)
            return a;
        if (other_body(of_b, body_b) == body_a)
            return b;
        a = links_of(graph, a).next[side_of(of_a, body_a)];
        b = links_of(graph, b).next[side_of(of_b, body_b)];
    }
    return none;
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
    return index;
}

void mark_fresh(int32_t index, ContactGraph& graph) { graph.fresh.push_back(index); }

void update_edge_movers(int32_t body, const Bodies& bodies, ContactGraph& graph)
{
    for_each_edge(body, bodies, graph, [&](int32_t e) {
        Edge& edge = graph.edges[e];
        (edge.body_a == body ? edge.mover_a : edge.mover_b) = bodies[body].mover;
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
    edge.body_a = none; // for the list of fresh edges, which may still have it
    graph.edges.destroy(index);
}

} // namespace moraine
