#include "peers/scripted_peer.h"

#include "peers/script.h"

#include <cmath>

namespace moraine::bench
{

Velocity velocity_between(const Pose& from, const Pose& to, float dt)
{
    return {relative(to.position, from.position) / dt, rotation_vector(to.rotation * conjugate(from.rotation)) / dt};
}

ScriptedPeer::ScriptedPeer(const SceneDescription& scene) : body_count_(int(scene.bodies.size()))
{
    for (int i = 0; i < body_count_; ++i)
    {
        const SceneBody& body = scene.bodies[i];
        if (body.def.type == BodyType::kinematic && body.motion.index() != 0)
            scripts_.push_back({i, {body.def.position, body.def.rotation}, body.motion});
    }
    for (const SceneJoint& joint : scene.joints)
        if (const auto* spring = std::get_if<SpringJoint>(&joint.def.kind))
            springs_.push_back({joint.body_a, joint.body_b, joint.def.frame_a, joint.def.frame_b, *spring});
}

void ScriptedPeer::step(float dt)
{
    time_ += double(dt);
    for (const Script& script : scripts_)
        move_to(script.body, scripted_pose(script.motion, script.start, time_), dt);
    for (const SpringForce& spring : springs_)
        pull(spring);
    advance(dt);
}

void ScriptedPeer::read_poses(std::vector<Pose>& poses) const
{
    poses.resize(size_t(body_count_));
    for (int i = 0; i < body_count_; ++i)
        poses[size_t(i)] = pose(i);
}

DVec3 ScriptedPeer::anchor(int body, const Transform& frame) const
{
    return body < 0 ? DVec3(frame.position) : apply(pose(body), frame.position);
}

Vec3 ScriptedPeer::velocity_at(int body, DVec3 point) const
{
    if (body < 0)
        return {};
    const Velocity v = velocity(body);
    return v.linear + cross(v.angular, relative(point, center_of_mass(body)));
}

void ScriptedPeer::pull(const SpringForce& s)
{
    const DVec3 a = anchor(s.body_a, s.frame_a), b = anchor(s.body_b, s.frame_b);
    const Vec3 offset = relative(b, a);
    const Vec3 speed = velocity_at(s.body_b, b) - velocity_at(s.body_a, a);
    Vec3 force = offset * -s.spring.stiffness - speed * s.spring.damping; // on B
    if (s.spring.rest_length > 0)
    {
        const Vec3 along = normalize(offset);
        const float stretch = length(offset) - s.spring.rest_length;
        force = along * (-s.spring.stiffness * stretch - s.spring.damping * dot(speed, along));
    }
    if (s.body_b >= 0)
        add_force(s.body_b, force, b);
    if (s.body_a >= 0)
        add_force(s.body_a, -force, a);
}

namespace
{

bool is_free(const Limit& limit) { return limit.lower == -infinity && limit.upper == infinity; }

std::string missing_of(const SceneJoint& joint, const Abilities& abilities)
{
    const JointKind& kind = joint.def.kind;
    if (joint.def.break_impulse != infinity)
        return "breakable joints";
    if (const auto* ball = std::get_if<BallJoint>(&kind))
        return ball->cone_limit == infinity && is_free(ball->twist) ? "" : "limited ball joints";
    if (const auto* hinge = std::get_if<HingeJoint>(&kind))
    {
        const bool is_plain = is_free(hinge->limit) && hinge->motor.max_force == 0 && hinge->spring.stiffness == 0;
        return is_plain ? "" : "driven hinges";
    }
    if (std::holds_alternative<DistanceJoint>(kind))
        return abilities.has_distance_joints ? "" : "distance joints";
    const bool is_known = std::holds_alternative<FixedJoint>(kind) || std::holds_alternative<SpringJoint>(kind);
    return is_known ? "" : "a kind of joint";
}

std::string missing_of(const BodyDef& body, const Abilities& abilities)
{
    if (body.is_trigger || body.is_magnet || body.is_passive || body.planar)
        return "triggers, magnets, passive or planar bodies";
    if (body.mass_properties)
        return "mass properties apart from the shapes";
    if (body.shapes.empty() && body.type == BodyType::dynamic_)
        return "bodies without shapes";
    for (const ShapeDef& shape : body.shapes)
    {
        if (std::holds_alternative<HullRef>(shape.geometry) && !abilities.has_hulls)
            return "convex hulls";
        if (std::holds_alternative<Cylinder>(shape.geometry) && !abilities.has_cylinders)
            return "cylinders";
        if (std::holds_alternative<HalfSpace>(shape.geometry) && body.type != BodyType::static_)
            return "moving half-spaces";
    }
    return "";
}

} // namespace

std::string find_missing(const SceneDescription& scene, const PeerOptions& options, const Abilities& abilities)
{
    if (options.threads > 1 && !abilities.has_threads)
        return "threads";
    if (!scene.events.empty())
        return "scripted events";
    for (const SceneBody& body : scene.bodies)
        if (std::string missing = missing_of(body.def, abilities); !missing.empty())
            return missing;
    for (const SceneJoint& joint : scene.joints)
        if (std::string missing = missing_of(joint, abilities); !missing.empty())
            return missing;
    return "";
}

} // namespace moraine::bench
