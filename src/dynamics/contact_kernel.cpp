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
    f.tangent = first_tangent<F>(batch, f.normal, lane);
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
MORAINE_INLINE void push(const ContactBatch::Row& row, V3<F> d, F impulse, MoverLanes<F>& a, MoverLanes<F>& b, int lane)
{
    apply_impulse(a, b, d, load3<F>(row.ja, lane), load3<F>(row.jb, lane), impulse);
}

// What a carrier that turns does to the rows of a contact that comes along with it.
template <class F>
struct Swing
{
    V3<F> velocity; // that B is to have against A beside what the rows see
    F separation;   // that B only seems to have gained along the normal
};

template <class F>
MORAINE_INLINE Swing<F> find_swing(const ContactBatch& batch, V3<F> normal, V3<F> way, const MoverLanes<F>& a,
                                   const MoverLanes<F>& b, const ShiftLanes<F>& sa, const ShiftLanes<F>& sb, F half_h)
{
    const F zero = splat<F>(0), one = splat<F>(1);
    if (!batch.turns)
        return {{zero, zero, zero}, zero};
    const V3<F> turn = sa.turn * (one - a.spins) + sb.turn * (one - b.spins);
    // The velocity is that of the middle of a sub-step: half of one on, or back where it is over.
    return {carrier_swing(a, b, way + (b.v - a.v) * half_h), splat<F>(0.5f) * dot(normal, cross(turn, way))};
}

template <class F>
struct FrictionImpulse
{
    F along_tangent, along_bitangent;
};

// What the impulse `p` on B (and -p on A) adds to the angular momentum of the two, because its arms are those of the start
// of the step and the two have since moved apart by `way`. See repair_momentum.
template <class F>
MORAINE_INLINE void note_slip(ContactBatch& batch, V3<F> way, V3<F> p, int lane)
{
    store3(batch.slip, lane, load3<F>(batch.slip, lane) + cross(way, p));
}

template <class F>
MORAINE_INLINE void solve_twist(ContactBatch::Twist& twist, F limit, MoverLanes<F>& a, MoverLanes<F>& b, int lane)
{
    const V3<F> ja = load3<F>(twist.row.ja, lane);
    const V3<F> jb = load3<F>(twist.row.jb, lane);
    const F old = load<F>(twist.impulse, lane);
    const F speed = dot(jb, b.u) - dot(ja, a.u);
    const F impulse = clamp_of(old - load<F>(twist.mass, lane) * speed, F(-limit), limit);
    store(twist.impulse, lane, impulse);
    const F change = impulse - old;
    a.u = a.u - ja * (change * a.spins);
    b.u = b.u + jb * (change * b.spins);
}

// Two tangents together, clamped to the cone of the normal impulse found so far; then the twist.
template <class F>
MORAINE_INLINE FrictionImpulse<F> solve_friction(ContactBatch& batch, const ContactFrame<F>& f, F normal_impulse,
                                                 V3<F> swing, MoverLanes<F>& a, MoverLanes<F>& b, int lane)
{
    const F huge = splat<F>(1e30f);
    const F limit = select(f.holds, huge, f.friction * normal_impulse);

    const F w1 = row_speed(batch.tangent_row[0], f.tangent, a, b, lane) - dot(f.tangent, swing);
    const F w2 = row_speed(batch.tangent_row[1], f.bitangent, a, b, lane) - dot(f.bitangent, swing);
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

    if (batch.twist)
        solve_twist<F>(*batch.twist, select(f.holds, huge, limit * load<F>(batch.twist->arm, lane)), a, b, lane);
    return {new1 - old1, new2 - old2};
}

// Under a load that presses bodies deep into each other, contacts yield less: the share of their softness that is left.
template <class F>
MORAINE_INLINE F softness_left(F separation)
{
    const F beyond_two_centimetres = separation + splat<F>(0.02f);
    return max_of(splat<F>(0.4f), min_of(splat<F>(1), splat<F>(1) + splat<F>(50) * beyond_two_centimetres));
}

// The same spring and damper where more mass meets it.
template <class F>
MORAINE_INLINE F less_stiff(uint32_t yielding, F soft_impulse, int lane)
{
    alignas(Lane) float shares[lane_count];
    for (int i = 0; i < lane_count; ++i)
        shares[i] = share_of_stiffness(yielding, i);
    return soft_impulse / (soft_impulse + load<F>(shares, lane) * (splat<F>(1) - soft_impulse));
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

    const Mask<F> is_static = mask_of_bits<F>(batch.carriers, lane);
    const F bias_rate = select(is_static, splat<F>(p.against_static.bias_rate), splat<F>(p.dynamic.bias_rate));
    F soft_impulse = select(is_static, splat<F>(p.against_static.impulse_scale), splat<F>(p.dynamic.impulse_scale));
    if (batch.yielding != 0)
        soft_impulse = less_stiff(batch.yielding, soft_impulse, lane);
    const V3<F> way = sb.shift - sa.shift;
    const F half_h = splat<F>((relaxes ? -0.5f : 0.5f) / p.inv_h);
    const Swing<F> swing = find_swing(batch, f.normal, way, a, b, sa, sb, half_h);
    const F shift = dot(f.normal, way) - swing.separation;
    const F swing_speed = dot(f.normal, swing.velocity);

    F total = zero, total_before = zero;
    for (int i = 0; i < batch.point_count; ++i)
    {
        ContactBatch::Point& point = batch.points[i];
        const V3<F> ja = load3<F>(point.row.ja, lane);
        const V3<F> jb = load3<F>(point.row.jb, lane);
        const F s = load<F>(point.separation, lane) + shift + dot(jb, sb.turn) - dot(ja, sa.turn);
        const Mask<F> is_apart = s > zero;
        const F speed = dot(f.normal, b.v - a.v) + dot(jb, b.u) - dot(ja, a.u) - swing_speed;
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
            // A blow is met hard: what softness leaves of it in one sub-step could carry a thin body through.
            const Mask<F> is_hard = is_apart | (speed < splat<F>(-p.push_speed));
            impulse_scale = select(is_hard, zero, soft_impulse * softness_left(s));
            mass_scale = one - impulse_scale;
        }
        const F old = load<F>(point.impulse, lane);
        const F wanted = old - load<F>(point.mass, lane) * mass_scale * (speed + bias) - impulse_scale * old;
        const F impulse = max_of(wanted, lower);
        store(point.impulse, lane, impulse);
        apply_impulse(a, b, f.normal, ja, jb, F(impulse - old));
        total = total + impulse;
        total_before = total_before + old;
    }
    // Friction only here: with the stored impulses as a start, once in a sub-step is enough.
    if constexpr (relaxes)
    {
        store(batch.total_impulse, lane, F(load<F>(batch.total_impulse, lane) + total));
        const FrictionImpulse<F> change = solve_friction(batch, f, total, swing.velocity, a, b, lane);
        note_slip(batch, way,
                  f.normal * F(total - total_before) + f.tangent * change.along_tangent +
                      f.bitangent * change.along_bitangent,
                  lane);
    }
    else
        note_slip(batch, way,
                  f.normal * total + f.tangent * load<F>(batch.tangent_impulse[0], lane) +
                      f.bitangent * load<F>(batch.tangent_impulse[1], lane),
                  lane);
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
    const V3<F> way = gather_shift<F>(movers, batch.b, lane).shift - gather_shift<F>(movers, batch.a, lane).shift;
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
        note_slip(batch, way, normal * F(impulse - old), lane);
    }
    scatter_velocity(movers, batch.a, lane, a);
    scatter_velocity(movers, batch.b, lane, b);
}

} // namespace

void solve_contacts(ContactBatch& batch, const ContactParameters& parameters, MoverVelocity* movers)
{
    with_copies(batch.shared, movers,
                [&] { MORAINE_EACH_LANE(batch.lanes_in_turn, (solve<F, false>(batch, parameters, movers, lane))) });
}

void relax_contacts(ContactBatch& batch, const ContactParameters& parameters, MoverVelocity* movers)
{
    with_copies(batch.shared, movers,
                [&] { MORAINE_EACH_LANE(batch.lanes_in_turn, (solve<F, true>(batch, parameters, movers, lane))) });
}

namespace
{

constexpr float smallest_slip = 1e-5f; // metres

Vec3 spin_change(const Movers& movers, int32_t mover, Vec3 angular_impulse)
{
    return transpose_multiply(movers.masses[size_t(mover)].factor,
                              inverse_rotate(movers[mover].pose.rotation, angular_impulse));
}

// R L Lᵀ Rᵀ
Mat3 inverse_inertia(const Movers& movers, int32_t mover)
{
    const Factor& f = movers.masses[size_t(mover)].factor;
    const Mat3 turned = to_matrix(movers[mover].pose.rotation) *
                        Mat3{{f.xx, f.yx, f.zx}, {0, f.yy, f.zy}, {0, 0, f.zz}};
    return turned * transpose(turned);
}

} // namespace

void repair_momentum(const ContactBatch& batch, Movers& movers)
{
    for (int lane = 0; lane < lane_count; ++lane)
    {
        const Vec3 slip{batch.slip[0][lane], batch.slip[1][lane], batch.slip[2][lane]};
        const float least = smallest_slip * batch.total_impulse[lane];
        const int32_t a = batch.shared.original(batch.a[lane]), b = batch.shared.original(batch.b[lane]);
        if (a < 0 || b < 0 || length_squared(slip) <= least * least)
            continue;
        // Both change their angular velocity by (I_a + I_b)⁻¹ slip = A (A + B)⁻¹ B slip, with A and B the inverses.
        const Mat3 inv_a = inverse_inertia(movers, a), inv_b = inverse_inertia(movers, b);
        const Mat3 sum = inv_a + inv_b;
        const float lock = 1e-6f * (sum.x.x + sum.y.y + sum.z.z); // planar movers do not turn about all axes
        const Mat3 share = inverse(sum + diagonal({lock, lock, lock}));
        movers.velocities[size_t(a)].spin -= spin_change(movers, a, share * (inv_b * slip));
        movers.velocities[size_t(b)].spin -= spin_change(movers, b, share * (inv_a * slip));
    }
}

void apply_restitution(ContactBatch& batch, const RestitutionBatch& restitution, const ContactParameters& parameters,
                       MoverVelocity* movers)
{
    with_copies(batch.shared, movers, [&] {
        MORAINE_EACH_LANE(batch.lanes_in_turn, (bounce<F>(batch, restitution, parameters, movers, lane)))
    });
}

} // namespace moraine
