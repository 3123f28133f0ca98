// Welds: manifolds inside collections, with the forces that the probe keeps up to date.
#pragma once

#include "graph/bodies.h"
#include "merge/collections.h"

namespace moraine
{

// What makes newtons of the impulses that manifolds store: of a whole step along the normal, of one solve (a sub-step,
// or the step) for points and friction.
struct StoredForce
{
    float normal = 1;
    float friction = 1;
    bool is_by_point = false; // friction is stored for each point
};

inline Vec3 second_tangent(const Weld& w) { return cross(w.normal, w.tangent); }
inline Vec3 weld_force(const Weld& w, const Weld::Point& p) // on B
{
    return w.normal * p.force[0] + w.tangent * p.force[1] + second_tangent(w) * p.force[2];
}

// A weld for the manifold, with the forces of the last solve.
int32_t add_weld(const Bodies& bodies, const ContactGraph& graph, int32_t manifold, const StoredForce& stored,
                 Collections& collections);
// The manifold gets the forces as impulses, so that a solve can go on from them.
void remove_weld(int32_t weld, const StoredForce& stored, ContactGraph& graph, Collections& collections);

// visit(weld index) for the welds of a merged body; the visitor may remove the weld it is given.
template <class Visit>
void for_each_weld(const Collections& collections, int32_t merged, Visit&& visit)
{
    for (int32_t w = collections.bodies[merged].weld_first; w != none;)
    {
        const int32_t next = collections.welds[w].next[collections.welds[w].b == merged];
        visit(w);
        w = next;
    }
}

} // namespace moraine
