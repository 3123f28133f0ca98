// What every kind of row shares: gathering and scattering the velocities of the two movers it acts on.
//
// A row is a direction in the space of velocities. Along it the relative speed of movers A and B is
//     d · (v_B - v_A) + j_B · u_B - j_A · u_A
// with u the spin (see MoverVelocity). An impulse λ along the row changes v by ± d λ / m and u by ± j λ: no inertia
// matrix is needed. The same product with shift and turn in place of v and u tells how far the row has moved since the
// step began, to first order.
#pragma once

#include "base/lanes.h"
#include "graph/movers.h"

#include <cstring>

namespace moraine
{

// In the mover indices of a batch: this mover is not changed by rows (static, kinematic, or an empty lane).
constexpr int32_t read_only = int32_t(0x80000000);
constexpr int32_t mover_index(int32_t tagged) { return tagged & ~read_only; }

template <class F>
struct MoverLanes
{
    V3<F> v, u;
    F inv_mass;
    F spins; // 1 where rows may change the spin, else 0
};

template <class F>
struct ShiftLanes
{
    V3<F> shift, turn;
};

template <class F>
MORAINE_INLINE MoverLanes<F> gather_velocity(const MoverVelocity* movers, const int32_t* indices, int lane)
{
    MoverLanes<F> m;
    if constexpr (std::is_same_v<F, float>)
    {
        const MoverVelocity& r = movers[mover_index(indices[lane])];
        m = {{r.linear.x, r.linear.y, r.linear.z}, {r.spin.x, r.spin.y, r.spin.z}, r.inv_mass, 0.0f};
    }
    else
    {
        Lane r[8];
        for (int i = 0; i < 8; ++i)
            r[i] = *reinterpret_cast<const Lane*>(&movers[mover_index(indices[i])].linear);
        transpose(r);
        m = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, r[6], r[7]};
    }
    m.spins = select(m.inv_mass > splat<F>(0), splat<F>(1), splat<F>(0));
    return m;
}

template <class F>
MORAINE_INLINE ShiftLanes<F> gather_shift(const MoverVelocity* movers, const int32_t* indices, int lane)
{
    if constexpr (std::is_same_v<F, float>)
    {
        const MoverVelocity& r = movers[mover_index(indices[lane])];
        return {{r.shift.x, r.shift.y, r.shift.z}, {r.turn.x, r.turn.y, r.turn.z}};
    }
    else
    {
        Lane r[8];
        for (int i = 0; i < 8; ++i)
            r[i] = *reinterpret_cast<const Lane*>(&movers[mover_index(indices[i])].shift);
        transpose(r);
        return {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
    }
}

template <class F>
MORAINE_INLINE void scatter_velocity(MoverVelocity* movers, const int32_t* indices, int lane, const MoverLanes<F>& m)
{
    if constexpr (std::is_same_v<F, float>)
    {
        if (indices[lane] < 0)
            return;
        MoverVelocity& r = movers[indices[lane]];
        r.linear = {m.v.x, m.v.y, m.v.z};
        r.spin = {m.u.x, m.u.y, m.u.z};
    }
    else
    {
        Lane r[8] = {m.v.x, m.v.y, m.v.z, m.u.x, m.u.y, m.u.z, m.inv_mass, splat<F>(0)};
        transpose(r);
        for (int i = 0; i < 8; ++i)
            if (indices[i] >= 0)
                *reinterpret_cast<Lane*>(&movers[indices[i]].linear) = r[i];
    }
}

template <class F>
MORAINE_INLINE void scatter_shift(MoverVelocity* movers, const int32_t* indices, int lane, const MoverLanes<F>& m)
{
    if constexpr (std::is_same_v<F, float>)
    {
        if (indices[lane] < 0)
            return;
        MoverVelocity& r = movers[indices[lane]];
        r.shift = {m.v.x, m.v.y, m.v.z};
        r.turn = {m.u.x, m.u.y, m.u.z};
    }
    else
    {
        Lane r[8] = {m.v.x, m.v.y, m.v.z, m.u.x, m.u.y, m.u.z, splat<F>(0), splat<F>(0)};
        transpose(r);
        for (int i = 0; i < 8; ++i)
            if (indices[i] >= 0)
                std::memcpy(&movers[indices[i]].shift.x, &r[i], 2 * sizeof(Vec3)); // the room beside them stays
    }
}

// Shift and turn in place of velocity and spin: rows act on them in the same way.
template <class F>
MORAINE_INLINE MoverLanes<F> gather_motion(const MoverVelocity* movers, const int32_t* indices, int lane)
{
    MoverLanes<F> m = gather_velocity<F>(movers, indices, lane);
    const ShiftLanes<F> s = gather_shift<F>(movers, indices, lane);
    m.v = s.shift;
    m.u = s.turn;
    return m;
}

template <class F>
MORAINE_INLINE void apply_impulse(MoverLanes<F>& a, MoverLanes<F>& b, V3<F> d, V3<F> ja, V3<F> jb, F impulse)
{
    a.v = a.v - d * (impulse * a.inv_mass);
    a.u = a.u - ja * (impulse * a.spins);
    b.v = b.v + d * (impulse * b.inv_mass);
    b.u = b.u + jb * (impulse * b.spins);
}

// The surface of a turning carrier passes a contact in another direction once the contact has come along: riders would be
// sent off along the tangent, and friction would have to fetch them back. This is the change of the relative velocity when
// B has moved by `way` against A.
template <class F>
MORAINE_INLINE V3<F> carrier_swing(const MoverLanes<F>& a, const MoverLanes<F>& b, V3<F> way)
{
    const F one = splat<F>(1);
    return cross(a.u * (one - a.spins) + b.u * (one - b.spins), way);
}

template <class F>
MORAINE_INLINE V3<F> load3(const float (*field)[lane_count], int lane)
{
    return {load<F>(field[0], lane), load<F>(field[1], lane), load<F>(field[2], lane)};
}
template <class F>
MORAINE_INLINE void store3(float (*field)[lane_count], int lane, V3<F> v)
{
    store(field[0], lane, v.x);
    store(field[1], lane, v.y);
    store(field[2], lane, v.z);
}

// What a contact point weighs in the place where the friction of its manifold acts: all the same, but for those apart.
template <class F>
MORAINE_INLINE F closeness_of(F separation)
{
    return clamp_of(splat<F>(2) - separation * splat<F>(100), splat<F>(1e-3f), splat<F>(1));
}

// Stiffness of a soft constraint over a time step h: a spring-damper given by frequency and damping ratio.
struct Softness
{
    float bias_rate = 0; // 1/s
    float mass_scale = 1;
    float impulse_scale = 0;
};

inline Softness make_softness(float hertz, float damping_ratio, float h)
{
    if (hertz <= 0)
        return {0, 1, 0};
    const float omega = 2 * pi * hertz;
    const float a1 = 2 * damping_ratio + h * omega;
    const float a2 = h * omega * a1;
    const float a3 = 1 / (1 + a2);
    return {omega / a1, a2 * a3, a3};
}

} // namespace moraine
