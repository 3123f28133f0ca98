// What two bodies must keep to when they merge and while they are one: the world's limits, or those of their own.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// A sentence that says what is wrong and what to do, or an empty string.
std::string merge_def_problem(const BodyMergeDef& def);
void set_merge_def(Bodies& bodies, int32_t body, const BodyMergeDef& def);

// For the two bodies of an edge. `own` is where the answer is put together, if one of them has limits of its own.
const MergeDef& merge_def_of(const WorldData& world, const Edge& edge, MergeDef& own);
// Two bodies that the probe parts and that then stay where they are were parted for nothing: its forces are those of a few
// sweeps, and in a pile it may take for motion what is none. They merge again and from then on each is missed by twice as
// much. Those that did move must be calm for twice as long the next time.
void note_cut(Edge& edge, uint32_t steps_merged);
void note_merged(Edge& edge);
// Calm steps that this edge needs before its bodies may become one.
int steps_needed(const MergeDef& def, const Edge& edge);
// The body's limit of rest, as a multiple of the world's: its own, and what was learned.
float ease_of(const WorldData& world, int32_t body);
float ease_along(const WorldData& world, int32_t body, const Edge& edge); // as far as this one goes
// What something free rests against is pressed by forces of a solve, which wander in a pile, and not by its load alone: a
// third of the largest of them may be missed at every member before it counts as motion, so that heavy ones are judged
// as strictly as ever; and a twentieth of what it bears.
void add_noise(WorldData& world, int32_t collection, float force);
void end_noise(WorldData& world, int32_t collection);
void take_noise(const WorldData& world, const Collection& collection, MergedBody& member);
// Once a step. Not more than a fifth of gravity for two seconds after the load has changed, so that what it moves is seen.
void judge_noise(WorldData& world, int32_t collection, bool has_new_load);
// A blow leaves members alone that it does not move by more than this. That of the body that is struck.
float unmerge_speed_of(const WorldData& world, int32_t body);

// Stable by itself, or one of as many bodies as it takes to hold each other with one contact point for each pair: four, or
// three in the plane (section 8.2 of the paper). `bond`: the edges that count, those that touch or those that are merged.
bool is_stable(const WorldData& world, const Edge& edge, EdgeFlag bond);

} // namespace moraine
