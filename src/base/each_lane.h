// Runs a kernel for a whole batch: eight lanes at once, or one after the other (MORAINE_SCALAR_LANES) to check that both
// give the same bits. Inside `call`, F is the number type and `lane` the lane.
#pragma once

#include "base/lanes.h"

#ifdef MORAINE_SCALAR_LANES
#define MORAINE_EACH_LANE(call)                                                                                        \
    for (int lane = 0; lane < moraine::lane_count; ++lane)                                                             \
    {                                                                                                                  \
        using F = float;                                                                                               \
        call;                                                                                                          \
    }
#else
#define MORAINE_EACH_LANE(call)                                                                                        \
    {                                                                                                                  \
        using F = moraine::Lane;                                                                                       \
        constexpr int lane = 0;                                                                                        \
        call;                                                                                                          \
    }
#endif
