// Filling contact batches of whole steps from manifolds, and writing impulses back.
#include "base/each_lane.h"
#include "dynamics/manifold_lanes.h"
#include "dynamics/pgs_batch.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr float tangent_switch = 0.63f;

struct alignas(64) Inputs
{
    ManifoldLanes pair;
    float tangent[3][lane_count]; // in frame A
    float restitution[lane_count];
};

// A row along `d` at arms ra and rb, and its effective mass.
template <class F>
MORAINE_INLINE void make_force_row(const Inputs& in, const Sides<F>& s, V3<F> d, V3<F> ra, V3<F> rb, F compliance,
                                   Mask<F> exists, PgsBatch::Row& row, int lane)
{
    const F k = make_row(in.pair, s, cross(ra, d), cross(rb, d), splat<F>(1), row, lane);
    // Between two movers that rows do not change there is nothing to solve, however compliant.
    const Mask<F> moves = k > splat<F>(0);
    store(row.mass, lane, select(exists, select(moves, inverse_or_zero<F>(k + compliance), splat<F>(0)), splat<F>(0)));
}

// The speed that the normal row must not fall below, negated.
template <class F>
MORAINE_INLINE F make_bias(const PgsParameters& p, F separation, F approach, F restitution, Mask<F> holds)
{
    const F zero = splat<F>(0);
    const F rate = splat<F>(p.erp * p.inv_dt), fastest = splat<F>(p.push_speed);
    const F pushed = max_of(F(min_of(separation + splat<F>(p.slop), zero) * rate), F(-fastest));
    // Apart: it may close the gap in this step but no more. A magnet pulls as gently as overlap pushes.
    const F apart = select(holds, min_of(F(separation * rate), fastest), F(separation * splat<F>(p.inv_dt)));
    const F bias = select(separation > zero, apart, pushed);
    // Newton's law of impact, for what comes in fast and arrives in this step.
    const F bounced = select(approach < splat<F>(-p.restitution_threshold), min_of(bias, restitution * approach), bias);
    const F arrived = select(separation + approach * splat<F>(p.dt) > zero, bias, bounced);
    return select(restitution > zero, select(holds, bias, arrived), bias);
}

template <class F>
MORAINE_INLINE void prepare(const Inputs& in, const PgsParameters& p, const MoverVelocity* movers, PgsBatch& batch,
                            int lane)
{
    const Sides<F> s = load_sides<F>(in.pair, movers, batch.a, batch.b, lane);
    const Q<F> frame = load4<F>(in.pair.frame_a, lane);
    const V3<F> n = rotate(frame, load3<F>(in.pair.normal, lane));
    const V3<F> t1 = rotate(frame, load3<F>(in.tangent, lane));
    const V3<F> t2 = cross(n, t1);
    store3(batch.normal, lane, n);
    store3(batch.tangent, lane, t1);
    const V3<F> offset = load3<F>(in.pair.offset, lane);
    const F count = load<F>(in.pair.count, lane);
    const F zero = splat<F>(0);
    const Mask<F> holds = load<F>(batch.friction, lane) < zero;
    const V3<F> swing = carrier_swing(s.a, s.b, (s.b.v - s.a.v) * splat<F>(0.5f * p.dt));
    store(batch.swing[0], lane, dot(t1, swing));
    store(batch.swing[1], lane, dot(t2, swing));

    for (int i = 0; i < batch.point_count; ++i)
    {
        PgsBatch::Point& point = batch.points[i];
        const Mask<F> exists = splat<F>(float(i)) < count;
        const V3<F> ra = rotate(frame, load3<F>(in.pair.position[i], lane));
        const V3<F> rb = ra + offset;
        make_force_row(in, s, n, ra, rb, splat<F>(p.cfm), exists, point.normal, lane);
        make_force_row(in, s, t1, ra, rb, zero, exists, point.tangents[0], lane);
        make_force_row(in, s, t2, ra, rb, zero, exists, point.tangents[1], lane);
        const F approach = dot(n, s.b.v - s.a.v) + dot(load3<F>(point.normal.jb, lane), s.b.u) -
                           dot(load3<F>(point.normal.ja, lane), s.a.u);
        const F bias = make_bias<F>(p, load<F>(point.separation, lane), approach, load<F>(in.restitution, lane), holds);
        store(point.bias, lane, F(bias - dot(n, swing)));
    }
}

void fill_points(int lane, const Manifold& m, const PointFriction& friction, PgsBatch& batch)
{
    for (int i = 0; i < LocalManifold::capacity; ++i)
    {
        const ContactPoint stored = i < m.count ? m.points[i] : ContactPoint{};
        PgsBatch::Point& point = batch.points[i];
        point.separation[lane] = stored.separation;
        point.normal.impulse[lane] = point.normal.last_impulse[lane] = point.stored_impulse[lane] = stored.impulse;
        for (int t = 0; t < 2; ++t)
            point.tangents[t].impulse[lane] = point.tangents[t].last_impulse[lane] = i < m.count ? friction.along[i][t]
                                                                                                 : 0;
    }
}

void fill_lane(int lane, const Manifold& m, const PointFriction& friction, PairOfMovers movers, const Movers& all,
               Inputs& in, PgsBatch& batch)
{
    const PairOfMovers tagged = fill_manifold(lane, m, movers, all, LocalManifold::capacity, in.pair);
    batch.a[lane] = tagged.a;
    batch.b[lane] = tagged.b;
    put(in.tangent, lane, first_tangent(m.normal));
    batch.friction[lane] = m.friction;
    in.restitution[lane] = m.restitution;
    fill_points(lane, m, friction, batch);
}

void fill_empty_lane(int lane, Inputs& in, PgsBatch& batch)
{
    const PairOfMovers tagged = fill_no_manifold(lane, LocalManifold::capacity, in.pair);
    batch.a[lane] = tagged.a;
    batch.b[lane] = tagged.b;
    put(in.tangent, lane, Vec3{1, 0, 0});
    batch.friction[lane] = in.restitution[lane] = 0;
    fill_points(lane, Manifold{}, {}, batch);
}

} // namespace

Vec3 first_tangent(Vec3 n)
{
    return std::fabs(n.x) < tangent_switch ? normalize(Vec3{0, n.z, -n.y}) : normalize(Vec3{n.y, -n.x, 0});
}

void prepare_pgs_contacts(std::span<const int32_t> manifolds, const ContactGraph& graph, const Bodies& bodies,
                          const Movers& movers, const PgsParameters& parameters, PgsBatch& batch)
{
    Inputs in;
    batch.point_count = 0;
    batch.lanes_in_turn = 0;
    batch.shared = {};
    const bool is_alone = manifolds.size() == 1; // then nobody looks at the other lanes
    for (int lane = 0; lane < lane_count; ++lane)
    {
        if (lane >= int(manifolds.size()))
        {
            batch.manifold[lane] = -1;
            if (!is_alone)
                fill_empty_lane(lane, in, batch);
            continue;
        }
        const Manifold& m = graph.manifolds[manifolds[size_t(lane)]];
        const Edge& edge = graph.edges[m.edge];
        batch.manifold[lane] = manifolds[size_t(lane)];
        batch.point_count = m.count > batch.point_count ? m.count : batch.point_count;
        const PointFriction& friction = graph.point_friction[size_t(batch.manifold[lane])];
        fill_lane(lane, m, friction, {bodies[edge.body_a].mover, bodies[edge.body_b].mover}, movers, in, batch);
    }
    MORAINE_EACH_LANE(is_alone ? 1 : 0, (prepare<F>(in, parameters, movers.velocities.data(), batch, lane)))
}

void share_movers(SharedMover shared, const Movers& movers, PgsBatch& batch)
{
    share_mover(shared, lane_count, batch.a, batch.b);
    const float inv_mass = movers.velocities[size_t(shared.mover)].inv_mass;
    float share = 0;
    for (int i = 0; i < batch.point_count; ++i)
    {
        const PgsBatch::Row& row = batch.points[i].normal;
        share = std::max(share, share_of_heavy(shared, batch.a, batch.b, inv_mass, row, row.mass));
    }
    if (share > bearable_share)
    {
        unshare_mover(shared, batch.a, batch.b);
        return;
    }
    batch.shared = shared;
    batch.lanes_in_turn = 0;
}

void store_pgs_impulses(const PgsBatch& batch, ContactGraph& graph)
{
    for (int lane = 0; lane < lane_count; ++lane)
    {
        if (batch.manifold[lane] < 0)
            continue;
        Manifold& m = graph.manifolds[batch.manifold[lane]];
        PointFriction& kept = graph.point_friction[size_t(batch.manifold[lane])];
        float total = 0, friction[2] = {};
        for (int i = 0; i < m.count; ++i)
        {
            const PgsBatch::Point& point = batch.points[i];
            ContactPoint& stored = m.points[i];
            stored.impulse = point.normal.impulse[lane];
            total += stored.impulse;
            for (int t = 0; t < 2; ++t)
            {
                kept.along[i][t] = point.tangents[t].impulse[lane];
                friction[t] += kept.along[i][t];
            }
        }
        m.total_impulse = total;
        const Vec3 tangent = first_tangent(m.normal);
        m.friction_impulse = tangent * friction[0] + cross(m.normal, tangent) * friction[1];
        m.twist_impulse = 0; // it is in the friction of the points
    }
}

} // namespace moraine
