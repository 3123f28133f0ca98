// Continuous collision: where a fast mover first meets something on its way.
#pragma once

#include "base/fixed_list.h"
#include "world/world_data.h"

namespace moraine
{

bool needs_continuous(const Mover& mover, const MoverVelocity& velocity);

// How much of its way a mover can go.
struct FreeWay
{
    struct Block
    {
        Vec3 normal{};   // out of the obstacle
        float least = 0; // of the way along it, in metres: the mover may only slide there
    };
    float fraction = 1; // of the whole motion, turn included: here it first meets something
    Vec3 carry{};       // what that moves in the step: it takes the mover along for the rest
    FixedList<Block, 4> blocks;
};

// From `start` to the mover's present pose. Against static and kinematic movers, and for those marked fast against all
// others. `fastest`: metres that any of these has come in the step.
FreeWay find_free_way(const WorldData& world, int32_t mover, const Pose& start, float fastest);

// Would the mover have met the other one on its way from `start`? Not asked of those who touch already.
bool meets_on_way(const WorldData& world, int32_t mover, const Pose& start, int32_t other);

// Where the mover comes to on it.
Pose pose_on(const FreeWay& way, const Pose& start, const Pose& end);

} // namespace moraine
