// Motion without contact: what the closed forms say.
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

// Times at which the sign of `value()` turns from minus to plus, interpolated.
template <class Value>
std::vector<double> upward_crossings(TestWorld& w, double seconds, Value&& value)
{
    std::vector<double> times;
    double last = value();
    const int steps = int(seconds / double(w.dt));
    for (int i = 0; i < steps; ++i)
    {
        w.step();
        const double now = value();
        if (last < 0 && now >= 0)
            times.push_back((double(i) + last / (last - now)) * double(w.dt));
        last = now;
    }
    return times;
}

double mean_period(const std::vector<double>& crossings)
{
    return crossings.size() < 2 ? 0 : (crossings.back() - crossings.front()) / double(crossings.size() - 1);
}

BodyDef spinner(Vec3 half, Vec3 omega)
{
    return {.angular_velocity = omega, .shapes = {{.geometry = Box{half}}}, .can_sleep = false};
}

} // namespace

// Semi-implicit Euler with steps of h lags behind the parabola by exactly g t h / 2.
TEST(Motion, FreeFallFollowsTheParabolaUpToTheKnownLag)
{
    TestWorld w;
    const BodyId ball = w.add_ball({0, 100, 0});
    w.run_seconds(2);
    const double h = double(w.dt) / w->settings().substeps;
    EXPECT_NEAR(w.way(ball).y, -0.5 * double(gravity) * 2 * (2 + h), 2e-4);
    EXPECT_NEAR(double(w->linear_velocity(ball).y), -2 * double(gravity), 2e-4);
}

TEST(Motion, BallisticArcLandsWhereTheClosedFormSays)
{
    for (SolverKind solver : {SolverKind::substep, SolverKind::pgs, SolverKind::direct})
    {
        WorldDef def;
        def.solver = solver;
        TestWorld w(def);
        w.dt = 0.01f;
        const BodyId ball = w.add({.linear_velocity = {10, 20, -3}, .shapes = {{}}});
        w.run_seconds(3);
        const double h = solver == SolverKind::substep ? double(w.dt) / w->settings().substeps : double(w.dt);
        expect_near(w.way(ball), {30, 60 - 0.5 * double(gravity) * 3 * (3 + h), -9}, 1e-3);
    }
}

TEST(Motion, GravityScaleAndDampingActAsDefined)
{
    TestWorld w;
    const BodyId floating = w.add({.shapes = {{}}, .gravity_scale = 0});
    const BodyId slow = w.add({.position = {10, 0, 0},
                               .linear_velocity = {8, 0, 0},
                               .shapes = {{}},
                               .linear_damping = 0.5f,
                               .gravity_scale = 0});
    w.run_seconds(2);
    EXPECT_EQ(w.moved(floating), 0);
    EXPECT_NEAR(w->linear_velocity(slow).x, 8 * std::exp(-0.5f * 2), 0.01f); // v' = -c v
}

TEST(Motion, AForceActsForOneStepAndATorqueTurns)
{
    TestWorld w(without_gravity());
    const BodyId box = w.add_box({}, {0.5f, 0.5f, 0.5f}, {}, 2);
    w->apply_force(box, {12, 0, 0});
    w->apply_torque(box, {0, 0, 1});
    w.run_steps(5);
    EXPECT_NEAR(w->linear_velocity(box).x, 12.0f / 2 * w.dt, 1e-6f);
    EXPECT_NEAR(w->angular_velocity(box).z, 1 / (2.0f / 6) * w.dt, 1e-5f); // cube: I = m a² / 6
}

TEST(Motion, APhysicalPendulumSwingsWithItsPeriod)
{
    TestWorld w(without_sleep());
    const float arm = 1, radius = 0.2f, angle = 0.1f;
    const Vec3 start{arm * std::sin(angle), -arm * std::cos(angle), 0};
    const BodyId bob = w.add({.position = start,
                              .rotation = axis_angle({0, 0, 1}, angle),
                              .shapes = {{.geometry = Sphere{radius}}},
                              .mass = 1});
    ASSERT_TRUE(w->create_joint({.body_b = bob, .frame_b = {{0, arm, 0}, {}}, .kind = BallJoint{}}));
    const double period = mean_period(upward_crossings(w, 12, [&] { return w.position(bob).x; }));
    const float inertia = 0.4f * radius * radius + arm * arm;
    const double expected = 2 * double(pi * std::sqrt(inertia / (gravity * arm)) * (1 + angle * angle / 16));
    EXPECT_NEAR(period, expected, 0.005 * expected);
    EXPECT_NEAR(length(w->center_of_mass(bob)), double(arm), 1e-3);
}

TEST(Motion, APendulumLosesALittleAndNeverGains)
{
    TestWorld w(without_sleep());
    const BodyId bob = w.add({.position = {1, 0, 0}, .shapes = {{.geometry = Sphere{0.1f}}}, .mass = 1}); // let go at 0
    ASSERT_TRUE(w->create_joint({.body_b = bob, .frame_b = {{-1, 0, 0}, {}}, .kind = BallJoint{}}));
    double highest = -1;
    for (int i = 0; i < 3600; ++i)
    {
        w.step();
        ASSERT_LT(w.position(bob).y, 0.01) << i;
        if (i >= 480 && i < 600)
            highest = std::max(highest, w.position(bob).y);
    }
    EXPECT_GT(highest, -0.4); // after ten seconds
}

TEST(Motion, ASpringSwingsWithItsFrequency)
{
    TestWorld w(without_gravity());
    const float mass = 2, frequency = 1, rest = 1;
    const float stiffness = mass * std::pow(2 * pi * frequency, 2.0f);
    const BodyId ball = w.add({.position = {rest + 0.3f, 0, 0}, .shapes = {{.geometry = Sphere{0.1f}}}, .mass = mass});
    ASSERT_TRUE(w->create_joint(
        {.body_b = ball, .kind = SpringJoint{.stiffness = stiffness, .damping = 0, .rest_length = rest}}));
    const auto stretch = [&] { return w.position(ball).x - double(rest); };
    EXPECT_NEAR(mean_period(upward_crossings(w, 10, stretch)), 1 / double(frequency), 0.01);
}

TEST(Motion, ADampedSpringDecaysAsItsClosedFormSays)
{
    TestWorld w(without_gravity());
    const float mass = 2, omega = 2 * pi, ratio = 0.1f;
    const BodyId ball = w.add({.position = {1.3, 0, 0}, .shapes = {{.geometry = Sphere{0.1f}}}, .mass = mass});
    ASSERT_TRUE(w->create_joint({.body_b = ball,
                                 .kind = SpringJoint{.stiffness = mass * omega * omega,
                                                     .damping = 2 * ratio * mass * omega,
                                                     .rest_length = 1}}));
    double peak = 0; // the second positive one: a full damped period later
    const double period = 1 / std::sqrt(1 - double(ratio * ratio));
    for (int i = 0; i < int(1.3 * period / double(w.dt)); ++i)
    {
        w.step();
        if (i > int(0.7 * period / double(w.dt)))
            peak = std::max(peak, w.position(ball).x - 1);
    }
    EXPECT_NEAR(peak, 0.3 * std::exp(-double(ratio * omega) * period), 0.1 * 0.3);
}

TEST(Motion, AnAsymmetricBodyTurnsFreelyWithItsEnergyAndMomentum)
{
    TestWorld w(without_gravity());
    const BodyId body = w.add(spinner({0.1f, 0.3f, 0.5f}, {0.05f, 6, 0.02f})); // about the middle axis: it tumbles
    const double energy = w->kinetic_energy();
    const DVec3 l = angular_momentum(*w);
    float least = 1;
    for (int i = 0; i < 10000; ++i)
    {
        w.step();
        least = std::min(least, rotate(w->pose(body).rotation, {0, 1, 0}).y);
    }
    EXPECT_NEAR(w->kinetic_energy(), energy, 1e-3 * energy);
    expect_near(angular_momentum(*w), l, 1e-3 * length(l));
    EXPECT_LT(least, -0.9f); // it did turn over
    EXPECT_LT(w.moved(body), 1e-6);
}

// The axis of a symmetric body goes round the momentum at L / I, with I across the axis.
TEST(Motion, ASymmetricTopPrecessesAtItsRate)
{
    TestWorld w(without_gravity());
    const BodyId top = w.add({.angular_velocity = {1, 8, 0},
                              .shapes = {{.geometry = Cylinder{.radius = 0.5f, .half_length = 0.1f}}},
                              .can_sleep = false});
    const Vec3 l = Vec3(angular_momentum(*w));
    const float across = w->inertia(top).x.x;
    w.run_seconds(1);
    const Vec3 expected = rotate(axis_angle(l, length(l) / across), {0, 1, 0});
    EXPECT_LT(distance(rotate(w->pose(top).rotation, {0, 1, 0}), expected), 0.02f);
}

TEST(Motion, SineMotionFollowsItsClosedForm)
{
    TestWorld w;
    const BodyId deck = w.add(
        {.type = BodyType::kinematic, .position = {3, 2, 1}, .shapes = {{.geometry = Box{{5, 0.1f, 5}}}}});
    w->set_motion(deck, SineMotion{.translation = {0.5f, 1, 0}, .rotation = {0, 0, 0.3f}, .period = 4, .phase = 0.5f});
    for (int i = 0; i < 600; ++i)
    {
        w.step();
        const double s = std::sin(2 * double(pi) * w->time() / 4 + 0.5);
        expect_near(w.position(deck), {3 + 0.5 * s, 2 + s, 1}, 1e-4);
        const Vec3 turn = rotation_vector(w->pose(deck).rotation);
        EXPECT_NEAR(double(turn.z), 0.3 * s, 1e-4);
    }
}

TEST(Motion, KeyFramesAndMoveToAreReachedAtTheirTime)
{
    TestWorld w;
    const BodyId lift = w.add({.type = BodyType::kinematic, .shapes = {{.geometry = Box{}}}});
    const BodyId told = w.add({.type = BodyType::kinematic, .position = {9, 0, 0}, .shapes = {{.geometry = Box{}}}});
    const Quat turn = axis_angle({0, 1, 0}, 1);
    w->set_motion(lift, KeyFrameMotion{{{0, {}}, {1, {{0, 2, 0}, turn}}, {2, {{4, 2, 0}, turn}}}});
    w.run_seconds(0.5);
    expect_near(w.position(lift), {0, 1, 0}, 1e-4);
    w.run_seconds(2.5);
    expect_near(w.position(lift), {4, 2, 0}, 1e-4);
    EXPECT_LT(w.speed(lift), 1e-4f);

    w->move_to(told, {{9, 1, 0}, turn});
    w.step();
    expect_near(w.position(told), {9, 1, 0}, 1e-5);
    EXPECT_NEAR(w.turned(told), 1, 1e-4f);
    w.run_steps(10);
    expect_near(w.position(told), {9, 1, 0}, 1e-5);
}

TEST(Motion, PlanarBodiesStayInTheirPlane)
{
    TestWorld w(without_sleep());
    w.add_floor();
    std::vector<BodyId> bodies;
    for (int i = 0; i < 12; ++i)
        bodies.push_back(w.add({.position = {0.3 * (i % 3), 0.6 + 1.1 * i, 0.7},
                                .rotation = axis_angle({0, 0, 1}, 0.3f * float(i)),
                                .shapes = {{.geometry = i % 2 ? Geometry(Box{}) : Geometry(Capsule{})}},
                                .planar = true}));
    // Something that is not planar runs into them from the side.
    w.add({.position = {0, 1, -8}, .linear_velocity = {0, 3, 9}, .shapes = {{}}});
    for (int i = 0; i < 300; ++i)
    {
        w.step();
        for (BodyId b : bodies)
        {
            const Pose p = w->pose(b);
            ASSERT_NEAR(p.position.z, 0.7, 1e-9);
            ASSERT_NEAR(std::hypot(p.rotation.x, p.rotation.y), 0, 1e-5f);
        }
    }
}

namespace
{

struct Shifted
{
    TestWorld w;
    std::vector<BodyId> bodies;
};

// A slope, a stack, a bouncing ball, a pendulum: at an offset that is not a whole number of float steps.
Shifted make_shifted(DVec3 o)
{
    Shifted s{TestWorld(without_sleep()), {}};
    TestWorld& w = s.w;
    w.add(
        {.type = BodyType::static_, .position = o + DVec3{0, -0.5, 0}, .shapes = {{.geometry = Box{{30, 0.5f, 30}}}}});
    const Quat tilt = axis_angle({0, 0, 1}, 0.7f);
    w.add({.type = BodyType::static_,
           .position = o + DVec3{-10, 3, 0},
           .rotation = tilt,
           .shapes = {{.geometry = Box{{4, 0.5f, 2}}, .friction = 0.2f}}});
    s.bodies.push_back(w.add({.position = o + DVec3{-10, 3, 0} + DVec3(rotate(tilt, {1, 0.8f, 0})),
                              .rotation = tilt,
                              .shapes = {{.geometry = Box{{0.3f, 0.3f, 0.3f}}, .friction = 0.2f}}}));
    for (int i = 0; i < 5; ++i)
        s.bodies.push_back(w.add_box(o + DVec3{0.01 * i, 0.5 + i, 0}));
    s.bodies.push_back(w.add_ball(o + DVec3{5, 2, 0}, 0.3f, {.restitution = 0.7f}));
    s.bodies.push_back(w.add_ball(o + DVec3{9, 4, 3}, 0.2f));
    const BodyId hook = w.add({.type = BodyType::static_, .position = o + DVec3{8, 5, 3}});
    EXPECT_TRUE(w->create_joint(w->joint_at(hook, s.bodies.back(), {o + DVec3{8, 4, 3}, {}}, BallJoint{})));
    return s;
}

} // namespace

TEST(Motion, ASceneFiftyKilometresAwayBehavesTheSame)
{
    const DVec3 far{50000.1, 0, -50000.3};
    Shifted here = make_shifted({}), there = make_shifted(far);
    for (int i = 0; i < 240; ++i)
    {
        here.w.step();
        there.w.step();
        for (size_t b = 0; b < here.bodies.size(); ++b)
        {
            ASSERT_LT(length(there.w.position(there.bodies[b]) - far - here.w.position(here.bodies[b])), 1e-3)
                << "body " << b << " at step " << i;
            // Speeds for a moment differ by more: a touch may fall into the step before.
            ASSERT_LT(distance(there.w->linear_velocity(there.bodies[b]), here.w->linear_velocity(here.bodies[b])),
                      5e-2f)
                << "body " << b << " at step " << i;
        }
    }
}

TEST(Motion, AJointToTheWorldFiftyKilometresAwayHoldsAtItsPlace)
{
    const DVec3 place{50000.1, 3, -50000.3};
    TestWorld w;
    const BodyId ball = w.add_ball(place + DVec3{0, -1, 0}, 0.2f);
    ASSERT_TRUE(w->create_joint(w->joint_at({}, ball, {place, {}}, BallJoint{})));
    w.run_seconds(1);
    EXPECT_LT(w.moved(ball), 5e-4);
}
