#include "respond/attenuation.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

float attenuation_at(const Attenuation& attenuation, float distance)
{
    const float r0 = attenuation.reference_distance;
    const float r = std::max(distance, r0);
    return attenuation.scale * std::exp(-attenuation.alpha * (r - r0)) * std::pow(r / r0, -attenuation.beta);
}

float surface_distance(const ResponseModel& model, const Geodesics* geodesics, const SurfacePoint& contact,
                       const SurfacePoint& hit)
{
    const float straight = length(position_at(model, contact) - position_at(model, hit));
    if (!geodesics)
        return straight;
    const std::array<uint32_t, 3>& from = model.triangles[contact.triangle];
    const std::array<uint32_t, 3>& to = model.triangles[hit.triangle];
    const bool is_near = std::ranges::any_of(from, [&](uint32_t v) { return std::ranges::find(to, v) != to.end(); });
    if (is_near)
        return straight;
    float distance = 0;
    for (int i = 0; i < 3; ++i)
    {
        if (!(contact.weights[i] > 0))
            continue;
        const std::shared_ptr<const std::vector<float>> all = geodesics->distances(from[size_t(i)]);
        for (int k = 0; k < 3; ++k)
            if (hit.weights[k] > 0)
                distance += contact.weights[i] * hit.weights[k] * (*all)[to[size_t(k)]];
    }
    return std::isfinite(distance) ? std::max(distance, straight) : straight;
}

} // namespace moraine
