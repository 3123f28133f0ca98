// How waves die away in a body, measured in a transient simulation of its elements: section 5.3 and figure 10.
#pragma once

#include "response/precompute.h"

namespace moraine
{

struct AttenuationSample
{
    double distance = 0; // along the surface
    double ratio = 0;    // of the largest normal velocities here and at the hit
};

struct AttenuationFit
{
    Attenuation attenuation{};
    std::vector<AttenuationSample> samples{};
    double error = 0; // root mean square of the logarithm's
};

struct FitOptions
{
    int impacts = 8;
    int distant = 60; // points for each
    uint32_t seed = 1;
};

// Best α, β, r0 of eq. 14 in the logarithm; neither α nor β negative.
AttenuationFit fit_attenuation(std::vector<AttenuationSample> samples);

Result<std::vector<AttenuationSample>> measure_attenuation(const ModelDefinition& definition, const FitOptions& options,
                                                           const std::function<void(double)>& progress = {});

double attenuation_factor(const Attenuation& attenuation, double distance);

// The samples, the fit and the simplified form C r^-β of the paper, as a picture.
std::string attenuation_svg(const AttenuationFit& fit);

} // namespace moraine
