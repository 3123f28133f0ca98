// Distance, penetration and time of impact between convex shapes.
#pragma once

#include "geometry/shape.h"

namespace moraine
{

// A convex set seen through its support function: the core, with `radius` of rounding around it.
// Sphere: a point. Capsule: a segment. Box, cylinder, hull, triangle: themselves, radius 0.
// `point` is for queries.
struct ConvexView
{
    const Shape* shape = nullptr; // null: a point at the origin of the frame
    Transform pose{};             // of the shape in the common frame
    float radius = 0;
};

ConvexView make_view(const Shape& shape, const Transform& pose);

// The point of the core that is furthest along `direction` (common frame).
Vec3 support(const ConvexView& view, Vec3 direction);

struct DistanceResult
{
    float distance = 0; // between the rounded shapes: negative when only the roundings overlap, 0 when the cores do
    Vec3 normal{};      // unit, from A to B (only a guess when `is_overlapping`)
    Vec3 point_a{};     // closest points on the rounded surfaces, common frame
    Vec3 point_b{};
    bool is_overlapping = false; // the cores overlap: use `penetration`
};

// `axis`: first guess of the direction from A to B, updated (the pair's cached axis).
DistanceResult distance(const ConvexView& a, const ConvexView& b, Vec3& axis);

struct PenetrationResult
{
    float depth = 0; // positive, radii included
    Vec3 normal{};   // unit, from A to B: moving B along it by `depth` separates
    Vec3 point_a{};  // deepest points
    Vec3 point_b{};
    bool is_valid = false;
};

PenetrationResult penetration(const ConvexView& a, const ConvexView& b);

// The motion of a frame within a step: its origin goes straight while it turns about it at a constant rate.
struct Sweep
{
    Transform start{};
    Vec3 translation{};
    Vec3 rotation{};   // rotation vector over the whole sweep
    Transform local{}; // of the shape in the moving frame (which is a body's, say)
};

// Where the shape is.
Transform at(const Sweep& sweep, float fraction);

struct CastResult
{
    bool has_hit = false;
    float fraction = 1; // in [0, 1]: at it the shapes are `target_distance` apart
    Vec3 normal{};      // from A to B
    Vec3 point{};       // on A, common frame
    // At the start, deeper than any radius of theirs: the normal is a guess, against the motion.
    bool is_inside = false;
};

// Conservative advancement of B (swept) towards A (fixed, convex or a half-space): never passes through.
// Closer than target_distance at the start gives fraction 0 and has_hit.
CastResult cast(const Shape& a, const Transform& pose_a, const Shape& b, const Sweep& sweep_b, float target_distance);

} // namespace moraine
