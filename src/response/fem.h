// Linear elasticity on quadratic tetrahedra: mass and stiffness matrices.
#pragma once

#include "response/tet_mesh.h"

#include <moraine/response.h>

#include <Eigen/SparseCore>

namespace moraine
{

using SparseMatrix = Eigen::SparseMatrix<double>;

struct FemSystem
{
    SparseMatrix mass{}, stiffness{}; // lower triangles
    std::vector<int> place{};         // of each node, such that 3 place + axis is its unknown; -1: the node is held
    double total_mass = 0;

    Eigen::Index size() const { return mass.rows(); }
};

// Unknowns come in an order that keeps factors sparse (nested dissection). Held nodes have none.
FemSystem assemble(const QuadraticMesh& mesh, const ElasticMaterial& material, const std::vector<bool>& is_held);

} // namespace moraine
