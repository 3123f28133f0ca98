// One check for every source of scenes: JSON, importers, catalogue and code.
#include "scene/description.h"

#include <cmath>

namespace moraine
{

namespace
{

constexpr float size_lower = 1e-5f, size_upper = 1e6f; // metres
constexpr double position_limit = 1e9;

// What is wrong with something, or nothing.
using Problem = std::string;

bool is_size(float v) { return v >= size_lower && v <= size_upper; }
bool is_size(Vec3 v) { return is_size(v.x) && is_size(v.y) && is_size(v.z); }
bool is_position(DVec3 v)
{
    return std::fabs(v.x) <= position_limit && std::fabs(v.y) <= position_limit && std::fabs(v.z) <= position_limit;
}
bool is_unit(Quat q) { return std::fabs(dot(q, q) - 1) < 1e-3f; }
bool is_not_negative(float v) { return v >= 0 && std::isfinite(v); }

bool is_surface(const Geometry& geometry)
{
    return std::holds_alternative<HalfSpace>(geometry) || std::holds_alternative<MeshRef>(geometry) ||
           std::holds_alternative<HeightFieldRef>(geometry);
}

Problem geometry_problem(const Geometry& geometry)
{
    const char* size = "sizes must be between 1e-5 and 1e6 metres";
    if (const auto* sphere = std::get_if<Sphere>(&geometry))
        return is_size(sphere->radius) ? "" : size;
    if (const auto* capsule = std::get_if<Capsule>(&geometry))
        return is_size(capsule->radius) && is_size(capsule->half_length) ? "" : size;
    if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
        return is_size(cylinder->radius) && is_size(cylinder->half_length) ? "" : size;
    if (const auto* box = std::get_if<Box>(&geometry))
        return is_size(box->half_extents) ? "" : size;
    if (const auto* hull = std::get_if<HullRef>(&geometry))
        return *hull ? "" : "its hull is missing; make one with make_hull";
    if (const auto* mesh = std::get_if<MeshRef>(&geometry))
        return *mesh ? "" : "its mesh is missing; make one with make_mesh";
    if (const auto* field = std::get_if<HeightFieldRef>(&geometry))
        return *field ? "" : "its height field is missing; make one with make_height_field";
    return "";
}

Problem shape_problem(const ShapeDef& shape, BodyType type)
{
    if (Problem problem = geometry_problem(shape.geometry); !problem.empty())
        return problem;
    if (type == BodyType::dynamic_ && is_surface(shape.geometry))
        return "half-spaces, meshes and height fields are for static and kinematic bodies; use a hull or a compound";
    if (!is_position(shape.pose.position) || !is_unit(shape.pose.rotation))
        return "its pose must be finite, with a unit quaternion";
    if (!is_not_negative(shape.density) || !is_not_negative(shape.friction) || !is_not_negative(shape.restitution))
        return "density, friction and restitution must be zero or more";
    return "";
}

Problem motion_problem(const Motion& motion)
{
    if (const auto* sine = std::get_if<SineMotion>(&motion))
    {
        if (!is_finite(sine->translation) || !is_finite(sine->rotation) || !std::isfinite(sine->phase))
            return "the motion's amplitudes and phase must be finite";
        return sine->period > 0 && std::isfinite(sine->period) ? "" : "the motion's period must be above zero";
    }
    const auto* keys = std::get_if<KeyFrameMotion>(&motion);
    if (!keys)
        return "";
    if (keys->frames.empty())
        return "the motion has no key frames; give at least one";
    for (size_t i = 0; i < keys->frames.size(); ++i)
    {
        const KeyFrame& frame = keys->frames[i];
        if (!is_not_negative(frame.time) || (i > 0 && frame.time <= keys->frames[i - 1].time))
            return "key frame " + std::to_string(i) + " must come after the one before it";
        if (!is_position(frame.pose.position) || !is_unit(frame.pose.rotation))
            return "key frame " + std::to_string(i) + " must have a finite position and a unit quaternion";
    }
    return "";
}

Problem body_problem(const SceneBody& body)
{
    const BodyDef& def = body.def;
    if (!is_position(def.position))
        return "its position must be finite and within 1e9 metres";
    if (!is_unit(def.rotation))
        return "its rotation must be a unit quaternion";
    if (!is_finite(def.linear_velocity) || !is_finite(def.angular_velocity))
        return "its velocities must be finite";
    if (!is_not_negative(def.mass) || !is_not_negative(def.linear_damping) || !is_not_negative(def.angular_damping) ||
        !std::isfinite(def.gravity_scale))
        return "mass and damping must be zero or more";
    for (size_t i = 0; i < def.shapes.size(); ++i)
        if (Problem problem = shape_problem(def.shapes[i], def.type); !problem.empty())
            return "shape " + std::to_string(i) + ": " + problem;
    if (def.type == BodyType::dynamic_ && def.shapes.empty())
        return "a dynamic body needs at least one shape";
    if (def.mass_properties && !(def.mass_properties->mass > 0))
        return "its mass properties need a mass above zero";
    if (def.type != BodyType::kinematic && body.motion.index() != 0)
        return "only kinematic bodies follow a motion; set its type to kinematic";
    return motion_problem(body.motion);
}

Problem joint_problem(const SceneJoint& joint, int body_count)
{
    if (joint.body_a < -1 || joint.body_a >= body_count || joint.body_b < -1 || joint.body_b >= body_count)
        return "refers to a body that is not in the scene";
    if (joint.body_a == joint.body_b)
        return "joins a body with itself; name two bodies, or one body and the world";
    for (const Transform& frame : {joint.def.frame_a, joint.def.frame_b})
        if (!is_position(frame.position) || !is_unit(frame.rotation))
            return "its frames must be finite, with unit quaternions";
    if (!(joint.def.break_impulse > 0))
        return "break_impulse must be above zero";
    if (const auto* distance = std::get_if<DistanceJoint>(&joint.def.kind))
        if (!(distance->lower >= 0 && distance->lower <= distance->upper))
            return "needs 0 <= lower <= upper";
    if (const auto* spring = std::get_if<SpringJoint>(&joint.def.kind))
        if (!is_not_negative(spring->stiffness) || !is_not_negative(spring->damping) ||
            !is_not_negative(spring->rest_length))
            return "stiffness, damping and rest length must be zero or more";
    return "";
}

Problem factory_problem(const FactoryAction& factory)
{
    if (factory.prototypes.empty())
        return "the factory has no prototypes; give at least one body";
    if (!(factory.interval >= 1e-3f) || !std::isfinite(factory.interval))
        return "the factory's interval must be at least 0.001 seconds";
    if (!is_position(factory.position) || !is_finite(factory.spread) || !is_finite(factory.velocity) ||
        !is_finite(factory.velocity_spread) || !std::isfinite(factory.spin_spread) || !is_finite(factory.turn_spread))
        return "the factory's numbers must be finite";
    for (const SceneBody& body : factory.prototypes)
        if (Problem problem = body_problem(body); !problem.empty())
            return "prototype: " + problem;
    return "";
}

Problem event_problem(const SceneEvent& event, const SceneDescription& scene)
{
    if (!is_not_negative(event.time))
        return "its time must be zero or more seconds";
    const auto check_body = [&](int body) -> Problem {
        const bool is_known = body >= 0 && body < int(scene.bodies.size());
        return is_known ? "" : "refers to a body that is not in the scene";
    };
    struct Check
    {
        const SceneDescription& scene;
        decltype(check_body)& body;
        Problem operator()(const ImpulseAction& a) const
        {
            if (!is_finite(a.impulse) || !is_finite(a.point))
                return "impulse and point must be finite";
            return body(a.body);
        }
        Problem operator()(const VelocityAction& a) const
        {
            return is_finite(a.linear) && is_finite(a.angular) ? body(a.body) : "velocities must be finite";
        }
        Problem operator()(const SpawnAction& a) const { return body_problem(a.body); }
        Problem operator()(const DestroyAction& a) const { return body(a.body); }
        Problem operator()(const MagnetAction& a) const { return body(a.body); }
        Problem operator()(const MotionAction& a) const
        {
            if (Problem problem = body(a.body); !problem.empty())
                return problem;
            if (scene.bodies[size_t(a.body)].def.type != BodyType::kinematic)
                return "only kinematic bodies follow a motion; set its type to kinematic";
            return motion_problem(a.motion);
        }
        Problem operator()(const JointAction& a) const
        {
            if (a.joint < 0 || a.joint >= int(scene.joints.size()))
                return "refers to a joint that is not in the scene";
            const bool is_same = scene.joints[size_t(a.joint)].def.kind.index() == a.kind.index();
            return is_same ? "" : "the kind of a joint cannot change; give the same kind with new values";
        }
        Problem operator()(const GravityAction& a) const
        {
            return is_finite(a.gravity) ? "" : "gravity must be finite";
        }
        Problem operator()(const FactoryAction& a) const { return factory_problem(a); }
        Problem operator()(const MergeAction& a) const
        {
            if (a.body_a == a.body_b)
                return "merges a body with itself or with nothing: name two bodies, or one body and the world";
            if (!(a.break_impulse > 0))
                return "break_impulse must be above zero";
            const Problem problem = a.body_a < 0 ? "" : body(a.body_a);
            return problem.empty() && a.body_b >= 0 ? body(a.body_b) : problem;
        }
        Problem operator()(const UnmergeAction& a) const
        {
            const Problem problem = body(a.body_a);
            return problem.empty() && a.body_b >= 0 ? body(a.body_b) : problem;
        }
    };
    return std::visit(Check{scene, check_body}, event.action);
}

std::string label(const char* what, size_t index, const std::string& name)
{
    return std::string(what) + " " + std::to_string(index) + (name.empty() ? "" : " (" + name + ")") + ": ";
}

Problem scene_problem(const SceneDescription& scene)
{
    if (!(scene.dt >= 1e-6f && scene.dt <= 1))
        return "dt must be between 1e-6 and 1 second";
    if (scene.steps < 0)
        return "steps must be zero or more";
    if (!is_finite(scene.world.gravity))
        return "gravity must be finite";
    if (scene.world.threads < 0 || scene.world.substeps < 1 || scene.world.iterations < 1)
        return "threads must be zero or more, substeps and iterations one or more";
    if (scene.world.time_warp && scene.world.merging)
        return "time_warp cannot take collections back: switch merging or time_warp off";
    if (scene.bodies.size() > scene_body_limit)
        return "has " + std::to_string(scene.bodies.size()) + " bodies; at most 4000000 are allowed";
    for (size_t i = 0; i < scene.bodies.size(); ++i)
        if (Problem problem = body_problem(scene.bodies[i]); !problem.empty())
            return label("body", i, scene.bodies[i].def.name) + problem;
    for (size_t i = 0; i < scene.joints.size(); ++i)
        if (Problem problem = joint_problem(scene.joints[i], int(scene.bodies.size())); !problem.empty())
            return label("joint", i, scene.joints[i].def.name) + problem;
    for (size_t i = 0; i < scene.events.size(); ++i)
        if (Problem problem = event_problem(scene.events[i], scene); !problem.empty())
            return label("event", i, "") + problem;
    return "";
}

} // namespace

Status validate_scene(const SceneDescription& scene)
{
    const Problem problem = scene_problem(scene);
    if (problem.empty())
        return Ok{};
    return Error{(scene.name.empty() ? "scene" : "scene " + scene.name) + ": " + problem};
}

} // namespace moraine
