// What the narrow phase finds between two shapes.
#pragma once

#include "base/fixed_list.h"

#include <moraine/math.h>

namespace moraine
{

struct LocalPoint
{
    Vec3 position{};      // half way between the two surfaces, in frame A
    float separation = 0; // negative: overlap
    uint32_t key = 0;     // of the features that made it: the same key in the next step is the same contact
};

struct LocalManifold
{
    static constexpr int capacity = 4;
    Vec3 normal{}; // unit, from A to B, in frame A
    int count = 0;
    LocalPoint points[capacity];
    uint16_t shape_a = 0; // index among the body's shapes: set by the caller
    uint16_t shape_b = 0;
    uint32_t key = 0; // which child shapes or triangle: set by the caller for compounds, by mesh collision for meshes
};

// Many manifolds of one pair of bodies (compounds, meshes). The deepest are kept when it is full.
using ManifoldList = FixedList<LocalManifold, 32>;

// The points that a manifold had in the last step.
struct PointKeys
{
    int count = 0;
    uint32_t keys[LocalManifold::capacity] = {};
};

// Carried from step to step with the pair so that the search starts where it ended.
struct PairCache
{
    Vec3 axis{};          // last separating or penetration axis, in the frame of the shape whose kind sorts first
    uint32_t feature = 0; // last best feature pair; 0: none
    PointKeys last{};     // chosen again where they are about as good as others; read only
};

} // namespace moraine
