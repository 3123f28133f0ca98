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
        const double rounding = 3e-7 / double(direct.dt) * double(direct.world.mass(direct.bodies[0]));
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
        Scene pgs = slope(settings(SolverKind::pgs, 1000), angle, 0.5f);
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

TEST(Direct, ChainOfBallJointsHangs)
{
    Scene s(settings(SolverKind::direct));
    BodyId last = s.world.ground();
    for (int i = 0; i < 10; ++i)
    {
        const BodyId ball = s.add_ball({0.5 + i, 0, 0}, 0.2f, i == 9 ? 100.0f : 1.0f);
        s.world.create_joint(s.world.joint_at(last, ball, {{double(i), 0, 0}, {}}, BallJoint{}));
        last = ball;
    }
    s.run(2);
    for (JointId j : s.world.joints())
        EXPECT_LT(s.world.joint_error(j), 0.05f);
    EXPECT_LT(s.height(9), -3);
}
