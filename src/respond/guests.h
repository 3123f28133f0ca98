// Riders and hitters of a surface whose bodies are in other worlds: copies of the body that shakes are to move alike.
#pragma once

#include "dynamics/contact_row.h"

#include <vector>

namespace moraine
{

struct Guest
{
    int32_t source = -1; // the body that shakes
    int32_t body = -1;   // that rides on it or has hit it
    int32_t world = 0;   // where that is
    int32_t group = 0;   // of riders, in that world
    uint32_t is_hitter = 0;
    int32_t side = 1;       // of the row: the body's
    Vec3 point{}, normal{}; // in the frame of the body that shakes; out of it
    float mass = 0, gap = 0, load = 0;
    ContactRow row{}; // without mass: a point by itself
    Vec3 linear{}, spin{};
    float inv_mass = 0;
};

} // namespace moraine
