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

inline Vec3 second_tangent(const Weld& w) { return cross(w.normal, w.tangent); }
inline Vec3 weld_force(const Weld& w, const Weld::Point& p) // on B
{
    return w.normal * p.force[0] + w.tangent * p.force[1] + second_tangent(w) * p.force[2];
}

// A weld for the manifold, with the forces of the last solve.
int32_t add_weld(const Bodies& bodies, const ContactGraph& graph, int32_t manifold, const StoredForce& stored,
                 Collections& collections);
// Into the lists of its two sides, when its points are there.
void link_weld(int32_t weld, Collections& collections);
// The manifold gets the forces as impulses, so that a solve can go on from them.
void remove_weld(int32_t weld, const StoredForce& stored, ContactGraph& graph, Collections& collections);

// Joints that a collection can hold inside: those that the probe has forces for.
bool can_be_inner(const JointKind& kind);
// A weld for the joint, with the forces of the last solve in newtons; none: it needs none.
int32_t add_joint_weld(const Bodies& bodies, const Movers& movers, const Joint& joint, float rate,
                       Collections& collections);
// The force of a spring on B, between members that do not move against each other; in the world's axes.
Vec3 spring_force(const SpringJoint& spring, const Joint& joint, const Bodies& bodies, const Movers& movers);

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
