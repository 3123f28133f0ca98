// Time warp (contact graphs, section 6): a contact group that ends a step in an illegal state is taken back to where the
// step began and stepped again in small steps, alone; the rest of the world keeps its step.
#pragma once

#include "world/step.h"

namespace moraine
{

// What a mover was before the step.
struct Remembered
{
    int32_t mover = none;
    Pose pose{};
    Vec3 linear{}, spin{};
    MoverForce force{};
    float quiet_time = 0;
};

struct Memory
{
    std::span<Remembered> states;
    std::span<int32_t> place_of; // by mover; means nothing where the state there is of another mover

    const Remembered* find(int32_t mover) const
    {
        const int32_t place = size_t(mover) < place_of.size() ? place_of[size_t(mover)] : none;
        const bool is_known = place >= 0 && size_t(place) < states.size() && states[size_t(place)].mover == mover;
        return is_known ? &states[size_t(place)] : nullptr;
    }
};

// Before the solve, of all awake movers. Empty without time warp.
Memory remember(WorldData& world);

// After the step: looks for contacts where the movers are now, and takes back and repeats what went wrong.
void warp_time(WorldData& world, const Memory& memory, Step& s);

} // namespace moraine
