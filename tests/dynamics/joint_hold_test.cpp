// Joints that hold: points, axes and rotations.
#include "dynamics/joint_bench.h"

#include <cmath>

namespace moraine
{

namespace
{

// Seconds from rest at one side to rest at the same side again.
float swing_period(JointBench& bench, int32_t body)
{
    float crossings[3]{};
    int count = 0;
    float before = float(bench.pose(body).position.x);
    for (int i = 1; count < 3 && i < 100000; ++i)
    {
        bench.step();
        const float now = float(bench.pose(body).position.x);
        if ((before < 0) != (now < 0))
            crossings[count++] = (float(i) - now / (now - before)) * bench.dt;
        before = now;
    }
    return crossings[2] - crossings[0];
}

const Quat along_z = axis_angle({0, 1, 0}, -0.5f * pi); // x axis of a frame along z

} // namespace

TEST(BallJoint, PendulumSwingsWithItsPeriod)
{
    JointBench bench;
    const float length = 1, angle = 0.1f, radius = 0.2f;
    const int32_t ground = bench.add_static();
    const int32_t bob = bench.add_sphere({double(length * std::sin(angle)), double(-length * std::cos(angle)), 0}, 2,
                                         radius);
    bench.join(ground, bob, {}, BallJoint{});
    const float inertia = length * length + 0.4f * radius * radius;
    const float expected = 2 * pi * std::sqrt(inertia / (9.81f * length)) * (1 + angle * angle / 16);
    EXPECT_NEAR(swing_period(bench, bob), expected, 0.01f * expected);
    EXPECT_LT(bench.largest_error, 1e-3f);
}

TEST(BallJoint, KeepsPointsTogetherWhileBodiesTumble)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t a = bench.add_box({{0, 0, 0}, {}}, 1, {0.5f, 0.2f, 0.1f});
    const int32_t b = bench.add_box({{1, 0, 0}, {}}, 3, {0.5f, 0.1f, 0.3f});
    const int32_t joint = bench.join(a, b, {{0.5, 0, 0}, {}}, BallJoint{});
    bench.set_omega(a, {3, 5, 2});
    bench.set_velocity(b, {0, 1, -2});
    bench.run(5);
    EXPECT_LT(bench.largest_error, 4e-3f);
    EXPECT_NEAR(length(bench.point(a, {0.5f, 0, 0}) - bench.point(b, {-0.5f, 0, 0})), bench.error(joint), 1e-5);
}

TEST(BallJoint, ConservesLinearMomentum)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t a = bench.add_box({{0, 0, 0}, {}}, 1, {0.5f, 0.2f, 0.1f});
    const int32_t b = bench.add_box({{1, 0, 0}, {}}, 3, {0.5f, 0.1f, 0.3f});
    bench.join(a, b, {{0.5, 0, 0}, {}}, BallJoint{});
    bench.set_velocity(a, {0, 3, 1});
    bench.run(3);
    const Vec3 momentum = 1 * bench.velocity(a) + 3 * bench.velocity(b);
    EXPECT_LT(distance(momentum, {0, 3, 1}), 1e-3f);
}

TEST(BallJoint, DoesNotGainEnergy)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    int32_t before = ground;
    for (int i = 0; i < 3; ++i)
    {
        const int32_t link = bench.add_capsule({{0.5 * i + 0.25, 0, 0}, axis_angle({0, 0, 1}, 0.5f * pi)}, 1, 0.05f,
                                               0.2f);
        bench.join(before, link, {{0.5 * i, 0, 0}, {}}, BallJoint{});
        bench.set_velocity(link, {0, 0, 1});
        before = link;
    }
    const double start = bench.energy();
    for (int second = 0; second < 10; ++second)
    {
        bench.run(1);
        EXPECT_LT(bench.energy(), start + 0.05) << "after " << second + 1 << " s";
    }
}

TEST(BallJoint, ConeLimitStopsTheSwing)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    // The frames' x axes point down the rod.
    const Quat down = axis_angle({0, 0, 1}, -0.5f * pi);
    const int32_t rod = bench.add_box({{0, -1, 0}, {}}, 1, {0.1f, 1, 0.1f});
    const int32_t joint = bench.join(ground, rod, {{}, down}, BallJoint{.cone_limit = 0.5f});
    bench.set_omega(rod, {2, 0, 3});
    bench.set_velocity(rod, {3, 0, -2});
    float largest = 0;
    for (int i = 0; i < 300; ++i)
    {
        bench.step();
        const Vec3 x = rotate(bench.between(joint).rotation, {1, 0, 0});
        largest = std::max(largest, std::acos(std::min(x.x, 1.0f)));
    }
    EXPECT_GT(largest, 0.45f);
    EXPECT_LT(largest, 0.53f);
}

TEST(BallJoint, TwistLimitStopsTheTwist)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({{0.5, 0, 0}, {}}, 1, {0.5f, 0.2f, 0.2f});
    const int32_t joint = bench.join(ground, box, {}, BallJoint{.cone_limit = 1, .twist = {-0.3f, 0.6f}});
    bench.set_omega(box, {4, 0, 0});
    bench.run(2);
    EXPECT_LT(rotation_vector(bench.between(joint).rotation).x, 0.63f);
    bench.set_omega(box, {-4, 0, 0});
    bench.run(2);
    EXPECT_GT(rotation_vector(bench.between(joint).rotation).x, -0.33f);
}

TEST(BallJoint, NoConeIsAnAxis)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({{0.5, 0, 0}, {}}, 1, {0.5f, 0.2f, 0.2f});
    const int32_t joint = bench.join(ground, box, {}, BallJoint{.cone_limit = 0});
    bench.set_omega(box, {4, 0, 0});
    bench.run(2);
    EXPECT_GT(rotate(bench.between(joint).rotation, {1, 0, 0}).x, 0.9999f);
    EXPECT_NEAR(bench.omega(box).x, 4, 0.1);
}

TEST(HingeJoint, KeepsItsAxis)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t door = bench.add_box({{0.5, 0, 0}, {}}, 5, {0.5f, 1, 0.05f});
    const int32_t joint = bench.join(ground, door, {{}, axis_angle({0, 0, 1}, 0.5f * pi)}, HingeJoint{}); // about y
    bench.set_omega(door, {1, 3, -1});
    bench.run(5);
    EXPECT_GT(rotate(bench.between(joint).rotation, {1, 0, 0}).x, 0.9999f);
    EXPECT_LT(bench.largest_error, 2e-3f);
    // The centre was at rest: what it had about y is shared with a door four times as heavy about the hinge.
    EXPECT_NEAR(bench.omega(door).y, 0.75, 0.03);
}

TEST(HingeJoint, LimitHoldsAgainstGravity)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t arm = bench.add_box({{0.5, 0, 0}, {}}, 5, {0.5f, 0.1f, 0.1f});
    const int32_t joint = bench.join(ground, arm, {{}, along_z}, HingeJoint{.limit = {-0.4f, 0.3f}});
    bench.run(4);
    const float down = bench.joints[joint].angle;
    EXPECT_NEAR(std::fabs(down), down < 0 ? 0.4f : 0.3f, 0.01f);
    bench.gravity = -bench.gravity;
    bench.run(4);
    const float up = bench.joints[joint].angle;
    EXPECT_NEAR(std::fabs(up), up < 0 ? 0.4f : 0.3f, 0.01f);
    EXPECT_LT(up * down, 0);
}

TEST(HingeJoint, LimitsBeyondOneTurnCountTurns)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t ground = bench.add_static();
    const int32_t wheel = bench.add_box({{0, 0, 0}, {}}, 1, {0.1f, 0.5f, 0.5f});
    const int32_t joint = bench.join(ground, wheel, {}, HingeJoint{.limit = {-1, 10}});
    bench.set_omega(wheel, {5, 0, 0});
    bench.run(1);
    EXPECT_NEAR(bench.joints[joint].angle, 5, 0.1);
    bench.run(3);
    EXPECT_NEAR(bench.joints[joint].angle, 10, 0.1);
}

TEST(HingeJoint, MotorReachesItsSpeed)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t wheel = bench.add_box({{0, 0, 0}, {}}, 2, {0.1f, 0.5f, 0.5f});
    bench.join(ground, wheel, {}, HingeJoint{.motor = {.speed = 8, .max_force = 1}});
    // Torque 1 N m on 2/3 (0.25 + 0.25) kg m²: three rad/s each second.
    bench.run(1);
    EXPECT_NEAR(bench.omega(wheel).x, 3, 0.05);
    bench.run(3);
    EXPECT_NEAR(bench.omega(wheel).x, 8, 0.01);
}

TEST(HingeJoint, FastWheelKeepsItsAxisOnATurningCarrier)
{
    for (const bool wheel_first : {false, true})
    {
        JointBench bench;
        bench.gravity = {};
        const int32_t carrier = bench.add(BodyType::kinematic, {}, 0, {});
        bench.set_omega(carrier, {0, 1, 0});
        const int32_t wheel = bench.add_box({{0, 0, 1}, {}}, 10, {0.4f, 0.4f, 0.1f});
        bench.set_omega(wheel, {0, 1, 60});
        bench.set_velocity(wheel, {1, 0, 0});
        const int32_t joint = bench.join(wheel_first ? wheel : carrier, wheel_first ? carrier : wheel,
                                         {{0, 0, 1}, along_z}, HingeJoint{});
        float smallest = 1;
        for (int i = 0; i < 300; ++i)
        {
            bench.step();
            smallest = std::min(smallest, rotate(bench.between(joint).rotation, {1, 0, 0}).x);
        }
        EXPECT_GT(smallest, std::cos(0.02f));
        EXPECT_LT(bench.largest_error, 2e-3f);
        EXPECT_NEAR(length(bench.omega(wheel)), 60, 6);
    }
}

TEST(FixedJoint, WeldHoldsItsRotation)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t a = bench.add_box({{0.5, 0, 0}, axis_angle({1, 2, 3}, 1)}, 5, {0.5f, 0.1f, 0.1f});
    const int32_t b = bench.add_box({{1.5, 0, 0}, axis_angle({3, 2, 1}, 2)}, 5, {0.5f, 0.1f, 0.1f});
    const int32_t first = bench.join(ground, a, {}, FixedJoint{});
    const int32_t second = bench.join(a, b, {{1, 0, 0}, {}}, FixedJoint{});
    bench.run(3);
    EXPECT_LT(length(rotation_vector(bench.between(first).rotation)), 0.01f);
    EXPECT_LT(length(rotation_vector(bench.between(second).rotation)), 0.01f);
    EXPECT_LT(bench.largest_error, 5e-3f);
    EXPECT_NEAR(bench.pose(b).position.y, 0, 0.02);
}

TEST(FixedJoint, PullsATurnedBodyBackTheShortWay)
{
    for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, -1, 1}})
    {
        JointBench bench;
        bench.gravity = {};
        const int32_t ground = bench.add(BodyType::static_, {{}, axis_angle({1, 1, 0}, 0.7f)}, 0, {});
        const int32_t box = bench.add_box({}, 1, {0.5f, 0.2f, 0.1f});
        const int32_t joint = bench.join(ground, box, {{}, axis_angle({0, 1, 2}, 0.4f)}, FixedJoint{});
        bench.movers[box].pose.rotation = axis_angle(axis, 1.5f);
        bench.run(1);
        EXPECT_LT(length(rotation_vector(bench.between(joint).rotation)), 0.01f);
        EXPECT_LT(length(bench.omega(box)), 0.1f);
    }
}

TEST(UniversalJoint, TurnsAboutTwoAxesOnly)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({}, 1, {0.2f, 0.2f, 0.2f});
    const int32_t joint = bench.join(ground, box, {}, UniversalJoint{});
    bench.set_omega(box, {1, 2, 0});
    bench.run(0.5f);
    EXPECT_GT(length(bench.omega(box)), 1.5f);
    bench.set_omega(box, {0, 0, 3});
    bench.run(1);
    const Quat q = bench.between(joint).rotation;
    EXPECT_NEAR(dot(Vec3{1, 0, 0}, rotate(q, {0, 1, 0})), 0, 0.01);
}

TEST(UniversalJoint, ShaftTurnsTheOtherShaftAcrossAnAngle)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t ground = bench.add_static();
    const Vec3 bent = normalize(Vec3{1, 0.5f, 0});
    const int32_t a = bench.add_box({{-0.5, 0, 0}, {}}, 1, {0.5f, 0.1f, 0.1f});
    const int32_t b = bench.add_box({DVec3(0.5f * bent), rotation_between({1, 0, 0}, bent)}, 1, {0.5f, 0.1f, 0.1f});
    // The cross has one arm in each shaft: x of frame A along y, y of frame B along z.
    bench.join(a, b, {{}, normalize(axis_angle({0, 0, 1}, 0.5f * pi) * axis_angle({1, 0, 0}, 0.5f * pi))},
               UniversalJoint{});
    bench.join(ground, a, {{-1, 0, 0}, {}}, HingeJoint{.motor = {.speed = 5, .max_force = 100}});
    bench.join(ground, b, {DVec3(bent), rotation_between({1, 0, 0}, bent)}, HingeJoint{});
    // Both shafts make the same number of turns.
    bench.run(2 * pi / 5);
    bench.run(4 * 2 * pi / 5);
    EXPECT_NEAR(bench.joints[2].angle, bench.joints[1].angle, 0.25f);
    EXPECT_GT(bench.joints[1].angle, 25);
    EXPECT_LT(bench.largest_error, 3e-3f);
}

} // namespace moraine
