// Joints: persistent records, and the rows that a step makes of them.
#pragma once

#include "base/id_pool.h"
#include "base/pool.h"
#include "dynamics/rows.h"
#include "graph/bodies.h"

#include <map>
#include <span>
#include <string>

namespace moraine
{

constexpr int max_joint_triples = 6; // six axes, each with limit, motor and spring

struct Joint
{
    int32_t body_a = none; // the ground where the user named no body
    int32_t body_b = none;
    Transform frame_a{}; // in the bodies' centre-of-mass frames
    Transform frame_b{};
    DVec3 origin_a{}; // of the frame, where the side is the ground; else zero
    DVec3 origin_b{};
    JointKind kind{};
    float break_impulse = infinity;
    float impulse[max_joint_triples * 3]{}; // stored for the warm start, in row order
    float linear_impulse = 0;               // length over the last step: for breaking and for the user
    Vec3 pull{}, twist{};                   // on B over the last step, in the world: impulse and turning impulse
    float angle = 0;                        // of a hinge or a twist, counted over full turns
    Vec3 side{};                 // at right angles to the hinge, in the world: the first direction it is held in
    int32_t next[2]{none, none}; // adjacency lists of bodies A and B
    int32_t previous[2]{none, none};
    int32_t awake_slot = -1;
    int32_t colour = -1;
    int32_t slot = -1;
    int32_t weld = -1; // in a collection, the first of its welds: see merge/welds.h
    // See world/joint_bonds.h.
    Vec3 calm_linear{}, calm_turn{}; // motion of B against A when its calm steps began
    uint32_t merged_at = 0;          // step
    uint8_t steps = 0;               // calm ones; of a merged joint: those in which it looks as if it would not hold
    uint8_t partings = 0;            // soon after it had merged
    bool is_merged = false;          // holds its two bodies in one collection
    bool collides = false;
    bool is_glue = false; // holds its two bodies in one collection and is never solved: see world/glue.h
};

struct Joints
{
    IdPool ids;
    Array<Joint> joints;
    SlotList awake;
    std::map<int32_t, std::string> names;
    int32_t glue_count = 0; // of those that are glue, which the user does not see as joints

    Joint& operator[](int32_t i) { return joints[size_t(i)]; }
    const Joint& operator[](int32_t i) const { return joints[size_t(i)]; }
    bool is_valid(JointId id) const { return ids.is_valid(id.index, id.generation); }
    JointId id(int32_t index) const { return {uint32_t(index), ids.generation(uint32_t(index))}; }
};

// Rows come in threes. Locked and springy rows of a triple are solved together, as one 3 × 3 block: the three directions
// of a ball joint, the three angles of a weld. Limits, motors and other bounded rows are solved one after the other
// before them, so that what must hold has the last word.
struct alignas(64) JointTriple
{
    struct Row
    {
        // Fixed during the step.
        float axis[3][lane_count]; // direction of a force or axis of a torque when the step began
        float offset[lane_count];  // linear: error = offset + d · gap; angular: the error when the step began
        float lower[lane_count];   // limits: of the error; other rows: of the impulse in one (sub-)step
        float upper[lane_count];
        float target_speed[lane_count]; // motors
        float bias_rate[lane_count];    // springs, 1/s
        float compliance[lane_count];   // springs: added to the inverse effective mass
        float is_angular[lane_count];   // these are 0 or 1
        float follows_a[lane_count];    // the axis turns with mover A
        float is_block[lane_count];
        float is_bounded[lane_count];
        float is_rigid[lane_count]; // locked
        float is_limit[lane_count]; // free between lower and upper
        // Of the pose that the movers have reached.
        float d[3][lane_count]; // zero for angular rows
        float ja[3][lane_count];
        float jb[3][lane_count];
        float push_a[3][lane_count]; // change of the spin by a unit impulse: ja until the inertia has turned
        float push_b[3][lane_count];
        float error[lane_count];      // positive: B is ahead along the row
        float bend[lane_count];       // locked rows: speed that leaves the tangent of the way
        float last_error[lane_count]; // where the sub-step's solve began
        float mass[lane_count];       // of bounded rows
        float impulse[lane_count];
        float last_impulse[lane_count]; // pgs: before the last sweep
    };
    Row rows[3];
    float block[6][lane_count]; // K = L D Lᵀ: l10, l20, l21, 1 / d0, 1 / d1, 1 / d2
    uint8_t block_lanes[3];     // of each row, one bit for each lane
    uint8_t bounded_lanes[3];
};

// Where the joint was when the step began. The relaxation of each sub-step goes on from here to the pose reached.
struct alignas(32) JointGeometry
{
    float to_world_a[9][lane_count]; // R L by columns: angular velocity from spin
    float to_world_b[9][lane_count];
    float to_spin_a[9][lane_count]; // its inverse, by rows
    float to_spin_b[9][lane_count];
    float hinge[3][lane_count]; // angular rows do not follow A about this axis; zero where there is none
    float arm_a[3][lane_count]; // from the centre of mass of the mover
    float arm_b[3][lane_count];
    float gap[3][lane_count];  // from the origin of frame A to that of B
    float is_line[lane_count]; // 1: the linear row acts along the gap
};

struct alignas(64) JointBatch
{
    int32_t a[lane_count];
    int32_t b[lane_count];
    int32_t joint[lane_count]; // -1: an empty lane
    float angle[lane_count];
    float side[3][lane_count];
    float linear_impulse[3][lane_count]; // on B, summed over the sub-steps in the relaxation
    float owed[9][lane_count];           // see joint_kernel.h: impulse on B, change of the spins of A and B
    JointGeometry geometry;
    int32_t triple_first; // into the step's triples
    int32_t triple_count;
    int32_t relaxations; // since the step began; 0 with solvers that do not relax
    int32_t is_owing;
    int32_t lanes_in_turn; // see MORAINE_EACH_LANE
    int32_t hard_lanes; // one bit for each lane in which something is locked or limited; the others are springs alone
};

// Joints are rigid, and what their velocities miss in sub-steps is projected out of the poses when the step ends. Springs
// in place of that sag under load (16 mm in a heap of chains), and chains that whip gain energy from stiff ones. The
// share is less than one because two sweeps do not see the far end of a bridge, which sags twice as much with all of it.
constexpr int joint_projections = 2;
constexpr float joint_projection_share = 0.5f;

struct JointParameters
{
    float h = 0; // of one sub-step, or the step (pgs)
    float inv_h = 0;
    float dt = 0; // of the step
};

// Stored impulses are kept where the rows stay the same ones.
void set_kind(Joint& joint, const JointKind& kind);

int triple_count(const Joint& joint); // that the joint needs: depends on its kind only

// Up to eight joints, any kinds: fills the batch and its triples from the poses at the start of the step, and applies
// the stored impulses to the movers' velocities. `triples` are those of the whole step, and batch.triple_first says
// where this batch's begin; besides it only lanes_in_turn need be set. Joints inside one mover are left out.
void prepare_joints(std::span<const int32_t> joint_indices, const Joints& joints, const Bodies& bodies, Movers& movers,
                    const JointParameters& parameters, JointBatch& batch, JointTriple* triples);

// Impulses go on by `momentum` times what the last sweep changed them by: see solve_pgs.
void carry_on_joints(const JointBatch& batch, JointTriple* triples, float momentum);
// The relaxation follows the motion since the step began: it turns arms and directions to the pose reached, and with
// them the impulses of the sub-step.
void solve_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers);
void relax_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers);
// A further pass of the relaxation, at the same pose.
void refine_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers);
// Takes `share` of what is left of the errors of locked rows and limits out of shift and turn. Velocities and impulses stay
// as they are, so this adds no energy of motion.
void project_joints(JointBatch& batch, JointTriple* triples, float share, MoverVelocity* movers);
void store_joint_impulses(const JointBatch& batch, const JointTriple* triples, Joints& joints);

// In and out of the adjacency lists of its two bodies.
void link_joint(int32_t joint, Bodies& bodies, Joints& joints);
void unlink_joint(int32_t joint, Bodies& bodies, Joints& joints);

// visit(joint index) for the joints of a body; the visitor may unlink the joint it is given.
template <class Visit>
void for_each_joint(int32_t body, const Bodies& bodies, const Joints& joints, Visit&& visit)
{
    for (int32_t j = bodies[body].joint_first; j != none;)
    {
        const int32_t next = joints[j].next[joints[j].body_b == body];
        visit(j);
        j = next;
    }
}

// Metres between what should coincide, for reports.
float joint_error(const Joint& joint, const Bodies& bodies, const Movers& movers);

// A sentence that says what is wrong and what to do, or an empty string.
std::string joint_problem(const JointDef& def);

} // namespace moraine
