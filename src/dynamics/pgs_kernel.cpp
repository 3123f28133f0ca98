// Projected Gauss-Seidel over contact rows, written once for one lane and for eight.
#include "base/each_lane.h"
#include "dynamics/pgs_batch.h"

namespace moraine
{

namespace
{

template <class F>
MORAINE_INLINE F row_speed(const PgsBatch::Row& row, V3<F> d, const MoverLanes<F>& a, const MoverLanes<F>& b, int lane)
{
    return dot(d, b.v - a.v) + dot(load3<F>(row.jb, lane), b.u) - dot(load3<F>(row.ja, lane), a.u);
}

// Moves the row's impulse to `wanted`, and the movers with it.
template <class F>
MORAINE_INLINE void set_impulse(PgsBatch::Row& row, V3<F> d, F wanted, MoverLanes<F>& a, MoverLanes<F>& b, int lane)
{
    const F change = wanted - load<F>(row.impulse, lane);
    store(row.impulse, lane, wanted);
    apply_impulse(a, b, d, load3<F>(row.ja, lane), load3<F>(row.jb, lane), change);
}

template <class F>
MORAINE_INLINE F impulse_to_stop(const PgsBatch::Row& row, V3<F> d, F swing, const MoverLanes<F>& a,
                                 const MoverLanes<F>& b, int lane)
{
    return load<F>(row.impulse, lane) - load<F>(row.mass, lane) * (row_speed(row, d, a, b, lane) - swing);
}

template <class F>
MORAINE_INLINE void carry_on(PgsBatch::Row& row, F momentum, int lane)
{
    const F impulse = load<F>(row.impulse, lane);
    store(row.impulse, lane, F(impulse + momentum * (impulse - load<F>(row.last_impulse, lane))));
    store(row.last_impulse, lane, impulse);
}

template <class F, FrictionModel model>
MORAINE_INLINE void solve_friction(PgsBatch& batch, PgsBatch::Point& point, V3<F> t1, V3<F> t2, F limit,
                                   MoverLanes<F>& a, MoverLanes<F>& b, int lane)
{
    const F swing1 = load<F>(batch.swing[0], lane), swing2 = load<F>(batch.swing[1], lane);
    if constexpr (model == FrictionModel::cone)
    {
        const F i1 = impulse_to_stop(point.tangents[0], t1, swing1, a, b, lane);
        const F i2 = impulse_to_stop(point.tangents[1], t2, swing2, a, b, lane);
        const F squared = i1 * i1 + i2 * i2;
        const F scale = select(squared > limit * limit, limit / sqrt_of(max_of(squared, splat<F>(1e-30f))),
                               splat<F>(1));
        set_impulse(point.tangents[0], t1, F(i1 * scale), a, b, lane);
        set_impulse(point.tangents[1], t2, F(i2 * scale), a, b, lane);
    }
    else
    {
        const F i1 = impulse_to_stop(point.tangents[0], t1, swing1, a, b, lane);
        set_impulse(point.tangents[0], t1, clamp_of(i1, F(-limit), limit), a, b, lane);
        const F i2 = impulse_to_stop(point.tangents[1], t2, swing2, a, b, lane);
        set_impulse(point.tangents[1], t2, clamp_of(i2, F(-limit), limit), a, b, lane);
    }
}

template <class F, FrictionModel model>
MORAINE_INLINE void sweep(PgsBatch& batch, const PgsParameters& p, MoverVelocity* movers, int lane)
{
    MoverLanes<F> a = gather_velocity<F>(movers, batch.a, lane);
    MoverLanes<F> b = gather_velocity<F>(movers, batch.b, lane);
    const V3<F> n = load3<F>(batch.normal, lane);
    const V3<F> t1 = load3<F>(batch.tangent, lane);
    const V3<F> t2 = cross(n, t1);
    const F friction = load<F>(batch.friction, lane);
    const Mask<F> holds = friction < splat<F>(0);
    const F huge = splat<F>(unbounded_impulse);
    const F lower = select(holds, F(-huge), splat<F>(0));
    const F cfm = splat<F>(p.cfm);
    const F momentum = splat<F>(p.momentum);

    for (int i = 0; i < batch.point_count; ++i)
    {
        PgsBatch::Point& point = batch.points[i];
        for (PgsBatch::Row* row : {&point.normal, &point.tangents[0], &point.tangents[1]})
            carry_on(*row, momentum, lane);
        const F old = load<F>(point.normal.impulse, lane);
        const F excess = row_speed(point.normal, n, a, b, lane) + load<F>(point.bias, lane) + cfm * old;
        const F impulse = max_of(F(old - load<F>(point.normal.mass, lane) * excess), lower);
        set_impulse(point.normal, n, impulse, a, b, lane);

        const F pressing = model == FrictionModel::box ? load<F>(point.stored_impulse, lane) : impulse;
        solve_friction<F, model>(batch, point, t1, t2, select(holds, huge, F(friction * pressing)), a, b, lane);
    }
    scatter_velocity(movers, batch.a, lane, a);
    scatter_velocity(movers, batch.b, lane, b);
}

template <class F>
MORAINE_INLINE void apply_all(const PgsBatch& batch, MoverVelocity* movers, int lane)
{
    MoverLanes<F> a = gather_velocity<F>(movers, batch.a, lane);
    MoverLanes<F> b = gather_velocity<F>(movers, batch.b, lane);
    const V3<F> n = load3<F>(batch.normal, lane);
    const V3<F> t1 = load3<F>(batch.tangent, lane);
    const V3<F> directions[3] = {n, t1, cross(n, t1)};
    for (int i = 0; i < batch.point_count; ++i)
    {
        const PgsBatch::Point& point = batch.points[i];
        const PgsBatch::Row* rows[3] = {&point.normal, &point.tangents[0], &point.tangents[1]};
        for (int r = 0; r < 3; ++r)
            apply_impulse(a, b, directions[r], load3<F>(rows[r]->ja, lane), load3<F>(rows[r]->jb, lane),
                          load<F>(rows[r]->impulse, lane));
    }
    scatter_velocity(movers, batch.a, lane, a);
    scatter_velocity(movers, batch.b, lane, b);
}

template <class F>
MORAINE_INLINE void push(const PgsBatch& batch, const Push& p, MoverVelocity* movers, int lane)
{
    MoverLanes<F> a = gather_motion<F>(movers, batch.a, lane);
    MoverLanes<F> b = gather_motion<F>(movers, batch.b, lane);
    const V3<F> n = load3<F>(batch.normal, lane);
    for (int i = 0; i < batch.point_count; ++i)
    {
        const PgsBatch::Point& point = batch.points[i];
        const F separation = load<F>(point.separation, lane) + row_speed(point.normal, n, a, b, lane);
        const F overlap = -separation - splat<F>(p.slop);
        const F wanted = clamp_of(F(overlap * splat<F>(p.share)), splat<F>(0), splat<F>(p.longest));
        apply_impulse(a, b, n, load3<F>(point.normal.ja, lane), load3<F>(point.normal.jb, lane),
                      F(wanted * load<F>(point.normal.mass, lane)));
    }
    scatter_shift(movers, batch.a, lane, a);
    scatter_shift(movers, batch.b, lane, b);
}

} // namespace

void warm_start_contacts(const PgsBatch& batch, MoverVelocity* movers)
{
    with_copies(batch.shared, movers,
                [&] { MORAINE_EACH_LANE(batch.lanes_in_turn, (apply_all<F>(batch, movers, lane))) });
}

template <FrictionModel model>
static void sweep_batch(PgsBatch& batch, const PgsParameters& parameters, MoverVelocity* movers)
{
    with_copies(batch.shared, movers,
                [&] { MORAINE_EACH_LANE(batch.lanes_in_turn, (sweep<F, model>(batch, parameters, movers, lane))) });
}

void sweep_contacts(PgsBatch& batch, const PgsParameters& parameters, MoverVelocity* movers)
{
    switch (parameters.friction_model)
    {
    case FrictionModel::pyramid: sweep_batch<FrictionModel::pyramid>(batch, parameters, movers); break;
    case FrictionModel::box: sweep_batch<FrictionModel::box>(batch, parameters, movers); break;
    case FrictionModel::cone: sweep_batch<FrictionModel::cone>(batch, parameters, movers); break;
    }
}

void push_apart(const PgsBatch& batch, const Push& p, MoverVelocity* movers)
{
    with_copies(batch.shared, movers,
                [&] { MORAINE_EACH_LANE(batch.lanes_in_turn, (push<F>(batch, p, movers, lane))) });
}

} // namespace moraine
