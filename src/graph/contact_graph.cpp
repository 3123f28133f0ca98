#include "graph/contact_graph.h"

#include <utility>

namespace moraine
{

namespace
{

EdgeLinks& links_of(ContactGraph& graph, int32_t edge) { return graph.links[size_t(edge)]; }

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
    graph.pairs.insert(body_a, body_b, index);
    return index;
}

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
    graph.pairs.erase(edge.body_a, edge.body_b, index);
    for_each_manifold(edge, graph, [&](int32_t m) { graph.manifolds.destroy(m); });
    if (edge.awake_slot >= 0)
        graph.awake.remove(edge.awake_slot, [&](int32_t e) -> int32_t& { return graph.edges[e].awake_slot; });
    graph.edges.destroy(index);
}

} // namespace moraine
