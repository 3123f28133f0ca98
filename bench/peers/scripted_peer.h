// What the other engines have in common: scripted carriers and springs are driven from outside, the same way for all.
#pragma once

#include "peer.h"

namespace moraine::bench
{

struct Velocity
{
    Vec3 linear{}; // of the centre of mass
    Vec3 angular{};
};

// The velocity that takes a body's frame from one pose to another in `dt`.
Velocity velocity_between(const Pose& from, const Pose& to, float dt);

class ScriptedPeer : public Peer
{
public:
    explicit ScriptedPeer(const SceneDescription& scene);
    void step(float dt) final;
    void read_poses(std::vector<Pose>& poses) const final;

protected:
    virtual void advance(float dt) = 0;
    virtual Pose pose(int body) const = 0;
    virtual Velocity velocity(int body) const = 0;
    virtual DVec3 center_of_mass(int body) const = 0;
    virtual void add_force(int body, Vec3 force, DVec3 point) = 0;
    // Kinematic bodies: arrive at `target` after the next step of `dt`.
    virtual void move_to(int body, const Pose& target, float dt) = 0;

private:
    struct Script
    {
        int body = 0;
        Pose start{};
        Motion motion{};
    };
    struct SpringForce
    {
        int body_a = -1, body_b = -1;
        Transform frame_a{}, frame_b{};
        SpringJoint spring{};
    };
    void pull(const SpringForce& spring);
    DVec3 anchor(int body, const Transform& frame) const;
    Vec3 velocity_at(int body, DVec3 point) const;

    int body_count_ = 0;
    std::vector<Script> scripts_;
    std::vector<SpringForce> springs_;
    double time_ = 0;
};

// What an engine can do; a scene that needs more is not run.
struct Abilities
{
    bool has_hulls = true;
    bool has_cylinders = true;
    bool has_distance_joints = true;
    bool has_threads = true;
};

// The first thing in the scene that the engine lacks, or an empty string.
std::string find_missing(const SceneDescription& scene, const PeerOptions& options, const Abilities& abilities);

} // namespace moraine::bench
