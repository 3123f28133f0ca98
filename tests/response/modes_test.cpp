// Frequencies against the closed forms of beams, plates and spheres.
#include "response/precompute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace moraine;

namespace
{

constexpr ElasticMaterial test_material{1e10, 0.3, 1000, 10, 1e-7};
const double wave_speed = std::sqrt(test_material.young / test_material.density);

ModelDefinition box(Vec3 size, double cell, int modes = 12)
{
    return {.surface = make_box_surface(size), .material = test_material, .cell_size = cell, .mode_count = modes};
}

ModelDefinition cantilever(Vec3 size, double cell)
{
    ModelDefinition definition = box(size, cell);
    FixedRegion root;
    root.upper.x = -0.5f * size.x;
    definition.fixed = {root};
    return definition;
}

Precomputed made(const ModelDefinition& definition)
{
    auto result = precompute(definition);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : Precomputed{};
}

// Which way most of a mode moves.
int direction(const ResponseModel& model, size_t mode)
{
    double sums[3] = {};
    for (uint32_t v = 0; v < model.vertices.size(); ++v)
        for (int a = 0; a < 3; ++a)
            sums[a] += std::pow(double(model.shapes_of(v)[mode][a]), 2);
    return int(std::max_element(sums, sums + 3) - sums);
}

// Frequencies of the modes that bend along an axis. Twisting comes later than the first three in slender beams.
std::vector<double> bending(const ResponseModel& model, int axis)
{
    std::vector<double> found;
    for (size_t j = 0; j < model.mode_count(); ++j)
        if (direction(model, j) == axis)
            found.push_back(double(model.frequencies[j]));
    return found;
}

double beam_frequency(double root, double thickness, double length)
{
    return root * root * wave_speed * thickness / std::sqrt(12.0) / (length * length);
}

} // namespace

TEST(Modes, SlenderCantileverBendsAsEulerBernoulliSays)
{
    // 40 times as long as thick; wider than thick, so that bending modes across do not mix.
    const Precomputed made_model = made(cantilever({1, 0.025f, 0.04f}, 0.05));
    const auto found = bending(made_model.model, 1);
    ASSERT_GE(found.size(), 3u);
    const double roots[] = {1.875104, 4.694091, 7.854757};
    for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(found[i] / beam_frequency(roots[i], 0.025, 1), 1, 0.02) << i;
    EXPECT_TRUE(made_model.model.has_fixed_boundary);
}

TEST(Modes, RefinementConvergesFromAbove)
{
    std::vector<double> before;
    for (const double cell : {0.2, 0.1, 0.05, 0.025})
    {
        const auto found = bending(made(cantilever({1, 0.025f, 0.04f}, cell)).model, 1);
        ASSERT_GE(found.size(), 3u);
        for (size_t i = 0; i < before.size(); ++i)
            EXPECT_LE(found[i], before[i] * (1 + 1e-6)) << cell << ", mode " << i;
        before.assign(found.begin(), found.begin() + 3);
    }
}

TEST(Modes, FreeBeamBendsAsEulerBernoulliSays)
{
    const Precomputed made_model = made(box({1, 0.025f, 0.04f}, 0.05));
    const auto found = bending(made_model.model, 1);
    ASSERT_GE(found.size(), 3u);
    const double roots[] = {4.730041, 7.853205, 10.995608};
    for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(found[i] / beam_frequency(roots[i], 0.025, 1), 1, 0.03) << i;
}

TEST(Modes, FreeSquarePlateVibratesAsLeissaSays)
{
    const double thickness = 0.02;
    const auto& model = made(box({1, 1, float(thickness)}, 1.0 / 15)).model;
    const double stiffness = test_material.young * std::pow(thickness, 3) / 12 / (1 - 0.3 * 0.3);
    const double unit = std::sqrt(stiffness / (test_material.density * thickness));
    const double known[] = {13.468, 19.596, 24.270, 34.801, 34.801}; // Poisson ratio 0.3
    ASSERT_GE(model.frequencies.size(), 5u);
    for (size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(double(model.frequencies[i]) / (known[i] * unit), 1, 0.03) << i;
}

TEST(Modes, SphereRingsNearItsClosedForm)
{
    // Five twisting modes (2.501) and five of the football (2.640), in units of the shear wave speed over the radius. The
    // surface is curved, so elements are cut by it.
    ModelDefinition definition{.surface = make_sphere_surface(0.5f, 20), .material = test_material, .unknowns = 8000};
    const auto& model = made(definition).model;
    const double unit = wave_speed / std::sqrt(2 * 1.3) / 0.5;
    EXPECT_NEAR(double(model.frequencies[2]) / (2.501 * unit), 1, 0.06);
    EXPECT_NEAR(double(model.frequencies[7]) / (2.640 * unit), 1, 0.06);
    EXPECT_NEAR(double(model.mass) / (test_material.density * 4 / 3 * double(pi) * 0.125), 1, 0.01);
}

TEST(Modes, FreeBodyHasSixRigidModesNearZero)
{
    const Precomputed free = made(box({1, 0.5f, 0.3f}, 0.2));
    EXPECT_LT(free.rigid_largest, 1e-3 * double(free.model.frequencies[0]));
    EXPECT_GT(free.model.frequencies[0], 1000);
}

TEST(Modes, ShapesAreMassNormalised)
{
    // A cantilever's tip moves by 2 / sqrt(mass) in each bending mode.
    const auto& model = made(cantilever({1, 0.025f, 0.04f}, 0.05)).model;
    size_t mode = 0;
    while (direction(model, mode) != 1)
        ++mode;
    float tip = 0;
    for (uint32_t v = 0; v < model.vertices.size(); ++v)
        tip = std::max(tip, std::fabs(model.shapes_of(v)[mode].y));
    EXPECT_NEAR(double(tip) * std::sqrt(double(model.mass)), 2, 0.02);
}

TEST(Modes, AmplitudeOfASlowModeIsThatOfItsOscillator)
{
    // With one undamped mode and enough time the tip goes as far as impulse times shape squared over frequency.
    ModelDefinition definition = cantilever({1, 0.025f, 0.04f}, 0.1);
    definition.mode_count = 1;
    definition.material.alpha0 = definition.material.alpha1 = 0;
    definition.amplitude_duration = 1;
    const auto& model = made(definition).model;
    for (uint32_t v = 0; v < model.vertices.size(); ++v)
    {
        const double farthest = double(length_squared(model.shapes_of(v)[0]) / model.frequencies[0]);
        const double up = std::pow(double(model.shapes_of(v)[0].y), 2) / double(model.frequencies[0]);
        EXPECT_LE(double(model.amplitude[v]), farthest * 1.0001 + 1e-12);
        const Vec3 p = model.vertices[v];
        if (std::fabs(p.y) > 0.012f && p.x > -0.4f && p.x < 0.45f && std::fabs(p.z) < 0.019f)
            EXPECT_GE(double(model.amplitude[v]), 0.98 * up);
    }
}

TEST(Modes, HeapOfBoxesIsOneBody)
{
    // A table: a top and four legs that reach into it. Standing on its fixed feet it sways at a closed form's order.
    ModelDefinition definition{.keep_surface = false, .material = test_material, .unknowns = 6000};
    add_box(definition.surface, {1.6f, 0.04f, 0.8f}, {0, 0.73f, 0});
    for (const float x : {-0.74f, 0.74f})
        for (const float z : {-0.34f, 0.34f})
            add_box(definition.surface, {0.06f, 0.75f, 0.06f}, {x, 0.375f, z});
    FixedRegion floor;
    floor.upper.y = 0;
    definition.fixed = {floor};
    const Precomputed table = made(definition);
    EXPECT_TRUE(table.notes.empty()) << table.notes.front();
    const double volume = 1.6 * 0.04 * 0.8 + 4 * 0.06 * 0.06 * 0.71;
    EXPECT_NEAR(double(table.model.mass), 1000 * volume, 0.01);
    // Sway: legs clamped below, guided above, 12 E I / L^3 each, carry the top.
    const double inertia = std::pow(0.06, 4) / 12, length = 0.71;
    const double stiffness = 4 * 12 * test_material.young * inertia / std::pow(length, 3);
    const double mass = 1000 * (1.6 * 0.04 * 0.8 + 4 * 0.06 * 0.06 * 0.71 * 13 / 35);
    EXPECT_NEAR(double(table.model.frequencies[0]), std::sqrt(stiffness / mass), 0.25 * std::sqrt(stiffness / mass));
}

TEST(Modes, AreTheSameBitsEachTime)
{
    const auto definition = box({1, 0.5f, 0.1f}, 0.2);
    const auto a = made(definition).model, b = made(definition).model;
    EXPECT_EQ(a.shapes, b.shapes);
    EXPECT_EQ(a.frequencies, b.frequencies);
}

TEST(Modes, ComeFromTheCacheTheSecondTime)
{
    const std::string folder = testing::TempDir() + "/moraine_cache_test";
    std::filesystem::remove_all(folder);
    setenv("MORAINE_CACHE", folder.c_str(), 1);
    auto definition = box({1, 0.5f, 0.1f}, 0.2);
    const auto first = precompute_cached(definition), second = precompute_cached(definition);
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(first->is_cached);
    EXPECT_TRUE(second->is_cached);
    EXPECT_EQ(first->model.shapes, second->model.shapes);
    definition.material.young *= 1.01;
    const auto other = precompute_cached(definition);
    ASSERT_TRUE(other);
    EXPECT_FALSE(other->is_cached);
    unsetenv("MORAINE_CACHE");
    std::filesystem::remove_all(folder);
}
