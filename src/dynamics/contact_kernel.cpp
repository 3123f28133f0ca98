// The sub-stepped soft contact kernel, written once for one lane and for eight.
#include "base/each_lane.h"
#include "dynamics/contact_batch.h"

namespace moraine
{

namespace
{

template <class F>
struct ContactFrame
{
    V3<F> normal, tangent, bitangent;
    F friction;
    Mask<F> holds; // a magnet: bilateral
};

template <class F>
MORAINE_INLINE ContactFrame<F> load_frame(const ContactBatch& batch, int lane)
{
    ContactFrame<F> f;
    f.normal = load3<F>(batch.normal, lane);
    f.tangent = load3<F>(batch.tangent, lane);
    f.bitangent = cross(f.normal, f.tangent);
    f.friction = load<F>(batch.friction, lane);
    f.holds = f.friction < splat<F>(0);
    return f;
}

template <class F>
MORAINE_INLINE F row_speed(const ContactBatch::Row& row, V3<F> d, const MoverLanes<F>& a, const MoverLanes<F>& b,
                           int lane)
{
    return dot(d, b.v - a.v) + dot(load3<F>(row.jb, lane), b.u) - dot(load3<F>(row.ja, lane), a.u);
}

template <class F>
MORAINE_INLINE void push(const ContactBatch::Row& row, V3<F> d, F impulse, MoverLanes<F>& a, MoverLanes<F>& b,
                         int lane)
{
    apply_impulse(a, b, d, load3<F>(row.ja, lane), load3<F>(row.jb, lane), impulse);
}

// Two tangents together, clamped to the cone of the normal impulse found so far; then the twist.
template <class F>
MORAINE_INLINE void solve_friction(ContactBatch& batch, const ContactFrame<F>& f, F normal_impulse, MoverLanes<F>& a,
                                   MoverLanes<F>& b, int lane)
{
    const F huge = splat<F>(1e30f);
    const F limit = select(f.holds, huge, f.friction * normal_impulse);

    const F w1 = row_speed(batch.tangent_row[0], f.tangent, a, b, lane);
    const F w2 = row_speed(batch.tangent_row[1], f.bitangent, a, b, lane);
    const F m11 = load<F>(batch.tangent_mass[0], lane);
    const F m12 = load<F>(batch.tangent_mass[1], lane);
    const F m22 = load<F>(batch.tangent_mass[2], lane);
    const F old1 = load<F>(batch.tangent_impulse[0], lane);
    const F old2 = load<F>(batch.tangent_impulse[1], lane);
    F new1 = old1 - (m11 * w1 + m12 * w2);
    F new2 = old2 - (m12 * w1 + m22 * w2);
    const F squared = new1 * new1 + new2 * new2;
    const F scale = select(squared > limit * limit, limit / sqrt_of(max_of(squared, splat<F>(1e-30f))), splat<F>(1));
    new1 = new1 * scale;
    new2 = new2 * scale;
    store(batch.tangent_impulse[0], lane, new1);
    store(batch.tangent_impulse[1], lane, new2);
    push(batch.tangent_row[0], f.tangent, new1 - old1, a, b, lane);
    push(batch.tangent_row[1], f.bitangent, new2 - old2, a, b, lane);

    const V3<F> twist_ja = load3<F>(batch.twist_row.ja, lane);
    const V3<F> twist_jb = load3<F>(batch.twist_row.jb, lane);
    const F twist_limit = select(f.holds, huge, limit * load<F>(batch.twist_arm, lane));
    const F old_twist = load<F>(batch.twist_impulse, lane);
    const F speed = dot(twist_jb, b.u) - dot(twist_ja, a.u);
    const F new_twist =
        clamp_of(old_twist - load<F>(batch.twist_mass, lane) * speed, F(-twist_limit), twist_limit);
    store(batch.twist_impulse, lane, new_twist);
    const F change = new_twist - old_twist;
    a.u = a.u - twist_ja * (change * a.spins);
    b.u = b.u + twist_jb * (change * b.spins);
}

template <class F, bool relaxes>
MORAINE_INLINE void solve(ContactBatch& batch, const ContactParameters& p, MoverVelocity* movers, int lane)
{
    MoverLanes<F> a = gather_velocity<F>(movers, batch.a, lane);
    MoverLanes<F> b = gather_velocity<F>(movers, batch.b, lane);
    const ShiftLanes<F> sa = gather_shift<F>(movers, batch.a, lane);
    const ShiftLanes<F> sb = gather_shift<F>(movers, batch.b, lane);
    const ContactFrame<F> f = load_frame<F>(batch, lane);
    const F zero = splat<F>(0), one = splat<F>(1);
    const F lower = select(f.holds, splat<F>(-1e30f), zero);

    const Mask<F> is_static = min_of(a.inv_mass, b.inv_mass) == zero;
    const F bias_rate = select(is_static, splat<F>(p.against_static.bias_rate), splat<F>(p.dynamic.bias_rate));
    const F soft_mass = select(is_static, splat<F>(p.against_static.mass_scale), splat<F>(p.dynamic.mass_scale));
    const F soft_impulse =
        select(is_static, splat<F>(p.against_static.impulse_scale), splat<F>(p.dynamic.impulse_scale));
    const F shift = dot(f.normal, sb.shift - sa.shift);

    F total = zero;
    for (int i = 0; i < batch.point_count; ++i)
    {
        ContactBatch::Point& point = batch.points[i];
        const V3<F> ja = load3<F>(point.row.ja, lane);
        const V3<F> jb = load3<F>(point.row.jb, lane);
        const F s = load<F>(point.separation, lane) + shift + dot(jb, sb.turn) - dot(ja, sa.turn);
        const Mask<F> is_apart = s > zero;
        F bias, mass_scale, impulse_scale;
        if constexpr (relaxes)
        {
            bias = select(is_apart, s * splat<F>(p.inv_h), zero);
            mass_scale = one;
            impulse_scale = zero;
        }
        else
        {
            bias = select(is_apart, s * splat<F>(p.inv_h), max_of(bias_rate * s, splat<F>(-p.push_speed)));
            mass_scale = select(is_apart, one, soft_mass);
            impulse_scale = select(is_apart, zero, soft_impulse);
        }
        const F speed = dot(f.normal, b.v - a.v) + dot(jb, b.u) - dot(ja, a.u);
        const F old = load<F>(point.impulse, lane);
        const F wanted = old - load<F>(point.mass, lane) * mass_scale * (speed + bias) - impulse_scale * old;
        const F impulse = max_of(wanted, lower);
        store(point.impulse, lane, impulse);
        apply_impulse(a, b, f.normal, ja, jb, F(impulse - old));
        total = total + impulse;
    }
    // Friction only here: with the stored impulses as a start, once in a sub-step is enough.
    if constexpr (relaxes)
    {
        store(batch.total_impulse, lane, F(load<F>(batch.total_impulse, lane) + total));
        solve_friction(batch, f, total, a, b, lane);
    }
    scatter_velocity(movers, batch.a, lane, a);
    scatter_velocity(movers, batch.b, lane, b);
}

template <class F>
MORAINE_INLINE void bounce(ContactBatch& batch, const RestitutionBatch& r, const ContactParameters& p,
                           MoverVelocity* movers, int lane)
{
    MoverLanes<F> a = gather_velocity<F>(movers, batch.a, lane);
    MoverLanes<F> b = gather_velocity<F>(movers, batch.b, lane);
    const V3<F> normal = load3<F>(batch.normal, lane);
    const F zero = splat<F>(0);
    const F coefficient = load<F>(r.coefficient, lane);
    for (int i = 0; i < batch.point_count; ++i)
    {
        ContactBatch::Point& point = batch.points[i];
        const V3<F> ja = load3<F>(point.row.ja, lane);
        const V3<F> jb = load3<F>(point.row.jb, lane);
        const F old = load<F>(point.impulse, lane);
        const F approach = load<F>(r.approach[i], lane);
        const F speed = dot(normal, b.v - a.v) + dot(jb, b.u) - dot(ja, a.u);
        const F wanted = max_of(old - load<F>(point.mass, lane) * (speed + coefficient * approach), zero);
        // Only where it came in fast and was touched at all.
        const F bounces = select(approach < splat<F>(-p.restitution_threshold), wanted, old);
        const F impulse = select(load<F>(batch.total_impulse, lane) > zero, bounces, old);
        store(point.impulse, lane, impulse);
        store(batch.total_impulse, lane, F(load<F>(batch.total_impulse, lane) + impulse - old));
        apply_impulse(a, b, normal, ja, jb, F(impulse - old));
    }
    scatter_velocity(movers, batch.a, lane, a);
    scatter_velocity(movers, batch.b, lane, b);
}

} // namespace

void solve_contacts(ContactBatch& batch, const ContactParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE((solve<F, false>(batch, parameters, movers, lane)))
}

void relax_contacts(ContactBatch& batch, const ContactParameters& parameters, MoverVelocity* movers)
{
    MORAINE_EACH_LANE((solve<F, true>(batch, parameters, movers, lane)))
}

void apply_restitution(ContactBatch& batch, const RestitutionBatch& restitution, const ContactParameters& parameters,
                       MoverVelocity* movers)
{
    MORAINE_EACH_LANE((bounce<F>(batch, restitution, parameters, movers, lane)))
}

} // namespace moraine
