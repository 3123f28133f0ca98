#include "graph/contact_graph.h"

#include <utility>

namespace moraine
{

namespace
{

void link(int32_t index, int side, int32_t body, Bodies& bodies, ContactGraph& graph)
{
    Edge& edge = graph.edges[index];
    int32_t& first = bodies[body].edge_first;
    edge.previous[side] = none;
    edge.next[side] = first;
    if (first != none)
        graph.edges[first].previous[side_of(graph.edges[first], body)] = index;
    first = index;
}

void unlink(int32_t index, int side, int32_t body, Bodies& bodies, ContactGraph& graph)
{
    const Edge& edge = graph.edges[index];
    const int32_t next = edge.next[side], previous = edge.previous[side];
    if (next != none)
        graph.edges[next].previous[side_of(graph.edges[next], body)] = previous;
    if (previous != none)
        graph.edges[previous].next[side_of(graph.edges[previous], body)] = next;
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
    edge.flags = edge_is_new;
    link(index, 0, body_a, bodies, graph);
    link(index, 1, body_b, bodies, graph);
    graph.pairs.insert(body_a, body_b, index);
    return index;
}

void destroy_edge(int32_t index, Bodies& bodies, ContactGraph& graph)
{
    Edge& edge = graph.edges[index];
    unlink(index, 0, edge.body_a, bodies, graph);
    unlink(index, 1, edge.body_b, bodies, graph);
    graph.pairs.erase(edge.body_a, edge.body_b);
    for_each_manifold(edge, graph, [&](int32_t m) { graph.manifolds.destroy(m); });
    if (edge.awake_slot >= 0)
        graph.awake.remove(edge.awake_slot, [&](int32_t e) -> int32_t& { return graph.edges[e].awake_slot; });
    graph.edges.destroy(index);
}

} // namespace moraine
