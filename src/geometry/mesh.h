// Triangle meshes and height fields: surfaces for static and kinematic bodies.
#pragma once

#include "geometry/bvh.h"

#include <moraine/shapes.h>

#include <vector>

namespace moraine
{

struct Triangle
{
    Vec3 corners[3];
    Vec3 normal{};
    // Bit i: the edge from corner i to corner i+1 is convex or open, so that a contact normal may lean over it.
    // A flat or concave edge is a seam: contacts on it use the triangle's normal (no ghost bumps).
    uint8_t sharp_edges = 7;
    int32_t index = 0;
};

class Mesh
{
public:
    std::vector<Vec3> vertices;
    std::vector<uint32_t> indices;    // three for each triangle
    std::vector<uint8_t> sharp_edges; // one for each triangle
    Bvh tree;                         // items are triangle indices
    Aabb bounds{};
};

class HeightField
{
public:
    std::vector<float> heights;
    int columns = 0, rows = 0;
    float spacing = 1;
    Aabb bounds{};
};

Triangle triangle_at(const Mesh& mesh, int32_t index);
Triangle triangle_at(const HeightField& field, int32_t index); // 2 * (row * (columns - 1) + column) + {0, 1}

// visit(triangle index) for each triangle whose box overlaps.
template <class Visit>
void query_triangles(const Mesh& mesh, const Aabb& box, Visit&& visit);
template <class Visit>
void query_triangles(const HeightField& field, const Aabb& box, Visit&& visit);

} // namespace moraine
