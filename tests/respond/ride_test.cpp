// Riders on one mode against closed forms: the mode is a mass M on a spring, its shape the same everywhere.
#include "respond/ride.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace moraine::test
{
namespace
{

constexpr float surface_mass = 4;
constexpr float slow = 30;

// A second mode that moves nothing makes the samples `finer` times as many.
struct OneMode
{
    ResponseModel model{};
    std::vector<Vec3> shapes{};
    Movers movers{};
    Arena arena{};

    explicit OneMode(float finer = 40)
    {
        model.frequencies = {slow, slow * finer};
        model.material.alpha0 = model.material.alpha1 = 0;
        shapes = {{0, 1 / std::sqrt(surface_mass), 0}, {}};
    }
    Rider rider(float mass, float load = 0) const
    {
        return {.mass = mass, .shapes = shapes, .normal = {0, 1, 0}, .load = load};
    }
    Hitter hitter(float mass, float speed) const
    {
        return {.shapes = shapes, .normal = {0, 1, 0}, .mass = mass, .speed = speed};
    }
    Hitter blow(float impulse) const { return {.shapes = shapes, .normal = {0, 1, 0}, .impulse = impulse}; }
    void run(std::span<Rider> riders, const std::vector<Hitter>& hitters)
    {
        ride(model, 0.01f, riders, hitters, movers, arena);
    }
};

TEST(Ride, ALightRiderIsThrownAsFastAsTheSurfaceComesBack)
{
    // Down for half a period, and then up as fast as it went down: far more than a step after the hit.
    OneMode one;
    Rider rider[] = {one.rider(1e-4f)};
    one.run(rider, {one.blow(2)});
    EXPECT_NEAR(rider[0].speed, 2 / surface_mass, 0.01);
}

TEST(Ride, AHeavyRiderHoldsTheSurfaceBack)
{
    for (float mass : {1.0f, 4.0f, 12.0f})
    {
        OneMode one;
        Rider rider[] = {one.rider(mass)};
        one.run(rider, {one.blow(2)});
        const float v = 2 / surface_mass, expected = v * surface_mass / (surface_mass + mass);
        EXPECT_NEAR(rider[0].speed, expected, 0.02f * v);
    }
}

TEST(Ride, WhatHitsTheSurfaceSwingsWithIt)
{
    // It is not stopped at once: both go down together, and come back as fast.
    OneMode one;
    Rider rider[] = {one.rider(1e-4f)};
    const float mass = 6, speed = 1.5f;
    one.run(rider, {one.hitter(mass, speed)});
    EXPECT_NEAR(rider[0].speed, mass * speed / (mass + surface_mass), 0.02f * speed);
}

TEST(Ride, WhoIsHeldByGravityLeavesWhereTheSurfaceSlowsDownFaster)
{
    // It falls behind at first, is met, and goes along until ω² y = g, above where it rested: there it still has
    // v² - ω² y², and y on top.
    OneMode one;
    const float g = 9.81f, mass = 1e-3f, v = 0.8f;
    Rider rider[] = {one.rider(mass, mass * g)};
    one.run(rider, {one.blow(v * surface_mass)});
    const float y = g / (slow * slow);
    ASSERT_LT(y, v / slow);
    EXPECT_NEAR(rider[0].speed, std::sqrt(v * v - slow * slow * y * y + 2 * g * y), 0.02f * v);
}

TEST(Ride, WhatRestsStaysAtRest)
{
    OneMode one;
    Rider rider[] = {one.rider(2, 2 * 9.81f)};
    one.run(rider, {});
    EXPECT_NEAR(rider[0].speed, 0, 1e-3);
}

TEST(Ride, AWeakBlowLiftsWhoIsHeldByGravityNoHigherThanTheSurface)
{
    // v ω stays below g: they never part.
    OneMode one;
    const float mass = 1e-3f, g = 9.81f, v = 0.5f * g / slow;
    Rider rider[] = {one.rider(mass, mass * g)};
    one.run(rider, {one.blow(v * surface_mass)});
    EXPECT_NEAR(rider[0].speed * rider[0].speed / (2 * g), v / slow, 0.05f * v / slow);
}

TEST(Ride, AMotionAsideIsToldWithTheThrow)
{
    OneMode one;
    one.shapes[0].z = 0.5f * one.shapes[0].y;
    Rider rider[] = {one.rider(1e-4f)};
    one.run(rider, {one.blow(2)});
    EXPECT_NEAR(rider[0].aside.z, 0.5f * rider[0].speed, 0.02f * rider[0].speed);
    EXPECT_NEAR(rider[0].aside.y, 0, 1e-5);
}

TEST(Ride, EnergyIsNeverGained)
{
    std::mt19937 random(5);
    std::uniform_real_distribution<float> some(0.1f, 1);
    for (int round = 0; round < 50; ++round)
    {
        ResponseModel model;
        model.material.alpha0 = model.material.alpha1 = 0;
        for (int j = 0; j < 12; ++j)
            model.frequencies.push_back(slow * float(j + 1) * some(random));
        std::ranges::sort(model.frequencies);
        std::vector<std::vector<Vec3>> shapes(7);
        for (auto& at : shapes)
            for (int j = 0; j < 12; ++j)
                at.push_back({0, some(random) - 0.5f, 0});
        std::vector<Rider> riders;
        for (int i = 0; i < 6; ++i)
            riders.push_back({.group = i, .mass = some(random), .shapes = shapes[size_t(i)], .normal = {0, 1, 0}});
        const Hitter hitter[] = {{.shapes = shapes[6], .normal = {0, 1, 0}, .mass = 3, .speed = 2}};
        Movers movers;
        Arena arena;
        ride(model, 0.01f, riders, hitter, movers, arena);
        // Without loads, a throw's speed is that of the rider at that time; each has its best at a time of its own.
        for (const Rider& r : riders)
            EXPECT_LE(0.5f * r.mass * r.speed * r.speed, 0.5f * 3 * 4 * 1.0001f);
    }
}

TEST(Ride, ManyThatDoNotPressMakeNoDifference)
{
    // A list that is too long for one goes by another way.
    OneMode one;
    std::vector<Rider> few, many;
    for (int i = 0; i < 3; ++i)
        few.push_back(one.rider(0.5f + float(i), 0));
    for (int i = 0; i < 3; ++i)
        few[size_t(i)].group = i;
    many = few;
    for (int i = 0; i < 200; ++i)
        many.insert(many.begin() + 1, {.group = 100 + i, .shapes = one.shapes, .normal = {0, 1, 0}});
    one.run(few, {one.blow(2)});
    one.run(many, {one.blow(2)});
    EXPECT_GT(few[0].speed, 0.05f);
    EXPECT_NEAR(many[0].speed, few[0].speed, 0.1f * few[0].speed);
    EXPECT_NEAR(many[201].speed, few[1].speed, 0.1f * few[1].speed);
    EXPECT_NEAR(many[202].speed, few[2].speed, 0.1f * few[2].speed);
}

TEST(Ride, SamplesAreFineEnough)
{
    // As few as a model without very fast modes gets, and twenty times as many.
    float speeds[2];
    int i = 0;
    for (float finer : {1.0f, 20.0f})
    {
        OneMode one(finer);
        Rider rider[] = {one.rider(1)};
        one.run(rider, {one.blow(2)});
        speeds[i++] = rider[0].speed;
    }
    EXPECT_NEAR(speeds[0], speeds[1], 0.1f * speeds[1]);
}

} // namespace
} // namespace moraine::test
