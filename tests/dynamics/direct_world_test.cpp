#include "solver_scenes.h"

using namespace moraine;
using namespace moraine::solver_scenes;

namespace
{

// After each step, against so many sweeps that they have converged: speeds, and what the floor carries.
void expect_agreement(Scene& direct, Scene& pgs, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        direct.world.step(direct.dt);
        pgs.world.step(pgs.dt);
        const double scale = 9.81 * double(direct.dt) + double(length(direct.world.linear_velocity(direct.bodies[0])));
        for (size_t b = 0; b < direct.bodies.size(); ++b)
        {
            const Vec3 v = direct.world.linear_velocity(direct.bodies[b]) - pgs.world.linear_velocity(pgs.bodies[b]);
            const Vec3 w = direct.world.angular_velocity(direct.bodies[b]) - pgs.world.angular_velocity(pgs.bodies[b]);
            ASSERT_LT(length(v), 1e-4 * scale) << "step " << i << " body " << b;
            ASSERT_LT(length(w), 1e-3 * scale) << "step " << i << " body " << b;
        }
        const double carried = total_impulse(pgs, pgs.bodies[0]);
        // Separations are known to about 1e-7 m, and a body that may close them in this step does so.
        const double rounding = 1e-7 / double(direct.dt) * double(direct.world.mass(direct.bodies[0]));
        ASSERT_NEAR(total_impulse(direct, direct.bodies[0]), carried, 1e-4 * carried + rounding) << "step " << i;
    }
}

} // namespace

TEST(Direct, AgreesWithManySweepsOnAStack)
{
    Scene direct = stack(settings(SolverKind::direct), 4), pgs = stack(settings(SolverKind::pgs, 1000), 4);
    expect_agreement(direct, pgs, 50);
}

TEST(Direct, AgreesWithManySweepsOnASlope)
{
    for (float angle : {15.0f, 40.0f})
    {
        Scene direct = slope(settings(SolverKind::direct), angle, 0.5f);
        // Not more: once converged, each sweep adds a rounding error of the (sliding) velocity to the impulses.
        Scene pgs = slope(settings(SolverKind::pgs, 30), angle, 0.5f);
        expect_agreement(direct, pgs, 50);
    }
}

TEST(Direct, AgreesWithManySweepsOnACrookedStack)
{
    for (float angle : {0.0f, 10.0f})
    {
        Scene direct = crooked_stack(settings(SolverKind::direct), angle);
        Scene pgs = crooked_stack(settings(SolverKind::pgs, 1000), angle);
        expect_agreement(direct, pgs, 20);
    }
}

// Where sweeps would need thousands of rounds.
TEST(Direct, MassRatioOfTenThousandStands)
{
    Scene s = stack(settings(SolverKind::direct), 3, 10000);
    s.run(2);
    for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(s.height(i), 0.5 + double(i), 0.01);
}

namespace
{

Scene chain(const WorldDef& def, float tip_mass)
{
    Scene s(def);
    s.dt = 0.005f;
    BodyId last = s.world.ground();
    for (int i = 0; i < 10; ++i)
    {
        const BodyId ball = s.add_ball({0.5 + i, 0, 0}, 0.2f, i == 9 ? tip_mass : 1.0f);
        s.world.create_joint(s.world.joint_at(last, ball, {{double(i), 0, 0}, {}}, BallJoint{}));
        last = ball;
    }
    return s;
}

// A door that a motor pushes against its limit, and a swing on a spring.
Scene hinges(const WorldDef& def)
{
    Scene s(def);
    const Quat x_to_z = axis_angle({0, 1, 0}, -0.5f * pi);
    const HingeJoint kinds[2] = {{.limit = {-0.2f, 0.3f}, .motor = {2, 30}}, {.spring = {20, 1, 0.5f}}};
    for (int i = 0; i < 2; ++i)
    {
        const BodyId box = s.add_box({0.6 + 5 * i, 0, 0}, {0.5f, 0.1f, 0.3f});
        s.world.create_joint(s.world.joint_at(s.world.ground(), box, {{5.0 * i, 0, 0}, x_to_z}, kinds[i]));
    }
    return s;
}

} // namespace

TEST(Direct, ChainWithAHeavyEndHoldsTogether)
{
    Scene s = chain(settings(SolverKind::direct), 100);
    s.run(2);
    for (JointId j : s.world.joints())
        EXPECT_LT(s.world.joint_error(j), 0.005f);
    EXPECT_LT(s.height(9), -8);
}

TEST(Direct, AgreesWithManySweepsOnAChain)
{
    Scene direct = chain(settings(SolverKind::direct), 1), pgs = chain(settings(SolverKind::pgs, 500), 1);
    direct.run(1);
    pgs.run(1);
    for (size_t i = 0; i < 10; ++i)
        EXPECT_LT(length(direct.world.center_of_mass(direct.bodies[i]) - pgs.world.center_of_mass(pgs.bodies[i])),
                  1e-3);
}

TEST(Direct, AgreesWithManySweepsOnLimitsMotorsAndSprings)
{
    Scene direct = hinges(settings(SolverKind::direct)), pgs = hinges(settings(SolverKind::pgs, 300));
    for (int i = 0; i < 100; ++i)
    {
        direct.world.step(direct.dt);
        pgs.world.step(pgs.dt);
        for (size_t b = 0; b < 2; ++b)
            ASSERT_LT(
                length(direct.world.angular_velocity(direct.bodies[b]) - pgs.world.angular_velocity(pgs.bodies[b])),
                2e-3f)
                << "step " << i << " body " << b;
    }
}

// More rows than are pivoted: the group is swept instead, and stands all the same.
TEST(Direct, LargeGroupsFallBackToSweeps)
{
    Scene s(settings(SolverKind::direct));
    s.add_floor();
    for (int row = 0; row < 10; ++row)
        for (int column = 0; column < 20; ++column)
            s.add_box({column + 0.5 * (row % 2), 0.5 + row, 0});
    s.run(0.03f);
    for (BodyId b : s.bodies)
        EXPECT_LT(length(s.world.linear_velocity(b)), 0.05f);
}
