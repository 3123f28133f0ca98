// Who touches whom: filters, passive bodies, triggers, magnets, joints that break.
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

// Does a ball with the filter rest on a floor with the other one?
bool rests(Filter floor, Filter ball)
{
    TestWorld w;
    w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{5, 0.5f, 5}}}}, .filter = floor});
    const BodyId b = w.add({.position = {0, 1.2, 0}, .shapes = {{}}, .filter = ball});
    w.run_seconds(2);
    return w.position(b).y > 0.9;
}

} // namespace

TEST(Filters, DecideByCategoryMaskAndGroup)
{
    EXPECT_TRUE(rests({}, {}));
    EXPECT_FALSE(rests({.category = 2}, {.category = 1, .mask = 1}));
    EXPECT_FALSE(rests({.category = 2, .mask = 2}, {.category = 1}));
    EXPECT_TRUE(rests({.category = 2, .mask = 1}, {.category = 1, .mask = 2}));
    EXPECT_FALSE(rests({.group = -3}, {.group = -3}));
    EXPECT_TRUE(rests({.group = -3}, {.group = -4}));
    EXPECT_TRUE(rests({.category = 2, .group = 3}, {.mask = 1, .group = 3})); // the group decides first
}

TEST(Filters, ChangedWhileTouchingLetTheBodyFall)
{
    TestWorld w;
    const BodyId floor = w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{5, 0.5f, 5}}}}});
    const BodyId box = w.add_box({0, 1, 0});
    w.run_seconds(3);
    w->set_filter(floor, {.category = 8, .mask = 8});
    w.step();
    ASSERT_EQ(w->events().touch_ended.size(), 1u);
    w.run_seconds(1);
    EXPECT_LT(w.position(box).y, -1);
}

TEST(Passive, BodiesStayTouchNothingAndComeBack)
{
    TestWorld w;
    w.add_floor();
    const BodyId kept = w.add({.position = {0, 3, 0}, .shapes = {{.geometry = Box{}}}, .is_passive = true});
    const BodyId through = w.add_ball({0, 6, 0}, 0.3f);
    w.run_seconds(2);
    EXPECT_EQ(w.moved(kept), 0);
    EXPECT_NEAR(w.position(through).y, 0.3, 0.02); // fell through it
    EXPECT_FALSE(w->is_awake(kept));
    EXPECT_FALSE(w->ray_cast({-5, 3, 0}, {10, 0, 0}));
    w->set_passive(kept, false);
    w.run_seconds(1);
    EXPECT_LT(w.position(kept).y, 1.6);
    w->set_passive(kept, true);
    w.mark(kept);
    w.run_seconds(1);
    EXPECT_EQ(w.moved(kept), 0);
}

TEST(Passive, ACommandDoesNotSetThemMoving)
{
    TestWorld w;
    const BodyId kept = w.add({.position = {0, 3, 0}, .shapes = {{.geometry = Box{}}}, .is_passive = true});
    w->apply_impulse(kept, {0, 0, 0.1f});
    w->set_linear_velocity(kept, {0, 1, 0});
    w->wake(kept);
    w.run_seconds(1);
    EXPECT_EQ(w.moved(kept), 0);
    w->set_pose(kept, {{0, 7, 0}, {}});
    w.run_seconds(1);
    EXPECT_EQ(w.position(kept).y, 7);
}

TEST(Passive, JointsOfThemWait)
{
    TestWorld w;
    const BodyId kept = w.add({.position = {0, 3, 0}, .shapes = {{.geometry = Box{}}}, .is_passive = true});
    const BodyId ball = w.add_ball({2, 3, 0});
    ASSERT_TRUE(w->create_joint(w->joint_at(kept, ball, {{1, 3, 0}, {}}, FixedJoint{})));
    w.run_seconds(0.5);
    EXPECT_EQ(w.moved(kept), 0);
    EXPECT_EQ(w.speed(kept), 0);
    EXPECT_LT(w.way(ball).y, -1);
    w->set_pose(ball, {{2, 3, 0}, {}});
    w->set_linear_velocity(ball, {});
    w->set_passive(kept, false);
    w.run_seconds(0.5);
    EXPECT_NEAR(w.way(kept).y, w.way(ball).y, 0.01); // they fall as one
    w->set_passive(kept, true);
    w.mark(kept);
    w.mark(ball);
    w.run_seconds(0.5);
    EXPECT_EQ(w.moved(kept), 0);
    EXPECT_LT(w.way(ball).y, -1);
}

TEST(Triggers, AreEnteredAndLeftExactlyOnce)
{
    TestWorld w;
    const BodyId zone = w.add({.type = BodyType::static_,
                               .position = {0, 5, 0},
                               .shapes = {{.geometry = Box{{2, 1, 2}}}},
                               .is_trigger = true});
    const BodyId ball = w.add_ball({0, 10, 0});
    int entered = 0, left = 0;
    double entered_at = 0, left_at = 0;
    for (int i = 0; i < 120; ++i)
    {
        w.step();
        for (const ContactEvent& e : w->events().trigger_entered)
        {
            ++entered;
            entered_at = w.position(ball).y;
            EXPECT_EQ(e.body_a, zone);
            EXPECT_EQ(e.body_b, ball);
        }
        for (const ContactEvent& e : w->events().trigger_left)
        {
            ++left;
            left_at = w.position(ball).y;
            EXPECT_EQ(e.body_a, zone);
        }
        EXPECT_TRUE(w->events().touch_began.empty());
    }
    EXPECT_EQ(entered, 1);
    EXPECT_EQ(left, 1);
    EXPECT_NEAR(entered_at, 6.5, 0.4);
    EXPECT_NEAR(left_at, 3.5, 0.5);
    const double h = double(w.dt) / w->settings().substeps;
    EXPECT_NEAR(w.way(ball).y, -0.5 * double(gravity) * 2 * (2 + h), 1e-3); // and was not pushed
}

TEST(Triggers, SayThatABodyLeftWhenItIsDestroyedInside)
{
    TestWorld w(without_gravity());
    const BodyId zone = w.add(
        {.type = BodyType::static_, .shapes = {{.geometry = Box{{2, 2, 2}}}}, .is_trigger = true});
    const BodyId ball = w.add_ball({0, 0, 0});
    w.step();
    ASSERT_EQ(w->events().trigger_entered.size(), 1u);
    w.run_seconds(2); // asleep inside: still there
    EXPECT_TRUE(w->events().trigger_left.empty());
    w->destroy_body(ball);
    w.step();
    ASSERT_EQ(w->events().trigger_left.size(), 1u);
    EXPECT_EQ(w->events().trigger_left[0].body_a, zone);
    EXPECT_EQ(w->events().trigger_left[0].body_b, ball);
}

TEST(Triggers, AMovingTriggerFindsBodiesAtRest)
{
    TestWorld w;
    w.add_floor();
    const BodyId box = w.add_box({3, 0.5, 0});
    w.run_seconds(2);
    const BodyId sensor = w.add({.type = BodyType::kinematic,
                                 .position = {-3, 0.5, 0},
                                 .linear_velocity = {4, 0, 0},
                                 .shapes = {{.geometry = Sphere{0.5f}}},
                                 .is_trigger = true});
    int entered = 0, left = 0;
    for (int i = 0; i < 150; ++i)
    {
        w.step();
        for (const ContactEvent& e : w->events().trigger_entered)
            entered += e.body_a == sensor && e.body_b == box;
        for (const ContactEvent& e : w->events().trigger_left)
            left += e.body_a == sensor && e.body_b == box;
    }
    EXPECT_EQ(entered, 1);
    EXPECT_EQ(left, 1);
    EXPECT_LT(w.moved(box), 0.01);
}

TEST(Touches, BeginAndEndOnce)
{
    TestWorld w;
    const BodyId floor = w.add_floor();
    const BodyId ball = w.add_ball({0, 1, 0});
    int began = 0, ended = 0;
    for (int i = 0; i < 120; ++i)
    {
        w.step();
        began += int(w->events().touch_began.size());
        ended += int(w->events().touch_ended.size());
    }
    EXPECT_EQ(began, 1);
    EXPECT_EQ(ended, 0);
    EXPECT_EQ(w->contacts(ball).size(), 1u);
    w->set_pose(ball, {{0, 5, 0}, {}});
    w.step();
    EXPECT_EQ(w->events().touch_ended.size(), 1u);
    EXPECT_TRUE(w->contacts(floor).empty());
}

TEST(Magnet, HoldsABoxHangingAndLetsItGo)
{
    TestWorld w;
    const BodyId magnet = w.add({.type = BodyType::static_,
                                 .position = {0, 5, 0},
                                 .shapes = {{.geometry = Box{{1, 0.5f, 1}}}},
                                 .is_magnet = true});
    const BodyId box = w.add_box({0, 4, 0});
    w.run_seconds(5);
    EXPECT_LT(w.moved(box), 0.02);
    w->set_magnet(magnet, false);
    w.run_seconds(1);
    EXPECT_NEAR(w.way(box).y, -0.5 * double(gravity), 0.2);
}

TEST(Magnet, OnAMovingCarrierTakesTheBoxAlong)
{
    TestWorld w;
    const BodyId magnet = w.add({.type = BodyType::kinematic,
                                 .position = {0, 5, 0},
                                 .shapes = {{.geometry = Box{{1, 0.5f, 1}}}},
                                 .is_magnet = true});
    const BodyId box = w.add_box({0.2, 4, 0});
    w.run_seconds(1);
    w->set_motion(magnet, SineMotion{.translation = {1, 0.5f, 0}, .period = 6});
    const Transform held = relative(w->pose(box), w->pose(magnet));
    w.run_seconds(6);
    EXPECT_LT(distance(relative(w->pose(box), w->pose(magnet)).position, held.position), 0.05f);
}

TEST(JointBreak, HappensAboveTheBreakImpulseOnly)
{
    const float weight_impulse = 5 * gravity / 60; // of one step
    for (float factor : {0.8f, 1.3f})
    {
        TestWorld w;
        const BodyId ball = w.add_ball({0, -1, 0}, 0.3f, {}, 5);
        JointDef def = w->joint_at({}, ball, {{0, 0, 0}, {}}, BallJoint{});
        def.break_impulse = factor * weight_impulse;
        const JointId joint = w->create_joint(def);
        int broken = 0;
        for (int i = 0; i < 60; ++i)
        {
            w.step();
            for (const JointEvent& e : w->events().joints_broken)
                broken += e.joint == joint;
        }
        EXPECT_EQ(broken, factor < 1 ? 1 : 0);
        EXPECT_EQ(w->is_valid(joint), factor > 1);
        if (factor > 1)
            EXPECT_NEAR(w->joint_impulse(joint), weight_impulse, 0.02f * weight_impulse);
        else
            EXPECT_LT(w.way(ball).y, -2);
    }
}

TEST(JointCollisions, JointedBodiesTouchOnlyWhereAsked)
{
    for (bool collides : {false, true})
    {
        TestWorld w(without_gravity());
        const BodyId a = w.add_ball({0, 0, 0}), b = w.add_ball({0.6, 0, 0}); // overlap
        JointDef def = w->joint_at(a, b, {{0.3, 0, 0}, {}}, SpringJoint{.stiffness = 0.001f, .damping = 0});
        def.collides = collides;
        ASSERT_TRUE(w->create_joint(def));
        w.run_seconds(1);
        EXPECT_EQ(length(w.position(a) - w.position(b)) > 0.9, collides);
    }
}
