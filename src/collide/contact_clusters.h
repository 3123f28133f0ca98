// Gathers the contacts of one convex shape with many triangles into few manifolds.
//
// Contacts whose normals are nearly the same form a cluster: the shape is convex, so they all lie near its one side
// that looks along the normal. Of any number of points a cluster keeps, in constant memory, the furthest in eight
// directions that are fixed to the shape, and the deepest. A corner of the shape is therefore kept, and keeps its key,
// however the surface below it is cut into triangles.
#pragma once

#include "collide/manifold.h"

namespace moraine
{

struct SurfaceContact
{
    Vec3 position{}; // in the convex shape's own frame, half way between the surfaces
    Vec3 normal{};   // unit, out of the surface
    float separation = 0;
    // Set where the triangle's normal is doubtful, because the shape would leave it by a much shorter way: that way.
    // The contact is dropped if another cluster pushes that way.
    bool is_doubtful = false;
    Vec3 shortest_way{};
};

class ContactClusters
{
public:
    // `size`: of the convex shape, the largest half extent.
    ContactClusters(float size, float margin) : size_(size), margin_(margin) {}

    void add(const SurfaceContact& contact);

    // Manifolds in the common frame (normal into the surface), in the order in which clusters began. `pose` of the convex shape in it;
    // `to_surface` takes directions of the shape's frame to the surface's, where they are the same from step to step.
    void write(const Transform& pose, Quat to_surface, ManifoldList& out) const;

private:
    static constexpr int direction_count = 8;

    struct Cluster
    {
        Vec3 normal{}; // of the first contact: it decides what belongs
        Vec3 tangent_u{}, tangent_v{};
        SurfaceContact deepest{};
        SurfaceContact furthest[direction_count];
        float reach[direction_count];
        bool is_firm = false;
        Vec3 shortest_way{};
    };

    Cluster* find_cluster(const SurfaceContact& contact);
    bool is_dropped(const Cluster& cluster) const;
    LocalManifold make_manifold(const Cluster& cluster, const Transform& pose) const;

    FixedList<Cluster, 16> clusters_;
    float size_;
    float margin_;
};

} // namespace moraine
