// Waves that die away: the fit finds the curve its points lie on, and a hit on a rod is felt along all of it.
#include "response/amplitude.h"
#include "response/fit_attenuation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace moraine;

TEST(Attenuation, FitFindsTheCurveItsPointsLieOn)
{
    const Attenuation truth{0.048f, 0.8f, 0.033f, 1}; // the paper's
    std::vector<AttenuationSample> samples;
    for (int i = 1; i < 200; ++i)
        samples.push_back({0.05 * i, attenuation_factor(truth, 0.05 * i)});
    const AttenuationFit fit = fit_attenuation(samples);
    EXPECT_NEAR(double(fit.attenuation.alpha), 0.048, 1e-4);
    EXPECT_NEAR(double(fit.attenuation.beta), 0.8, 1e-4);
    EXPECT_NEAR(double(fit.attenuation.reference_distance), 0.033, 1e-4);
    EXPECT_LT(fit.error, 1e-5);
    EXPECT_THAT(attenuation_svg(fit), testing::HasSubstr("<circle"));
}

TEST(Attenuation, FitNeverGrowsWithDistance)
{
    std::vector<AttenuationSample> samples;
    for (int i = 1; i < 50; ++i)
        samples.push_back({0.1 * i, 0.01 * std::exp(0.2 * i)});
    const AttenuationFit fit = fit_attenuation(samples);
    EXPECT_GE(fit.attenuation.alpha, 0);
    EXPECT_GE(fit.attenuation.beta, 0);
}

TEST(Attenuation, AHitOnASolidDiesAwayWithDistance)
{
    // A block of soil that damps well: what is far feels less than what is near, and 1/r or so is what geometry says.
    ModelDefinition definition{.surface = make_box_surface({4, 1, 4}),
                               .material = {1e8, 0.3, 1800, 20, 1e-4},
                               .cell_size = 0.5,
                               .mode_count = 4};
    const auto samples = measure_attenuation(definition, {.impacts = 2, .distant = 60});
    ASSERT_TRUE(samples) << samples.error().message;
    EXPECT_GT(samples->size(), 100u);
    double near = 0, far = 0;
    int near_count = 0, far_count = 0;
    for (const AttenuationSample& s : *samples)
    {
        EXPECT_GT(s.ratio, 0);
        EXPECT_LT(s.ratio, 1.5);
        (s.distance < 1.2 ? near : far) += s.ratio;
        ++(s.distance < 1.2 ? near_count : far_count);
    }
    EXPECT_GT(near / near_count, 2 * far / far_count);
    const AttenuationFit fit = fit_attenuation(*samples);
    EXPECT_GT(fit.attenuation.beta + fit.attenuation.alpha, 0.2f);
}

TEST(Attenuation, ModalResponseIsThatOfADampedOscillator)
{
    // Integrated finely: q'' + (a0 + a1 w^2) q' + w^2 q = 0 with q' = 1 at the start; under- and overdamped.
    for (const double alpha0 : {5.0, 900.0})
    {
        const ElasticMaterial material{.alpha0 = alpha0, .alpha1 = 1e-5};
        const double w = 300, damping = alpha0 + 1e-5 * w * w, dt = 1e-7;
        double q = 0, v = 1;
        for (int i = 1; i <= 100'000; ++i)
        {
            v += dt * (-damping * v - w * w * q);
            q += dt * v;
            if (i % 20'000 == 0)
                EXPECT_NEAR(modal_impulse_response(w, material, i * dt), q, 2e-7);
        }
    }
}
