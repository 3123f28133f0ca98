// The filter of eq. 10 against the motion of a damped oscillator.
#include "respond/attenuation.h"
#include "respond/beam.h"
#include "respond/filter.h"
#include "respond/model_surface.h"

#include <gtest/gtest.h>

#include <random>

namespace moraine::test
{
namespace
{

ResponseModel oscillators(std::vector<float> frequencies, double alpha0 = 0, double alpha1 = 0)
{
    ResponseModel m;
    m.material.alpha0 = alpha0;
    m.material.alpha1 = alpha1;
    m.frequencies = std::move(frequencies);
    return m;
}

TEST(Filter, FollowsADampedOscillatorThroughManySteps)
{
    const ResponseModel m = oscillators({40, 310, 2000}, 5, 1e-4);
    const std::vector<double> hit{1, -2, 3}, nothing{0, 0, 0};
    FilterState state;
    Arena arena;
    const float dt = 0.01f;
    const int samples = sample_count(m, dt);
    for (int step = 0; step < 20; ++step)
    {
        const Vibration v = run_filter(m, step == 0 ? hit : nothing, dt, ResponseForcing::exact, state, arena);
        for (size_t j = 0; j < 3; ++j)
            for (int k = 0; k < samples; ++k)
            {
                const double w = double(m.frequencies[j]), d = 0.5 * (5 + 1e-4 * w * w), wd = std::sqrt(w * w - d * d);
                const double t = double(dt) * (step + (k + 1.0) / samples);
                const double q = hit[j] / wd * std::exp(-d * t) * std::sin(wd * t);
                EXPECT_NEAR(v.q[j * size_t(v.stride) + size_t(k)], q, 1e-6 * std::fabs(hit[j]) / wd + 1e-9);
            }
    }
}

TEST(Filter, AnOverdampedModeCreepsBack)
{
    const ResponseModel m = oscillators({50}, 400);
    FilterState state;
    Arena arena;
    const std::vector<double> hit{1};
    const Vibration v = run_filter(m, hit, 0.1f, ResponseForcing::exact, state, arena);
    const double d = 200, root = std::sqrt(d * d - 2500), t = 0.1;
    EXPECT_NEAR(v.q[size_t(v.step_count) - 1], (std::exp((root - d) * t) - std::exp((-root - d) * t)) / (2 * root),
                1e-7);
}

TEST(Filter, SamplesAreAQuarterOfTheShortestPeriodApart)
{
    // T = π / (2 ω_max), or a little less.
    EXPECT_EQ(sample_count(oscillators({float(std::numbers::pi * 1000)}), 0.01f), 20);
    EXPECT_EQ(sample_count(oscillators({3}), 0.01f), 1);
    EXPECT_EQ(sample_count(oscillators({1e8f}), 0.01f), 1024);
}

TEST(Filter, JamesAndPaisForcingIsTheSameForSlowModes)
{
    const ElasticMaterial material{.alpha0 = 0, .alpha1 = 0};
    const double sample = 1e-4;
    const double slow = 100, fast = std::numbers::pi / 2 / sample;
    EXPECT_NEAR(filter_coefficients(slow, material, sample, ResponseForcing::james_pai).force /
                    filter_coefficients(slow, material, sample, ResponseForcing::exact).force,
                1, 1e-3);
    // (2 / 3ω²) / T against 1 / ω at θ = π / 2.
    EXPECT_NEAR(filter_coefficients(fast, material, sample, ResponseForcing::james_pai).force /
                    filter_coefficients(fast, material, sample, ResponseForcing::exact).force,
                4 / (3 * std::numbers::pi), 1e-6);
}

TEST(Displacement, TheLargestWithinTheStepIsThatOfTheBeam)
{
    const Beam beam;
    const auto model = beam.model();
    const auto surface = make_model_surface(model);
    std::vector<Vec3> shapes(model->mode_count());
    std::vector<double> reduced(model->mode_count());
    const float x0 = -0.45f, x = 0.7f, impulse = 3;
    shapes_at(*model, closest_point(*surface, {x0, 0.02f, 0}), shapes);
    for (size_t j = 0; j < reduced.size(); ++j)
        reduced[j] = double(-impulse * shapes[j].y); // eq. 9
    FilterState state;
    Arena arena;
    const Vibration v = run_filter(*model, reduced, 0.01f, ResponseForcing::exact, state, arena);
    shapes_at(*model, closest_point(*surface, {x, 0.02f, 0.1f}), shapes);
    const Displacement d = largest_displacement(v, shapes, {0, 1, 0});
    const double fine = beam.largest(double(x), double(x0), double(impulse), 0.01);
    EXPECT_LE(d.along, fine * 1.001);
    EXPECT_GE(d.along, fine * 0.9); // four samples in the shortest period
    EXPECT_NEAR(length(d.aside), 0, 1e-9);
}

TEST(Surface, TheTreeFindsWhatAScanFinds)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> at(-1, 1);
    auto model = std::make_shared<ResponseModel>();
    for (uint32_t i = 0; i < 600; ++i)
        model->vertices.push_back({at(random), at(random), at(random)});
    for (uint32_t i = 0; i + 2 < 600; i += 3)
        model->triangles.push_back({i, i + 1, i + 2});
    const auto surface = make_model_surface(model);
    for (int i = 0; i < 300; ++i)
    {
        const Vec3 p{2 * at(random), 2 * at(random), 2 * at(random)};
        float best = infinity;
        for (uint32_t t = 0; t < model->triangles.size(); ++t)
            for (int a = 0; a <= 20; ++a)
                for (int b = 0; a + b <= 20; ++b)
                    best = std::min(
                        best,
                        length(p - position_at(*model, {t, {float(a) / 20, float(b) / 20, float(20 - a - b) / 20}})));
        const SurfacePoint found = closest_point(*surface, p);
        EXPECT_NEAR(found.weights.x + found.weights.y + found.weights.z, 1, 1e-5);
        EXPECT_LE(length(p - position_at(*model, found)), best + 1e-5f);
    }
}

TEST(Attenuation, FollowsEquation14AndItsSimpleForm)
{
    const Attenuation full{.alpha = 0.048f, .beta = 0.8f, .reference_distance = 0.033f};
    EXPECT_NEAR(attenuation_at(full, 2), std::exp(-0.048 * (2 - 0.033)) * std::pow(2 / 0.033, -0.8), 1e-6);
    EXPECT_FLOAT_EQ(attenuation_at(full, 0.01f), 1);
    const Attenuation simple{.beta = 2, .scale = 0.7f};
    EXPECT_FLOAT_EQ(attenuation_at(simple, 3), 0.7f / 9);
}

} // namespace
} // namespace moraine::test
