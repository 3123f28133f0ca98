// Eight manifolds of one colour, laid out for lanes.
//
// Friction acts once for each manifold, in the middle of the points that touch: two tangents bounded by a cone, and a twist
// about the normal. Four points cost four normal rows and three friction rows instead of twelve rows.
#pragma once

#include "dynamics/crowds.h"
#include "dynamics/rows.h"
#include "graph/contact_graph.h"

#include <span>

namespace moraine
{

struct alignas(32) ContactBatch
{
    struct Row
    {
        float ja[3][lane_count];
        float jb[3][lane_count];
    };
    struct Point
    {
        Row row;
        float mass[lane_count];
        float separation[lane_count]; // when the step began
        float impulse[lane_count];
    };
    struct Twist
    {
        Row row;
        float mass[lane_count];
        float arm[lane_count]; // mean distance of the points from where friction acts
        float impulse[lane_count];
    };

    int32_t a[lane_count];
    int32_t b[lane_count];
    float normal[3][lane_count];
    float tangent_scale[lane_count]; // see first_tangent; the second one is normal × tangent
    float friction[lane_count];      // negative: a magnet holds in all directions
    Row tangent_row[2];
    float tangent_mass[3][lane_count]; // inverse of the 2 × 2 block: 11, 12, 22
    float tangent_impulse[2][lane_count];
    float slip[3][lane_count];       // angular momentum that came from arms of the start of the step
    float total_impulse[lane_count]; // along the normal, over all sub-steps
    const int32_t* first_manifold;   // of the lanes that are not empty
    Point* points;                   // behind the lanes, which must stay aligned
    Twist* twist;                    // null where all have one point: it holds no twist, unless it is a magnet's
    uint8_t manifold_count;
    uint8_t point_count;   // of the lane that has most
    uint8_t lanes_in_turn; // see MORAINE_EACH_LANE
    uint8_t carriers;      // bit of a lane: against a static or kinematic body, which is met harder
    bool bounces;          // has a RestitutionBatch
    bool turns;            // a carrier in it turns
    uint32_t yielding;     // four bits of a lane: how much less stiff, see share_of_stiffness
    SharedMover shared;

    std::span<const int32_t> manifolds() const { return {first_manifold, size_t(manifold_count)}; }
};
static_assert(sizeof(ContactBatch) == 960);

// A body that is part of something heavy is met as if it were alone: contacts are as stiff as what meets in them is heavy, and
// between two halves of a tower, whose overlaps cannot give way any more, they would press it apart. Halves, a quarter, and so
// on: eight times too stiff, a collection of 260 boxes that was wedged into others burst with half a megajoule.
constexpr int most_yielding = 15;
inline float share_of_stiffness(uint32_t yielding, int lane)
{
    return 1 / float(1 << (yielding >> (4 * lane) & most_yielding));
}

// Perpendicular to the normal: one of two whose length is known from it, times what makes it one.
template <class F>
MORAINE_INLINE V3<F> unscaled_tangent(V3<F> n)
{
    const F zero = splat<F>(0);
    return select<F>(abs_of(n.x) < splat<F>(0.57735f), V3<F>{zero, n.z, -n.y}, V3<F>{n.y, -n.x, zero});
}
template <class F>
MORAINE_INLINE V3<F> first_tangent(const ContactBatch& batch, V3<F> n, int lane)
{
    return unscaled_tangent(n) * load<F>(batch.tangent_scale, lane);
}

// Only for batches in which something bounces.
struct alignas(64) RestitutionBatch
{
    float coefficient[lane_count];
    float approach[LocalManifold::capacity][lane_count]; // relative normal speed before the solve
};

struct ContactParameters
{
    float inv_h = 0;
    float push_speed = 0;
    Softness dynamic{};
    Softness against_static{};
    float restitution_threshold = 0;
};

// Fills one batch, whose points are laid out and whose shared mover is set, from up to eight manifolds, and applies their
// stored impulses to the movers. Where the shared one gives way too much it is shared no longer.
void prepare_contacts(std::span<const int32_t> manifolds, const Bodies& bodies, const ContactGraph& graph,
                      Movers& movers, ContactBatch& batch);
// Asks for the memory of manifolds that are soon to be prepared: they lie scattered.
void prefetch_manifolds(std::span<const int32_t> manifolds, const ContactGraph& graph);
void prefetch_movers(std::span<const int32_t> manifolds, const ContactGraph& graph, const Movers& movers);
// Speeds of approach, from velocities without this step's impulses. False: nothing in the batch bounces.
bool prepare_restitution(const ContactBatch& batch, const ContactGraph& graph, const MoverVelocity* movers,
                         RestitutionBatch& out);

void solve_contacts(ContactBatch& batch, const ContactParameters& parameters, MoverVelocity* movers);
void relax_contacts(ContactBatch& batch, const ContactParameters& parameters, MoverVelocity* movers);
void apply_restitution(ContactBatch& batch, const RestitutionBatch& restitution, const ContactParameters& parameters,
                       MoverVelocity* movers);
// Takes back the angular momentum that the fixed arms put in. The two are turned back as one, which takes least energy and
// does not spin one against the other: half from each would make a ball in a turning tray a motor. Only where both can
// turn; what hardly slips is left alone.
void repair_momentum(const ContactBatch& batch, Movers& movers);
void store_impulses(const ContactBatch& batch, const Movers& movers, ContactGraph& graph);

} // namespace moraine
