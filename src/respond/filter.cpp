#include "respond/filter.h"

#include "base/lanes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace moraine
{

namespace
{

constexpr int most_samples = 1024;
constexpr size_t most_modes = 1024; // that fit the stack of largest_displacement

} // namespace

int sample_count(const ResponseModel& model, float dt)
{
    const double highest = model.frequencies.empty() ? 0 : double(model.frequencies.back());
    const double wanted = std::ceil(double(dt) * highest * 2 / std::numbers::pi - 1e-6);
    return int(std::clamp(wanted, 1.0, double(most_samples)));
}

// The poles of q'' + 2 d q' + ω² q = 0 are -d ± sqrt(d² - ω²). An impulse gives q' = 1 at once, and the filter meets that
// motion at every sample. James and Pai's coefficient spreads the force over a sample, which takes up to 58 % from the
// highest mode.
FilterCoefficients filter_coefficients(double frequency, const ElasticMaterial& material, double sample,
                                       ResponseForcing forcing)
{
    const double w = frequency;
    const double d = 0.5 * (material.alpha0 + material.alpha1 * w * w);
    const double decay = std::exp(-d * sample);
    const double split = w * w - d * d;
    FilterCoefficients c{.a2 = decay * decay};
    if (split > 0)
    {
        const double wd = std::sqrt(split), theta = wd * sample;
        c.a1 = 2 * decay * std::cos(theta);
        c.force = decay * std::sin(theta) / wd;
        if (forcing == ResponseForcing::james_pai)
        {
            const double gamma = std::asin(d / w);
            c.force = 2 * (decay * std::cos(theta + gamma) - c.a2 * std::cos(2 * theta + gamma)) / (3 * w * wd) /
                      sample;
        }
        return c;
    }
    // Overdamped: it creeps back.
    const double root = std::sqrt(-split);
    const double fast = std::exp((-d - root) * sample), slow = std::exp((-d + root) * sample);
    c.a1 = fast + slow;
    c.force = root > 0 ? (slow - fast) / (2 * root) : sample * decay;
    return c;
}

Vibration run_filter(const ResponseModel& model, std::span<const double> impulses, float dt, ResponseForcing forcing,
                     FilterState& state, Arena& arena)
{
    const int steps = sample_count(model, dt);
    const int stride = (steps + lane_count - 1) / lane_count * lane_count;
    const size_t modes = model.mode_count();
    std::span<float> q = arena.allocate<float>(modes * size_t(stride));
    state.last.resize(modes);
    state.before.resize(modes);
    for (size_t j = 0; j < modes; ++j)
    {
        const FilterCoefficients c = filter_coefficients(double(model.frequencies[j]), model.material,
                                                         double(dt) / steps, forcing);
        double last = state.last[j], before = state.before[j], force = c.force * impulses[j];
        float* out = q.data() + j * size_t(stride);
        for (int k = 0; k < steps; ++k)
        {
            const double now = c.a1 * last - c.a2 * before + force;
            before = last;
            last = now;
            force = 0;
            out[k] = float(now);
        }
        std::fill(out + steps, out + stride, 0.0f);
        state.last[j] = last;
        state.before[j] = before;
    }
    return {steps, stride, q};
}

Displacement largest_displacement(const Vibration& vibration, std::span<const Vec3> shapes, Vec3 normal)
{
    float along[most_modes];
    const size_t modes = std::min(shapes.size(), most_modes);
    for (size_t j = 0; j < modes; ++j)
        along[j] = dot(shapes[j], normal);

    float largest = 0, furthest = 0;
    int when = -1;
    for (int block = 0; block < vibration.stride; block += lane_count)
    {
        Lane sum = splat<Lane>(0);
        const float* samples = vibration.q.data() + block;
        for (size_t j = 0; j < modes; ++j)
        {
            Lane q;
            std::memcpy(&q, samples + j * size_t(vibration.stride), sizeof q);
            sum = sum + q * splat<Lane>(along[j]);
        }
        for (int lane = 0; lane < lane_count; ++lane)
        {
            largest = std::max(largest, std::fabs(sum[lane]));
            if (sum[lane] <= furthest)
                continue;
            furthest = sum[lane];
            when = block + lane;
        }
    }
    Displacement out{largest, {}};
    if (when < 0)
        return out;
    Vec3 moved{};
    for (size_t j = 0; j < modes; ++j)
        moved += shapes[j] * vibration.q[j * size_t(vibration.stride) + size_t(when)];
    out.aside = moved - normal * dot(moved, normal);
    return out;
}

} // namespace moraine
