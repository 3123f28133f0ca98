// A bench for joints alone: movers without shapes, stepped as the sub-stepping solver does, without a world.
#pragma once

#include "dynamics/drive.h"
#include "dynamics/integrate.h"
#include "dynamics/joints.h"

#include <gtest/gtest.h>

namespace moraine
{

struct JointBench
{
    JointBench() { add_static(); } // body 0 is the ground

    Bodies bodies;
    Movers movers;
    Joints joints;
    Vec3 gravity{0, -9.81f, 0};
    float dt = 1.0f / 60;
    int substeps = 4;
    bool gyroscopic = true;
    float largest_error = 0; // of any joint after any step
    bool is_scalar = false;  // one lane at a time
    bool in_turn = false;    // the same, as batches of two joints are solved: each with its own rows only

    int32_t add(BodyType type, const Pose& pose, float mass, const Mat3& inertia);
    int32_t add_static(DVec3 position = {}) { return add(BodyType::static_, {position, {}}, 0, {}); }
    int32_t add_sphere(DVec3 position, float mass, float radius = 0.1f);
    int32_t add_box(const Pose& pose, float mass, Vec3 half);
    int32_t add_capsule(const Pose& pose, float mass, float radius, float half_height); // along y
    // Frames that coincide now, at a pose in the world.
    int32_t join(int32_t a, int32_t b, const Pose& frame, const JointKind& kind);
    // Points in the bodies' frames.
    int32_t join_points(int32_t a, Vec3 in_a, int32_t b, Vec3 in_b, const JointKind& kind);

    void step();
    void run(float seconds);

    const Pose& pose(int32_t body) const { return movers[body].pose; }
    DVec3 point(int32_t body, Vec3 in_body) const { return apply(movers[body].pose, in_body); }
    Vec3 velocity(int32_t body) const { return movers.velocities[size_t(body)].linear; }
    void set_velocity(int32_t body, Vec3 v) { movers.velocities[size_t(body)].linear = v; }
    Vec3 omega(int32_t body) const;
    void set_omega(int32_t body, Vec3 omega);
    float error(int32_t joint) const { return joint_error(joints[joint], bodies, movers); }
    Transform between(int32_t joint) const; // frame B seen from frame A
    double energy() const;

    std::vector<std::vector<int32_t>> colours;
    std::vector<uint64_t> used; // by mover
};

} // namespace moraine
