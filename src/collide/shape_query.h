// Queries against one shape, in its body's frame. The world-level queries walk the trees and call these.
#pragma once

#include "collide/gjk.h"

#include <optional>

namespace moraine
{

struct ShapeRayHit
{
    float fraction = 0;
    Vec3 normal{}; // away from the shape
};

// Starting inside a solid is a hit at fraction 0 with the normal against the ray.
std::optional<ShapeRayHit> ray_cast(const Shape& shape, const Transform& pose, Vec3 origin, Vec3 translation);

struct ShapePoint
{
    Vec3 point{};       // on the surface
    Vec3 normal{};      // away from the shape
    float distance = 0; // negative inside (solids)
};

std::optional<ShapePoint> closest_point(const Shape& shape, const Transform& pose, Vec3 point, float max_distance);

// `convex` swept against any shape (surfaces included).
CastResult cast_shape(const Shape& shape, const Transform& pose, const Shape& convex, const Sweep& sweep,
                      float target_distance);

bool overlaps(const Shape& shape, const Transform& pose, const Shape& convex, const Transform& convex_pose);

} // namespace moraine
