// Joints of every kind in a world, judged by physics.
#include <moraine/world.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

struct JointWorld
{
    World world;
    float dt = 1.0f / 60;
    float worst_error = 0; // metres, of any joint after any step

    explicit JointWorld(Vec3 gravity = {0, -9.81f, 0})
        : world({.gravity = gravity, .sleeping = false, .merging = false})
    {}

    BodyId add(const Geometry& geometry, DVec3 position, float mass, Quat rotation = {})
    {
        return world.create_body(
            {.position = position, .rotation = rotation, .shapes = {{.geometry = geometry}}, .mass = mass});
    }
    JointId join(BodyId a, BodyId b, const Pose& frame, const JointKind& kind)
    {
        const JointId joint = world.create_joint(world.joint_at(a, b, frame, kind));
        EXPECT_TRUE(world.is_valid(joint)) << world.last_error();
        return joint;
    }
    void step()
    {
        world.step(dt);
        for (JointId joint : world.joints())
            worst_error = std::max(worst_error, world.joint_error(joint));
    }
    void run(float seconds)
    {
        for (int i = 0, n = int(std::lround(seconds / dt)); i < n; ++i)
            step();
    }
    double height(BodyId body) const { return world.center_of_mass(body).y; }

    // Mean time between zero crossings of a coordinate in the same direction.
    template <class Coordinate>
    float period(int periods, Coordinate&& coordinate)
    {
        float first = 0, last = 0, before = coordinate();
        for (int i = 1, crossings = 0; crossings <= 2 * periods && i < 100000; ++i)
        {
            step();
            const float now = coordinate();
            if ((before < 0) != (now < 0))
            {
                last = (float(i) - now / (now - before)) * dt;
                if (crossings++ == 0)
                    first = last;
            }
            before = now;
        }
        return (last - first) / float(periods);
    }
};

const Quat x_along_y = axis_angle({0, 0, 1}, 0.5f * pi);
const Quat x_along_z = axis_angle({0, 1, 0}, -0.5f * pi);

} // namespace

TEST(JointWorld, PendulumHasItsPeriod)
{
    JointWorld w;
    const float length = 2, angle = 0.15f, radius = 0.3f;
    const BodyId bob = w.add(Sphere{radius}, {double(length * std::sin(angle)), double(-length * std::cos(angle)), 0},
                             5);
    w.join({}, bob, {}, BallJoint{});
    const float inertia = length * length + 0.4f * radius * radius;
    const float expected = 2 * pi * std::sqrt(inertia / (9.81f * length)) * (1 + angle * angle / 16);
    EXPECT_NEAR(w.period(4, [&] { return float(w.world.center_of_mass(bob).x); }), expected, 0.01f * expected);
    EXPECT_LT(w.worst_error, 1e-3f);
}

TEST(JointWorld, PendulumLetGoLevelKeepsMostOfItsHeight)
{
    JointWorld w;
    const BodyId bob = w.add(Sphere{0.1f}, {1, 0, 0}, 1);
    w.join({}, bob, {}, BallJoint{});
    double highest = -1;
    for (int i = 0; i < 600; ++i)
    {
        w.step();
        if (i >= 480)
            highest = std::max(highest, w.height(bob));
    }
    EXPECT_GT(highest, -0.25);
    EXPECT_LT(highest, 0);
    EXPECT_LT(w.worst_error, 1e-3f);
}

TEST(JointWorld, HingedRodHasThePeriodOfAPhysicalPendulum)
{
    JointWorld w;
    const BodyId rod = w.add(Box{{0.05f, 1, 0.05f}}, {0, -1, 0}, 3);
    w.join({}, rod, {{}, x_along_z}, HingeJoint{});
    w.world.set_angular_velocity(rod, {0, 0, 0.3f});
    w.world.set_linear_velocity(rod, {0.3f, 0, 0});
    const float expected = 2 * pi * std::sqrt((4.0f / 3 + 0.0025f / 3) / 9.81f); // I / (m g l) about the hinge
    EXPECT_NEAR(w.period(4, [&] { return float(w.world.center_of_mass(rod).x); }), expected, 0.01f * expected);
}

TEST(JointWorld, ZeroLengthSpringHasItsFrequency)
{
    JointWorld w(Vec3{});
    w.dt = 1.0f / 240;
    const BodyId bob = w.add(Sphere{0.1f}, {0.5, 0, 0}, 4);
    w.world.create_joint({.body_b = bob, .kind = SpringJoint{.stiffness = 100, .damping = 0}});
    const float expected = 2 * pi * std::sqrt(4.0f / 100);
    EXPECT_NEAR(w.period(4, [&] { return float(w.world.center_of_mass(bob).x); }), expected, 0.01f * expected);
}

TEST(JointWorld, SpringBetweenTwoBodiesHasTheFrequencyOfTheirReducedMass)
{
    JointWorld w(Vec3{});
    w.dt = 1.0f / 240;
    const BodyId a = w.add(Sphere{0.1f}, {0, 0, 0}, 1), b = w.add(Sphere{0.1f}, {1.2, 0, 0}, 3);
    w.world.create_joint(
        {.body_a = a, .body_b = b, .kind = SpringJoint{.stiffness = 50, .damping = 0, .rest_length = 1}});
    const auto stretch = [&] { return float(w.world.center_of_mass(b).x - w.world.center_of_mass(a).x) - 1; };
    const float expected = 2 * pi * std::sqrt(0.75f / 50);
    EXPECT_NEAR(w.period(4, stretch), expected, 0.01f * expected);
}

TEST(JointWorld, BridgeOfHundredPlanksHolds)
{
    JointWorld w;
    BodyId before{};
    for (int i = 0; i <= 100; ++i)
    {
        const BodyId plank = i < 100 ? w.add(Box{{0.24f, 0.06f, 1}}, {0.5 * i + 0.25, 0, 0}, 20) : BodyId{};
        w.join(before, plank, {{0.5 * i, 0, 0}, x_along_z}, HingeJoint{});
        before = plank;
    }
    w.run(5);
    w.worst_error = 0;
    w.run(5);
    EXPECT_LT(w.worst_error, 0.1f);
    double lowest = 0;
    for (BodyId body : w.world.bodies())
        lowest = std::min(lowest, w.height(body));
    EXPECT_GT(lowest, -8);
    EXPECT_LT(lowest, -0.1);
}

TEST(JointWorld, HingeMotorReachesItsSpeedAndStallsUnderLoad)
{
    JointWorld w;
    const BodyId wheel = w.add(Cylinder{0.5f, 0.1f}, {0, 0, 0}, 10);
    const JointId joint = w.join({}, wheel, {{}, x_along_y}, HingeJoint{.motor = {.speed = 6, .max_force = 20}});
    w.run(2);
    EXPECT_NEAR(w.world.angular_velocity(wheel).y, 6, 0.02);
    w.world.set_joint_kind(joint, HingeJoint{.motor = {.speed = 0, .max_force = 1}});
    w.run(0.5f);
    // I = 1.25 kg m², one newton metre: 0.8 rad/s each second.
    EXPECT_NEAR(w.world.angular_velocity(wheel).y, 6 - 0.4, 0.03);
}

TEST(JointWorld, SliderLiftsWithItsMotorAndStopsAtItsLimit)
{
    JointWorld w;
    const BodyId box = w.add(Box{{0.3f, 0.3f, 0.3f}}, {0, 0, 0}, 10);
    const JointId joint = w.join({}, box, {{}, x_along_y},
                                 SliderJoint{.limit = {-0.5f, 2}, .motor = {.speed = 1, .max_force = 500}});
    w.run(1);
    EXPECT_NEAR(w.height(box), 1, 0.02);
    w.run(3);
    EXPECT_NEAR(w.height(box), 2, 0.01);
    w.world.set_joint_kind(joint, SliderJoint{.limit = {-0.5f, 2}});
    w.run(3);
    EXPECT_NEAR(w.height(box), -0.5, 0.005);
    EXPECT_LT(w.worst_error, 0.02f);
    EXPECT_NEAR(w.world.joint_impulse(joint), 10 * 9.81f * w.dt, 0.02f);
}

TEST(JointWorld, HingeLimitHoldsUnderLoad)
{
    JointWorld w;
    const BodyId gate = w.add(Box{{1, 0.1f, 0.5f}}, {1, 0, 0}, 50);
    w.join({}, gate, {{}, x_along_z}, HingeJoint{.limit = {-0.2f, 0.2f}});
    const BodyId load = w.add(Box{{0.3f, 0.3f, 0.3f}}, {1.5, 0.8, 0}, 100);
    w.run(4);
    const Vec3 along = rotate(w.world.pose(gate).rotation, {1, 0, 0});
    EXPECT_NEAR(std::asin(along.y), -0.2f, 0.02f);
    EXPECT_TRUE(is_finite(w.world.center_of_mass(load)));
}

TEST(JointWorld, ConeAndTwistLimitsHoldUnderLoad)
{
    JointWorld w;
    const BodyId arm = w.add(Box{{1, 0.1f, 0.1f}}, {1, 0, 0}, 5);
    w.join({}, arm, {}, BallJoint{.cone_limit = 0.4f, .twist = {-0.1f, 0.1f}});
    w.world.set_angular_velocity(arm, {5, 0, 0});
    w.run(5);
    const Vec3 along = rotate(w.world.pose(arm).rotation, {1, 0, 0});
    EXPECT_NEAR(std::acos(along.x), 0.4f, 0.02f);
    EXPECT_LT(along.y, 0);
}

TEST(JointWorld, WeldedBeamStaysStraight)
{
    JointWorld w;
    BodyId before{};
    for (int i = 0; i < 4; ++i)
    {
        const BodyId part = w.add(Box{{0.25f, 0.1f, 0.1f}}, {0.5 * i + 0.25, 0, 0}, 2);
        w.join(before, part, {{0.5 * i, 0, 0}, {}}, FixedJoint{});
        before = part;
    }
    w.run(3);
    EXPECT_NEAR(w.height(before), 0, 0.06); // soft welds bend: half a degree each
    EXPECT_LT(w.worst_error, 0.01f);
}

TEST(JointWorld, RodAndRopeKeepTheirLength)
{
    JointWorld w;
    const BodyId bob = w.add(Sphere{0.2f}, {3, 0, 0}, 5), ball = w.add(Sphere{0.2f}, {0, 1, 5}, 5);
    w.world.create_joint({.body_b = bob, .kind = DistanceJoint{3, 3}});
    w.world.create_joint({.body_b = ball, .frame_a = {{0, 0, 5}, {}}, .kind = DistanceJoint{0, 2}});
    w.run(10);
    EXPECT_LT(w.worst_error, 0.01f);
    EXPECT_NEAR(w.height(ball), -2, 0.01);
}

TEST(JointWorld, UniversalJointPassesTorqueOn)
{
    JointWorld w;
    const BodyId box = w.add(Box{{0.5f, 0.2f, 0.2f}}, {0, 0, 0}, 5);
    // Free about x of the world and y of the box, held about z.
    w.join({}, box, {}, UniversalJoint{});
    for (int i = 0; i < 60; ++i)
    {
        w.world.apply_torque(box, {0, 0, 20});
        w.step();
    }
    const Vec3 y = rotate(w.world.pose(box).rotation, {0, 1, 0});
    EXPECT_NEAR(y.x, 0, 0.01f);
    EXPECT_LT(w.worst_error, 1e-3f);
}

TEST(JointWorld, SixDofSuspensionCarriesItsLoad)
{
    JointWorld w;
    const BodyId box = w.add(Box{{0.5f, 0.2f, 0.2f}}, {0, 0, 0}, 5);
    SixDofJoint six;
    six.linear[1] = {.mode = AxisMode::limited, .limit = {-0.3f, 0.3f}, .spring = {.stiffness = 500, .damping = 50}};
    w.join({}, box, {}, six);
    w.run(5);
    EXPECT_NEAR(w.height(box), -5 * 9.81 / 500, 1e-3);
    EXPECT_LT(length(rotation_vector(w.world.pose(box).rotation)), 1e-3f);
}

TEST(JointWorld, DragJointPullsAndFollowsItsTarget)
{
    JointWorld w;
    const BodyId box = w.add(Box{{0.2f, 0.2f, 0.2f}}, {0, 0, 0}, 5);
    const JointId drag = w.world.create_joint({.body_b = box, .kind = DragJoint{.max_force = 2000}});
    w.world.set_drag_target(drag, {1, 2, -1});
    w.run(3);
    // It hangs below the target by g / ω².
    const double sag = 9.81 / std::pow(2 * double(pi) * 5, 2);
    EXPECT_LT(length(w.world.center_of_mass(box) - DVec3(1, 2 - sag, -1)), 2e-3);
}

TEST(JointWorld, JointBreaksAboveItsImpulseAndSaysSo)
{
    JointWorld w;
    const BodyId box = w.add(Box{{0.2f, 0.2f, 0.2f}}, {0, 0, 0}, 10);
    JointDef def = w.world.joint_at({}, box, {{0, 0.2, 0}, {}}, BallJoint{});
    def.break_impulse = 1.5f * 10 * 9.81f * w.dt;
    const JointId joint = w.world.create_joint(def);
    w.run(2);
    ASSERT_TRUE(w.world.is_valid(joint)) << "its own weight must not break it";
    w.world.apply_force(box, {0, -200, 0});
    w.step();
    ASSERT_EQ(w.world.events().joints_broken.size(), 1u);
    EXPECT_FALSE(w.world.is_valid(joint));
    w.run(1);
    EXPECT_LT(w.height(box), -3);
}

TEST(JointWorld, LightChainCarriesAHundredTimesItsLink)
{
    JointWorld w;
    BodyId before{};
    for (int i = 0; i < 10; ++i)
    {
        const double top = -0.4 * i;
        const BodyId link = i < 9 ? w.add(Capsule{0.05f, 0.15f}, {0, top - 0.2, 0}, 1)
                                  : w.add(Sphere{0.4f}, {0, top - 0.4, 0}, 100);
        w.join(before, link, {{0, top, 0}, {}}, BallJoint{});
        before = link;
    }
    w.world.set_linear_velocity(before, {1, 0, 0});
    w.run(10);
    EXPECT_LT(w.worst_error, 0.03f);
    EXPECT_NEAR(length(w.world.center_of_mass(before)), 4, 0.15);
}

TEST(JointWorld, SwingingChainOfTwentyHolds)
{
    JointWorld w;
    BodyId before{};
    for (int i = 0; i < 20; ++i)
    {
        const BodyId link = w.add(Capsule{0.1f, 0.2f}, {0, -0.5 * i - 0.25, 0}, 10);
        w.join(before, link, {{0, -0.5 * i, 0}, {}}, BallJoint{});
        w.world.set_linear_velocity(link, {0.2f * float(i), 0, 0.1f * float(i)});
        before = link;
    }
    w.run(5);
    EXPECT_LT(w.worst_error, 5e-3f);
    w.run(15);
    w.worst_error = 0;
    w.run(2);
    EXPECT_LT(w.worst_error, 3.5e-3f); // the weight of twenty on the first
}

TEST(JointWorld, JointedStackFallsAsleepAndStaysTogether)
{
    World world;
    world.create_body({.type = BodyType::static_, .shapes = {{.geometry = HalfSpace{}}}});
    const BodyId a = world.create_body({.position = {0, 0.5, 0}, .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}}});
    const BodyId b = world.create_body({.position = {1.1, 0.5, 0}, .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}}});
    world.create_joint(world.joint_at(a, b, {{0.55, 0.5, 0}, x_along_y}, HingeJoint{}));
    for (int i = 0; i < 300; ++i)
        world.step(1.0f / 60);
    EXPECT_FALSE(world.is_awake(a));
    EXPECT_FALSE(world.is_awake(b));
}

} // namespace moraine
