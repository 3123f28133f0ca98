// Where a joint is within a step, and its rows there; written once for one lane and for eight.
//
// Rows that stay what they were when the step began lose much of what sub-steps gain: a point on a circle leaves its
// tangent by r φ² / 2, and chains that whip come apart. So every relaxation places the rows anew.
#pragma once

#include "dynamics/joints.h"

namespace moraine::joint_kernel
{

// Products of a vector with a matrix given by its columns, or by its rows.
template <class F>
MORAINE_INLINE V3<F> by_columns(const float (*m)[lane_count], V3<F> v, int lane)
{
    return load3<F>(m, lane) * v.x + load3<F>(m + 3, lane) * v.y + load3<F>(m + 6, lane) * v.z;
}
template <class F>
MORAINE_INLINE V3<F> by_rows(const float (*m)[lane_count], V3<F> v, int lane)
{
    return {dot(load3<F>(m, lane), v), dot(load3<F>(m + 3, lane), v), dot(load3<F>(m + 6, lane), v)};
}

template <class F>
MORAINE_INLINE F round_of(F v)
{
    const F big = splat<F>(12582912.0f); // 1.5 · 2²³: its fraction bits are used up
    return (v + big) - big;
}

// By how much the rotation by a vector moves others: Rodrigues' formula with its two functions as series. Full turns,
// which fast wheels make within a step, are taken off first.
template <class F>
struct Turn
{
    V3<F> phi;
    F s, c;
};
template <class F>
MORAINE_INLINE Turn<F> make_turn(V3<F> phi)
{
    const F angle = sqrt_of(dot(phi, phi));
    const F full = round_of(F(angle * splat<F>(0.5f / pi))) * splat<F>(2 * pi);
    const V3<F> rest = phi * ((angle - full) / max_of(angle, splat<F>(1e-20f)));
    const F q = dot(rest, rest);
    const F one = splat<F>(1);
    const F s = one - q * splat<F>(1.0f / 6) * (one - q * splat<F>(1.0f / 20) * (one - q * splat<F>(1.0f / 42)));
    const F c = splat<F>(0.5f) *
                (one - q * splat<F>(1.0f / 12) * (one - q * splat<F>(1.0f / 30) * (one - q * splat<F>(1.0f / 56))));
    return {rest, s, c};
}
template <class F>
MORAINE_INLINE V3<F> displacement(const Turn<F>& turn, V3<F> v)
{
    const V3<F> across = cross(turn.phi, v);
    return across * turn.s + cross(turn.phi, across) * turn.c;
}
template <class F>
MORAINE_INLINE V3<F> displacement_back(const Turn<F>& turn, V3<F> v)
{
    const V3<F> across = cross(turn.phi, v);
    return cross(turn.phi, across) * turn.c - across * turn.s;
}

template <class F>
MORAINE_INLINE V3<F> zero3()
{
    return {splat<F>(0), splat<F>(0), splat<F>(0)};
}

// When the step begins nothing has turned yet.
struct NoTurn
{
};
template <class F>
MORAINE_INLINE V3<F> displacement(NoTurn, V3<F>)
{
    return zero3<F>();
}
template <class F>
MORAINE_INLINE V3<F> displacement_back(NoTurn, V3<F>)
{
    return zero3<F>();
}

template <class F, class T = Turn<F>>
struct JointNow
{
    T turn_a, turn_b;
    T swing;    // of A without what it turns about the hinge
    V3<F> turn; // of B against A
    V3<F> arm_a, arm_b, gap;
    V3<F> line; // unit vector along the gap
    Mask<F> is_line;
};

template <class F, class T>
MORAINE_INLINE void set_line(const JointGeometry& g, int lane, JointNow<F, T>& now)
{
    const F length = sqrt_of(dot(now.gap, now.gap));
    const F tiny = splat<F>(1e-9f);
    now.is_line = (load<F>(g.is_line, lane) * length) > tiny;
    now.line = now.gap * (splat<F>(1) / max_of(length, tiny));
}

template <class F>
MORAINE_INLINE JointNow<F, NoTurn> place_at_start(const JointGeometry& g, int lane)
{
    JointNow<F, NoTurn> now;
    now.turn = zero3<F>();
    now.arm_a = load3<F>(g.arm_a, lane);
    now.arm_b = load3<F>(g.arm_b, lane);
    now.gap = load3<F>(g.gap, lane);
    set_line(g, lane, now);
    return now;
}

template <class F>
MORAINE_INLINE JointNow<F> place_now(const JointGeometry& g, const ShiftLanes<F>& a, const ShiftLanes<F>& b, int lane)
{
    JointNow<F> now;
    const V3<F> phi_a = by_columns<F>(g.to_world_a, a.turn, lane);
    const V3<F> phi_b = by_columns<F>(g.to_world_b, b.turn, lane);
    const V3<F> hinge = load3<F>(g.hinge, lane);
    now.turn = phi_b - phi_a;
    now.turn_a = make_turn(phi_a);
    now.turn_b = make_turn(phi_b);
    now.swing = make_turn(phi_a - hinge * dot(hinge, phi_a));
    const V3<F> arm_a = load3<F>(g.arm_a, lane), arm_b = load3<F>(g.arm_b, lane);
    const V3<F> moved_a = displacement(now.turn_a, arm_a), moved_b = displacement(now.turn_b, arm_b);
    now.arm_a = arm_a + moved_a;
    now.arm_b = arm_b + moved_b;
    now.gap = load3<F>(g.gap, lane) + (b.shift - a.shift) + (moved_b - moved_a);
    set_line(g, lane, now);
    return now;
}

template <class F>
struct RowLanes
{
    V3<F> d{}, ja{}, jb{}, push_a{}, push_b{};
    F impulse{};
};

template <class F>
MORAINE_INLINE RowLanes<F> load_row(const JointTriple::Row& row, int lane)
{
    return {load3<F>(row.d, lane),      load3<F>(row.ja, lane),     load3<F>(row.jb, lane),
            load3<F>(row.push_a, lane), load3<F>(row.push_b, lane), load<F>(row.impulse, lane)};
}

template <class F>
struct JointLanes
{
    MoverLanes<F> a, b;
    int lane;
    // Bits of the lanes that are solved here: all, or the one whose turn it is. Rows that none of them has are left out.
    uint32_t lanes;
};

template <class F>
MORAINE_INLINE bool has_block(const JointTriple& triple, const JointLanes<F>& j)
{
    return (uint32_t(triple.block_lanes[0] | triple.block_lanes[1] | triple.block_lanes[2]) & j.lanes) != 0;
}
template <class F>
MORAINE_INLINE bool has_row(const JointTriple& triple, int i, const JointLanes<F>& j)
{
    return (uint32_t(triple.block_lanes[i] | triple.bounded_lanes[i]) & j.lanes) != 0;
}

template <class F>
MORAINE_INLINE F speed_along(const RowLanes<F>& r, const JointLanes<F>& j)
{
    return dot(r.d, j.b.v - j.a.v) + dot(r.jb, j.b.u) - dot(r.ja, j.a.u);
}

template <class F>
MORAINE_INLINE F inverse_mass(const RowLanes<F>& r, const RowLanes<F>& s, const JointLanes<F>& j)
{
    return dot(r.d, s.d) * (j.a.inv_mass + j.b.inv_mass) + dot(r.ja, s.push_a) * j.a.spins +
           dot(r.jb, s.push_b) * j.b.spins;
}

template <class F>
MORAINE_INLINE void change_impulse(JointTriple::Row& row, RowLanes<F>& r, F impulse, JointLanes<F>& j)
{
    store(row.impulse, j.lane, impulse);
    apply_impulse(j.a, j.b, r.d, r.push_a, r.push_b, F(impulse - r.impulse));
    r.impulse = impulse;
}

// What a torque does to the spin. The inertia turns with the mover: Δω = R I⁻¹ Rᵀ τ with R since the step began, and
// I⁻¹ = W Wᵀ with W = R₀ L. Thin links would spin up about their long axis if only their arms turned.
template <class F, class T>
MORAINE_INLINE V3<F> spin_change(const float (*to_world)[lane_count], const float (*to_spin)[lane_count], const T& turn,
                                 V3<F> torque, int lane)
{
    const V3<F> before = torque + displacement_back(turn, torque);
    const V3<F> omega = by_columns<F>(to_world, by_rows<F>(to_world, before, lane), lane);
    return by_rows<F>(to_spin, omega + displacement(turn, omega), lane);
}

// Direction, Jacobian and error at the pose reached.
template <class F, class T>
MORAINE_INLINE RowLanes<F> place_row(JointTriple::Row& row, const JointGeometry& g, const JointNow<F, T>& now, int lane)
{
    const F zero = splat<F>(0);
    const Mask<F> is_angular = load<F>(row.is_angular, lane) > zero;
    const F follows_a = load<F>(row.follows_a, lane);
    const V3<F> axis_before = load3<F>(row.axis, lane);
    const V3<F> moved = select<F>(is_angular, displacement(now.swing, axis_before),
                                  displacement(now.turn_a, axis_before));
    const V3<F> axis = select<F>(now.is_line, now.line, axis_before + moved * follows_a);
    const F angular_error = dot(axis_before + axis, now.turn) * splat<F>(0.5f);
    const F error = select(is_angular, angular_error, dot(axis, now.gap));
    store(row.error, lane, F(load<F>(row.offset, lane) + error));

    RowLanes<F> r;
    r.impulse = load<F>(row.impulse, lane);
    r.d = select<F>(is_angular, V3<F>{zero, zero, zero}, axis);
    const V3<F> torque_a = select<F>(is_angular, axis, cross(now.arm_a + now.gap * follows_a, axis));
    const V3<F> torque_b = select<F>(is_angular, axis, cross(now.arm_b, axis));
    r.ja = by_rows<F>(g.to_world_a, torque_a, lane);
    r.jb = by_rows<F>(g.to_world_b, torque_b, lane);
    r.push_a = spin_change<F>(g.to_world_a, g.to_spin_a, now.turn_a, torque_a, lane);
    r.push_b = spin_change<F>(g.to_world_b, g.to_spin_b, now.turn_b, torque_b, lane);
    store3(row.d, lane, r.d);
    store3(row.ja, lane, r.ja);
    store3(row.jb, lane, r.jb);
    store3(row.push_a, lane, r.push_a);
    store3(row.push_b, lane, r.push_b);
    return r;
}

// One pivot of K = L D Lᵀ. What depends on the rows before it, or moves nothing (locked axes of planar bodies), drops out.
template <class F>
MORAINE_INLINE F inverse_pivot(F pivot, F diagonal, F is_used)
{
    const Mask<F> is_good = pivot > max_of(diagonal * splat<F>(1e-5f), splat<F>(1e-20f));
    return select(is_good, is_used / max_of(pivot, splat<F>(1e-20f)), splat<F>(0));
}

template <class F>
MORAINE_INLINE void set_masses(JointTriple& triple, const RowLanes<F> (&r)[3], const JointLanes<F>& j)
{
    const int lane = j.lane;
    F used[3], k[3];
    for (int i = 0; i < 3; ++i)
    {
        JointTriple::Row& row = triple.rows[i];
        used[i] = load<F>(row.is_block, lane);
        k[i] = splat<F>(0);
        if (!has_row(triple, i, j))
            continue;
        k[i] = inverse_mass(r[i], r[i], j) + load<F>(row.compliance, lane);
        store(row.mass, lane, inverse_pivot(k[i], k[i], load<F>(row.is_bounded, lane)));
    }
    if (!has_block(triple, j))
        return;
    const F k10 = inverse_mass(r[1], r[0], j) * used[1];
    const F k20 = inverse_mass(r[2], r[0], j) * used[2];
    const F k21 = inverse_mass(r[2], r[1], j) * used[2];
    const F p0 = inverse_pivot(k[0], k[0], used[0]);
    const F l10 = k10 * p0, l20 = k20 * p0;
    const F p1 = inverse_pivot(F(k[1] - l10 * k10), k[1], used[1]);
    const F rest21 = k21 - l20 * k10;
    const F l21 = rest21 * p1;
    const F p2 = inverse_pivot(F(k[2] - l20 * k20 - l21 * rest21), k[2], used[2]);
    const F packed[6] = {l10, l20, l21, p0, p1, p2};
    for (int i = 0; i < 6; ++i)
        store(triple.block[i], lane, packed[i]);
}

// x becomes K⁻¹ x.
template <class F>
MORAINE_INLINE void solve_system(const JointTriple& triple, F (&x)[3], int lane)
{
    const F l10 = load<F>(triple.block[0], lane), l20 = load<F>(triple.block[1], lane);
    const F l21 = load<F>(triple.block[2], lane);
    const F y1 = x[1] - l10 * x[0];
    const F y2 = x[2] - l20 * x[0] - l21 * y1;
    x[2] = y2 * load<F>(triple.block[5], lane);
    x[1] = y1 * load<F>(triple.block[4], lane) - l21 * x[2];
    x[0] = x[0] * load<F>(triple.block[3], lane) - l10 * x[1] - l20 * x[2];
}

} // namespace moraine::joint_kernel
