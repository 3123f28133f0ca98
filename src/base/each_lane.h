// Runs a kernel for a whole batch: eight lanes at once, or one after the other. One after the other where lanes of the batch
// share what they write (is_serial), and in the whole build (MORAINE_SCALAR_LANES) to check that both give the same bits.
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

#define MORAINE_EACH_LANE(is_serial, call)                                                                             \
    if (moraine::all_lanes_are_serial || (is_serial))                                                                  \
    {                                                                                                                  \
        for (int lane = 0; lane < moraine::lane_count; ++lane)                                                         \
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
