// The narrow phase over the edges of the graph. Frame A of an edge is the frame of body A's mover.
#pragma once

#include "base/bit_set.h"
#include "base/tasks.h"
#include "graph/contact_graph.h"
#include "graph/movers.h"

namespace moraine
{

struct CollideOptions
{
    bool coherence = true;  // skip what has not moved
    bool following = true;  // and follow what moved little
    bool reduction = false; // of a pair that is deep in each other keep only the manifold of the deepest point
};

// Of edges with manifolds.
struct CollideCounts
{
    int touching = 0, tested = 0, followed = 0, unchanged = 0;
};

struct CollideReport
{
    BitSet marks; // by place in the list of awake edges; a block of edges never shares a word
    BitSet outer_marks;
    std::vector<int32_t> outer;        // edges that touch, between a body in a collection and one outside
    std::vector<int32_t> changed;      // edges whose number of manifolds, or whose overlap with a trigger, is not right
    std::vector<CollideCounts> counts; // by block of edges
    CollideCounts sum{};
};

// Brings the manifolds of all awake edges up to date where their number stays the same; marks the others.
void collide(const Bodies& bodies, const Movers& movers, const CollideOptions& options, Tasks& tasks,
             ContactGraph& graph, CollideReport& report);

// Gives the edge as many manifolds as it has now, with their impulses carried over. Serial.
// `drop` is called with a manifold that goes, before it is destroyed; `add` with one that came.
template <class Drop, class Add>
void resize_manifolds(int32_t edge, const ManifoldList& found, ContactGraph& graph, Drop&& drop, Add&& add);

// All manifolds between the two bodies of an edge.
void find_manifolds(const Bodies& bodies, const Movers& movers, const CollideOptions& options, int32_t edge,
                    ContactGraph& graph, ManifoldList& out);
bool overlaps_trigger(const Bodies& bodies, const Movers& movers, const Edge& edge);

// Impulses of points with the same key stay.
void copy_manifold(const LocalManifold& from, int32_t manifold, ContactGraph& graph);
void set_material(const Bodies& bodies, const Edge& edge, Manifold& manifold);

template <class Drop, class Add>
void resize_manifolds(int32_t index, const ManifoldList& found, ContactGraph& graph, Drop&& drop, Add&& add)
{
    // Manifolds keep their place by key; what is not found again goes, what is new is put at the end of the chain.
    bool is_used[ManifoldList::capacity] = {};
    int32_t* link = &graph.edges[index].manifold;
    while (*link != none)
    {
        const int32_t m = *link;
        int match = -1;
        for (int i = 0; i < found.size() && match < 0; ++i)
            if (!is_used[i] && found[i].key == graph.manifolds[m].key)
                match = i;
        if (match < 0)
        {
            *link = graph.manifolds[m].next;
            drop(m);
            graph.manifolds.destroy(m);
            continue;
        }
        is_used[match] = true;
        copy_manifold(found[match], m, graph);
        link = &graph.manifolds[m].next;
    }
    int32_t last = none;
    for (int32_t m = graph.edges[index].manifold; m != none; m = graph.manifolds[m].next)
        last = m;
    for (int i = 0; i < found.size(); ++i)
    {
        if (is_used[i])
            continue;
        const int32_t m = graph.manifolds.create(); // may move the pool
        graph.manifolds[m].edge = index;
        copy_manifold(found[i], m, graph);
        (last == none ? graph.edges[index].manifold : graph.manifolds[last].next) = m;
        last = m;
        add(m);
    }
    graph.edges[index].manifold_count = uint8_t(found.size());
}

} // namespace moraine
