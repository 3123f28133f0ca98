// Joints inside collections: welds where the joint holds, and the forces that stay what they are.
#include "merge/joint_holds.h"
#include "merge/probe.h"

#include <algorithm>

namespace moraine
{

namespace
{

HoldMeasures measures_of(const StoredForce& stored, float reach) { return {stored.friction, stored.normal, reach}; }

// Where the joint is, and the axes of the mover that its welds are in.
struct Anchor
{
    Vec3 position{}; // of the origin of frame B
    Quat axes{};
};

Anchor anchor_of(const Bodies& bodies, const Movers& movers, const Joint& joint, bool is_b, Vec3 gap)
{
    const Body& body = bodies[is_b ? joint.body_b : joint.body_a];
    const Quat axes = movers[body.mover].pose.rotation;
    const Vec3 own = apply(body.pose_in_mover, (is_b ? joint.frame_b : joint.frame_a).position);
    return {is_b ? own : own + inverse_rotate(axes, gap), axes};
}

void add_points(const JointHold& hold, const Anchor& anchor, const Bodies& bodies, const Joint& joint, float rate,
                Weld& w)
{
    const Vec3 pull = inverse_rotate(anchor.axes, joint.pull) * (rate / float(hold.count));
    for (int i = 0; i < hold.count; ++i)
    {
        const Vec3 position = anchor.position + inverse_rotate(anchor.axes, hold.offsets[i]);
        Weld::Point& p = w.points[w.count++];
        if (w.a != none)
            p.arm_a = position - bodies[joint.body_a].pose_in_mover.position;
        if (w.b != none)
            p.arm_b = position - bodies[joint.body_b].pose_in_mover.position;
        p.force[0] = hold.is_all_ways ? dot(pull, w.normal) : hold.force[i];
        if (!hold.is_all_ways)
            continue;
        p.force[1] = dot(pull, w.tangent);
        p.force[2] = dot(pull, second_tangent(w));
    }
}

} // namespace

bool can_be_inner(const Joint& joint, const Bodies& bodies, const Movers& movers, const StoredForce& stored)
{
    return holds_of(joint, place_joint(joint, bodies, movers), measures_of(stored, 1)).is_possible;
}

int32_t add_joint_welds(const Bodies& bodies, const Movers& movers, const Joint& joint, const StoredForce& stored,
                        Collections& c)
{
    const int32_t a = c.merged(joint.body_a), b = c.merged(joint.body_b);
    float reach = infinity;
    for (int32_t m : {a, b})
        if (m != none)
            reach = std::min(reach, 0.5f * c.bodies[m].radius);
    const JointPlacement place = place_joint(joint, bodies, movers);
    const JointHolds holds = holds_of(joint, place, measures_of(stored, reach));
    const Anchor anchor = anchor_of(bodies, movers, joint, b != none, place.gap);
    int32_t first = none;
    for (int i = 0; i < (holds.is_possible ? holds.count : 0); ++i)
    {
        const JointHold& hold = holds.all[i];
        const int32_t index = c.welds.create();
        Weld& w = c.welds[index];
        w.a = a;
        w.b = b;
        w.normal = hold.is_all_ways ? hold.direction : inverse_rotate(anchor.axes, hold.direction);
        w.tangent = perpendicular(w.normal);
        w.friction = hold.is_all_ways ? -1.0f : 0.0f;
        w.is_rod = !hold.is_all_ways && hold.is_rod;
        w.most = hold.most;
        w.also = first;
        add_points(hold, anchor, bodies, joint, stored.normal, w);
        link_weld(index, c);
        first = index;
    }
    return first;
}

JointLoad steady_load(const Joint& joint, const Bodies& bodies, const Movers& movers, const StoredForce& stored)
{
    const JointHolds holds = holds_of(joint, place_joint(joint, bodies, movers), measures_of(stored, 1));
    return {holds.force, holds.torque};
}

} // namespace moraine
