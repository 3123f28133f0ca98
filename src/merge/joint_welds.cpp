// Joints inside collections: points that hold in all directions, where the joint does.
#include "dynamics/joint_rows.h"
#include "merge/probe.h"

#include <algorithm>

namespace moraine
{

namespace
{

struct Anchor
{
    Transform frame{}; // of the joint, in the mover's frame
    Vec3 center{};     // of the body
};

Anchor anchor_of(const Bodies& bodies, int32_t body, const Transform& frame)
{
    const Transform& place = bodies[body].pose_in_mover;
    return {{apply(place, frame.position), place.rotation * frame.rotation}, place.position};
}

void add_point(Vec3 position, Vec3 center_a, Vec3 center_b, Vec3 force, Weld& w)
{
    Weld::Point& p = w.points[w.count++];
    if (w.a != none)
        p.arm_a = position - center_a;
    if (w.b != none)
        p.arm_b = position - center_b;
    p.force[0] = dot(force, w.normal);
    p.force[1] = dot(force, w.tangent);
    p.force[2] = dot(force, second_tangent(w));
}

// Offsets of the points at which the joint holds.
int offsets_of(const JointKind& kind, const Quat& frame, float reach, Vec3 (&out)[4])
{
    if (std::holds_alternative<HingeJoint>(kind))
    {
        out[0] = rotate(frame, Vec3{reach, 0, 0});
        out[1] = -out[0];
        return 2;
    }
    if (std::holds_alternative<FixedJoint>(kind))
    {
        out[0] = rotate(frame, Vec3{reach, 0, 0});
        out[1] = rotate(frame, Vec3{-0.5f * reach, 0.866f * reach, 0});
        out[2] = rotate(frame, Vec3{-0.5f * reach, -0.866f * reach, 0});
        return 3;
    }
    out[0] = {};
    return 1;
}

bool is_on(const Motor& motor) { return motor.max_force > 0; }
bool is_on(const Spring& spring) { return spring.stiffness > 0; }

} // namespace

bool can_be_inner(const JointKind& kind)
{
    if (const HingeJoint* hinge = std::get_if<HingeJoint>(&kind))
        return !is_on(hinge->motor) && !is_on(hinge->spring);
    return std::holds_alternative<BallJoint>(kind) || std::holds_alternative<FixedJoint>(kind) ||
           std::holds_alternative<DistanceJoint>(kind) || std::holds_alternative<SpringJoint>(kind);
}

int32_t add_joint_weld(const Bodies& bodies, const Movers& movers, const Joint& joint, float rate, Collections& c)
{
    if (!can_be_inner(joint.kind) || std::holds_alternative<SpringJoint>(joint.kind))
        return none;
    const DistanceJoint* distance = std::get_if<DistanceJoint>(&joint.kind);
    const JointPlacement place = place_joint(joint, bodies, movers);
    if (distance && length(place.gap) < distance->upper - 1e-3f * (1 + distance->upper) &&
        distance->lower < distance->upper)
        return none; // a rope that hangs loose
    const int32_t index = c.welds.create();
    Weld& w = c.welds[index];
    w.a = c.merged(joint.body_a);
    w.b = c.merged(joint.body_b);
    const int32_t member = w.b != none ? joint.body_b : joint.body_a;
    const Quat axes = movers[bodies[member].mover].pose.rotation;
    const Anchor at = anchor_of(bodies, member, w.b != none ? joint.frame_b : joint.frame_a);
    w.normal = distance ? normalize(inverse_rotate(axes, -place.gap)) : Vec3{0, 1, 0};
    w.tangent = perpendicular(w.normal);
    w.friction = distance ? 0.0f : -1.0f;
    w.is_rod = distance && distance->lower == distance->upper;
    float reach = infinity;
    for (int32_t m : {w.a, w.b})
        if (m != none)
            reach = std::min(reach, 0.5f * c.bodies[m].radius);
    Vec3 offsets[4];
    const int count = offsets_of(joint.kind, at.frame.rotation, reach, offsets);
    const Vec3 force = inverse_rotate(axes, joint.pull) * (rate / float(count));
    for (int i = 0; i < count; ++i)
        add_point(at.frame.position + offsets[i], bodies[joint.body_a].pose_in_mover.position,
                  bodies[joint.body_b].pose_in_mover.position, force, w);
    link_weld(index, c);
    return index;
}

Vec3 spring_force(const SpringJoint& spring, const Joint& joint, const Bodies& bodies, const Movers& movers)
{
    const Vec3 gap = place_joint(joint, bodies, movers).gap;
    const float long_by = length(gap) - spring.rest_length;
    return spring.rest_length > 0 ? normalize(gap) * (-spring.stiffness * long_by) : gap * -spring.stiffness;
}

} // namespace moraine
