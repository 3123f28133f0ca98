// The contact graph: who is near, who touches, who is merged. One edge for each pair of bodies, found in constant time.
#pragma once

#include "base/index_table.h"
#include "base/pool.h"
#include "collide/manifold.h"
#include "graph/bodies.h"
#include "graph/rules.h"

#include <moraine/math.h>

namespace moraine
{

struct Movers;

enum EdgeFlag : uint8_t
{
    edge_is_touching = 1,
    edge_is_merged = 2,    // the one truth about merging
    edge_is_trigger = 4,   // overlap only, no manifold: one is a trigger, or a rule or the world says so
    edge_is_simple = 8,    // one convex shape against one convex shape or half-space
    edge_is_new = 16,      // not yet seen by the narrow phase
    edge_has_members = 32, // one of its movers has several bodies: boxes of movers say nothing about this pair
    edge_has_carrier = 64, // one of its bodies is static or kinematic
    edge_is_uneven = 128   // one of its bodies is much heavier: things may ride on it
};

struct alignas(64) Edge // what every step looks at, one cache line
{
    int32_t mover_a = -1; // of body A: copied here so that a look at a quiet edge needs no body
    int32_t mover_b = -1;
    int32_t body_a = -1; // the smaller index
    int32_t body_b = -1;
    int32_t manifold = -1;   // first of a chain
    int32_t awake_slot = -1; // in ContactGraph::awake
    Transform placement{};   // of B in frame A when the edge was last looked at
    float motion = 0;        // path of B in frame A since the narrow phase last ran, metres
    uint8_t flags = 0;
    uint8_t manifold_count = 0;
    uint8_t steps =
        0; // apart: how long the two have moved as one; merged: how long they have looked as if they would part
    // What came of merging before: see merge_limits.h.
    uint8_t is_cut : 1 = 0;    // the probe has parted them, and they have not merged since
    uint8_t has_moved : 1 = 0; // they have been seen to move against each other since
    uint8_t partings : 3 = 0;  // after which they did
    uint8_t alarms : 3 = 0;    // after which they did not, since the last of these
    uint32_t apart_until = 0;  // without manifolds: they cannot touch before their movers' paths add up to this

    bool has(EdgeFlag flag) const { return flags & flag; }
    void set(EdgeFlag flag, bool on) { flags = uint8_t(on ? flags | flag : flags & ~flag); }
};

// A pair cache in eight bytes. The axis is where a search starts, so the angle of a thousandth that it loses costs nothing.
struct PackedCache
{
    int16_t axis[2]{}; // on an octahedron, unfolded to a square
    uint32_t feature = 0;
};
PackedCache pack(const PairCache& cache);
PairCache unpack(const PackedCache& packed);

struct EdgeLinks // and what it does not
{
    int32_t next[2]{-1, -1}; // adjacency lists of body A and body B
    int32_t previous[2]{-1, -1};
    PackedCache cache{};
    uint32_t merged_at = 0; // step in which the two merged
    float speed = 0;        // of the one against the other one step ago, where the world checks the trend
};

struct ContactPoint
{
    Vec3 position{}; // in frame A
    float separation = 0;
    float impulse = 0; // along the normal, of one sub-step (substep) or of the step (pgs)
    uint32_t key = 0;
};

// Friction impulses at each point of a manifold, along its two tangents. Only solvers that have rubbing points keep them.
struct PointFriction
{
    float along[LocalManifold::capacity][2]{};
};

struct Manifold
{
    Vec3 normal{}; // from A to B, in frame A
    uint8_t count = 0;
    int8_t colour = -1; // -1: not in the solve
    float friction = 0; // negative: a magnet holds in all directions
    ContactPoint points[LocalManifold::capacity];
    Vec3 friction_impulse{}; // in frame A
    float twist_impulse = 0; // about the normal
    float total_impulse = 0; // along the normal, over the last step
    float restitution = 0;
    uint32_t key = 0;
    uint16_t shape_a = 0; // index among the body's shapes
    uint16_t shape_b = 0;
    int32_t edge = -1;
    int32_t next = -1; // in the edge's chain
    int32_t slot = -1; // within its colour
};
static_assert(sizeof(Manifold) == 160);

struct ContactGraph
{
    Pool<Edge> edges;
    Array<EdgeLinks> links; // by edge
    IndexTable by_pair;     // edges, by the indices of their two bodies
    Pool<Manifold> manifolds;
    Array<PointFriction> point_friction; // by manifold; may be shorter: see keep_point_friction
    SlotList awake;                      // edges the step looks at
    // Edges the next step looks at even if both ends sleep: new, or one end was moved by hand. An edge may be here more than
    // once, and some may be gone.
    Array<int32_t> fresh;
    Rules rules;
};

// A new edge in the adjacency lists of both bodies; the smaller index becomes A.
int32_t create_edge(int32_t body_a, int32_t body_b, Bodies& bodies, ContactGraph& graph);
// The next step looks at it, whoever sleeps.
void mark_fresh(int32_t edge, ContactGraph& graph);
// After a body has changed its mover.
void update_edge_movers(int32_t body, const Bodies& bodies, const Movers& movers, ContactGraph& graph);
// Takes it out of everything in the graph. Its manifolds must not be in the solve any more.
void destroy_edge(int32_t edge, Bodies& bodies, ContactGraph& graph);

// visit(edge index) for the edges of a body; the visitor may destroy the edge it is given.
template <class Visit>
void for_each_edge(int32_t body, const Bodies& bodies, const ContactGraph& graph, Visit&& visit)
{
    for (int32_t e = bodies[body].edge_first; e != none;)
    {
        const int32_t next = graph.links[size_t(e)].next[graph.edges[e].body_b == body];
        visit(e);
        e = next;
    }
}

template <class Visit>
void for_each_manifold(const Edge& edge, ContactGraph& graph, Visit&& visit)
{
    for (int32_t m = edge.manifold; m != none;)
    {
        const int32_t next = graph.manifolds[m].next;
        visit(m);
        m = next;
    }
}

// The edge between two bodies, or none; in constant time.
int32_t find_edge(const ContactGraph& graph, int32_t body_a, int32_t body_b);

// From now on there is room for the friction of points of all manifolds, and it is carried over like their impulses.
void keep_point_friction(ContactGraph& graph);

inline int side_of(const Edge& edge, int32_t body) { return edge.body_b == body; }
inline int32_t other_body(const Edge& edge, int32_t body) { return edge.body_a == body ? edge.body_b : edge.body_a; }

} // namespace moraine
