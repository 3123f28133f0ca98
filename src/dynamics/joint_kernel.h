// The joint kernel, written once for one lane and for eight.
//
// A block of rows solves λ += -M (speed + bias + compliance λ) for all three at once; bounded rows do the same one by
// one and are clamped.
#pragma once

#include "dynamics/joints.h"

namespace moraine::joint_kernel
{

template <class F>
MORAINE_INLINE V3<F> to_world(const float (*columns)[lane_count], V3<F> v, int lane)
{
    return load3<F>(columns, lane) * v.x + load3<F>(columns + 3, lane) * v.y + load3<F>(columns + 6, lane) * v.z;
}

template <class F>
struct JointLanes
{
    MoverLanes<F> a, b;
    ShiftLanes<F> shift_a, shift_b;
    V3<F> shift; // of B against A, with the second-order part of the turning arms
    V3<F> drift; // that part's rate
    int lane;
};

// Where the joint's points have come to, to second order: arms turn by φ × r + φ × (φ × r) / 2, directions that follow
// A by φ × d, and a line between two points turns as they pass each other.
template <class F>
MORAINE_INLINE void add_drift(const JointDrift& drift, JointLanes<F>& j)
{
    const int lane = j.lane;
    const F half = splat<F>(0.5f), zero = splat<F>(0);
    const V3<F> turn_a = to_world<F>(drift.to_world_a, j.shift_a.turn, lane);
    const V3<F> turn_b = to_world<F>(drift.to_world_b, j.shift_b.turn, lane);
    const V3<F> omega_a = to_world<F>(drift.to_world_a, j.a.u, lane);
    const V3<F> omega_b = to_world<F>(drift.to_world_b, j.b.u, lane);
    const V3<F> arm_a = load3<F>(drift.arm_a, lane), arm_b = load3<F>(drift.arm_b, lane);
    const V3<F> moved_a = cross(turn_a, arm_a), moved_b = cross(turn_b, arm_b);

    V3<F> shift = j.shift_b.shift - j.shift_a.shift;
    const V3<F> gone = shift + moved_b - moved_a;
    const V3<F> speed = j.b.v - j.a.v + cross(omega_b, arm_b) - cross(omega_a, arm_a);
    shift = shift + (cross(turn_b, moved_b) - cross(turn_a, moved_a)) * half;
    V3<F> rate = cross(omega_b, moved_b) - cross(omega_a, moved_a);

    const F follows = load<F>(drift.follows_a, lane);
    shift = shift + cross(gone, turn_a) * follows;
    rate = rate + (cross(gone, omega_a) + cross(speed, turn_a)) * follows;

    const V3<F> gap = load3<F>(drift.gap, lane);
    const V3<F> gap_now = gap + gone;
    const F before = sqrt_of(dot(gap, gap)), now = sqrt_of(dot(gap_now, gap_now));
    const F tiny = splat<F>(1e-9f);
    const Mask<F> is_line = before > tiny;
    const V3<F> d = gap * (splat<F>(1) / max_of(before, tiny));
    const V3<F> d_now = gap_now * (splat<F>(1) / max_of(now, tiny));
    shift = shift + d * select(is_line, F(now - before - dot(d, gone)), zero);
    rate = rate + d * select(is_line, dot(d_now - d, speed), zero);
    j.shift = shift;
    j.drift = rate;
}

template <class F>
struct RowLanes
{
    V3<F> d, ja, jb;
    F impulse;
};

template <class F>
MORAINE_INLINE RowLanes<F> load_row(const JointTriple::Row& row, int lane)
{
    return {load3<F>(row.d, lane), load3<F>(row.ja, lane), load3<F>(row.jb, lane), load<F>(row.impulse, lane)};
}

template <class F>
MORAINE_INLINE F speed_along(const RowLanes<F>& r, const JointLanes<F>& j)
{
    return dot(r.d, j.b.v - j.a.v + j.drift) + dot(r.jb, j.b.u) - dot(r.ja, j.a.u);
}

template <class F>
MORAINE_INLINE F error_along(const JointTriple::Row& row, const RowLanes<F>& r, const JointLanes<F>& j)
{
    return load<F>(row.error, j.lane) + dot(r.d, j.shift) + dot(r.jb, j.shift_b.turn) - dot(r.ja, j.shift_a.turn);
}

template <class F, bool relaxes>
MORAINE_INLINE F bias_of(JointTriple::Row& row, const RowLanes<F>& r, const JointLanes<F>& j)
{
    if constexpr (relaxes)
        return select(load<F>(row.is_rigid, j.lane) > splat<F>(0), splat<F>(0), load<F>(row.bias, j.lane));
    const F bias = load<F>(row.bias_rate, j.lane) * error_along(row, r, j);
    store(row.bias, j.lane, bias);
    return bias;
}

template <class F>
MORAINE_INLINE void change_impulse(JointTriple::Row& row, const RowLanes<F>& r, F impulse, JointLanes<F>& j)
{
    store(row.impulse, j.lane, impulse);
    apply_impulse(j.a, j.b, r.d, r.ja, r.jb, F(impulse - r.impulse));
}

template <class F, bool relaxes>
MORAINE_INLINE void solve_block(JointTriple& triple, const Softness& rigid, JointLanes<F>& j)
{
    const int lane = j.lane;
    const F zero = splat<F>(0), one = splat<F>(1);
    RowLanes<F> r[3];
    F wrong[3], kept[3];
    for (int i = 0; i < 3; ++i)
    {
        JointTriple::Row& row = triple.rows[i];
        r[i] = load_row<F>(row, lane);
        const F bias = bias_of<F, relaxes>(row, r[i], j);
        wrong[i] = speed_along(r[i], j) + bias + load<F>(row.compliance, lane) * r[i].impulse;
        kept[i] = r[i].impulse;
        if constexpr (!relaxes)
        {
            const Mask<F> is_rigid = load<F>(row.is_rigid, lane) > zero;
            wrong[i] = wrong[i] * select(is_rigid, splat<F>(rigid.mass_scale), one);
            kept[i] = kept[i] - kept[i] * select(is_rigid, splat<F>(rigid.impulse_scale), zero);
        }
    }
    F m[6];
    for (int i = 0; i < 6; ++i)
        m[i] = load<F>(triple.block_mass[i], lane);
    change_impulse(triple.rows[0], r[0], F(kept[0] - (m[0] * wrong[0] + m[1] * wrong[1] + m[2] * wrong[2])), j);
    change_impulse(triple.rows[1], r[1], F(kept[1] - (m[1] * wrong[0] + m[3] * wrong[1] + m[4] * wrong[2])), j);
    change_impulse(triple.rows[2], r[2], F(kept[2] - (m[2] * wrong[0] + m[4] * wrong[1] + m[5] * wrong[2])), j);
}

// The impulse that stops the motion towards one end of the range, `room` away; `speed` is positive away from it.
template <class F, bool relaxes>
MORAINE_INLINE F stop(F impulse, F mass, F speed, F room, const JointParameters& p)
{
    const Mask<F> has_room = room > splat<F>(0);
    const F bias = room * splat<F>(p.inv_h);
    if constexpr (relaxes)
        return impulse - mass * (speed + select(has_room, bias, splat<F>(0)));
    const F soft_bias = splat<F>(p.rigid.bias_rate) * room;
    const F soft = impulse - mass * splat<F>(p.rigid.mass_scale) * (speed + soft_bias) -
                   splat<F>(p.rigid.impulse_scale) * impulse;
    return select(has_room, F(impulse - mass * (speed + bias)), soft);
}

template <class F, bool relaxes>
MORAINE_INLINE void solve_bounded(JointTriple::Row& row, const JointParameters& p, JointLanes<F>& j)
{
    const int lane = j.lane;
    const F zero = splat<F>(0);
    const RowLanes<F> r = load_row<F>(row, lane);
    const F mass = load<F>(row.bounded_mass, lane);
    const F lower = load<F>(row.lower, lane), upper = load<F>(row.upper, lane);
    const F speed = speed_along(r, j);
    const F error = error_along(row, r, j);

    // At most one end pushes: the lower one up, or the upper one down.
    const F up = stop<F, relaxes>(r.impulse, mass, speed, F(error - lower), p);
    const F down = -stop<F, relaxes>(F(-r.impulse), mass, F(-speed), F(upper - error), p);
    const F limited = max_of(up, min_of(down, zero));

    const F wrong = speed - load<F>(row.target_speed, lane) + bias_of<F, relaxes>(row, r, j) +
                    load<F>(row.compliance, lane) * r.impulse;
    const F clamped = clamp_of(F(r.impulse - mass * wrong), lower, upper);

    const F impulse = select(load<F>(row.is_limit, lane) > zero, limited, clamped);
    change_impulse(row, r, select(mass > zero, impulse, r.impulse), j);
}

template <class F, bool relaxes>
MORAINE_INLINE void solve(JointBatch& batch, JointTriple* triples, const JointParameters& p, MoverVelocity* movers,
                          int lane)
{
    JointLanes<F> j;
    j.lane = lane;
    j.a = gather_velocity<F>(movers, batch.a, lane);
    j.b = gather_velocity<F>(movers, batch.b, lane);
    j.shift_a = gather_shift<F>(movers, batch.a, lane);
    j.shift_b = gather_shift<F>(movers, batch.b, lane);
    add_drift(batch.drift, j);

    V3<F> sum = load3<F>(batch.linear_impulse, lane);
    for (int t = batch.triple_count - 1; t >= 0; --t)
    {
        JointTriple& triple = triples[batch.triple_first + t];
        if (triple.has_bounded)
            for (JointTriple::Row& row : triple.rows)
                solve_bounded<F, relaxes>(row, p, j);
        if (triple.has_block)
            solve_block<F, relaxes>(triple, p.rigid, j);
        if constexpr (relaxes)
            for (const JointTriple::Row& row : triple.rows)
                sum = sum + load3<F>(row.d, lane) * load<F>(row.impulse, lane);
    }
    if constexpr (relaxes)
        store3(batch.linear_impulse, lane, sum);
    scatter_velocity(movers, batch.a, lane, j.a);
    scatter_velocity(movers, batch.b, lane, j.b);
}

} // namespace moraine::joint_kernel
