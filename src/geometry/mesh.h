// Triangle meshes and height fields: surfaces for static and kinematic bodies.
#pragma once

#include "geometry/bvh.h"

#include <moraine/shapes.h>

#include <algorithm>
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
    std::vector<uint8_t> sharp_edges; // one for each triangle
    Aabb bounds{};
};

Triangle triangle_at(const Mesh& mesh, int32_t index);
Triangle triangle_at(const HeightField& field, int32_t index); // 2 * (row * (columns - 1) + column) + {0, 1}

// A sample point of the field.
inline Vec3 vertex_at(const HeightField& field, int column, int row)
{
    return {(float(column) - 0.5f * float(field.columns - 1)) * field.spacing,
            field.heights[size_t(row) * size_t(field.columns) + size_t(column)],
            (float(row) - 0.5f * float(field.rows - 1)) * field.spacing};
}

// The cells that a box reaches, in x and z; empty where first > last.
struct CellRange
{
    int first_column, last_column, first_row, last_row;
};
CellRange cells_below(const HeightField& field, const Aabb& box);

// visit(triangle index) for each triangle whose box overlaps; visit returns false to stop.
template <class Visit>
void query_triangles(const Mesh& mesh, const Aabb& box, Visit&& visit)
{
    mesh.tree.query(box, visit);
}

template <class Visit>
void query_triangles(const HeightField& field, const Aabb& box, Visit&& visit)
{
    const CellRange range = cells_below(field, box);
    for (int row = range.first_row; row <= range.last_row; ++row)
    {
        const float* near_side = &field.heights[size_t(row) * size_t(field.columns)];
        const float* far_side = near_side + field.columns;
        for (int column = range.first_column; column <= range.last_column; ++column)
        {
            // Both triangles share the diagonal from here to there.
            const float here = near_side[column], there = far_side[column + 1];
            const float low = std::min(here, there), high = std::max(here, there);
            const float others[2] = {far_side[column], near_side[column + 1]};
            const int32_t first = 2 * (row * (field.columns - 1) + column);
            for (int half = 0; half < 2; ++half)
                if (std::min(low, others[half]) <= box.upper.y && std::max(high, others[half]) >= box.lower.y)
                    if (!goes_on(visit, first + half))
                        return;
        }
    }
}

} // namespace moraine
