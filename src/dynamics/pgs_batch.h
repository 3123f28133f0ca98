// Contact rows over a whole step, for projected Gauss-Seidel and the direct solver: three at each contact point.
//
// With w the speed of a row (see rows.h) and λ its impulse over the step, the normal row asks for
//     0 ≤ λ ⊥ w + bias + c λ ≥ 0
// c is the compliance (CFM, 1/kg): it stands beside J M⁻¹ Jᵀ on the diagonal, and lets a contact that carries λ give way
// at the speed c λ, like a thin soft layer. The bias has the feedback (ERP) that drives a share of the overlap out in
// each step; both together are the "breathing" of adaptive-merging-2020, section 5.3. Stored impulses integrate the
// speed that is left from step to step, and feedback of the position makes that loop unstable wherever the sweeps of a
// step remove less of an error than the feedback asks for: a stack of five sways for ever. Inside the slop there is no
// feedback, and stacks settle there. The tangential rows ask for w = 0
// with |λ| bounded by friction times the normal impulse (section 3, equations 4 to 7), and are not compliant: a box on
// a slope must not creep.
#pragma once

#include "dynamics/crowds.h"
#include "dynamics/rows.h"
#include "graph/bodies.h"
#include "graph/contact_graph.h"

#include <moraine/defs.h>

#include <span>

namespace moraine
{

constexpr float unbounded_impulse = 1e30f;

struct alignas(64) PgsBatch
{
    struct Row
    {
        float ja[3][lane_count];
        float jb[3][lane_count];
        float mass[lane_count]; // 1 / (j · j and 1/m of both movers, + compliance); 0: no such row
        float impulse[lane_count];
        float last_impulse[lane_count]; // before the last sweep
    };
    struct Point
    {
        Row normal;
        Row tangents[2];
        float separation[lane_count]; // when the step began
        float bias[lane_count];
        float stored_impulse[lane_count]; // along the normal, of the last step
    };

    int32_t a[lane_count];
    int32_t b[lane_count];
    float normal[3][lane_count];
    float tangent[3][lane_count]; // the second one is normal × tangent
    float friction[lane_count];   // negative: a magnet holds in all directions
    float swing[2][lane_count];   // speed along the tangents by which a turning carrier passes the rider half a step on
    Point points[LocalManifold::capacity];
    int32_t manifold[lane_count]; // -1: an empty lane
    int32_t point_count;          // of the lane that has most
    int32_t lanes_in_turn;        // see MORAINE_EACH_LANE
    SharedMover shared;
};

struct PgsParameters
{
    float dt = 0;
    float inv_dt = 0;
    float erp = 0; // of the velocity solve: 0 with post-stabilisation
    float cfm = 0;
    float push_speed = 0;
    float slop = 0;
    float restitution_threshold = 0;
    FrictionModel friction_model = FrictionModel::pyramid;
    float momentum = 0; // of the next sweep: see solve_pgs
};

// The first tangent of a contact normal, both in frame A: the basis in which friction impulses are stored from step to
// step. Where it jumps is kept away from normals that scenes are full of (axes, diagonals of squares and cubes).
Vec3 first_tangent(Vec3 normal);

// Fills one batch from up to eight manifolds. Velocities must be those before this step's impulses: restitution goes by
// the speed of approach they give. Nothing is applied to them.
void prepare_pgs_contacts(std::span<const int32_t> manifolds, const ContactGraph& graph, const Bodies& bodies,
                          const Movers& movers, const PgsParameters& parameters, PgsBatch& batch);
// Its lanes act on copies of a mover, if that does not give way too much.
void share_movers(SharedMover shared, const Movers& movers, PgsBatch& batch);
// Applies the impulses in the batch to the movers.
void warm_start_contacts(const PgsBatch& batch, MoverVelocity* movers);
// One sweep over the rows of the batch. Impulses first go on by `momentum` times what the last sweep changed them by;
// the caller has let the velocities go on alike.
void sweep_contacts(PgsBatch& batch, const PgsParameters& parameters, MoverVelocity* movers);
// Takes `share` of the overlap beyond the slop that is left at the end of the step's motion out of shift and turn, no
// more than `longest` metres; velocities and impulses stay as they are.
struct Push
{
    float share = 0;
    float longest = 0;
    float slop = 0;
};
void push_apart(const PgsBatch& batch, const Push& push, MoverVelocity* movers);
void store_pgs_impulses(const PgsBatch& batch, ContactGraph& graph);

} // namespace moraine
