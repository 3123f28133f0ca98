// What the constraints of a body did to it in the last step, one by one, and forces from outside for the next one: for
// somebody who has the body in several worlds, each of which knows only some of its neighbours.
#pragma once

#include "world/activity.h"
#include "world/world_data.h"

namespace moraine
{

struct BodyForce
{
    Vec3 force{};
    Vec3 torque{}; // about the centre of mass
};

// A contact presses as it did when the step ended, so that an impact within it does not count; a joint pulls as it did over
// the step.
BodyForce contact_force(const WorldData& world, const Edge& edge, int32_t body);
BodyForce joint_force(const WorldData& world, const Joint& joint, int32_t body);

// visit(edge index, edge) for all pairs of bodies that touch, in the order of their places.
template <class Visit>
void for_each_touching_edge(const WorldData& world, Visit&& visit)
{
    for (int32_t e = 0; e < world.graph.edges.capacity(); ++e)
    {
        const Edge& edge = world.graph.edges[e];
        if (edge.body_a != none && edge.has(edge_is_touching) && edge.manifold != none)
            visit(e, edge);
    }
}

// visit(other body, force) for the joints of a body with other bodies.
template <class Visit>
void for_each_joint_force(const WorldData& world, int32_t body, Visit&& visit)
{
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        visit(joint.body_b == body ? joint.body_a : joint.body_b, joint_force(world, joint, body));
    });
}

// In the next step only. What sleeps sleeps on.
void push_body(WorldData& world, int32_t body, Vec3 force, Vec3 torque);

} // namespace moraine
