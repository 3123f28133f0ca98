// The joint kernel, written once for one lane and for eight.
//
// A block of rows solves K Δλ = -(speed + bias + compliance λ) for all three at once; bounded rows do the same one by
// one and are clamped. K is the inverse effective mass, d · d (1/m_a + 1/m_b) + j_a · j_a + j_b · j_b.
//
// A sub-step keeps the energy of what swings only if its impulses act half where it begins and half where it ends.
// All at the end is what a pendulum loses a third of its height by in ten swings; but that loss also calms what the few
// sweeps of a sub-step have not solved, and without any of it light chains with a heavy end tear. So:
// - the solve aims at where the sub-step ends on the curve of the way, not on its tangent (`bend`);
// - impulses turn with their rows half in the relaxation and half when the next sub-step begins (`owed`).
#pragma once

#include "dynamics/joint_placing.h"

namespace moraine::joint_kernel
{

// Springs keep the place that the solve used: the relaxation then is one more iteration of the same equation.
template <class F, bool relaxes>
MORAINE_INLINE void solve_block(JointTriple& triple, RowLanes<F> (&r)[3], const F (&error)[3], JointLanes<F>& j)
{
    const int lane = j.lane;
    const F zero = splat<F>(0);
    F wrong[3]{};
    for (int i = 0; i < 3; ++i)
    {
        if (!(triple.block_lanes[i] & j.lanes))
            continue;
        const JointTriple::Row& row = triple.rows[i];
        F bias = load<F>(row.bias_rate, lane) * error[i];
        if constexpr (!relaxes)
            bias = bias + load<F>(row.bend, lane);
        wrong[i] = speed_along(r[i], j) + bias + load<F>(row.compliance, lane) * r[i].impulse;
    }
    solve_system(triple, wrong, lane);
    for (int i = 0; i < 3; ++i)
    {
        if (!(triple.block_lanes[i] & j.lanes))
            continue;
        const Mask<F> is_used = load<F>(triple.rows[i].is_block, lane) > zero;
        change_impulse(triple.rows[i], r[i], select(is_used, F(r[i].impulse - wrong[i]), r[i].impulse), j);
    }
}

// The impulse that stops the motion towards one end of the range, `room` away; `speed` is positive away from it.
template <class F>
MORAINE_INLINE F stop(F impulse, F mass, F speed, F room, const JointParameters& p)
{
    return impulse - mass * (speed + max_of(room, splat<F>(0)) * splat<F>(p.inv_h));
}

template <class F>
MORAINE_INLINE void solve_bounded(JointTriple::Row& row, RowLanes<F>& r, F spring_error, const JointParameters& p,
                                  JointLanes<F>& j)
{
    const int lane = j.lane;
    const F zero = splat<F>(0);
    const F mass = load<F>(row.mass, lane);
    const F lower = load<F>(row.lower, lane), upper = load<F>(row.upper, lane);
    const F speed = speed_along(r, j);
    const F error = load<F>(row.error, lane);

    // At most one end pushes: the lower one up, or the upper one down.
    const F up = stop<F>(r.impulse, mass, speed, F(error - lower), p);
    const F down = -stop<F>(F(-r.impulse), mass, F(-speed), F(upper - error), p);
    const F limited = max_of(up, min_of(down, zero));

    const F wrong = speed - load<F>(row.target_speed, lane) + load<F>(row.bias_rate, lane) * spring_error +
                    load<F>(row.compliance, lane) * r.impulse;
    const F clamped = clamp_of(F(r.impulse - mass * wrong), lower, upper);

    const F impulse = select(load<F>(row.is_limit, lane) > zero, limited, clamped);
    change_impulse(row, r, select(mass > zero, impulse, r.impulse), j);
}

template <class F, bool relaxes>
MORAINE_INLINE void solve_triple(JointTriple& triple, RowLanes<F> (&r)[3], const F (&error)[3],
                                 const JointParameters& p, JointLanes<F>& j)
{
    for (int i = 0; i < 3; ++i)
        if (triple.bounded_lanes[i] & j.lanes)
            solve_bounded<F>(triple.rows[i], r[i], error[i], p, j);
    if (has_block(triple, j))
        solve_block<F, relaxes>(triple, r, error, j);
}

MORAINE_INLINE uint32_t lanes_at_once(const JointBatch& batch, int lane)
{
    return batch.lanes_in_turn > 0 ? 1u << lane : (1u << lane_count) - 1;
}

template <class F>
MORAINE_INLINE JointLanes<F> gather(const JointBatch& batch, const MoverVelocity* movers, int lane)
{
    return {gather_velocity<F>(movers, batch.a, lane), gather_velocity<F>(movers, batch.b, lane), lane,
            lanes_at_once(batch, lane)};
}
template <class F>
MORAINE_INLINE void scatter(const JointBatch& batch, MoverVelocity* movers, const JointLanes<F>& j)
{
    scatter_velocity(movers, batch.a, j.lane, j.a);
    scatter_velocity(movers, batch.b, j.lane, j.b);
}

// Rows at the pose where the step begins, and the impulses they start with.
template <class F>
MORAINE_INLINE void begin(JointBatch& batch, JointTriple* triples, MoverVelocity* movers, int lane)
{
    JointLanes<F> j = gather<F>(batch, movers, lane);
    const JointNow<F, NoTurn> now = place_at_start<F>(batch.geometry, lane);
    for (int t = 0; t < batch.triple_count; ++t)
    {
        JointTriple& triple = triples[batch.triple_first + t];
        RowLanes<F> r[3];
        for (int i = 0; i < 3; ++i)
        {
            if (!has_row(triple, i, j))
                continue;
            r[i] = place_row(triple.rows[i], batch.geometry, now, lane);
            apply_impulse(j.a, j.b, r[i].d, r[i].push_a, r[i].push_b, r[i].impulse);
        }
        set_masses(triple, r, j);
    }
    scatter(batch, movers, j);
}

// An impulse on B (the opposite one on A) and what it does to the spins.
template <class F>
struct PairImpulse
{
    V3<F> linear, spin_a, spin_b;
};

template <class F>
MORAINE_INLINE void apply(const PairImpulse<F>& p, JointLanes<F>& j)
{
    apply_impulse(j.a, j.b, p.linear, p.spin_a, p.spin_b, splat<F>(1));
}

// By how much the way of frame B's origin, seen from A's, leaves its tangent within a sub-step h, as a speed: half of the
// centripetal accelerations times h.
template <class F>
MORAINE_INLINE V3<F> bend_of_way(const JointGeometry& g, const JointNow<F>& now, float h, const JointLanes<F>& j)
{
    const V3<F> omega_a = by_columns<F>(g.to_world_a, j.a.u, j.lane);
    const V3<F> omega_b = by_columns<F>(g.to_world_b, j.b.u, j.lane);
    const V3<F> inwards = cross(omega_b, cross(omega_b, now.arm_b)) - cross(omega_a, cross(omega_a, now.arm_a));
    return inwards * splat<F>(0.5f * h);
}

template <class F>
MORAINE_INLINE void solve(JointBatch& batch, JointTriple* triples, const JointParameters& p, MoverVelocity* movers,
                          int lane)
{
    JointLanes<F> j = gather<F>(batch, movers, lane);
    if (batch.is_owing)
        apply(
            PairImpulse<F>{load3<F>(batch.owed, lane), load3<F>(batch.owed + 3, lane), load3<F>(batch.owed + 6, lane)},
            j);
    for (int t = batch.triple_count - 1; t >= 0; --t)
    {
        JointTriple& triple = triples[batch.triple_first + t];
        RowLanes<F> r[3];
        F error[3]{};
        for (int i = 0; i < 3; ++i)
        {
            if (!has_row(triple, i, j))
                continue;
            r[i] = load_row<F>(triple.rows[i], lane);
            error[i] = load<F>(triple.rows[i].error, lane);
        }
        solve_triple<F, false>(triple, r, error, p, j);
    }
    scatter(batch, movers, j);
}

template <class F>
MORAINE_INLINE void relax(JointBatch& batch, JointTriple* triples, const JointParameters& p, MoverVelocity* movers,
                          int lane)
{
    JointLanes<F> j = gather<F>(batch, movers, lane);
    const JointNow<F> now = place_now<F>(batch.geometry, gather_shift<F>(movers, batch.a, lane),
                                         gather_shift<F>(movers, batch.b, lane), lane);
    V3<F> sum = load3<F>(batch.linear_impulse, lane);
    const V3<F> bend = bend_of_way(batch.geometry, now, p.h, j);
    PairImpulse<F> owed{zero3<F>(), zero3<F>(), zero3<F>()};
    for (int t = batch.triple_count - 1; t >= 0; --t)
    {
        JointTriple& triple = triples[batch.triple_first + t];
        RowLanes<F> r[3];
        F error[3]{};
        for (int i = 0; i < 3; ++i)
        {
            if (!has_row(triple, i, j))
                continue;
            const RowLanes<F> before = load_row<F>(triple.rows[i], lane);
            error[i] = load<F>(triple.rows[i].error, lane);
            store(triple.rows[i].last_error, lane, error[i]);
            r[i] = place_row(triple.rows[i], batch.geometry, now, lane);
            store(triple.rows[i].bend, lane, F(load<F>(triple.rows[i].is_rigid, lane) * dot(r[i].d, bend)));
            // The impulse of this sub-step turns with its row, so that the next one starts with it as it should be.
            const F half = before.impulse * splat<F>(0.5f);
            const PairImpulse<F> change{(r[i].d - before.d) * half, (r[i].push_a - before.push_a) * half,
                                        (r[i].push_b - before.push_b) * half};
            apply(change, j);
            owed = {owed.linear + change.linear, owed.spin_a + change.spin_a, owed.spin_b + change.spin_b};
        }
        set_masses(triple, r, j);
        solve_triple<F, true>(triple, r, error, p, j);
        for (int i = 0; i < 3; ++i)
            sum = sum + r[i].d * r[i].impulse;
    }
    store3(batch.linear_impulse, lane, sum);
    store3(batch.owed, lane, owed.linear);
    store3(batch.owed + 3, lane, owed.spin_a);
    store3(batch.owed + 6, lane, owed.spin_b);
    scatter(batch, movers, j);
}

template <class F>
MORAINE_INLINE void refine(JointBatch& batch, JointTriple* triples, const JointParameters& p, MoverVelocity* movers,
                           int lane)
{
    JointLanes<F> j = gather<F>(batch, movers, lane);
    V3<F> sum = load3<F>(batch.linear_impulse, lane);
    for (int t = batch.triple_count - 1; t >= 0; --t)
    {
        JointTriple& triple = triples[batch.triple_first + t];
        RowLanes<F> r[3];
        F error[3]{}, before[3]{};
        for (int i = 0; i < 3; ++i)
        {
            if (!has_row(triple, i, j))
                continue;
            r[i] = load_row<F>(triple.rows[i], lane);
            error[i] = load<F>(triple.rows[i].last_error, lane);
            before[i] = r[i].impulse;
        }
        solve_triple<F, true>(triple, r, error, p, j);
        for (int i = 0; i < 3; ++i)
            sum = sum + r[i].d * (r[i].impulse - before[i]);
    }
    store3(batch.linear_impulse, lane, sum);
    scatter(batch, movers, j);
}

// How far a row is from where it should be: locked rows from zero, limits from their range.
template <class F>
MORAINE_INLINE F distance_off(const JointTriple::Row& row, int lane)
{
    const F zero = splat<F>(0);
    const F error = load<F>(row.error, lane);
    const F beyond = min_of(F(error - load<F>(row.lower, lane)), zero) +
                     max_of(F(error - load<F>(row.upper, lane)), zero);
    const F locked = select(load<F>(row.is_rigid, lane) > zero, error, zero);
    return select(load<F>(row.is_limit, lane) > zero, beyond, locked);
}

// Shift and turn take the place of velocity and spin: they are moved along the rows until the joint fits.
template <class F>
MORAINE_INLINE void project(JointBatch& batch, JointTriple* triples, float share, MoverVelocity* movers, int lane)
{
    const F zero = splat<F>(0);
    const uint32_t lanes = lanes_at_once(batch, lane);
    if (!(uint32_t(batch.hard_lanes) & lanes))
        return;
    JointLanes<F> j{gather_motion<F>(movers, batch.a, lane), gather_motion<F>(movers, batch.b, lane), lane, lanes};
    for (int t = batch.triple_count - 1; t >= 0; --t)
    {
        JointTriple& triple = triples[batch.triple_first + t];
        const JointNow<F> now = place_now<F>(batch.geometry, {j.a.v, j.a.u}, {j.b.v, j.b.u}, lane);
        RowLanes<F> r[3];
        F off[3]{}, move[3]{};
        for (int i = 0; i < 3; ++i)
        {
            if (!has_row(triple, i, j))
                continue;
            r[i] = place_row(triple.rows[i], batch.geometry, now, lane);
            move[i] = off[i] = distance_off<F>(triple.rows[i], lane) * splat<F>(share);
        }
        set_masses(triple, r, j);
        solve_system(triple, move, lane);
        for (int i = 0; i < 3; ++i)
        {
            if (!has_row(triple, i, j))
                continue;
            const JointTriple::Row& row = triple.rows[i];
            const F limited = select(load<F>(row.is_limit, lane) > zero, F(off[i] * load<F>(row.mass, lane)), zero);
            const F wanted = select(load<F>(row.is_rigid, lane) > zero, move[i], limited);
            apply_impulse(j.a, j.b, r[i].d, r[i].push_a, r[i].push_b, F(-wanted));
        }
    }
    scatter_shift(movers, batch.a, lane, j.a);
    scatter_shift(movers, batch.b, lane, j.b);
}

} // namespace moraine::joint_kernel
