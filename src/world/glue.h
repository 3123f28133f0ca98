// Glue: two bodies that the user has made one, touching or not. It is a joint that is never solved, because its two bodies
// are in one collection as long as it is there.
#pragma once

#include "world/world_data.h"

namespace moraine
{

int32_t find_glue(const WorldData& world, int32_t body_a, int32_t body_b); // a joint, or none
// What keeps the two from being glued, and what to do about it; empty: nothing.
std::string glue_problem(const WorldData& world, int32_t body_a, int32_t body_b);
void glue_bodies(WorldData& world, int32_t body_a, int32_t body_b, float break_impulse);
// Takes the glue away. The collection falls into its components with settle_collections.
void cut_glue(WorldData& world, int32_t joint);
// N s over the last step between its two bodies, as the probe sees it; what only presses them together does not count.
float glue_impulse(const WorldData& world, int32_t joint);
// After a run of the probe: what carries more than it can is cut. Returns how many.
int break_glue(WorldData& world);

// visit(the other body) for what holds the body in its collection: merged edges and joints, and glue.
template <class Visit>
void for_each_bond(const WorldData& world, int32_t body, Visit&& visit)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        if (world.graph.edges[e].has(edge_is_merged))
            visit(other_body(world.graph.edges[e], body));
    });
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        if (joint.is_glue || joint.is_merged)
            visit(joint.body_a == body ? joint.body_b : joint.body_a);
    });
}

} // namespace moraine
