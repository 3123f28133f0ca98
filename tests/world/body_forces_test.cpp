// Forces of single constraints, against weights.
#include "support/test_world.h"
#include "world/body_forces.h"
#include "world/world_data.h"

namespace moraine::test
{
namespace
{

BodyForce force_between(const World& world, BodyId on, BodyId from)
{
    BodyForce sum;
    const auto add = [&](const BodyForce& f) {
        sum.force += f.force;
        sum.torque += f.torque;
    };
    for_each_touching_edge(world.data(), [&](int32_t, const Edge& edge) {
        if (std::min(on.index, from.index) == uint32_t(edge.body_a) &&
            std::max(on.index, from.index) == uint32_t(edge.body_b))
            add(contact_force(world.data(), edge, int32_t(on.index)));
    });
    for_each_joint_force(world.data(), int32_t(on.index), [&](int32_t other, const BodyForce& f) {
        if (other == int32_t(from.index))
            add(f);
    });
    return sum;
}

// Off the middle, so that the contact turns the lower box.
TEST(BodyForces, ABoxPressesWithItsWeightWhereItRests)
{
    for (SolverKind solver : {SolverKind::substep, SolverKind::pgs})
    {
        TestWorld w({.solver = solver, .sleeping = false});
        w.add_floor();
        const BodyId lower = w.add_box({0, 0.5, 0}, {2, 0.5f, 2}, {}, 10);
        const BodyId upper = w.add_box({1, 1.5, 0}, {0.5f, 0.5f, 0.5f}, {}, 3);
        w.run_seconds(3);
        const BodyForce down = force_between(*w, lower, upper), up = force_between(*w, upper, lower);
        const float weight = 3 * gravity;
        EXPECT_NEAR(down.force.y, -weight, 0.01f * weight);
        EXPECT_NEAR(up.force.y, weight, 0.01f * weight);
        EXPECT_NEAR(down.torque.z, -weight, 0.02f * weight); // an arm of one metre
        EXPECT_NEAR(length(up.torque), 0, 0.02f * weight);
    }
}

TEST(BodyForces, AJointCarriesWhatHangsOnIt)
{
    TestWorld w({.sleeping = false});
    const BodyId ceiling = w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{0.1f, 0.1f, 0.1f}}}}});
    const BodyId upper = w.add_box({0, -1, 0}, {0.1f, 0.4f, 0.1f}, {}, 2),
                 lower = w.add_box({0, -2, 0}, {0.1f, 0.4f, 0.1f}, {}, 5);
    w->create_joint({.body_a = ceiling, .body_b = upper, .frame_b = {{0, 1, 0}, {}}, .kind = BallJoint{}});
    w->create_joint({.body_a = upper,
                     .body_b = lower,
                     .frame_a = {{0, -0.5f, 0}, {}},
                     .frame_b = {{0, 0.5f, 0}, {}},
                     .kind = BallJoint{}});
    w.run_seconds(2);
    EXPECT_NEAR(force_between(*w, lower, upper).force.y, 5 * gravity, 0.5f);
    EXPECT_NEAR(force_between(*w, upper, lower).force.y, -5 * gravity, 0.5f);
    EXPECT_NEAR(force_between(*w, upper, ceiling).force.y, 7 * gravity, 0.7f);
}

TEST(BodyForces, APushActsForOneStepAndWakesNobody)
{
    TestWorld w({.gravity = {}});
    const BodyId ball = w.add_ball({0, 0, 0}, 0.5f, {}, 2);
    push_body(w->data(), int32_t(ball.index), {4, 0, 0}, {});
    w.run_steps(3);
    EXPECT_NEAR(w->linear_velocity(ball).x, 2 * w.dt, 1e-5f);
    w->set_linear_velocity(ball, {});
    w.run_seconds(5);
    ASSERT_FALSE(w->is_awake(ball));
    push_body(w->data(), int32_t(ball.index), {4, 0, 0}, {});
    w.step();
    EXPECT_FALSE(w->is_awake(ball));
}

} // namespace
} // namespace moraine::test
