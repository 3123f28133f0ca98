// Which points of a grid are inside a surface.
#pragma once

#include "response/surface.h"

namespace moraine
{

// Sample points lie at all combinations of three ascending lists of coordinates. Rays along the three axes vote: a ray
// that finds as many ways out as in counts them, so parts may overlap; one that finds a hole abstains.
std::vector<bool> solid_samples(const Surface& surface, const std::array<std::vector<double>, 3>& coordinates);

} // namespace moraine
