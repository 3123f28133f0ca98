// Rotations that are made seldom and with care.
#include <moraine/math.h>

namespace moraine
{

Quat rotation_between(Vec3 from, Vec3 to)
{
    // The half-way form (1 + cos, axis * sin) loses its axis when the vectors are opposite: any half turn will do then.
    const float w = 1.0f + dot(from, to);
    if (w < 1e-6f)
    {
        const Vec3 axis = perpendicular(from);
        return {axis.x, axis.y, axis.z, 0};
    }
    const Vec3 axis = cross(from, to);
    return normalize(Quat{axis.x, axis.y, axis.z, w});
}

// From the largest of the four components, which is at least one half.
Quat quat_from_matrix(const Mat3& m)
{
    const float trace = m.x.x + m.y.y + m.z.z;
    if (trace > 0)
        return normalize(Quat{m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x, 1 + trace});
    if (m.x.x >= m.y.y && m.x.x >= m.z.z)
        return normalize(Quat{1 + m.x.x - m.y.y - m.z.z, m.x.y + m.y.x, m.z.x + m.x.z, m.y.z - m.z.y});
    if (m.y.y >= m.z.z)
        return normalize(Quat{m.x.y + m.y.x, 1 + m.y.y - m.x.x - m.z.z, m.y.z + m.z.y, m.z.x - m.x.z});
    return normalize(Quat{m.z.x + m.x.z, m.y.z + m.z.y, 1 + m.z.z - m.x.x - m.y.y, m.x.y - m.y.x});
}

} // namespace moraine
