#include "peers/mass.h"

#include "geometry/mesh.h"

#include <cmath>

namespace moraine::bench
{

namespace
{

// Jacobi: turns the largest off-diagonal element to zero until none is left. Columns of `axes` are the eigenvectors.
void diagonalize(Mat3 m, Mat3& axes, Vec3& values)
{
    axes = {};
    Vec3* column[3] = {&m.x, &m.y, &m.z};
    for (int sweep = 0; sweep < 60; ++sweep)
    {
        int p = 0, q = 1;
        for (const auto& [i, j] : {std::pair{0, 2}, std::pair{1, 2}})
            if (std::fabs((*column[j])[i]) > std::fabs((*column[q])[p]))
                p = i, q = j;
        const float off = (*column[q])[p];
        const float a = (*column[p])[p], b = (*column[q])[q];
        if (std::fabs(off) <= 1e-7f * (std::fabs(a) + std::fabs(b)))
            break;
        const float angle = 0.5f * std::atan2(2 * off, b - a);
        const float c = std::cos(angle), s = std::sin(angle);
        Mat3 turn;
        Vec3* turn_column[3] = {&turn.x, &turn.y, &turn.z};
        (*turn_column[p])[p] = c;
        (*turn_column[q])[q] = c;
        (*turn_column[q])[p] = s;
        (*turn_column[p])[q] = -s;
        m = transpose(turn) * m * turn;
        axes = axes * turn;
    }
    values = {m.x.x, m.y.y, m.z.z};
}

template <class Surface>
void append(const Surface& surface, int count, TriangleList& out)
{
    for (int i = 0; i < count; ++i)
        for (const Vec3& corner : triangle_at(surface, i).corners)
        {
            out.indices.push_back(int(out.vertices.size()));
            out.vertices.push_back(corner);
        }
}

} // namespace

BodyMass body_mass(const BodyDef& def)
{
    const MassProperties total = mass_properties(def.shapes);
    BodyMass result;
    result.density_scale = def.mass > 0 && total.mass > 0 ? def.mass / total.mass : 1;
    result.mass = total.mass * result.density_scale;
    Mat3 axes;
    diagonalize(total.inertia * result.density_scale, axes, result.diagonal);
    if (determinant(axes) < 0)
        axes.z = -axes.z;
    result.frame = {total.center, quat_from_matrix(axes)};
    return result;
}

TriangleList triangles(const Geometry& surface)
{
    TriangleList list;
    if (const auto* mesh = std::get_if<MeshRef>(&surface))
    {
        list.vertices.assign((*mesh)->vertices.begin(), (*mesh)->vertices.end());
        list.indices.assign((*mesh)->indices.begin(), (*mesh)->indices.end());
    }
    if (const auto* field = std::get_if<HeightFieldRef>(&surface))
        append(**field, 2 * ((*field)->columns - 1) * ((*field)->rows - 1), list);
    return list;
}

} // namespace moraine::bench
