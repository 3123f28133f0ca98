// Tetrahedra with four and with ten nodes.
#pragma once

#include "response/surface.h"

#include <moraine/result.h>

namespace moraine
{

struct TetMesh
{
    std::vector<DVec3> nodes{};
    std::vector<std::array<int, 4>> tets{}; // right-handed
    std::vector<float> fill{};              // which part of a tetrahedron is solid; empty: all of each
    std::vector<int> labels{};              // what the mesher calls each; may be empty
};

// Quadratic tetrahedra: linear ones lock in bending, by factors in thin parts. The corners come first, then the middles
// of the edges in the order of `tet_edges`.
struct QuadraticMesh
{
    std::vector<DVec3> nodes{};
    std::vector<std::array<int, 10>> tets{};
    std::vector<float> fill{};
};

constexpr std::array<std::array<int, 2>, 6> tet_edges{{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};

QuadraticMesh to_quadratic(const TetMesh& mesh);

// The ten shape functions at a point given by its barycentric coordinates.
std::array<double, 10> quadratic_shape(const std::array<double, 4>& weights);

// Keeps the largest part that hangs together by faces; parts that touch in an edge or a corner could swing. Gives how
// many there were, not counting crumbs of less than a thousandth.
int keep_largest_part(TetMesh& mesh);

double volume(const TetMesh& mesh); // of what is solid

// Turns left-handed tetrahedra round; names the first that has no volume.
Status orient(TetMesh& mesh, const std::string& name);

// The outer faces, each as four triangles; `nodes` says which node each vertex is.
Surface boundary(const QuadraticMesh& mesh, std::vector<int>& nodes);

} // namespace moraine
