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

constexpr int max_joint_triples = 4;

struct Joint
{
    int32_t body_a = none; // the ground where the user named no body
    int32_t body_b = none;
    Transform frame_a{};   // in the bodies' centre-of-mass frames
    Transform frame_b{};
    JointKind kind{};
    float break_impulse = infinity;
    float impulse[max_joint_triples * 3]{}; // stored for the warm start, in row order
    float linear_impulse = 0;   // length over the last step: for breaking and for the user
    int32_t next[2]{none, none}; // adjacency lists of bodies A and B
    int32_t previous[2]{none, none};
    int32_t awake_slot = -1;
    int32_t colour = -1;
    int32_t slot = -1;
    bool collides = false;
};

struct Joints
{
    IdPool ids;
    std::vector<Joint> joints;
    SlotList awake;
    std::map<int32_t, std::string> names;

    Joint& operator[](int32_t i) { return joints[size_t(i)]; }
    const Joint& operator[](int32_t i) const { return joints[size_t(i)]; }
    bool is_valid(JointId id) const { return ids.is_valid(id.index, id.generation); }
    JointId id(int32_t index) const { return {uint32_t(index), ids.generation(uint32_t(index))}; }
};

// Rows come in threes that are solved together through a symmetric 3 × 3 effective mass: the three directions of a ball
// joint, the three angles of a weld. Where rows are not coupled, or bounded, the matrix is diagonal.
struct alignas(64) JointTriple
{
    struct Row
    {
        float d[3][lane_count]; // zero for angular rows
        float ja[3][lane_count];
        float jb[3][lane_count];
        float error[lane_count];        // when the step began; positive: B is ahead along the row
        float target_speed[lane_count]; // motors
        float lower[lane_count];        // of the impulse in one (sub-)step
        float upper[lane_count];
        float impulse[lane_count];
        float bias_rate[lane_count];
        float mass_scale[lane_count];
        float impulse_scale[lane_count];
        float is_spring[lane_count]; // 1: soft in the relaxation too; 0: rigid there
        float is_limit[lane_count];  // 1: one-sided: error > 0 is room to move
    };
    Row rows[3];
    float mass[6][lane_count]; // xx, xy, xz, yy, yz, zz
};

struct alignas(64) JointBatch
{
    int32_t a[lane_count];
    int32_t b[lane_count];
    int32_t joint[lane_count]; // -1: an empty lane
    int32_t triple_first;      // into the step's triples
    int32_t triple_count;
    float linear_impulse[lane_count]; // accumulated over sub-steps (first triple)
};

struct JointParameters
{
    float h = 0;      // of one sub-step, or the step (pgs)
    float inv_h = 0;
    float dt = 0;     // of the step
    Softness rigid{}; // of locked rows
};

int triple_count(const Joint& joint); // that the joint needs now

// Up to eight joints, any kinds: fills the batch and its triples (batch.triple_first/count say where) from the poses at
// the start of the step, and applies the stored impulses to the movers' velocities. Bodies give mover and pose in mover.
void prepare_joints(std::span<const int32_t> joint_indices, const Joints& joints, const Bodies& bodies, Movers& movers,
                    const JointParameters& parameters, JointBatch& batch, JointTriple* triples);
void solve_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers);
void relax_joints(JointBatch& batch, JointTriple* triples, const JointParameters& parameters, MoverVelocity* movers);
void store_joint_impulses(const JointBatch& batch, const JointTriple* triples, Joints& joints);

// Metres between what should coincide, for reports.
float joint_error(const Joint& joint, const Bodies& bodies, const Movers& movers);

// A sentence that says what is wrong and what to do, or an empty string.
std::string joint_problem(const JointDef& def);

} // namespace moraine
