// Tetrahedra from a lattice: the body's surface need not be closed, clean or fine, it lies embedded in them. Lattice
// planes pass through flat axis-aligned faces, so that plates, beams and furniture are met exactly; elsewhere a
// tetrahedron that is partly solid counts partly.
#pragma once

#include "response/tet_mesh.h"

namespace moraine
{

struct Lattice
{
    std::array<std::vector<double>, 3> planes{}; // ascending, along each axis
    TetMesh mesh{};
    std::vector<int> tet_at{}; // of each sixth of each cell; -1: none
    int parts = 0;             // found; only the largest is kept

    std::array<int, 3> cells() const
    {
        return {int(planes[0].size()) - 1, int(planes[1].size()) - 1, int(planes[2].size()) - 1};
    }
};

Result<Lattice> build_lattice(const Surface& surface, double cell_size);

struct Embedding
{
    int tet = 0;
    std::array<double, 4> weights{};
};

// The tetrahedron with this point, or the nearest point of the nearest one.
Embedding embed(const Lattice& lattice, Vec3 point);

} // namespace moraine
