// Algorithm 4: one state out of the copies that several workers have of a body.
#pragma once

#include "world/body_state.h"

#include <span>

namespace moraine::distribute
{

// Equations 11 to 14: positions and velocities are weighted sums, and so are quaternions, each turned to the side of the
// sum so far, and normalised. Copies that are the same are not rounded.
BodyState blend(std::span<const BodyState> copies, std::span<const float> weights);

} // namespace moraine::distribute
