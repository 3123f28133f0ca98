// Welds: manifolds and joints inside collections, with the forces that the probe keeps up to date.
#pragma once

#include "dynamics/joints.h"
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

// What the last solve found at the points of a manifold, on B, in frame A and newtons. Together they push and turn as it did.
struct ContactForces
{
    float normal[LocalManifold::capacity]{};
    Vec3 friction[LocalManifold::capacity]{};
};
ContactForces contact_forces(const ContactGraph& graph, int32_t manifold, const StoredForce& stored);

// What a point can bear along the normal.
inline float least_force(const Weld& w) { return w.friction < 0 ? -infinity : w.is_rod ? -w.most : 0.0f; }
inline bool holds_all_ways(const Weld& w) { return w.friction < 0 || (w.is_rod && w.most == infinity); }
inline Vec3 second_tangent(const Weld& w) { return cross(w.normal, w.tangent); }
inline Vec3 weld_force(const Weld& w, const Weld::Point& p) // on B
{
    return w.normal * p.force[0] + w.tangent * p.force[1] + second_tangent(w) * p.force[2];
}
inline Vec3 force_of(const Weld& w)
{
    Vec3 sum{};
    for (int i = 0; i < w.count; ++i)
        sum += weld_force(w, w.points[i]);
    return sum;
}

// Where a point of the manifold is, in frame A. Inside a collection its weld knows: from the bodies it is always as far, and
// the origin of a free collection moves with whoever comes and goes.
Vec3 contact_place(const Bodies& bodies, const Collections& collections, const Manifold& manifold, int point);

// A weld for the manifold, with the forces of the last solve.
int32_t add_weld(const Bodies& bodies, const ContactGraph& graph, int32_t manifold, const StoredForce& stored,
                 Collections& collections);
// Into the lists of its two sides, when its points are there.
void link_weld(int32_t weld, Collections& collections);
// The manifold gets its points back, and the forces as impulses, so that a solve can go on from them.
void remove_weld(const Bodies& bodies, int32_t weld, const StoredForce& stored, ContactGraph& graph,
                 Collections& collections);

// Joints that a collection can hold inside: those that the probe has forces for, and whose motors do not move them.
bool can_be_inner(const Joint& joint, const Bodies& bodies, const Movers& movers, const StoredForce& stored);
// Welds for the joint, with the forces of the last solve; the first of them, or none: it holds nothing.
int32_t add_joint_welds(const Bodies& bodies, const Movers& movers, const Joint& joint, const StoredForce& stored,
                        Collections& collections);
// What springs and motors of the joint do to B, between members that do not move against each other; in the world's axes.
struct JointLoad
{
    Vec3 force{}, torque{}; // about the origin of frame B
};
JointLoad steady_load(const Joint& joint, const Bodies& bodies, const Movers& movers, const StoredForce& stored);

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
