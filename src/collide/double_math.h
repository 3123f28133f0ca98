// Vectors in double precision for GJK and EPA: their inner products cancel, and float would lose thin and far shapes.
#pragma once

#include <moraine/math.h>

namespace moraine
{

inline DVec3 operator-(DVec3 a) { return {-a.x, -a.y, -a.z}; }
inline double length_squared(DVec3 a) { return dot(a, a); }
inline DVec3 cross(DVec3 a, DVec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

// Some vector at right angles to `a`, not of unit length.
inline DVec3 any_perpendicular(DVec3 a)
{
    const double x = std::fabs(a.x), y = std::fabs(a.y), z = std::fabs(a.z);
    if (x <= y && x <= z)
        return {0, a.z, -a.y};
    return y <= z ? DVec3{-a.z, 0, a.x} : DVec3{a.y, -a.x, 0};
}

struct DMat3
{
    DVec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}; // columns
};

inline DVec3 operator*(const DMat3& m, DVec3 v) { return m.x * v.x + m.y * v.y + m.z * v.z; }
inline DVec3 transpose_multiply(const DMat3& m, DVec3 v) { return {dot(m.x, v), dot(m.y, v), dot(m.z, v)}; }
inline DMat3 transpose_multiply(const DMat3& m, const DMat3& n)
{
    return {transpose_multiply(m, n.x), transpose_multiply(m, n.y), transpose_multiply(m, n.z)};
}

inline DMat3 to_double_matrix(Quat q)
{
    const double x = q.x, y = q.y, z = q.z, w = q.w;
    const double s = 2 / (x * x + y * y + z * z + w * w);
    return {{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
            {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)},
            {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)}};
}

} // namespace moraine
