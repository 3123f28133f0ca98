// What a joint asks for, as rows in the world's axes: between the joint kinds and the batches.
#pragma once

#include "dynamics/joints.h"

namespace moraine
{

enum class RowUse : uint8_t
{
    empty,
    locked,
    spring, // unbounded, solved together with the locked rows
    bounded_spring,
    motor,
    limit
};

struct JointRow
{
    RowUse use = RowUse::empty;
    bool is_angular = false;
    bool follows_a = false; // the axis turns with A; the arm of A then reaches to the origin of frame B
    Vec3 axis{};            // direction of the force on B, or axis of the torque
    float error = 0;
    float lower = 0; // limit: of the error
    float upper = 0;
    float target_speed = 0;
    float max_force = 0;
    float stiffness = 0;
    float damping = 0;
};

// Where the joint is when the step begins, all relative to the movers' centres of mass.
struct JointPlacement
{
    Vec3 arm_a{};
    Vec3 arm_b{};
    Quat frame_a{}; // in the world
    Quat frame_b{};
    Vec3 gap{};            // from the origin of frame A to that of B
    float angle = 0;       // of the last step, for counting turns
    Vec3 side{};           // of the last step
    float linear_mass = 0; // of the two movers together, for springs given by frequency
};

struct JointRows
{
    JointRow rows[max_joint_triples * 3];
    int triple_count = 0;
    float angle = 0;
    Vec3 side{};
    Vec3 hinge{};         // unit axis, or zero
    bool is_line = false; // the only linear row acts along the gap
};

int triple_count(const JointKind& kind);
JointPlacement place_joint(const Joint& joint, const Bodies& bodies, const Movers& movers);
void build_rows(const JointKind& kind, const JointPlacement& place, JointRows& out);

// Places the rows of a filled batch and applies the impulses they start with.
void begin_joints(JointBatch& batch, JointTriple* triples, MoverVelocity* movers);

} // namespace moraine
