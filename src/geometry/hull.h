// Convex hulls with everything that collision wants to know, computed once.
#pragma once

#include "geometry/aabb.h"

#include <moraine/shapes.h>

#include <span>
#include <vector>

namespace moraine
{

struct HullFace
{
    Vec3 normal{};      // unit, outwards
    float offset = 0;   // dot(normal, p) == offset on the face
    uint16_t first = 0; // into Hull::loops
    uint16_t count = 0;
};

struct HullEdge // undirected; face_a is on the left going from corner_a to corner_b
{
    uint8_t corner_a = 0, corner_b = 0;
    uint8_t face_a = 0, face_b = 0;
};

class Hull
{
public:
    std::vector<Vec3> corners;
    std::vector<HullFace> faces;
    std::vector<uint8_t> loops; // corner indices of each face, counter-clockwise seen from outside
    std::vector<HullEdge> edges;
    std::vector<uint8_t> neighbours;       // corner adjacency, flat, for hill climbing
    std::vector<uint16_t> neighbour_first; // corners + 1 entries
    // The corners again in blocks of eight (eight x, eight y, eight z), for support_corner.
    static constexpr int lane_count = 8;
    std::vector<float> lanes;
    Aabb bounds{};
    Vec3 center{}; // of volume
    float volume = 0;
    Mat3 unit_inertia{};    // about `center`, for density 1
    float inner_radius = 0; // of a ball about `center`
};

// Corner number i of the face's loop; one past the last is the first again.
inline int loop_corner(const Hull& hull, const HullFace& face, int i)
{
    return hull.loops[size_t(face.first) + size_t(i < face.count ? i : i - face.count)];
}

// Index of the corner furthest along `direction`.
int support_corner(const Hull& hull, Vec3 direction);

} // namespace moraine
