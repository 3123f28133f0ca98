// Waves that travel away from a hit in large bodies and get smaller on their way (distant-collision-response-2020,
// section 4.4).
#pragma once

#include "respond/model_surface.h"

namespace moraine
{

// Eq. 14, and the simplified C r^-beta of section 4.5.
float attenuation_at(const Attenuation& attenuation, float distance);

// Along the surface where there are geodesics, straight where the surface is flat or no way leads along it. Distances are
// sought from `contact`, which stays, and not from the hit, which comes and goes.
float surface_distance(const ResponseModel& model, const Geodesics* geodesics, const SurfacePoint& contact,
                       const SurfacePoint& hit);

} // namespace moraine
