// Turning world directions into rows, in lanes: what filling a batch of any kind needs.
#pragma once

#include "dynamics/rows.h"

namespace moraine
{

template <class F>
struct Q
{
    F x, y, z, w;
};
template <class F>
MORAINE_INLINE Q<F> load4(const float (*field)[lane_count], int lane)
{
    return {load<F>(field[0], lane), load<F>(field[1], lane), load<F>(field[2], lane), load<F>(field[3], lane)};
}
template <class F>
MORAINE_INLINE V3<F> rotate(Q<F> q, V3<F> v)
{
    const V3<F> u{q.x, q.y, q.z};
    const V3<F> c = cross(u, v);
    const V3<F> t = c + c;
    return v + t * q.w + cross(u, t);
}
template <class F>
MORAINE_INLINE V3<F> inverse_rotate(Q<F> q, V3<F> v)
{
    return rotate(Q<F>{-q.x, -q.y, -q.z, q.w}, v);
}

// j = Lᵀ Rᵀ t: the row of a torque direction, in spin space.
template <class F>
MORAINE_INLINE V3<F> spin_row(Q<F> rotation, const float (*factor)[lane_count], V3<F> torque, int lane)
{
    const V3<F> t = inverse_rotate(rotation, torque);
    return {load<F>(factor[0], lane) * t.x + load<F>(factor[1], lane) * t.y + load<F>(factor[3], lane) * t.z,
            load<F>(factor[2], lane) * t.y + load<F>(factor[4], lane) * t.z, load<F>(factor[5], lane) * t.z};
}

template <class F>
MORAINE_INLINE F inverse_or_zero(F v)
{
    const F safe = max_of(v, splat<F>(1e-30f));
    return select(v > splat<F>(0), splat<F>(1) / safe, splat<F>(0));
}

inline void put(float (*field)[lane_count], int lane, Vec3 v)
{
    field[0][lane] = v.x;
    field[1][lane] = v.y;
    field[2][lane] = v.z;
}
inline void put(float (*field)[lane_count], int lane, Quat q)
{
    field[0][lane] = q.x;
    field[1][lane] = q.y;
    field[2][lane] = q.z;
    field[3][lane] = q.w;
}
inline void put(float (*field)[lane_count], int lane, const Factor& f)
{
    const float values[6] = {f.xx, f.yx, f.yy, f.zx, f.zy, f.zz};
    for (int i = 0; i < 6; ++i)
        field[i][lane] = values[i];
}

} // namespace moraine
