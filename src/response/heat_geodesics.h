// Distances along a triangle surface by the heat method (Crane, Weischedel, Wardetzky 2013): factor once, then two solves
// for each source. Works on edge lengths alone, which are lengthened a little where triangles are degenerate (intrinsic
// mollification, Sharp and Crane 2020), so that any set of triangles has finite weights.
#pragma once

#include "response/surface.h"

#include <moraine/response.h>

namespace moraine
{

constexpr size_t geodesics_kept = 256; // sources, before the one that was not asked for longest goes

Result<std::shared_ptr<const Geodesics>> make_heat_geodesics(const std::vector<Vec3>& vertices,
                                                             const std::vector<Triangle>& triangles,
                                                             size_t kept = geodesics_kept);

} // namespace moraine
