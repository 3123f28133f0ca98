#include "response/solid_samples.h"

#include <algorithm>

namespace moraine
{

namespace
{

struct Crossing
{
    double depth = 0;
    int sign = 0; // +1 into the solid
};

using Columns = std::vector<std::vector<Crossing>>;

struct Grid
{
    const std::array<std::vector<double>, 3>& coordinates;
    size_t a, b, c; // the ray's axis, and the two across

    size_t count(size_t axis) const { return coordinates[axis].size(); }
    size_t sample(size_t ia, size_t ib, size_t ic) const
    {
        size_t i[3];
        i[a] = ia, i[b] = ib, i[c] = ic;
        return (i[2] * count(1) + i[1]) * count(0) + i[0];
    }
};

double component(Vec3 v, size_t axis) { return double(v[int(axis)]); }

void add_crossings(const Surface& surface, const Triangle& triangle, const Grid& grid, Columns& columns)
{
    double p[3][3]; // corner, then a, b, c
    for (size_t k = 0; k < 3; ++k)
    {
        const Vec3 v = surface.vertices[triangle[k]];
        p[k][0] = component(v, grid.a), p[k][1] = component(v, grid.b), p[k][2] = component(v, grid.c);
    }
    const auto area = [](const double* u, const double* v, double x, double y) {
        return (v[1] - u[1]) * (y - u[2]) - (v[2] - u[2]) * (x - u[1]);
    };
    const double whole = area(p[0], p[1], p[2][1], p[2][2]);
    if (whole == 0)
        return;
    const auto range = [&](int k, const std::vector<double>& at) {
        const auto [low, high] = std::minmax({p[0][k], p[1][k], p[2][k]});
        return std::pair(size_t(std::lower_bound(at.begin(), at.end(), low) - at.begin()),
                         size_t(std::upper_bound(at.begin(), at.end(), high) - at.begin()));
    };
    const auto& xs = grid.coordinates[grid.b];
    const auto& ys = grid.coordinates[grid.c];
    const auto [x_begin, x_end] = range(1, xs);
    const auto [y_begin, y_end] = range(2, ys);
    for (size_t j = y_begin; j < y_end; ++j)
        for (size_t i = x_begin; i < x_end; ++i)
        {
            const double w0 = area(p[1], p[2], xs[i], ys[j]) / whole, w1 = area(p[2], p[0], xs[i], ys[j]) / whole;
            const double w2 = 1 - w0 - w1;
            if (w0 < 0 || w1 < 0 || w2 < 0)
                continue;
            // Seen along the ray an outer face that turns its front to us leads in.
            columns[j * xs.size() + i].push_back({w0 * p[0][0] + w1 * p[1][0] + w2 * p[2][0], whole < 0 ? 1 : -1});
        }
}

void vote_along(const Grid& grid, std::vector<Crossing>& crossings, size_t ib, size_t ic, std::vector<int8_t>& votes)
{
    std::sort(crossings.begin(), crossings.end(),
              [](const Crossing& u, const Crossing& v) { return u.depth < v.depth; });
    int sum = 0;
    for (const Crossing& crossing : crossings)
        sum += crossing.sign;
    if (sum != 0 && crossings.size() % 2 != 0)
        return;
    size_t next = 0;
    int winding = 0;
    for (size_t ia = 0; ia < grid.count(grid.a); ++ia)
    {
        for (; next < crossings.size() && crossings[next].depth < grid.coordinates[grid.a][ia]; ++next)
            winding += crossings[next].sign;
        const bool is_inside = sum == 0 ? winding != 0
                                        : next % 2 == 1; // faces of mixed sense: only their number counts
        votes[grid.sample(ia, ib, ic)] = int8_t(votes[grid.sample(ia, ib, ic)] + (is_inside ? 1 : -1));
    }
}

} // namespace

std::vector<bool> solid_samples(const Surface& surface, const std::array<std::vector<double>, 3>& coordinates)
{
    const size_t total = coordinates[0].size() * coordinates[1].size() * coordinates[2].size();
    std::vector<int8_t> votes(total);
    for (size_t axis = 0; axis < 3; ++axis)
    {
        const Grid grid{coordinates, axis, (axis + 1) % 3, (axis + 2) % 3};
        Columns columns(grid.count(grid.b) * grid.count(grid.c));
        for (const Triangle& triangle : surface.triangles)
            add_crossings(surface, triangle, grid, columns);
        for (size_t ic = 0; ic < grid.count(grid.c); ++ic)
            for (size_t ib = 0; ib < grid.count(grid.b); ++ib)
                vote_along(grid, columns[ic * grid.count(grid.b) + ib], ib, ic, votes);
    }
    std::vector<bool> inside(total);
    for (size_t i = 0; i < total; ++i)
        inside[i] = votes[i] > 0;
    return inside;
}

} // namespace moraine
