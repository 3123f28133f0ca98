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

// visit(the other body) for what holds the body in its collection: merged edges and joints, and glue. Visit may return
// false to stop.
template <class Visit>
void for_each_bond(const WorldData& world, int32_t body, Visit&& visit)
{
    const ContactGraph& graph = world.graph;
    for (int32_t e = world.bodies[body].edge_first; e != none;
         e = graph.links[size_t(e)].next[graph.edges[e].body_b == body])
        if (graph.edges[e].has(edge_is_merged) && !goes_on(visit, other_body(graph.edges[e], body)))
            return;
    for (int32_t j = world.bodies[body].joint_first; j != none;)
    {
        const Joint& joint = world.joints[j];
        const bool is_b = joint.body_b == body;
        if ((joint.is_glue || joint.is_merged) && !goes_on(visit, is_b ? joint.body_a : joint.body_b))
            return;
        j = joint.next[is_b];
    }
}

} // namespace moraine
