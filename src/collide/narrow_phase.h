// Contact manifolds between two shapes.
#pragma once

#include "collide/manifold.h"
#include "geometry/shape.h"

namespace moraine
{

// Contacts closer than this are reported even though the surfaces do not touch yet.
constexpr float default_contact_margin = 0.02f;

// Both convex, or b a half-space: at most one manifold, false if further apart than `margin`.
// Poses are those of the shapes in the common frame A (the frame of body A); results are in that frame.
bool collide_convex(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                    PairCache& cache, LocalManifold& out);

// `a` convex, `b` a mesh or height field: one manifold for each cluster of triangles that face the same way.
void collide_surface(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                     ManifoldList& out);

// Chooses at most four of `count` points so that depth and support area are kept. Those of the last step stay while they
// are about as good as any: a choice that flickers rocks what stands on the points.
// `drop_idle_corners` may come first where the points are the corners of a polygon, in order: it leaves out one of two that
// are closer than `twin_distance`, and those on nearly straight sides if there are too many. Returns how many are left.
int drop_idle_corners(LocalPoint* points, int count, Vec3 normal, float twin_distance, const PointKeys& last);
void reduce_points(const LocalPoint* points, int count, Vec3 normal, const PointKeys& last, LocalManifold& out);

} // namespace moraine
