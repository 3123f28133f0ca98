// Who is in which mover and which collection: the small changes that joining and falling apart are made of.
#pragma once

#include "world/world_data.h"

#include <span>
#include <vector>

namespace moraine::membership
{

bool is_carrier(const WorldData& world, int32_t body);
// The bodies that a body moves with: its collection, or itself. As they are now, in `group`.
std::span<const int32_t> group_of(const WorldData& world, int32_t body, std::vector<int32_t>& group);
bool is_anchored(const WorldData& world, int32_t body);
// What is solved or welded between the body and others is given up; refresh_body brings it back.
void release_rows(WorldData& world, int32_t body);
// The manifolds given in the frame of the body's mover, which changes by `t`.
void turn_manifolds(WorldData& world, int32_t body, const Transform& t);
Pose pose_of(const WorldData& world, int32_t body);
// Out of its mover, which goes when it was the last body in it.
void leave_mover(WorldData& world, int32_t body);
// A mover of one body becomes one of several.
void open_mover(WorldData& world, int32_t index);
// A carrier that nobody rides any more is a plain mover again. A static mover goes with its last body instead.
void close_carrier(WorldData& world, int32_t index);
// Box, radius and place in the tree after bodies came or went. No pairs are new to a mover because of that.
void fit_mover(WorldData& world, int32_t index);
void refresh_bodies(WorldData& world, std::span<const int32_t> bodies);
void add_to(WorldData& world, int32_t body, int32_t collection);
void take_from(WorldData& world, int32_t body);
void forget(WorldData& world, int32_t body);
int32_t create_collection(WorldData& world, int32_t mover, bool anchored);
void take_off(WorldData& world, int32_t index, int32_t mover);
void destroy_collection(WorldData& world, int32_t index);
// Everything the probe needs to know of bodies that came, or that were left behind. `is_calm`: they came because they
// rest.
void welcome(WorldData& world, int32_t index, std::span<const int32_t> came, bool is_calm);
// Some have left: those of the rest that have lost a neighbour are queued.
void bereave(WorldData& world, int32_t index);
// Puts bodies into the mover of an existing collection. They belong to no collection now.
void enter(WorldData& world, std::span<const int32_t> bodies, int32_t index);
void report_change(WorldData& world, std::span<const int32_t> bodies, bool was_awake);
JoinedGroup* find_joined(WorldData& world, int32_t index);
// The acceleration of a free collection's frame is known again two steps after its members have changed.
void start_afresh(WorldData& world, int32_t index);

} // namespace moraine::membership
