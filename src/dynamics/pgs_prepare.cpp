// Filling contact batches of whole steps from manifolds, and writing impulses back.
#include "base/each_lane.h"
#include "dynamics/pgs_batch.h"
#include "dynamics/row_lanes.h"

namespace moraine
{

namespace
{

constexpr float tangent_switch = 0.63f;

// One manifold's inputs, eight side by side.
struct alignas(64) Inputs
{
    float rotation_a[4][lane_count];
    float rotation_b[4][lane_count];
    float factor_a[6][lane_count];
    float factor_b[6][lane_count];
    float frame_a[4][lane_count]; // rotation of the frame the manifold is given in
    float offset[3][lane_count];  // from B's centre of mass to A's
    float normal[3][lane_count];  // in frame A
    float tangent[3][lane_count]; // in frame A
    float restitution[lane_count];
    float count[lane_count];
    float position[LocalManifold::capacity][3][lane_count];
};

template <class F>
struct Sides
{
    Q<F> qa, qb;
    MoverLanes<F> a, b;
};

// Both halves of a row at arms ra and rb, and its effective mass.
template <class F>
MORAINE_INLINE void make_row(const Inputs& in, const Sides<F>& s, V3<F> d, V3<F> ra, V3<F> rb, F compliance,
                             Mask<F> exists, PgsBatch::Row& row, int lane)
{
    const V3<F> ja = spin_row(s.qa, in.factor_a, cross(ra, d), lane);
    const V3<F> jb = spin_row(s.qb, in.factor_b, cross(rb, d), lane);
    store3(row.ja, lane, ja);
    store3(row.jb, lane, jb);
    const F k = s.a.inv_mass + s.b.inv_mass + dot(ja, ja) * s.a.spins + dot(jb, jb) * s.b.spins;
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
    const Sides<F> s{load4<F>(in.rotation_a, lane), load4<F>(in.rotation_b, lane),
                     gather_velocity<F>(movers, batch.a, lane), gather_velocity<F>(movers, batch.b, lane)};
    const Q<F> frame = load4<F>(in.frame_a, lane);
    const V3<F> n = rotate(frame, load3<F>(in.normal, lane));
    const V3<F> t1 = rotate(frame, load3<F>(in.tangent, lane));
    const V3<F> t2 = cross(n, t1);
    store3(batch.normal, lane, n);
    store3(batch.tangent, lane, t1);
    const V3<F> offset = load3<F>(in.offset, lane);
    const F count = load<F>(in.count, lane);
    const F zero = splat<F>(0);
    const Mask<F> holds = load<F>(batch.friction, lane) < zero;

    for (int i = 0; i < batch.point_count; ++i)
    {
        PgsBatch::Point& point = batch.points[i];
        const Mask<F> exists = splat<F>(float(i)) < count;
        const V3<F> ra = rotate(frame, load3<F>(in.position[i], lane));
        const V3<F> rb = ra + offset;
        make_row(in, s, n, ra, rb, splat<F>(p.cfm), exists, point.normal, lane);
        make_row(in, s, t1, ra, rb, zero, exists, point.tangents[0], lane);
        make_row(in, s, t2, ra, rb, zero, exists, point.tangents[1], lane);
        const F approach = dot(n, s.b.v - s.a.v) + dot(load3<F>(point.normal.jb, lane), s.b.u) -
                           dot(load3<F>(point.normal.ja, lane), s.a.u);
        store(point.bias, lane,
              make_bias<F>(p, load<F>(point.separation, lane), approach, load<F>(in.restitution, lane), holds));
    }
}

void fill_points(int lane, const Manifold& m, const PointFriction& friction, Inputs& in, PgsBatch& batch)
{
    for (int i = 0; i < LocalManifold::capacity; ++i)
    {
        const ContactPoint stored = i < m.count ? m.points[i] : ContactPoint{};
        PgsBatch::Point& point = batch.points[i];
        put(in.position[i], lane, stored.position);
        point.separation[lane] = stored.separation;
        point.normal.impulse[lane] = point.normal.last_impulse[lane] = point.stored_impulse[lane] = stored.impulse;
        for (int t = 0; t < 2; ++t)
            point.tangents[t].impulse[lane] = point.tangents[t].last_impulse[lane] = i < m.count ? friction.along[i][t]
                                                                                                 : 0;
    }
}

void fill_lane(int lane, const Manifold& m, const PointFriction& friction, int32_t ia, int32_t ib, const Movers& movers,
               Inputs& in, PgsBatch& batch)
{
    const Mover& a = movers[ia];
    const Mover& b = movers[ib];
    batch.a[lane] = a.is_dynamic() ? ia : ia | read_only;
    batch.b[lane] = b.is_dynamic() ? ib : ib | read_only;
    // The spin of what is not dynamic is its angular velocity in world axes.
    const Factor identity{1, 0, 1, 0, 0, 1};
    put(in.rotation_a, lane, a.is_dynamic() ? a.pose.rotation : Quat{});
    put(in.rotation_b, lane, b.is_dynamic() ? b.pose.rotation : Quat{});
    put(in.factor_a, lane, a.is_dynamic() ? movers.masses[size_t(ia)].factor : identity);
    put(in.factor_b, lane, b.is_dynamic() ? movers.masses[size_t(ib)].factor : identity);
    put(in.frame_a, lane, a.pose.rotation);
    put(in.offset, lane, relative(a.pose.position, b.pose.position));
    put(in.normal, lane, m.normal);
    put(in.tangent, lane, first_tangent(m.normal));
    batch.friction[lane] = m.friction;
    in.restitution[lane] = m.restitution;
    in.count[lane] = float(m.count);
    fill_points(lane, m, friction, in, batch);
}

void fill_empty_lane(int lane, Inputs& in, PgsBatch& batch)
{
    batch.a[lane] = batch.b[lane] = read_only; // mover 0 is the ground
    batch.manifold[lane] = -1;
    put(in.rotation_a, lane, Quat{});
    put(in.rotation_b, lane, Quat{});
    put(in.factor_a, lane, Factor{});
    put(in.factor_b, lane, Factor{});
    put(in.frame_a, lane, Quat{});
    put(in.offset, lane, Vec3{});
    put(in.normal, lane, Vec3{0, 1, 0});
    put(in.tangent, lane, Vec3{1, 0, 0});
    batch.friction[lane] = in.restitution[lane] = in.count[lane] = 0;
    fill_points(lane, Manifold{}, {}, in, batch);
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
    for (int lane = 0; lane < lane_count; ++lane)
    {
        if (lane >= int(manifolds.size()))
        {
            fill_empty_lane(lane, in, batch);
            continue;
        }
        const Manifold& m = graph.manifolds[manifolds[size_t(lane)]];
        const Edge& edge = graph.edges[m.edge];
        batch.manifold[lane] = manifolds[size_t(lane)];
        batch.point_count = m.count > batch.point_count ? m.count : batch.point_count;
        const PointFriction& friction = graph.point_friction[size_t(batch.manifold[lane])];
        fill_lane(lane, m, friction, bodies[edge.body_a].mover, bodies[edge.body_b].mover, movers, in, batch);
    }
    MORAINE_EACH_LANE((prepare<F>(in, parameters, movers.velocities.data(), batch, lane)))
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
