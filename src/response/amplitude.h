// How far a vertex moves when it is hit itself.
#pragma once

#include <moraine/response.h>

namespace moraine
{

// Displacement of a mode of unit mass at time t after a unit impulse: eq. 8 with all of the force at the start.
double modal_impulse_response(double frequency, const ElasticMaterial& material, double time);

// Fills `amplitude`: section 4.4, the largest normal displacement within the duration, every quarter of the fastest period.
void find_amplitudes(ResponseModel& model);

} // namespace moraine
