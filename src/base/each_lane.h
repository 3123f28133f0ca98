// Runs a kernel for a whole batch: eight lanes at once (in_turn 0), or the first `in_turn` of them one after the other. One
// after the other where lanes of the batch share what they write or only one is in use, and in the whole build
// (MORAINE_SCALAR_LANES) to check that both give the same bits.
// Inside `call`, F is the number type and `lane` the lane.
#pragma once

#include "base/lanes.h"

namespace moraine
{

#ifdef MORAINE_SCALAR_LANES
constexpr bool all_lanes_are_serial = true;
#else
constexpr bool all_lanes_are_serial = false;
#endif

} // namespace moraine

#define MORAINE_EACH_LANE(in_turn, call)                                                                               \
    if (const int in_turn_ = (in_turn); moraine::all_lanes_are_serial || in_turn_ > 0)                                 \
    {                                                                                                                  \
        for (int lane = 0; lane < (in_turn_ > 0 ? in_turn_ : moraine::lane_count); ++lane)                             \
        {                                                                                                              \
            using F = float;                                                                                           \
            call;                                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    else                                                                                                               \
    {                                                                                                                  \
        using F = moraine::Lane;                                                                                       \
        constexpr int lane = 0;                                                                                        \
        call;                                                                                                          \
    }
