#include "response/lattice.h"

#include "response/solid_samples.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace moraine
{

namespace
{

constexpr int samples_per_cell = 4; // along each axis
constexpr size_t sample_limit = 64u << 20;
constexpr float least_fill = 0.03f; // less solid is left out

// The six tetrahedra of a cell, as orders in which a path goes along the axes from its lowest to its highest corner.
constexpr std::array<std::array<int, 3>, 6> paths{{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
constexpr int odd_paths_begin = 3; // these are left-handed

int path_of(const double* u)
{
    for (int k = 0; k < 6; ++k)
    {
        const auto& p = paths[size_t(k)];
        if (u[p[0]] >= u[p[1]] && u[p[1]] >= u[p[2]])
            return k;
    }
    return 0;
}

// Where enough flat surface lies across the axis.
std::vector<double> feature_planes(const Surface& surface, int axis, double lower, double upper, double tolerance)
{
    std::map<int64_t, std::pair<double, double>> areas; // of planes: area, area times coordinate
    double total = 0;
    for (const Triangle& t : surface.triangles)
    {
        const Vec3 a = surface.vertices[t[0]], b = surface.vertices[t[1]], c = surface.vertices[t[2]];
        const double area = double(length(cross(b - a, c - a)));
        total += area;
        const auto [low, high] = std::minmax({a[axis], b[axis], c[axis]});
        if (double(high - low) > 0.1 * tolerance)
            continue;
        auto& entry = areas[std::llround(double(a[axis]) / tolerance)];
        entry.first += area;
        entry.second += area * double(a[axis]);
    }
    std::vector<double> planes{lower};
    for (const auto& [key, entry] : areas)
    {
        const double at = entry.second / entry.first;
        if (entry.first > 5e-4 * total && at - planes.back() > tolerance && upper - at > tolerance)
            planes.push_back(at);
    }
    planes.push_back(upper);
    return planes;
}

std::vector<double> subdivided(const std::vector<double>& planes, double cell_size)
{
    std::vector<double> out{planes.front()};
    for (size_t i = 1; i < planes.size(); ++i)
    {
        const int count = std::max(1, int(std::ceil((planes[i] - planes[i - 1]) / cell_size - 0.01)));
        for (int k = 1; k <= count; ++k)
            out.push_back(planes[i - 1] + (planes[i] - planes[i - 1]) * k / count);
    }
    return out;
}

// Shifted differently along the axes, so that no ray runs along an edge and no point lies between two tetrahedra.
std::vector<double> sample_coordinates(const std::vector<double>& planes, int axis)
{
    constexpr double shifts[3] = {-0.0713, 0.0379, 0.1127};
    std::vector<double> out;
    for (size_t i = 0; i + 1 < planes.size(); ++i)
        for (int k = 0; k < samples_per_cell; ++k)
            out.push_back(planes[i] + (planes[i + 1] - planes[i]) * (k + 0.5 + shifts[axis]) / samples_per_cell);
    return out;
}

// The solid part of each sixth of each cell.
std::vector<float> measure_fill(const Surface& surface, const Lattice& lattice)
{
    const std::array<std::vector<double>, 3> at{sample_coordinates(lattice.planes[0], 0),
                                                sample_coordinates(lattice.planes[1], 1),
                                                sample_coordinates(lattice.planes[2], 2)};
    const std::vector<bool> inside = solid_samples(surface, at);
    const auto [nx, ny, nz] = lattice.cells();
    std::vector<float> fill(size_t(nx) * size_t(ny) * size_t(nz) * 6);
    std::vector<int> count(fill.size());
    size_t sample = 0;
    for (size_t k = 0; k < at[2].size(); ++k)
        for (size_t j = 0; j < at[1].size(); ++j)
            for (size_t i = 0; i < at[0].size(); ++i, ++sample)
            {
                const size_t cell[3] = {i / samples_per_cell, j / samples_per_cell, k / samples_per_cell};
                const double u[3] = {(at[0][i] - lattice.planes[0][cell[0]]) /
                                         (lattice.planes[0][cell[0] + 1] - lattice.planes[0][cell[0]]),
                                     (at[1][j] - lattice.planes[1][cell[1]]) /
                                         (lattice.planes[1][cell[1] + 1] - lattice.planes[1][cell[1]]),
                                     (at[2][k] - lattice.planes[2][cell[2]]) /
                                         (lattice.planes[2][cell[2] + 1] - lattice.planes[2][cell[2]])};
                const size_t sixth = ((cell[2] * size_t(ny) + cell[1]) * size_t(nx) + cell[0]) * 6 + size_t(path_of(u));
                ++count[sixth];
                fill[sixth] += inside[sample] ? 1.0f : 0.0f;
            }
    for (size_t s = 0; s < fill.size(); ++s)
        fill[s] = count[s] > 0 ? fill[s] / float(count[s]) : 0.0f;
    return fill;
}

void add_tets(const std::vector<float>& fill, Lattice& lattice)
{
    const auto [nx, ny, nz] = lattice.cells();
    const auto node = [&, nx = nx, ny = ny](const std::array<int, 3>& i) {
        return (i[2] * (ny + 1) + i[1]) * (nx + 1) + i[0];
    };
    TetMesh& mesh = lattice.mesh;
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                mesh.nodes.push_back(
                    {lattice.planes[0][size_t(i)], lattice.planes[1][size_t(j)], lattice.planes[2][size_t(k)]});
    for (size_t sixth = 0; sixth < fill.size(); ++sixth)
    {
        if (fill[sixth] < least_fill)
            continue;
        const int cell = int(sixth / 6), path = int(sixth % 6);
        std::array<int, 3> corner{cell % nx, cell / nx % ny, cell / nx / ny};
        std::array<int, 4> tet{node(corner)};
        for (size_t s = 0; s < 3; ++s)
        {
            ++corner[size_t(paths[size_t(path)][s])];
            tet[s + 1] = node(corner);
        }
        if (path >= odd_paths_begin)
            std::swap(tet[2], tet[3]);
        mesh.tets.push_back(tet);
        mesh.fill.push_back(fill[sixth]);
        mesh.labels.push_back(int(sixth));
    }
}

// Barycentric coordinates in a sixth of a cell, in the order of its tetrahedron's corners.
std::array<double, 4> weights_in(const double* u, int path)
{
    const auto& p = paths[size_t(path)];
    std::array<double, 4> w{1 - u[p[0]], u[p[0]] - u[p[1]], u[p[1]] - u[p[2]], u[p[2]]};
    if (path >= odd_paths_begin)
        std::swap(w[2], w[3]);
    return w;
}

// Into the tetrahedron, by dropping what is negative.
std::array<double, 4> clamped(std::array<double, 4> w)
{
    double sum = 0;
    for (double& x : w)
        sum += x = std::max(x, 0.0);
    for (double& x : w)
        x /= sum;
    return w;
}

struct Nearest
{
    const Lattice& lattice;
    DVec3 point;
    double distance = 1e300;
    Embedding best{};

    void try_sixth(const std::array<int, 3>& cell, int path)
    {
        const auto [nx, ny, nz] = lattice.cells();
        const int tet = lattice.tet_at[size_t(((cell[2] * ny + cell[1]) * nx + cell[0]) * 6 + path)];
        if (tet < 0)
            return;
        double u[3];
        const double p[3] = {point.x, point.y, point.z};
        for (size_t a = 0; a < 3; ++a)
        {
            const double low = lattice.planes[a][size_t(cell[a])], high = lattice.planes[a][size_t(cell[a]) + 1];
            u[a] = (p[a] - low) / (high - low);
        }
        const std::array<double, 4> w = clamped(weights_in(u, path));
        DVec3 q{};
        for (size_t k = 0; k < 4; ++k)
            q += lattice.mesh.nodes[size_t(lattice.mesh.tets[size_t(tet)][k])] * w[k];
        const double d = length(q - point);
        if (d < distance)
            distance = d, best = {tet, w};
    }
};

} // namespace

Result<Lattice> build_lattice(const Surface& surface, double cell_size)
{
    Lattice lattice;
    Vec3 lower, upper;
    const double diagonal = double(bounding_box(surface.vertices, lower, upper));
    if (!(diagonal > 0) || !std::isfinite(diagonal))
        return Error{"the surface has no extent"};
    double samples = 1;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double extent = double(upper[axis] - lower[axis]);
        if (!(extent > 1e-5 * diagonal))
            return Error{"the surface is flat and encloses no volume; give it a thickness"};
        const auto planes = feature_planes(surface, axis, double(lower[axis]), double(upper[axis]), 1e-3 * diagonal);
        if (extent / cell_size > 1e4)
            return Error{"the cells are too small for this body; use larger ones"};
        lattice.planes[size_t(axis)] = subdivided(planes, cell_size);
        samples *= double(lattice.planes[size_t(axis)].size() * samples_per_cell);
    }
    if (samples > double(sample_limit))
        return Error{"the cells are too small for this body; use larger ones"};
    const std::vector<float> fill = measure_fill(surface, lattice);
    add_tets(fill, lattice);
    if (lattice.mesh.tets.empty())
        return Error{"the surface encloses no volume that cells of this size can see; close it, or use smaller cells"};
    lattice.parts = keep_largest_part(lattice.mesh);
    lattice.tet_at.assign(fill.size(), -1);
    for (size_t t = 0; t < lattice.mesh.tets.size(); ++t)
        lattice.tet_at[size_t(lattice.mesh.labels[t])] = int(t);
    return lattice;
}

Embedding embed(const Lattice& lattice, Vec3 point)
{
    std::array<int, 3> cell{};
    const auto cells = lattice.cells();
    for (size_t a = 0; a < 3; ++a)
    {
        const auto& planes = lattice.planes[a];
        const auto at = std::upper_bound(planes.begin(), planes.end(), double(point[int(a)])) - planes.begin();
        cell[a] = std::clamp(int(at) - 1, 0, cells[a] - 1);
    }
    // Rings of cells around the point's own. One more ring than the first that has something, as cells differ in size.
    Nearest nearest{lattice, point};
    const int farthest = std::max({cells[0], cells[1], cells[2]});
    for (int ring = 0, last = farthest; ring <= last; ++ring)
    {
        for (int k = std::max(cell[2] - ring, 0); k <= std::min(cell[2] + ring, cells[2] - 1); ++k)
            for (int j = std::max(cell[1] - ring, 0); j <= std::min(cell[1] + ring, cells[1] - 1); ++j)
                for (int i = std::max(cell[0] - ring, 0); i <= std::min(cell[0] + ring, cells[0] - 1); ++i)
                    if (std::max({std::abs(i - cell[0]), std::abs(j - cell[1]), std::abs(k - cell[2])}) == ring)
                        for (int path = 0; path < 6; ++path)
                            nearest.try_sixth({i, j, k}, path);
        if (nearest.distance < 1e-9)
            break;
        if (nearest.distance < 1e300 && last == farthest)
            last = ring + 1;
    }
    return nearest.best;
}

} // namespace moraine
