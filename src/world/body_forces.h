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

// visit(other body, force, is_contact) for the constraints of a body with others that are wanted(other body).
template <class Wanted, class Visit>
void for_each_constraint_force(const WorldData& world, int32_t body, Wanted&& wanted, Visit&& visit)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        const int32_t other = other_body(edge, body);
        if (edge.has(edge_is_touching) && edge.manifold != none && wanted(other))
            visit(other, contact_force(world, edge, body), true);
    });
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        const int32_t other = joint.body_b == body ? joint.body_a : joint.body_b;
        if (wanted(other))
            visit(other, joint_force(world, joint, body), false);
    });
}

// In the next step only. What sleeps sleeps on.
void push_body(WorldData& world, int32_t body, Vec3 force, Vec3 torque);

} // namespace moraine
