// Flat convex features of shapes, and clipping one to another.
#pragma once

#include "collide/pair_functions.h"
#include "collide/scratch.h"

namespace moraine
{

// A face (three or more corners), an edge (two) or a point (one).
struct Polygon
{
    static constexpr int capacity = 64;
    Scratch<Vec3, capacity> points;
    uint8_t ids[capacity]; // of the corners on their shape
    int count = 0;
    Vec3 normal{};    // unit, outwards; only of a face
    uint32_t key = 0; // of the feature on its shape, at most 255
};

// The part of `incident` (a face or an edge) above the face `reference` becomes contact points along `normal`, which
// points from A to B and is (nearly) along the normal of the reference face. The reference is on B if `is_on_b`.
// False if nothing is closer than `margin`. Of corners closer than `twin_distance` one is kept.
bool clip_to_face(const Polygon& reference, const Polygon& incident, Vec3 normal, bool is_on_b, float margin,
                  float twin_distance, const PointKeys& last, LocalManifold& out);

// Adds `point`, in place of the shallowest if there is no room, if it is deeper than all others by `tolerance`.
void keep_deepest(const LocalPoint& point, float tolerance, LocalManifold& out);

} // namespace moraine
