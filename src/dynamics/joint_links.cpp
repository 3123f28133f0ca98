#include "dynamics/joints.h"

namespace moraine
{

void link_joint(int32_t index, Bodies& bodies, Joints& joints)
{
    for (int side = 0; side < 2; ++side)
    {
        Joint& joint = joints[index];
        const int32_t body = side == 0 ? joint.body_a : joint.body_b;
        int32_t& first = bodies[body].joint_first;
        joint.previous[side] = none;
        joint.next[side] = first;
        if (first != none)
            joints[first].previous[joints[first].body_b == body] = index;
        first = index;
    }
}

void unlink_joint(int32_t index, Bodies& bodies, Joints& joints)
{
    for (int side = 0; side < 2; ++side)
    {
        const Joint& joint = joints[index];
        const int32_t body = side == 0 ? joint.body_a : joint.body_b;
        const int32_t next = joint.next[side], previous = joint.previous[side];
        if (next != none)
            joints[next].previous[joints[next].body_b == body] = previous;
        if (previous != none)
            joints[previous].next[joints[previous].body_b == body] = next;
        else
            bodies[body].joint_first = next;
    }
}

} // namespace moraine
