// Filling contact batches from manifolds, and writing impulses back.
#include "base/each_lane.h"
#include "dynamics/contact_batch.h"
#include "dynamics/manifold_lanes.h"
#include "graph/bodies.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

struct alignas(64) Inputs
{
    ManifoldLanes pair;
    float friction_impulse[3][lane_count]; // in frame A
    float twist_impulse[lane_count];
};

template <class F>
MORAINE_INLINE void make_friction_rows(const Inputs& in, Sides<F>& s, V3<F> n, V3<F> center, ContactBatch& batch,
                                       int lane)
{
    const F one = splat<F>(1);
    const V3<F> unscaled = unscaled_tangent(n);
    store(batch.tangent_scale, lane, F(one / sqrt_of(dot(unscaled, unscaled))));
    const V3<F> t1 = first_tangent<F>(batch, n, lane);
    const V3<F> t2 = cross(n, t1);
    const V3<F> center_b = center + load3<F>(in.pair.offset, lane);

    ContactBatch::Row& r1 = batch.tangent_row[0];
    ContactBatch::Row& r2 = batch.tangent_row[1];
    const F k11 = make_row(in.pair, s, cross(center, t1), cross(center_b, t1), one, r1, lane);
    const F k22 = make_row(in.pair, s, cross(center, t2), cross(center_b, t2), one, r2, lane);
    const F k12 = dot(load3<F>(r1.ja, lane), load3<F>(r2.ja, lane)) * s.a.spins +
                  dot(load3<F>(r1.jb, lane), load3<F>(r2.jb, lane)) * s.b.spins;
    const F scale = inverse_or_zero<F>(k11 * k22 - k12 * k12);
    store(batch.tangent_mass[0], lane, F(k22 * scale));
    store(batch.tangent_mass[1], lane, F(-k12 * scale));
    store(batch.tangent_mass[2], lane, F(k11 * scale));

    // The stored friction impulse, turned into the new tangents.
    const V3<F> stored = rotate(load4<F>(in.pair.frame_a, lane), load3<F>(in.friction_impulse, lane));
    const F i1 = dot(stored, t1), i2 = dot(stored, t2);
    store(batch.tangent_impulse[0], lane, i1);
    store(batch.tangent_impulse[1], lane, i2);
    apply_impulse(s.a, s.b, t1, load3<F>(r1.ja, lane), load3<F>(r1.jb, lane), i1);
    apply_impulse(s.a, s.b, t2, load3<F>(r2.ja, lane), load3<F>(r2.jb, lane), i2);
}

template <class F>
MORAINE_INLINE void make_twist_row(const Inputs& in, Sides<F>& s, V3<F> n, F arm, ContactBatch::Twist& twist, int lane)
{
    const F zero = splat<F>(0);
    store(twist.mass, lane, inverse_or_zero(make_row(in.pair, s, n, n, zero, twist.row, lane)));
    store(twist.arm, lane, arm);
    const F impulse = load<F>(in.twist_impulse, lane);
    store(twist.impulse, lane, impulse);
    apply_impulse(s.a, s.b, V3<F>{zero, zero, zero}, load3<F>(twist.row.ja, lane), load3<F>(twist.row.jb, lane),
                  impulse);
}

template <class F>
MORAINE_INLINE void prepare(const Inputs& in, MoverVelocity* movers, ContactBatch& batch, int lane)
{
    const F one = splat<F>(1), zero = splat<F>(0);
    Sides<F> s = load_sides<F>(in.pair, movers, batch.a, batch.b, lane);
    const Q<F> frame = load4<F>(in.pair.frame_a, lane);
    const V3<F> n = rotate(frame, load3<F>(in.pair.normal, lane));
    store3(batch.normal, lane, n);
    store(batch.total_impulse, lane, zero);
    store3(batch.slip, lane, V3<F>{zero, zero, zero});
    const V3<F> offset = load3<F>(in.pair.offset, lane);
    const F count = load<F>(in.pair.count, lane);

    // Normal rows, and the place where friction acts.
    V3<F> center{zero, zero, zero};
    V3<F> arms[LocalManifold::capacity];
    F weights[LocalManifold::capacity];
    F weight_sum = splat<F>(1e-20f);
    for (int i = 0; i < batch.point_count; ++i)
    {
        ContactBatch::Point& point = batch.points[i];
        const V3<F> ra = rotate(frame, load3<F>(in.pair.position[i], lane));
        arms[i] = ra;
        const F k = make_row(in.pair, s, cross(ra, n), cross(ra + offset, n), one, point.row, lane);
        const Mask<F> exists = splat<F>(float(i)) < count;
        store(point.mass, lane, select(exists, inverse_or_zero(k), zero));
        weights[i] = select(exists, closeness_of(load<F>(point.separation, lane)), zero);
        center = center + ra * weights[i];
        weight_sum = weight_sum + weights[i];
        apply_impulse(s.a, s.b, n, load3<F>(point.row.ja, lane), load3<F>(point.row.jb, lane),
                      load<F>(point.impulse, lane));
    }
    center = center * (one / weight_sum);
    make_friction_rows(in, s, n, center, batch, lane);
    if (batch.twist)
    {
        F arm = zero;
        for (int i = 0; i < batch.point_count; ++i)
        {
            const V3<F> d = arms[i] - center;
            arm = arm + weights[i] * sqrt_of(dot(d, d));
        }
        make_twist_row(in, s, n, F(arm * (one / weight_sum)), *batch.twist, lane);
    }
    scatter_velocity(movers, batch.a, lane, s.a);
    scatter_velocity(movers, batch.b, lane, s.b);
}

void fill_lane(int lane, const Manifold& m, PairOfMovers movers, const Movers& all, Inputs& in, ContactBatch& batch)
{
    const PairOfMovers tagged = fill_manifold(lane, m, movers, all, batch.point_count, in.pair);
    batch.a[lane] = tagged.a;
    batch.b[lane] = tagged.b;
    batch.friction[lane] = m.friction;
    put(in.friction_impulse, lane, m.friction_impulse);
    in.twist_impulse[lane] = m.twist_impulse;
    for (int i = 0; i < batch.point_count; ++i)
    {
        batch.points[i].separation[lane] = i < m.count ? m.points[i].separation : 0;
        batch.points[i].impulse[lane] = i < m.count ? m.points[i].impulse : 0;
    }
}

bool is_turning_carrier(const Movers& movers, int32_t mover)
{
    return !movers[mover].is_dynamic() && movers.velocities[size_t(mover)].spin != Vec3{};
}

// How a contact gives way to a unit impulse along its normal: all of it, and at one of its points.
struct Give
{
    float as_a_whole = 0, at_point = 0;
};

Give give_of_mover(const Movers& movers, int32_t mover, Vec3 point, Vec3 normal)
{
    const MoverMass& mass = movers.masses[size_t(mover)];
    if (!(mass.inv_mass > 0))
        return {};
    return {mass.inv_mass, mass.inv_mass + length_squared(transpose_multiply(mass.factor, cross(point, normal)))};
}

// If the body were alone. The axis of its turn is taken for one of its main axes.
Give give_of_body(const Bodies& bodies, int32_t body, Vec3 point, Vec3 normal)
{
    const Body& b = bodies[body];
    const BodyInfo& info = bodies.infos[size_t(body)];
    if (b.type != BodyType::dynamic_ || !(info.mass > 0))
        return {};
    const Vec3 turn = inverse_rotate(b.pose_in_mover.rotation, cross(point - b.pose_in_mover.position, normal));
    const float squared = length_squared(turn), inertia = dot(turn, inertia_matrix(info) * turn);
    return {1 / info.mass, 1 / info.mass + (inertia > 0 ? squared * squared / inertia : 0.0f)};
}

// How often does what the two bodies are part of give way half as much as these would alone? To the nearest. Points that press
// together meet its mass, and one at the end of a long arm meets less.
uint32_t yielding_of(const Manifold& m, const Edge& edge, const Bodies& bodies, const Movers& movers)
{
    const Transform to_b = inverse(edge.placement);
    const Vec3 at_a = m.points[0].position, at_b = apply(to_b, at_a), normal_b = rotate(to_b.rotation, m.normal);
    const Give mover_a = give_of_mover(movers, edge.mover_a, at_a, m.normal),
               mover_b = give_of_mover(movers, edge.mover_b, at_b, normal_b),
               body_a = give_of_body(bodies, edge.body_a, at_a, m.normal),
               body_b = give_of_body(bodies, edge.body_b, at_b, normal_b);
    const float together = mover_a.as_a_whole + mover_b.as_a_whole, alone = body_a.as_a_whole + body_b.as_a_whole;
    if (!(together > 0) || !(alone > 0))
        return 0;
    const float at_point = (mover_a.at_point + mover_b.at_point) / (body_a.at_point + body_b.at_point);
    constexpr float half_way = 1.41421356f;
    return uint32_t(std::clamp(-std::ilogb(half_way * std::max(together / alone, at_point)), 0, most_yielding));
}

void fill_empty_lane(int lane, Inputs& in, ContactBatch& batch)
{
    const PairOfMovers tagged = fill_no_manifold(lane, batch.point_count, in.pair);
    batch.a[lane] = tagged.a;
    batch.b[lane] = tagged.b;
    put(in.friction_impulse, lane, Vec3{});
    in.twist_impulse[lane] = batch.friction[lane] = 0;
    for (int i = 0; i < batch.point_count; ++i)
        batch.points[i].separation[lane] = batch.points[i].impulse[lane] = 0;
}

bool may_share(const ContactBatch& batch, const Movers& movers)
{
    const float inv_mass = movers.velocities[size_t(batch.shared.mover)].inv_mass;
    for (int i = 0; i < batch.point_count; ++i)
        if (share_of_heavy(batch.shared, batch.a, batch.b, inv_mass, batch.points[i].row, batch.points[i].mass) >
            bearable_share)
            return false;
    return true;
}

} // namespace

void prepare_contacts(std::span<const int32_t> manifolds, const Bodies& bodies, const ContactGraph& graph,
                      Movers& movers, ContactBatch& batch)
{
    Inputs in;
    batch.first_manifold = manifolds.data();
    batch.manifold_count = uint8_t(manifolds.size());
    batch.bounces = false;
    batch.carriers = 0;
    batch.yielding = 0;
    batch.turns = false;
    for (int lane = 0; lane < lane_count; ++lane)
    {
        if (lane >= int(manifolds.size()))
        {
            fill_empty_lane(lane, in, batch);
            continue;
        }
        const Manifold& m = graph.manifolds[manifolds[size_t(lane)]];
        const Edge& edge = graph.edges[m.edge];
        batch.carriers = uint8_t(batch.carriers | edge.has(edge_has_carrier) << lane);
        if (edge.has(edge_has_members))
            batch.yielding |= yielding_of(m, edge, bodies, movers) << (4 * lane);
        batch.turns |= is_turning_carrier(movers, edge.mover_a) || is_turning_carrier(movers, edge.mover_b);
        fill_lane(lane, m, {edge.mover_a, edge.mover_b}, movers, in, batch);
    }
    share_mover(batch.shared, int(manifolds.size()), batch.a, batch.b);
    with_copies(batch.shared, movers.velocities.data(), [&] {
        MORAINE_EACH_LANE(batch.lanes_in_turn, (prepare<F>(in, movers.velocities.data(), batch, lane)))
    });
    if (batch.shared.mover >= 0 && !may_share(batch, movers))
    {
        unshare_mover(batch.shared, batch.a, batch.b);
        batch.shared = {};
        batch.lanes_in_turn = batch.manifold_count;
    }
}

void prefetch_manifolds(std::span<const int32_t> manifolds, const ContactGraph& graph)
{
    for (int32_t m : manifolds)
    {
        const char* at = reinterpret_cast<const char*>(&graph.manifolds[m]);
        for (size_t line = 0; line < sizeof(Manifold); line += 64)
            __builtin_prefetch(at + line);
    }
}

void prefetch_movers(std::span<const int32_t> manifolds, const ContactGraph& graph, const Movers& movers)
{
    for (int32_t m : manifolds)
    {
        const Edge& edge = graph.edges[graph.manifolds[m].edge];
        for (int32_t mover : {edge.mover_a, edge.mover_b})
        {
            __builtin_prefetch(&movers[mover]);
            __builtin_prefetch(&movers.masses[size_t(mover)]);
            __builtin_prefetch(&movers.velocities[size_t(mover)]);
        }
    }
}

static int32_t original_of(const ContactBatch& batch, int32_t tagged)
{
    return batch.shared.original(mover_index(tagged));
}

bool prepare_restitution(const ContactBatch& batch, const ContactGraph& graph, const MoverVelocity* movers,
                         RestitutionBatch& out)
{
    bool bounces = false;
    for (int lane = 0; lane < lane_count; ++lane)
    {
        const bool is_empty = lane >= batch.manifold_count;
        const float e = is_empty ? 0.0f : graph.manifolds[batch.first_manifold[lane]].restitution;
        out.coefficient[lane] = e;
        bounces |= e > 0;
        const int32_t indices[2] = {original_of(batch, batch.a[lane]), original_of(batch, batch.b[lane])};
        const MoverLanes<float> a = gather_velocity<float>(movers, indices, 0);
        const MoverLanes<float> b = gather_velocity<float>(movers, indices, 1);
        const V3<float> n = load3<float>(batch.normal, lane);
        for (int i = 0; i < LocalManifold::capacity; ++i)
        {
            out.approach[i][lane] = 0;
            if (i >= batch.point_count)
                continue;
            const ContactBatch::Row& row = batch.points[i].row;
            out.approach[i][lane] = dot(n, b.v - a.v) + dot(load3<float>(row.jb, lane), b.u) -
                                    dot(load3<float>(row.ja, lane), a.u);
        }
    }
    return bounces;
}

void store_impulses(const ContactBatch& batch, const Movers& movers, ContactGraph& graph)
{
    for (int lane = 0; lane < batch.manifold_count; ++lane)
    {
        Manifold& m = graph.manifolds[batch.first_manifold[lane]];
        for (int i = 0; i < m.count; ++i)
            m.points[i].impulse = batch.points[i].impulse[lane];
        const V3<float> n = load3<float>(batch.normal, lane), t = first_tangent<float>(batch, n, lane);
        const V3<float> p = t * batch.tangent_impulse[0][lane] + cross(n, t) * batch.tangent_impulse[1][lane];
        m.friction_impulse = inverse_rotate(movers[original_of(batch, batch.a[lane])].pose.rotation, {p.x, p.y, p.z});
        m.twist_impulse = batch.twist ? batch.twist->impulse[lane] : 0;
        m.total_impulse = batch.total_impulse[lane];
    }
}

} // namespace moraine
