// What both kinds of contact batch take from manifolds and movers, eight manifolds side by side.
#pragma once

#include "dynamics/row_lanes.h"
#include "graph/contact_graph.h"

namespace moraine
{

struct alignas(64) ManifoldLanes
{
    float rotation_a[4][lane_count];
    float rotation_b[4][lane_count];
    float factor_a[6][lane_count];
    float factor_b[6][lane_count];
    float frame_a[4][lane_count]; // rotation of the frame the manifold is given in
    float offset[3][lane_count];  // from B's centre of mass to A's
    float normal[3][lane_count];  // in frame A
    float count[lane_count];
    float position[LocalManifold::capacity][3][lane_count]; // in frame A, of the first `point_count` points
};

// Mover indices of the batch, tagged where rows do not change the mover.
struct PairOfMovers
{
    int32_t a, b;
};

PairOfMovers fill_manifold(int lane, const Manifold& manifold, PairOfMovers movers, const Movers& all, int point_count,
                           ManifoldLanes& out);
// A lane without a manifold, between the ground and itself.
PairOfMovers fill_no_manifold(int lane, int point_count, ManifoldLanes& out);

template <class F>
struct Sides
{
    Q<F> qa, qb;
    MoverLanes<F> a, b;
};

template <class F>
MORAINE_INLINE Sides<F> load_sides(const ManifoldLanes& in, const MoverVelocity* movers, const int32_t* a,
                                   const int32_t* b, int lane)
{
    return {load4<F>(in.rotation_a, lane), load4<F>(in.rotation_b, lane), gather_velocity<F>(movers, a, lane),
            gather_velocity<F>(movers, b, lane)};
}

// Both halves of a row with these torques, and the response to a unit impulse along it; `linear` is 1 for forces, else 0.
template <class F, class Row>
MORAINE_INLINE F make_row(const ManifoldLanes& in, const Sides<F>& s, V3<F> torque_a, V3<F> torque_b, F linear,
                          Row& row, int lane)
{
    const V3<F> ja = spin_row(s.qa, in.factor_a, torque_a, lane);
    const V3<F> jb = spin_row(s.qb, in.factor_b, torque_b, lane);
    store3(row.ja, lane, ja);
    store3(row.jb, lane, jb);
    return linear * (s.a.inv_mass + s.b.inv_mass) + dot(ja, ja) * s.a.spins + dot(jb, jb) * s.b.spins;
}

} // namespace moraine
