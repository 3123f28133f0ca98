// Vibration of a model's modes over one step of the world, by a digital filter (distant-collision-response-2020, eq. 10):
//     q(k) = a1 q(k-1) - a2 q(k-2) + ar r(k-1)
// Without forcing it is exact at the samples, whatever their distance T. T is π / (2 ω_max), a little less so that a whole
// number of samples fills the step, and no finer than a thousandth of it.
#pragma once

#include "base/arena.h"

#include <moraine/defs.h>
#include <moraine/response.h>

#include <span>

namespace moraine
{

// q(k-1) and q(k-2) when a step ends, by mode.
struct FilterState
{
    std::vector<double> last{}, before{};

    template <class A>
    void archive(A& a)
    {
        a(last), a(before);
    }
};

// The samples of a step.
struct Vibration
{
    int step_count = 0;
    int stride = 0;             // of a mode's samples: a multiple of eight
    std::span<const float> q{}; // at mode * stride + sample; zero beyond the last
};

int sample_count(const ResponseModel& model, float dt);

// Of one mode, for samples T apart.
struct FilterCoefficients
{
    double a1 = 0, a2 = 0, force = 0; // `force`: of a reduced impulse
};
FilterCoefficients filter_coefficients(double frequency, const ElasticMaterial& material, double sample,
                                       ResponseForcing forcing);

// Runs the filter from `state` with these reduced impulses (eq. 9) at the start of the step.
Vibration run_filter(const ResponseModel& model, std::span<const double> impulses, float dt, ResponseForcing forcing,
                     FilterState& state, Arena& arena);

struct Displacement
{
    float along = 0; // the largest along the normal, either way, within the step (eq. 11)
    Vec3 aside{};    // along the surface, when it was furthest out along the normal
};

// Of a surface point with these mode shapes. `normal` points from the surface to what lies on it.
Displacement largest_displacement(const Vibration& vibration, std::span<const Vec3> shapes, Vec3 normal);

} // namespace moraine
