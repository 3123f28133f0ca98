#include "response/amplitude.h"

#include "response/surface.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr double longest_series = 4000; // samples; slow modes move far, so that the fastest may be sampled coarsely

} // namespace

double modal_impulse_response(double frequency, const ElasticMaterial& material, double time)
{
    const double damping = 0.5 * (material.alpha0 + material.alpha1 * frequency * frequency);
    const double squared = frequency * frequency - damping * damping;
    if (squared > 1e-12 * frequency * frequency)
    {
        const double damped = std::sqrt(squared);
        return std::exp(-damping * time) * std::sin(damped * time) / damped;
    }
    // Overdamped: two decays, written so that neither overflows.
    const double spread = std::sqrt(std::max(-squared, 1e-12 * frequency * frequency));
    return (std::exp((spread - damping) * time) - std::exp(-(spread + damping) * time)) / (2 * spread);
}

void find_amplitudes(ResponseModel& model)
{
    const size_t modes = model.mode_count();
    const double duration = double(model.amplitude_duration);
    const double step = 0.5 * double(pi) / double(model.frequencies.back());
    const size_t samples = size_t(std::clamp(duration / step, 1.0, longest_series));
    std::vector<double> response(samples * modes);
    for (size_t k = 0; k < samples; ++k)
        for (size_t j = 0; j < modes; ++j)
            response[k * modes + j] = modal_impulse_response(double(model.frequencies[j]), model.material,
                                                             duration * double(k + 1) / double(samples));
    const std::vector<Vec3> normals = vertex_normals(model.vertices, model.triangles);
    model.amplitude.assign(model.vertices.size(), 0.0f);
    std::vector<double> squares(modes);
    for (uint32_t v = 0; v < model.vertices.size(); ++v)
    {
        for (size_t j = 0; j < modes; ++j)
        {
            const double along = double(dot(normals[v], model.shapes_of(v)[j]));
            squares[j] = along * along;
        }
        double largest = 0;
        for (size_t k = 0; k < samples; ++k)
        {
            double displacement = 0;
            for (size_t j = 0; j < modes; ++j)
                displacement += squares[j] * response[k * modes + j];
            largest = std::max(largest, std::fabs(displacement));
        }
        model.amplitude[v] = float(largest);
    }
}

} // namespace moraine
