// The motion of one body as somebody outside the world keeps it: to take a body out of one world and put it into
// another, or to bring copies of it into line. Unlike World::set_pose it keeps contacts and their impulses.
#pragma once

#include "world/world_data.h"

namespace moraine
{

struct BodyState
{
    Pose pose{}; // of the centre of mass
    Vec3 linear{};
    Vec3 angular{};

    friend bool operator==(const BodyState&, const BodyState&) = default;
};

BodyState body_state(const WorldData& world, int32_t body);
// What is the same is left alone; else the body is awake and moves by itself afterwards. The rotation has length 1. Returns
// how far the body was from there.
float set_body_state(WorldData& world, int32_t body, const BodyState& state);

// How long it has been quiet: with the state, all that a body knows of its past besides its contacts.
float quiet_time(const WorldData& world, int32_t body);
void set_quiet_time(WorldData& world, int32_t body, float seconds);

// A body that may not merge leaves its collection at once.
void set_can_merge(WorldData& world, int32_t body, bool can_merge);

// A body that is held keeps its velocity, whatever pushes or pulls it: it is as good as infinitely heavy.
void hold_body(WorldData& world, int32_t body, bool is_held);

// The farthest that any point of a mover went from where it was.
float way_of(const Mover& mover, const Pose& before);

} // namespace moraine
