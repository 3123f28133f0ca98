// The steps from a cloud of points to a convex hull. Only hull.cpp and tests need this.
#pragma once

#include "geometry/hull.h"

#include <array>

namespace moraine
{

// Lengths below which features are noise, from the size of the cloud and the resolution of its numbers.
struct HullTolerance
{
    double noise = 0;     // points less than this outside are not worth a corner
    double weld = 0;      // corners closer than this are one
    double flat = 0;      // nearly parallel faces within this of one plane are one face
    double thickness = 0; // a cloud thinner than this has no inside
};

struct HullTriangles
{
    std::vector<int32_t> points;                   // indices into the input, ascending
    std::vector<std::array<int32_t, 3>> triangles; // into `points`, counter-clockwise seen from outside
    HullTolerance tolerance{};
    bool holds_all_points = true; // false: some were left outside because there are too many corners
};

constexpr int max_hull_corners = 128; // so that even a hull of triangles has at most 252 faces
constexpr int max_hull_faces = 255;

Result<HullTriangles> find_hull_triangles(std::span<const Vec3> points);

enum class FaceMerging
{
    flat,  // also those that are flat for contacts, such as the sides of a box written with few digits
    noise, // only those that are flat up to rounding
    none
};

// Corners, faces and loops of `hull` from the triangles. False if the loops do not close.
bool join_faces(std::span<const Vec3> points, const HullTriangles& triangles, FaceMerging merging, Hull& hull);

} // namespace moraine
