// Joints that let slide, pull, and push.
#include "dynamics/joint_bench.h"

#include <cmath>

namespace moraine
{

namespace
{

// Frequency and damping ratio of the motion of a coordinate about zero, from its zero crossings and peaks.
struct Oscillation
{
    float frequency = 0;
    float damping_ratio = 0;
};

template <class Coordinate>
Oscillation observe(JointBench& bench, Coordinate&& coordinate)
{
    float first = 0, last = 0, before = coordinate();
    float peak = 0, first_peak = 0, last_peak = 0;
    int crossings = 0;
    for (int i = 1; crossings < 9 && i < 100000; ++i)
    {
        bench.step();
        const float now = coordinate();
        peak = std::max(peak, std::fabs(now));
        if ((before < 0) != (now < 0))
        {
            last = (float(i) - now / (now - before)) * bench.dt;
            if (crossings == 0)
                first = last;
            if (crossings == 1)
                first_peak = peak;
            last_peak = peak;
            peak = 0;
            ++crossings;
        }
        before = now;
    }
    const float frequency = 0.5f * float(crossings - 1) / (last - first);
    const float decrement = std::log(first_peak / last_peak) / float(crossings - 2); // of half a period
    return {frequency, decrement / std::sqrt(pi * pi + decrement * decrement)};
}

} // namespace

TEST(SpringJoint, ZeroLengthSpringSwingsWithRootOfStiffnessOverMass)
{
    JointBench bench;
    bench.dt = 1.0f / 240;
    bench.gravity = {};
    const int32_t ground = bench.add_static();
    const int32_t bob = bench.add_sphere({1, 0, 0}, 4);
    bench.join_points(ground, {}, bob, {}, SpringJoint{.stiffness = 100, .damping = 2});
    const Oscillation seen = observe(bench, [&] { return float(bench.pose(bob).position.x); });
    const float omega = std::sqrt(100.0f / 4);
    EXPECT_NEAR(seen.frequency, omega / (2 * pi), 0.01f * omega / (2 * pi));
    EXPECT_NEAR(seen.damping_ratio, 2 / (2 * 4 * omega), 0.004f); // c / (2 m ω), and half a step of implicit Euler
}

TEST(SpringJoint, ZeroLengthSpringActsInAllDirections)
{
    JointBench bench;
    bench.gravity = {1, 2, 3};
    const int32_t ground = bench.add_static();
    const int32_t bob = bench.add_sphere({0, 0, 0}, 2);
    bench.join_points(ground, {}, bob, {}, SpringJoint{.stiffness = 50, .damping = 20});
    bench.run(10);
    EXPECT_LT(length(bench.pose(bob).position - DVec3(2.0 / 50, 4.0 / 50, 6.0 / 50)), 1e-4);
}

TEST(SpringJoint, KeepsItsRestLength)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t bob = bench.add_sphere({0.3, -2, 0}, 3);
    bench.join_points(ground, {}, bob, {}, SpringJoint{.stiffness = 300, .damping = 30, .rest_length = 1.5f});
    bench.run(60);
    EXPECT_NEAR(length(bench.pose(bob).position), 1.5 + 3 * 9.81 / 300, 2e-3);
}

TEST(SpringJoint, HugeStiffnessIsStable)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t bob = bench.add_box({{0.5, 0, 0}, {}}, 1, {0.5f, 0.05f, 0.05f});
    bench.join_points(ground, {}, bob, {-0.5f, 0, 0}, SpringJoint{.stiffness = 1e9f, .damping = 0});
    bench.run(10);
    EXPECT_LT(length(bench.point(bob, {-0.5f, 0, 0})), 0.01);
    EXPECT_LT(bench.energy(), 1);
}

TEST(HingeJoint, SpringTurnsWithItsFrequency)
{
    JointBench bench;
    bench.dt = 1.0f / 240;
    bench.gravity = {};
    const int32_t ground = bench.add_static();
    const int32_t wheel = bench.add_box({}, 6, {0.1f, 0.5f, 0.5f}); // 1 kg m² about x
    const int32_t joint = bench.join(ground, wheel, {},
                                     HingeJoint{.spring = {.stiffness = 40, .damping = 0.2f, .target = 0.5f}});
    const Oscillation seen = observe(bench, [&] { return bench.joints[joint].angle - 0.5f; });
    EXPECT_NEAR(seen.frequency, std::sqrt(40.0f) / (2 * pi), 0.01f);
}

TEST(DistanceJoint, RodKeepsItsLength)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t bob = bench.add_sphere({2, 0, 0}, 3);
    bench.join_points(ground, {}, bob, {}, DistanceJoint{.lower = 2, .upper = 2});
    bench.set_velocity(bob, {0, 0, 3});
    bench.run(10);
    EXPECT_LT(bench.largest_error, 2e-3f);
}

TEST(DistanceJoint, RopeIsSlackUntilItIsTaut)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t bob = bench.add_sphere({0, 0, 0}, 3);
    const int32_t rope = bench.join_points(ground, {}, bob, {}, DistanceJoint{.lower = 0, .upper = 2});
    bench.run(0.5f);
    EXPECT_NEAR(bench.pose(bob).position.y, -0.5 * 9.81 * 0.25, 0.03);
    EXPECT_EQ(bench.joints[rope].linear_impulse, 0);
    bench.run(5);
    EXPECT_NEAR(bench.pose(bob).position.y, -2, 2e-3);
    EXPECT_LT(bench.largest_error, 5e-3f);
    EXPECT_NEAR(bench.joints[rope].linear_impulse, 3 * 9.81f * bench.dt, 1e-3f);
}

TEST(DistanceJoint, KeepsTheLowerEndToo)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t a = bench.add_sphere({0, 0, 0}, 1), b = bench.add_sphere({2, 0, 0}, 5);
    bench.join_points(a, {}, b, {}, DistanceJoint{.lower = 1, .upper = 3});
    bench.set_velocity(b, {-4, 0, 0});
    bench.run(1);
    EXPECT_NEAR(bench.pose(b).position.x - bench.pose(a).position.x, 1, 0.01);
    EXPECT_LT(bench.largest_error, 0.01f);
}

TEST(SliderJoint, LimitHoldsUnderLoad)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({{0, 0, 0}, {}}, 10, {0.2f, 0.2f, 0.2f});
    const Quat up = axis_angle({0, 0, 1}, 0.5f * pi);
    bench.join(ground, box, {{}, up}, SliderJoint{.limit = {-1, 0.5f}});
    bench.set_omega(box, {3, 4, 5});
    bench.run(3);
    EXPECT_NEAR(bench.pose(box).position.y, -1, 2e-3);
    EXPECT_LT(length(rotation_vector(bench.pose(box).rotation)), 0.01f);
    EXPECT_NEAR(bench.pose(box).position.x, 0, 1e-3);
}

TEST(SliderJoint, MotorDrivesASpeedWithBoundedForce)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({}, 10, {0.2f, 0.2f, 0.2f});
    bench.join(ground, box, {}, SliderJoint{.motor = {.speed = -2, .max_force = 10}});
    bench.run(1);
    EXPECT_NEAR(bench.velocity(box).x, -1, 0.02);
    bench.run(2);
    EXPECT_NEAR(bench.velocity(box).x, -2, 1e-3);
}

TEST(SliderJoint, FollowsATurningCarrier)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t carrier = bench.add(BodyType::kinematic, {}, 0, {});
    bench.set_omega(carrier, {0, 0, 4});
    const int32_t box = bench.add_box({{1, 0, 0}, {}}, 10, {0.2f, 0.2f, 0.2f});
    bench.set_velocity(box, {0, 4, 0});
    bench.set_omega(box, {0, 0, 4});
    const int32_t joint = bench.join(carrier, box, {{0, 0, 0}, {}}, SliderJoint{.limit = {-1, 0.5f}});
    bench.run(2);
    EXPECT_LT(bench.largest_error, 0.01f);
    EXPECT_NEAR(bench.between(joint).position.x, 0.5f, 0.01f); // flung out
}

TEST(SliderJoint, SpringAndMotorTogetherOnOneAxis)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({}, 2, {0.2f, 0.2f, 0.2f});
    const Quat up = axis_angle({0, 0, 1}, 0.5f * pi);
    // The motor brakes with at most 5 N; the spring carries the rest of 19.62 N.
    bench.join(ground, box, {{}, up}, SliderJoint{.motor = {.speed = 0, .max_force = 5}, .spring = {.stiffness = 100}});
    bench.run(20);
    EXPECT_LT(std::fabs(bench.pose(box).position.y + 0.1962), 0.0501);
    EXPECT_NEAR(bench.velocity(box).y, 0, 1e-3);
}

TEST(SixDofJoint, LimitsEachAxisByItself)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({}, 2, {0.2f, 0.2f, 0.2f});
    SixDofJoint six;
    six.linear[1] = {.mode = AxisMode::limited, .limit = {-0.3f, 0.3f}};
    six.linear[2] = {.mode = AxisMode::free};
    six.angular[0] = {.mode = AxisMode::limited, .limit = {-0.2f, 0.2f}};
    six.angular[1] = {.mode = AxisMode::free, .motor = {.speed = 2, .max_force = 100}};
    bench.join(ground, box, {}, six);
    bench.set_velocity(box, {1, 0, 1});
    bench.run(0.25f);
    EXPECT_NEAR(bench.omega(box).y, 2, 0.2);
    bench.run(1);
    EXPECT_NEAR(bench.pose(box).position.x, 0, 2e-3);
    EXPECT_NEAR(bench.pose(box).position.y, -0.3, 2e-3);
    EXPECT_NEAR(bench.pose(box).position.z, 1.25, 0.05);
}

TEST(SixDofJoint, AllLockedIsAWeld)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({{1, 0, 0}, {}}, 2, {0.2f, 0.2f, 0.2f});
    const int32_t joint = bench.join(ground, box, {}, SixDofJoint{});
    bench.run(2);
    EXPECT_LT(bench.largest_error, 5e-3f);
    EXPECT_LT(bench.error(joint), 1e-3f);
    EXPECT_LT(length(rotation_vector(bench.between(joint).rotation)), 0.01f);
}

TEST(SixDofJoint, AngularSpringsReachATiltedTarget)
{
    JointBench bench;
    bench.gravity = {};
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({}, 2, {0.3f, 0.2f, 0.1f});
    SixDofJoint six;
    const Vec3 target{0.8f, -1.1f, 0.6f};
    for (int i = 0; i < 3; ++i)
        six.angular[i] = {.mode = AxisMode::free, .spring = {.stiffness = 5, .damping = 1, .target = target[i]}};
    const int32_t joint = bench.join(ground, box, {}, six);
    bench.run(10);
    EXPECT_LT(distance(rotation_vector(bench.between(joint).rotation), target), 0.01f);
}

TEST(SixDofJoint, EveryAxisWithEverythingFits)
{
    JointBench bench;
    SixDofJoint six;
    for (Axis* axes : {six.linear, six.angular})
        for (int i = 0; i < 3; ++i)
            axes[i] = {.mode = AxisMode::limited, .limit = {-1, 1}, .motor = {1, 1}, .spring = {10, 1, 0}};
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({}, 2, {0.3f, 0.2f, 0.1f});
    const int32_t joint = bench.join(ground, box, {}, six);
    EXPECT_EQ(triple_count(bench.joints[joint]), max_joint_triples);
    bench.run(5);
    EXPECT_LT(bench.largest_error, 0.01f);
    EXPECT_LT(length(bench.velocity(box)), 0.1f);
}

TEST(DragJoint, PullsToItsTarget)
{
    for (const float max_force : {infinity, 200.0f})
    {
        JointBench bench;
        bench.gravity = {};
        const int32_t ground = bench.add_static();
        const int32_t box = bench.add_box({}, 2, {0.3f, 0.2f, 0.1f});
        bench.join_points(ground, {1, 2, 3}, box, {0.3f, 0, 0}, DragJoint{.max_force = max_force});
        bench.run(5);
        EXPECT_LT(length(bench.point(box, {0.3f, 0, 0}) - DVec3(1, 2, 3)), 0.02) << max_force;
    }
}

TEST(DragJoint, CannotLiftMoreThanItsForce)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t box = bench.add_box({}, 10, {0.3f, 0.2f, 0.1f});
    bench.join_points(ground, {0, 5, 0}, box, {}, DragJoint{.max_force = 50});
    bench.run(1);
    EXPECT_NEAR(bench.velocity(box).y, -9.81 + 5, 0.1);
}

} // namespace moraine
