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
// The body's limit of rest, as a multiple of the world's.
float ease_of(const WorldData& world, int32_t body);

// Stable by itself, or one of as many bodies as it takes to hold each other with one contact point for each pair: four, or
// three in the plane (section 8.2 of the paper). `bond`: the edges that count, those that touch or those that are merged.
bool is_stable(const WorldData& world, const Edge& edge, EdgeFlag bond);

} // namespace moraine
