// Bodies join and leave collections here, and nowhere else do they change movers.
#pragma once

#include "merge/probe.h"
#include "world/world_data.h"

namespace moraine
{

// Welds stand for manifolds that are not solved because their two bodies cannot move against each other.
void refresh_welds(WorldData& world, int32_t edge);
void remove_welds(WorldData& world, int32_t edge);
// The same for joints.
void refresh_joint_weld(WorldData& world, int32_t joint);
void remove_joint_weld(WorldData& world, int32_t joint);
// Its two bodies cannot move against each other: in one mover, or both in movers that no force moves.
bool is_inner(const WorldData& world, const Joint& joint);
// May the bodies of the edge's two movers become one, as far as their joints and magnets are concerned?
bool joints_allow(const WorldData& world, const Edge& edge);
StoredForce stored_force(const WorldData& world);
ProbeLimits probe_limits(const WorldData& world);
// Forces of contacts with what is not in the collection, in the mover's axes.
void set_outer_forces(const WorldData& world, MergedBody& merged);
void gather_outer_forces(WorldData& world);                        // for all that are gathered
bool is_dormant(const WorldData& world, const MergedBody& merged); // nothing that acts on it has been awake for a while
// Does somebody from outside push the body who moves against it by more than this?
bool is_pushed_by_moving(const WorldData& world, int32_t body, float speed);

void set_springs(const WorldData& world, MergedBody& merged);

// While a collection is quiet its forces stay those of an earlier load: before they are looked at or change otherwise.
void bring_forces_up(WorldData& world, int32_t collection);

// The next probe looks at the body; the first of the two sums its forces afresh, after a weld has gone.
void sum_body(WorldData& world, int32_t body);
void disturb_body(WorldData& world, int32_t body);

// Do their flags and the rules between them let the two be one?
bool may_merge(const WorldData& world, int32_t body_a, int32_t body_b);
// Could the two bodies of this edge be one? By types, flags, rules and frames; not by motion.
bool can_join(const WorldData& world, const Edge& edge);
// The bodies that move with the two become one: the caller has to hold them together.
void join_bodies(WorldData& world, int32_t body_a, int32_t body_b);
// Contacts inside one collection that carry something hold it together too.
void merge_inner_edges(WorldData& world, int32_t body_a, int32_t body_b);
// Free bodies that join are one with their momentum only after finish_joins, which must be called before the step goes on.
void join_edge(WorldData& world, int32_t edge);
void finish_joins(WorldData& world);
// Something that held the body in its collection is gone.
void mark_cut(WorldData& world, int32_t body);
// Clears the merged bit. The collection falls into its components with settle_collections.
void cut_edge(WorldData& world, int32_t edge);
void settle_collections(WorldData& world);

// All that holds the body to others is cut.
void cut_bonds(WorldData& world, int32_t body);
// Gives the body a mover of its own, now.
void detach_body(WorldData& world, int32_t body);
// A carrier that is about to go or to be put elsewhere.
void release_riders(WorldData& world, int32_t body);

} // namespace moraine
