// Checks of joint definitions, and how well joints hold.
#include "dynamics/joint_rows.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

bool is_amount(float v) { return v >= 0 && std::isfinite(v); }
bool is_bound(float v) { return v >= 0; } // infinity is one, not-a-number is not

std::string frame_problem(const Transform& frame, const char* name)
{
    if (!is_finite(frame.position) || !is_finite(frame.rotation))
        return std::string(name) + " is not finite: give a position and a rotation of finite numbers";
    const float squared = dot(frame.rotation, frame.rotation);
    if (!(squared > 0.9f && squared < 1.1f))
        return std::string(name) + "'s rotation is not a unit quaternion: normalize it";
    return {};
}

std::string limit_problem(const Limit& limit)
{
    if (std::isnan(limit.lower) || std::isnan(limit.upper))
        return "a limit is not a number: leave it out or use infinity for no limit";
    if (limit.lower > limit.upper)
        return "a limit's lower end is above its upper end: swap them";
    if (limit.lower == infinity || limit.upper == -infinity)
        return "a limit leaves no place to be: lower must be below infinity and upper above -infinity";
    return {};
}

std::string drive_problem(const Motor& motor, const Spring& spring)
{
    if (!std::isfinite(motor.speed))
        return "the motor's speed is not finite";
    if (!is_bound(motor.max_force))
        return "the motor's max_force is negative: use the sign of its speed to turn it round";
    if (!is_amount(spring.stiffness) || !is_amount(spring.damping))
        return "the spring's stiffness and damping must be finite and not negative";
    if (!std::isfinite(spring.target))
        return "the spring's target is not finite";
    return {};
}

template <class Joint>
std::string axis_problem(const Joint& joint)
{
    const std::string problem = limit_problem(joint.limit);
    return problem.empty() ? drive_problem(joint.motor, joint.spring) : problem;
}

std::string kind_problem(const BallJoint& joint)
{
    if (!is_bound(joint.cone_limit))
        return "the cone_limit is negative: give the largest angle in radians, or infinity";
    return limit_problem(joint.twist);
}
std::string kind_problem(const HingeJoint& joint) { return axis_problem(joint); }
std::string kind_problem(const SliderJoint& joint) { return axis_problem(joint); }
std::string kind_problem(const FixedJoint&) { return {}; }
std::string kind_problem(const UniversalJoint&) { return {}; }
std::string kind_problem(const DistanceJoint& joint)
{
    if (!is_bound(joint.lower) || !is_bound(joint.upper) || joint.lower == infinity)
        return "the distances of a joint must be numbers from zero up";
    if (joint.lower > joint.upper)
        return "the distance's lower end is above its upper end: swap them";
    return {};
}
std::string kind_problem(const SixDofJoint& joint)
{
    for (int i = 0; i < 6; ++i)
        if (std::string problem = axis_problem(i < 3 ? joint.linear[i] : joint.angular[i - 3]); !problem.empty())
            return std::string(i < 3 ? "linear" : "angular") + " axis " + "xyz"[i % 3] + ": " + problem;
    return {};
}
std::string kind_problem(const SpringJoint& joint)
{
    if (!is_amount(joint.stiffness) || !is_amount(joint.damping))
        return "the spring's stiffness and damping must be finite and not negative";
    if (!is_amount(joint.rest_length))
        return "the spring's rest_length must be finite and not negative";
    return {};
}
std::string kind_problem(const DragJoint& joint)
{
    if (!is_amount(joint.frequency) || !is_amount(joint.damping_ratio))
        return "the frequency and damping_ratio must be finite and not negative";
    if (!is_bound(joint.max_force))
        return "the max_force is negative: give newtons, or infinity";
    return {};
}

// ---- errors ----

float outside(const Limit& limit, float value) { return std::max({limit.lower - value, value - limit.upper, 0.0f}); }

float length_of_error(const SixDofJoint& joint, const JointPlacement& place)
{
    const Vec3 gap = inverse_rotate(place.frame_a, place.gap);
    Vec3 error{};
    for (int i = 0; i < 3; ++i)
        if (joint.linear[i].mode == AxisMode::locked)
            error[i] = gap[i];
        else if (joint.linear[i].mode == AxisMode::limited)
            error[i] = outside(joint.linear[i].limit, gap[i]);
    return length(error);
}
float length_of_error(const SliderJoint& joint, const JointPlacement& place)
{
    const Vec3 gap = inverse_rotate(place.frame_a, place.gap);
    return length(Vec3{outside(joint.limit, gap.x), gap.y, gap.z});
}
float length_of_error(const DistanceJoint& joint, const JointPlacement& place)
{
    return outside({joint.lower, joint.upper}, length(place.gap));
}
float length_of_error(const SpringJoint&, const JointPlacement&) { return 0; }
float length_of_error(const DragJoint&, const JointPlacement&) { return 0; }
template <class Joint>
float length_of_error(const Joint&, const JointPlacement& place) // those that hold a point
{
    return length(place.gap);
}

} // namespace

std::string joint_problem(const JointDef& def)
{
    if (def.body_a == def.body_b)
        return "a joint needs two different bodies: name them in body_a and body_b (none is the world)";
    for (const std::string& problem : {frame_problem(def.frame_a, "frame_a"), frame_problem(def.frame_b, "frame_b"),
                                       std::visit([](const auto& kind) { return kind_problem(kind); }, def.kind)})
        if (!problem.empty())
            return problem;
    if (!(def.break_impulse > 0))
        return "the break_impulse must be above zero: leave it out for a joint that does not break";
    return {};
}

float joint_error(const Joint& joint, const Bodies& bodies, const Movers& movers)
{
    const JointPlacement place = place_joint(joint, bodies, movers);
    return std::visit([&](const auto& kind) { return length_of_error(kind, place); }, joint.kind);
}

} // namespace moraine
