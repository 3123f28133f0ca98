// Joints that hold their two bodies in one collection, touching or not: once the two have not moved against each other for
// a while, until the probe finds that they would.
#pragma once

#include "merge/probe.h"
#include "world/world_data.h"

namespace moraine
{

// As if there were an edge between the two.
Edge edge_between(const WorldData& world, int32_t body_a, int32_t body_b);
bool is_uneven(const WorldData& world, const Edge& edge); // one is much heavier

// N s over the last step in a joint between two bodies that cannot move against each other, as the probe sees it.
float inner_impulse(const WorldData& world, const Joint& joint);

// Counts calm steps. Afterwards `merge_joints` are those that have been calm for long enough.
void watch_joints(WorldData& world);
bool is_ready(const WorldData& world, const Joint& joint);
bool join_if_possible(WorldData& world, Joint& joint);

// The collection falls into its components with settle_collections.
void cut_joint(WorldData& world, Joint& joint);
// After a run of the probe: those that cannot hold what they should, and those of bodies that a blow moves. How many.
int cut_joints(WorldData& world, const ProbeLimits& limits);

} // namespace moraine
