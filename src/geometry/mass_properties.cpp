// Mass, centre and inertia of shapes. Summed in double: compounds subtract large numbers (parallel axes).
#include "geometry/hull.h"

#include <moraine/shapes.h>

namespace moraine
{

namespace
{

struct Moments
{
    double mass = 0;
    DVec3 center{};         // of mass
    double inertia[3][3]{}; // about `center`
};

constexpr double pi_exact = 3.14159265358979323846;

Moments with_principal(double mass, double x, double y, double z)
{
    return {mass, {}, {{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

Moments moments_of(const Sphere& sphere, double density)
{
    const double r = sphere.radius;
    const double mass = density * 4.0 / 3.0 * pi_exact * r * r * r;
    const double inertia = 0.4 * mass * r * r;
    return with_principal(mass, inertia, inertia, inertia);
}

// A cylinder and two half balls. A half ball has 2/5 m r^2 about the centre of its flat side, which lies at h, and its
// own centre of mass is 3/8 r further out: about the middle of the capsule that makes m (2/5 r^2 + h^2 + 3/4 h r).
Moments moments_of(const Capsule& capsule, double density)
{
    const double r = capsule.radius, h = capsule.half_length;
    const double middle = density * pi_exact * r * r * 2 * h;
    const double caps = density * 4.0 / 3.0 * pi_exact * r * r * r;
    const double along = middle * r * r / 2 + caps * 0.4 * r * r;
    const double across = middle * (r * r / 4 + h * h / 3) + caps * (0.4 * r * r + h * h + 0.75 * h * r);
    return with_principal(middle + caps, across, along, across);
}

Moments moments_of(const Cylinder& cylinder, double density)
{
    const double r = cylinder.radius, h = cylinder.half_length;
    const double mass = density * pi_exact * r * r * 2 * h;
    const double across = mass * (r * r / 4 + h * h / 3);
    return with_principal(mass, across, mass * r * r / 2, across);
}

Moments moments_of(const Box& box, double density)
{
    const DVec3 h = box.half_extents;
    const double mass = density * 8 * h.x * h.y * h.z;
    const double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
    return with_principal(mass, mass * (yy + zz) / 3, mass * (xx + zz) / 3, mass * (xx + yy) / 3);
}

Moments moments_of(const HullRef& hull, double density)
{
    Moments m;
    if (!hull)
        return m;
    m.mass = density * hull->volume;
    m.center = hull->center;
    for (int i = 0; i < 3; ++i)
    {
        const Vec3 column = i == 0 ? hull->unit_inertia.x : i == 1 ? hull->unit_inertia.y : hull->unit_inertia.z;
        for (int j = 0; j < 3; ++j)
            m.inertia[j][i] = density * column[j];
    }
    return m;
}

// Surfaces have no volume, half-spaces no end of it: they do not weigh.
Moments moments_of(const HalfSpace&, double) { return {}; }
Moments moments_of(const MeshRef&, double) { return {}; }
Moments moments_of(const HeightFieldRef&, double) { return {}; }

// The rotation matrix by rows, in double: float would leave the inertia of a cube visibly skewed.
void rotation_rows(Quat rotation, double (&rows)[3][3])
{
    const double n = 1.0 / std::sqrt(double(rotation.x) * rotation.x + double(rotation.y) * rotation.y +
                                     double(rotation.z) * rotation.z + double(rotation.w) * rotation.w);
    const double x = rotation.x * n, y = rotation.y * n, z = rotation.z * n, w = rotation.w * n;
    const double values[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                                 {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                                 {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            rows[i][j] = values[i][j];
}

// Seen from the frame in which the shape stands at `pose`: centre moved, inertia turned (R I R^T).
Moments placed(const Moments& local, const Transform& pose)
{
    double r[3][3];
    rotation_rows(pose.rotation, r);
    Moments out;
    out.mass = local.mass;
    const double c[3] = {local.center.x, local.center.y, local.center.z};
    out.center = {r[0][0] * c[0] + r[0][1] * c[1] + r[0][2] * c[2] + pose.position.x,
                  r[1][0] * c[0] + r[1][1] * c[1] + r[1][2] * c[2] + pose.position.y,
                  r[2][0] * c[0] + r[2][1] * c[1] + r[2][2] * c[2] + pose.position.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    out.inertia[i][j] += r[i][k] * local.inertia[k][l] * r[j][l];
    return out;
}

// Parallel axes: adds m (d^2 1 - d d^T).
void add_offset(Moments& total, double mass, DVec3 d)
{
    const double v[3] = {d.x, d.y, d.z};
    const double squared = dot(d, d);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            total.inertia[i][j] += mass * ((i == j ? squared : 0) - v[i] * v[j]);
}

Moments moments_in_body(const ShapeDef& shape)
{
    const double density = shape.density;
    return placed(std::visit([&](const auto& g) { return moments_of(g, density); }, shape.geometry), shape.pose);
}

// Exactly symmetric, so that nothing downstream has to average.
MassProperties rounded(const Moments& m)
{
    const auto at = [&](int i, int j) { return float(0.5 * (m.inertia[i][j] + m.inertia[j][i])); };
    return {float(m.mass),
            Vec3(m.center),
            {{at(0, 0), at(0, 1), at(0, 2)}, {at(0, 1), at(1, 1), at(1, 2)}, {at(0, 2), at(1, 2), at(2, 2)}}};
}

} // namespace

MassProperties mass_properties(const ShapeDef& shape) { return mass_properties(std::span(&shape, 1)); }

MassProperties mass_properties(std::span<const ShapeDef> shapes)
{
    Moments total;
    DVec3 weighted{};
    for (const ShapeDef& shape : shapes)
    {
        const Moments part = moments_in_body(shape);
        total.mass += part.mass;
        weighted += part.center * part.mass;
    }
    if (!(total.mass > 0))
        return {};
    total.center = weighted * (1.0 / total.mass);
    for (const ShapeDef& shape : shapes)
    {
        const Moments part = moments_in_body(shape);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                total.inertia[i][j] += part.inertia[i][j];
        add_offset(total, part.mass, part.center - total.center);
    }
    return rounded(total);
}

} // namespace moraine
