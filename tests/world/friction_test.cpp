// Coulomb's law, and wheels.
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

struct Slope
{
    float angle_degrees = 20;
    float friction = 0.5f;
};

struct SlopeWorld : TestWorld
{
    using TestWorld::TestWorld;
    BodyId box{};
    Vec3 down{};
};

SlopeWorld slope_world(Slope s, const Geometry& geometry = Box{{0.5f, 0.25f, 0.5f}}, float height = 0.25f,
                       Quat roll = {})
{
    SlopeWorld w(without_sleep());
    const Quat tilt = axis_angle({0, 0, 1}, radians(s.angle_degrees));
    w.add_floor({.friction = s.friction}, s.angle_degrees);
    w.box = w.add({.position = DVec3(rotate(tilt, {0, height, 0})),
                   .rotation = tilt * roll,
                   .shapes = {{.geometry = geometry, .friction = s.friction}}});
    w.down = rotate(tilt, {-1, 0, 0});
    return w;
}

// Down the slope, over a second, once the contact has settled.
float acceleration(SlopeWorld& w)
{
    w.run_seconds(0.25);
    const float before = dot(w->linear_velocity(w.box), w.down);
    w.run_seconds(1);
    return dot(w->linear_velocity(w.box), w.down) - before;
}

} // namespace

TEST(Friction, BoxBelowTheFrictionAngleStays)
{
    SlopeWorld w = slope_world({.angle_degrees = 20, .friction = 0.5f});
    w.run_seconds(0.5);
    w.mark(w.box);
    w.run_seconds(5);
    EXPECT_NEAR(w.moved(w.box), 0, 1e-4);
}

TEST(Friction, BoxJustBelowTheFrictionAngleStays)
{
    SlopeWorld w = slope_world({.angle_degrees = 26, .friction = 0.5f}); // atan 0.5 = 26.57°
    w.run_seconds(0.5);
    w.mark(w.box);
    w.run_seconds(5);
    EXPECT_NEAR(w.moved(w.box), 0, 1e-3);
}

TEST(Friction, BoxAboveTheFrictionAngleAcceleratesAsCoulombSays)
{
    for (float angle : {28.0f, 35.0f, 45.0f})
    {
        SlopeWorld w = slope_world({.angle_degrees = angle, .friction = 0.5f});
        const float expected = gravity * (std::sin(radians(angle)) - 0.5f * std::cos(radians(angle)));
        EXPECT_NEAR(acceleration(w), expected, 0.01f * expected) << angle << " degrees";
    }
}

TEST(Friction, FrictionOfAPairIsTheGeometricMean)
{
    TestWorld w(without_sleep());
    w.add_floor({.friction = 0.9f});
    const BodyId box = w.add(
        {.position = {0, 0.5, 0}, .linear_velocity = {6, 0, 0}, .shapes = {{.geometry = Box{}, .friction = 0.1f}}});
    w.run_seconds(1);
    EXPECT_NEAR(w->linear_velocity(box).x, 6 - 0.3f * gravity, 0.03f * 0.3f * gravity);
}

TEST(Friction, ASlidingBoxStopsAfterItsBrakingDistance)
{
    TestWorld w(without_sleep());
    w.add_floor({.friction = 0.4f});
    const BodyId box = w.add({.position = {0, 0.25, 0},
                              .linear_velocity = {5, 0, 0},
                              .shapes = {{.geometry = Box{{0.5f, 0.25f, 0.5f}}, .friction = 0.4f}}});
    w.run_seconds(3);
    const double expected = 25 / (2 * 0.4 * double(gravity));
    EXPECT_NEAR(w.way(box).x, expected, 0.02 * expected);
    EXPECT_LT(w.speed(box), 1e-3f);
}

TEST(Friction, ASphereRollsAtFiveSeventhsOfGravity)
{
    SlopeWorld w = slope_world({.angle_degrees = 20, .friction = 0.8f}, Sphere{0.5f}, 0.5f);
    const float expected = 5.0f / 7 * gravity * std::sin(radians(20));
    EXPECT_NEAR(acceleration(w), expected, 0.01f * expected);
    EXPECT_NEAR(length(w->angular_velocity(w.box)) * 0.5f, w.speed(w.box), 0.01f * w.speed(w.box)); // no slip
}

TEST(Friction, ACylinderRollsAtTwoThirdsOfGravity)
{
    SlopeWorld w = slope_world({.angle_degrees = 20, .friction = 0.8f}, Cylinder{0.5f, 0.5f}, 0.5f,
                               axis_angle({1, 0, 0}, 0.5f * pi));
    const float expected = 2.0f / 3 * gravity * std::sin(radians(20));
    EXPECT_NEAR(acceleration(w), expected, 0.01f * expected);
}

// Above tan(a) = 3.5 mu a sphere slips: friction is mu g cos(a), whatever its spin.
TEST(Friction, ASphereOnASteepSlopeSlips)
{
    SlopeWorld w = slope_world({.angle_degrees = 50, .friction = 0.2f}, Sphere{0.5f}, 0.5f);
    const float expected = gravity * (std::sin(radians(50)) - 0.2f * std::cos(radians(50)));
    EXPECT_NEAR(acceleration(w), expected, 0.01f * expected);
}

TEST(Friction, ASpinningBoxIsBrakedAboutTheNormal)
{
    TestWorld w(without_sleep());
    w.add_floor();
    const BodyId box = w.add(
        {.position = {0, 0.25, 0}, .angular_velocity = {0, 6, 0}, .shapes = {{.geometry = Box{{0.5f, 0.25f, 0.5f}}}}});
    w.run_seconds(3);
    EXPECT_LT(length(w->angular_velocity(box)), 1e-2f);
    EXPECT_LT(w.moved(box), 0.05);
}

TEST(Friction, AMovingPlatformCarriesABoxWithoutSlip)
{
    TestWorld w(without_sleep());
    const BodyId deck = w.add({.type = BodyType::kinematic, .shapes = {{.geometry = Box{{5, 0.5f, 5}}}}});
    const BodyId box = w.add_box({1, 1, 0});
    w.run_seconds(0.5);
    w->set_motion(deck, SineMotion{.translation = {1, 0, 0}, .period = 4}); // at most 2.5 m/s² of friction's 4.9
    const double before = w.position(box).x - w.position(deck).x;
    double worst = 0;
    for (int i = 0; i < 600; ++i)
    {
        w.step();
        // The script starts at its full speed: the first tenth of a second the box has to catch up.
        if (i >= 30)
            worst = std::max(worst, std::fabs(w.position(box).x - w.position(deck).x - before));
    }
    // It catches up 1.57 m/s at 4.9 m/s²: slips by v² / (2 mu g), and not again.
    EXPECT_NEAR(worst, 1.571 * 1.571 / (2 * 4.905), 0.03);
    w.mark(box);
    const double held = w.position(box).x - w.position(deck).x;
    w.run_seconds(8);
    EXPECT_NEAR(w.position(box).x - w.position(deck).x, held, 1e-3);
}

TEST(Friction, AHeavingAndRollingDeckKeepsItsStack)
{
    TestWorld w(without_sleep());
    const BodyId deck = w.add({.type = BodyType::kinematic, .shapes = {{.geometry = Box{{5, 0.5f, 5}}}}});
    std::vector<BodyId> stack;
    for (int i = 0; i < 5; ++i)
        stack.push_back(w.add_box({0, 1.0 + i, 0}));
    w->set_motion(deck, SineMotion{.translation = {0, 0.5f, 0}, .rotation = {0.05f, 0, 0.08f}, .period = 5});
    w.run_seconds(1);
    std::vector<Transform> before;
    for (BodyId b : stack)
        before.push_back(relative(w->pose(b), w->pose(deck)));
    w.run_seconds(20);
    for (size_t i = 0; i < stack.size(); ++i)
        EXPECT_LT(distance(relative(w->pose(stack[i]), w->pose(deck)).position, before[i].position), 0.02f)
            << "box " << i;
}
