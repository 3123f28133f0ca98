// The reference simulation: it rests where nothing happens, bounces as asked, and passes a hit on.
#include "response/reference.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace moraine;

namespace
{

// A plate on two held edges, its top at height 0.
ModelDefinition bench(double young)
{
    ModelDefinition definition{
        .keep_surface = false, .material = {young, 0.3, 800, 10, 1e-6}, .cell_size = 0.34, .mode_count = 4};
    add_box(definition.surface, {1, 0.04f, 0.5f}, {0, -0.02f, 0});
    FixedRegion left, right;
    left.upper.x = -0.5f;
    right.lower.x = 0.5f;
    definition.fixed = {left, right};
    return definition;
}

ReferenceDish disc(double x, double mass, double radius, double height)
{
    return {.mass = mass,
            .center = {x, 0.5 * height, 0},
            .foot_radius = radius,
            .foot_depth = 0.5 * height,
            .inertia_axis = 0.5 * mass * radius * radius,
            .inertia_across = mass * (3 * radius * radius + height * height) / 12};
}

ReferenceDish falling(ReferenceDish dish, double speed, double seconds)
{
    dish.is_falling = true;
    dish.velocity = {0, -speed, 0};
    dish.center.y += speed * seconds;
    return dish;
}

} // namespace

TEST(Reference, DishesThatNobodyDisturbsStay)
{
    const auto outcome = simulate_reference(bench(1e9), 0, {disc(0.25, 0.5, 0.1, 0.02), disc(-0.2, 0.4, 0.04, 0.07)},
                                            {.dt = 2e-5, .seconds = 0.05});
    ASSERT_TRUE(outcome) << outcome.error().message;
    for (const double rise : outcome->rises)
        EXPECT_LT(rise, 2e-5);
}

TEST(Reference, OnARockADishBouncesByItsRestitution)
{
    ReferenceOptions options{.dt = 2e-5, .settle = 0.01, .seconds = 0.15, .restitution = 0.5};
    const double speed = 2, height = speed * speed / (2 * options.gravity);
    const auto outcome = simulate_reference(bench(1e14), 0, {falling(disc(0, 1, 0.1, 0.1), speed, 0.01)}, options);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_NEAR(outcome->rises[0] / (0.25 * height), 1, 0.15);
}

TEST(Reference, AHitIsFeltElsewhere)
{
    ReferenceOptions options{.dt = 2e-5, .settle = 0.01, .seconds = 0.08};
    const auto outcome = simulate_reference(
        bench(1e9), 0, {disc(0.25, 0.4, 0.04, 0.05), falling(disc(-0.25, 5, 0.1, 0.1), 2, 0.01)}, options);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_GT(outcome->rises[0], 1e-3);
}

TEST(Reference, TablesThatHoverAreRefused)
{
    ModelDefinition definition = bench(1e9);
    definition.fixed.clear();
    EXPECT_FALSE(simulate_reference(definition, 0, {}, {}));
    EXPECT_FALSE(simulate_reference(bench(1e9), 3, {}, {}));
}
