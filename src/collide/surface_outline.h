// The side of a convex shape that faces a plane, and its part above a triangle. All in the shape's own frame.
#pragma once

#include "collide/scratch.h"
#include "geometry/shape.h"

namespace moraine
{

// A polygon (or segment, or point) of the shape's core, to be thickened by `radius`.
struct Outline
{
    static constexpr int capacity = 136; // the corners of the largest hull face, and one more for each clip
    Scratch<Vec3, capacity> points;
    int count = 0;
    float radius = 0;

    void add(Vec3 point)
    {
        if (count < capacity)
            points[count++] = point;
    }
};

// Range of the shape along a unit direction.
struct Extent
{
    float lower = 0;
    float upper = 0;
};
Extent extent_along(const Shape& shape, Vec3 direction);

// The face (edge, point) of the shape that looks against `normal`, always with the lowest point of the shape in it.
void find_outline(const Shape& shape, Vec3 normal, Outline& out);

// Keeps what lies behind the plane: `distances[i]` is that of point i in front of it.
void clip_outline(const float* distances, Outline& outline);

} // namespace moraine
