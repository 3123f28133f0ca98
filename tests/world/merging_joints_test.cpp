// Joints inside collections: they hold what their motors and limits can, against the closed form and the unmerged run.
#include "support/merging_invariants.h"
#include "support/merging_worlds.h"

#include <gtest/gtest.h>

#include <functional>

namespace moraine::test
{

namespace
{

constexpr int allowed_delay = 3;                             // steps
const Quat upright = rotation_between({1, 0, 0}, {0, 1, 0}); // x becomes y

WorldDef settings(bool merges, SolverKind solver = SolverKind::substep)
{
    WorldDef def = merging();
    def.merging = merges;
    def.solver = solver;
    return def;
}

BodyId add_carrier(TestWorld& w, DVec3 at = {}, Vec3 half = {0.5f, 0.5f, 0.5f})
{
    return w.add({.type = BodyType::kinematic, .position = at, .shapes = {{.geometry = Box{half}}}});
}

Vec3 place_on(const TestWorld& w, BodyId body, BodyId carrier)
{
    return relative(w->pose(body), w->pose(carrier)).position;
}

// A body beside a carrier, not touching it, and the joint between the two.
struct Held
{
    TestWorld w;
    BodyId carrier{}, body{};
    JointId joint{};

    Held(bool merges, const JointKind& kind, const Quat& frame, SolverKind solver = SolverKind::substep)
        : w(settings(merges, solver))
    {
        constexpr float mass = 10;
        carrier = add_carrier(w);
        body = w.add_box({2, 0, 0}, {0.5f, 0.5f, 0.5f}, {}, mass);
        joint = w->create_joint(w->joint_at(carrier, body, {{2, 0, 0}, frame}, kind));
        w.run_seconds(2);
    }
    float moved(Vec3 before) const { return distance(place_on(w, body, carrier), before); }
    // The carrier's acceleration grows evenly from zero along the direction: where does the body begin to move on it?
    struct Slide
    {
        float acceleration = 0;
        int step = 1000;
    };
    Slide accelerate(Vec3 direction, float most)
    {
        constexpr int steps = 240;
        const Vec3 before = place_on(w, body, carrier);
        Vec3 v{};
        for (int i = 0; i < steps; ++i)
        {
            const float acceleration = most * float(i + 1) / steps;
            v += direction * (acceleration * w.dt);
            w->set_linear_velocity(carrier, v);
            w.step();
            if (moved(before) > 2e-3f)
                return {acceleration, i};
        }
        return {};
    }
};

} // namespace

TEST(MergingJoints, AMotorHoldsACrateOnALiftUpToItsForce)
{
    constexpr float mass = 10, spare = 2; // m/s²
    const SliderJoint slider{.motor = {0, mass * (gravity + spare)}};
    for (SolverKind solver : {SolverKind::substep, SolverKind::pgs})
    {
        Held plain(false, slider, upright, solver), merged(true, slider, upright, solver);
        EXPECT_TRUE(merged.w->is_merged(merged.body));
        EXPECT_FALSE(plain.w->is_merged(plain.body));
        const Held::Slide there = plain.accelerate({0, 1, 0}, 4), here = merged.accelerate({0, 1, 0}, 4);
        EXPECT_NEAR(there.acceleration, spare, 0.3f);
        EXPECT_LE(std::abs(here.step - there.step), allowed_delay) << here.acceleration;
        EXPECT_FALSE(merged.w->is_merged(merged.body));
    }
}

TEST(MergingJoints, AMotorThatIsStrongEnoughNeverLetsGo)
{
    const SliderJoint slider{.motor = {0, 10 * (gravity + 2)}};
    Held held(true, slider, upright);
    const Vec3 before = place_on(held.w, held.body, held.carrier);
    held.accelerate({0, 1, 0}, 1.8f);
    EXPECT_TRUE(held.w->is_merged(held.body));
    EXPECT_LT(held.moved(before), 1e-5f);
}

// It slides out of its cabinet when the truck brakes: at once, or when its lock can no longer hold it.
TEST(MergingJoints, ADrawerComesOutOfABrakingTruckWhereItsMotorNoLongerHolds)
{
    for (float holds : {0.0f, 2.5f})
    {
        const SliderJoint drawer{.limit = {0, 0.5f}, .motor = {0, 10 * holds}};
        Held plain(false, drawer, {}), merged(true, drawer, {});
        EXPECT_TRUE(merged.w->is_merged(merged.body)) << holds;
        const Held::Slide there = plain.accelerate({-1, 0, 0}, 4), here = merged.accelerate({-1, 0, 0}, 4);
        EXPECT_LE(std::abs(here.step - there.step), allowed_delay) << holds << " at " << here.acceleration;
        EXPECT_NEAR(there.acceleration, holds, 0.5f);
        // It is at its limit: the other way nothing moves.
        Held back(true, drawer, {});
        const Vec3 before = place_on(back.w, back.body, back.carrier);
        back.accelerate({1, 0, 0}, 4);
        EXPECT_TRUE(back.w->is_merged(back.body));
        EXPECT_LT(back.moved(before), 1e-5f);
    }
}

// A bar that sticks out from a hinge whose motor is its brake: it turns when m (g + a) l is more than that.
TEST(MergingJoints, ABrakeOnAHingeHoldsABarUpToItsTorque)
{
    constexpr float mass = 10, arm = 1, spare = 2;
    for (const bool is_six : {false, true})
    {
        const Motor brake{0, mass * (gravity + spare) * arm};
        SixDofJoint six;
        six.angular[0] = {AxisMode::free, {}, brake, {}};
        const JointKind kind = is_six ? JointKind(six) : JointKind(HingeJoint{.motor = brake});
        const auto slide = [&](bool merges) {
            TestWorld w(settings(merges));
            const BodyId lift = add_carrier(w), bar = w.add_box({2, 0, 0}, {1, 0.1f, 0.1f}, {}, mass);
            w->create_joint(w->joint_at(lift, bar, {{1, 0, 0}, rotation_between({1, 0, 0}, {0, 0, 1})}, kind));
            w.run_seconds(2);
            EXPECT_EQ(w->is_merged(bar), merges);
            const Vec3 before = place_on(w, bar, lift);
            float v = 0;
            for (int i = 0; i < 240; ++i)
            {
                v += 4 * float(i + 1) / 240 * w.dt;
                w->set_linear_velocity(lift, {0, v, 0});
                w.step();
                if (distance(place_on(w, bar, lift), before) > 2e-3f)
                    return i;
            }
            return 1000;
        };
        const int there = slide(false), here = slide(true);
        EXPECT_NEAR(4 * double(there + 1) / 240, double(spare), 0.3);
        EXPECT_LE(std::abs(here - there), allowed_delay);
    }
}

TEST(MergingJoints, SixLockedAxesHoldLikeAFixedJoint)
{
    for (const JointKind& kind : {JointKind(FixedJoint{}), JointKind(SixDofJoint{})})
    {
        Held held(true, kind, {});
        ASSERT_TRUE(held.w->is_merged(held.body));
        const Vec3 before = place_on(held.w, held.body, held.carrier);
        for (int i = 0; i < 60; ++i)
        {
            held.w->set_linear_velocity(held.carrier,
                                        {3 * std::sin(0.3f * float(i)), 2 * std::sin(0.5f * float(i)), 0});
            held.w->set_angular_velocity(held.carrier, {0, 0, std::sin(0.2f * float(i))});
            held.w.step();
            EXPECT_TRUE(held.w->is_merged(held.body)) << i;
        }
        EXPECT_LT(held.moved(before), 1e-5f);
    }
}

TEST(MergingJoints, AMotorThatIsSetGoingMovesInTheNextStep)
{
    const auto drive = [](float speed) { return SliderJoint{.limit = {0, 1}, .motor = {speed, 500}}; };
    Held held(true, drive(0), {});
    ASSERT_TRUE(held.w->is_merged(held.body));
    const Vec3 before = place_on(held.w, held.body, held.carrier);
    held.w->set_joint_kind(held.joint, drive(0.5f));
    held.w.step();
    EXPECT_GT(held.moved(before), 0.5f * 0.5f * held.w.dt);
    EXPECT_FALSE(held.w->is_merged(held.body));
    held.w.run_seconds(1);
    EXPECT_FALSE(held.w->is_merged(held.body)) << "while it is on its way";
    held.w.run_seconds(2.5);
    EXPECT_NEAR(held.moved(before), 1, 1e-3f);
    EXPECT_TRUE(held.w->is_merged(held.body)) << "it drives into its limit";
    // Back again it is held by the motor alone.
    for (const float pull : {300.0f, 700.0f})
    {
        held.w.mark(held.body);
        for (int i = 0; i < 20; ++i)
        {
            held.w->apply_force(held.body, {-pull, 0, 0});
            held.w.step();
        }
        EXPECT_EQ(held.w.moved(held.body) > 1e-3, pull > 500) << pull;
    }
}

TEST(MergingJoints, AJointInsideACollectionBreaksUnderItsLoad)
{
    constexpr float mass = 10;
    for (const float spare : {-1.0f, 1.0f}) // of what the lift will ask for
    {
        TestWorld w(merging());
        const BodyId lift = add_carrier(w), bar = w.add_box({2, 0, 0}, {1, 0.1f, 0.1f}, {}, mass);
        JointDef def = w->joint_at(lift, bar, {{1, 0, 0}, {}}, FixedJoint{});
        def.break_impulse = mass * (gravity + 3 + spare) * w.dt;
        const JointId joint = w->create_joint(def);
        w.run_seconds(1);
        ASSERT_TRUE(w->is_merged(bar));
        EXPECT_NEAR(w->joint_impulse(joint), mass * gravity * w.dt, 0.02f * mass * gravity * w.dt);
        for (int i = 1; i <= 60; ++i)
        {
            w->set_linear_velocity(lift, {0, 3 * float(i) * w.dt, 0});
            w.step();
        }
        EXPECT_EQ(w->is_valid(joint), spare > 0);
    }
}

TEST(MergingJoints, AGripperHoldsItsBoxUntilItsMotorsAreTooWeak)
{
    constexpr float friction = 0.8f, mass = 20;
    // Two jaws hold 2 mu F.
    const float enough = 0.5f * mass * (gravity + 1) / friction;
    std::vector<int> fell;
    for (const bool merges : {false, true})
    {
        TestWorld w(settings(merges));
        const BodyId arm = add_carrier(w, {0, 3, 0}, {1, 0.1f, 0.2f});
        const BodyId table = w.add(
            {.type = BodyType::static_, .position = {0, -0.5, 0}, .shapes = {{.geometry = Box{{1, 0.5f, 1}}}}});
        const BodyId box = w.add_box({0, 0.5, 0}, {0.4f, 0.5f, 0.4f}, {friction}, mass);
        std::vector<JointId> joints;
        std::vector<BodyId> jaws;
        const auto drive = [](float force) { return SliderJoint{.limit = {0, 0.5f}, .motor = {0.4f, force}}; };
        for (const float side : {-1.0f, 1.0f})
        {
            const DVec3 at(0.6 * double(side), 0.6, 0);
            jaws.push_back(w.add_box(at, {0.1f, 0.3f, 0.3f}, {friction}, 5));
            joints.push_back(w->create_joint(w->joint_at(
                arm, jaws.back(), {at, rotation_between({1, 0, 0}, {-side, 0, 1e-3f})}, drive(3 * enough))));
        }
        w.run_seconds(1);
        w->destroy_body(table);
        w.run_seconds(2);
        for (BodyId b : {box, jaws[0], jaws[1]})
            EXPECT_EQ(w->is_merged(b), merges);
        const Vec3 before = place_on(w, box, arm);
        // Carried about, with up to 1 m/s² up and down. Not along the motors: both push with all they have, and hold
        // nothing that way.
        for (int i = 0; i < 240; ++i)
        {
            const float t = float(i) * w.dt;
            w->set_linear_velocity(arm, {0, 0.5f * std::sin(2 * t), 0.5f * std::sin(t)});
            w.step();
            EXPECT_EQ(w->is_merged(box), merges) << i;
        }
        EXPECT_LT(distance(place_on(w, box, arm), before), merges ? 1e-4f : 0.01f);
        w->set_linear_velocity(arm, {});
        w.run_seconds(1);
        EXPECT_EQ(w->is_merged(box), merges);
        const auto set_force = [&](float force) {
            for (JointId j : joints)
                w->set_joint_kind(j, drive(force));
        };
        const double height = w.position(box).y;
        set_force(1.2f * enough);
        w.run_seconds(1);
        EXPECT_NEAR(w.position(box).y, height, 1e-3) << "still enough, merging " << merges;
        set_force(0.5f * enough);
        int steps = 0;
        while (steps < 200 && w.position(box).y > height - 0.01)
            w.step(), ++steps;
        fell.push_back(steps);
    }
    EXPECT_LT(fell[0], 100);
    EXPECT_LE(std::abs(fell[1] - fell[0]), allowed_delay);
}

TEST(MergingJoints, CratesOnADeckMergeWhateverJointTheyShare)
{
    SixDofJoint six;
    six.linear[0] = {AxisMode::limited, {-0.2f, 0.2f}, {0, 20}, {}};
    six.linear[1].mode = AxisMode::free;
    six.angular[2] = {AxisMode::free, {}, {}, {.stiffness = 5}};
    const JointKind kinds[] = {SliderJoint{},
                               SliderJoint{.limit = {0, 1}, .motor = {0, 30}},
                               SliderJoint{.spring = {.stiffness = 100, .target = 0.02f}},
                               HingeJoint{.limit = {-0.5f, 0}},
                               HingeJoint{.motor = {0, 10}, .spring = {.stiffness = 10}},
                               BallJoint{.cone_limit = 0.3f, .twist = {0, 1}},
                               UniversalJoint{},
                               six};
    for (const JointKind& kind : kinds)
    {
        TestWorld w(merging());
        const BodyId deck = add_carrier(w, {0, -0.5, 0}, {6, 0.5f, 6});
        const BodyId a = w.add_box({-1, 0.5, 0}), b = w.add_box({1, 0.5, 0});
        w->create_joint(w->joint_at(a, b, {{0, 0.5, 0}, {}}, kind));
        w->set_motion(deck, SineMotion{.translation = {0.1f, 0.1f, 0}, .rotation = {0, 0.1f, 0}, .period = 4});
        w.run_seconds(3);
        EXPECT_TRUE(w->is_merged(a) && w->is_merged(b)) << kind.index();
        const Vec3 before = place_on(w, a, b);
        w.run_seconds(4);
        EXPECT_TRUE(w->is_merged(a) && w->is_merged(b)) << kind.index();
        EXPECT_LT(distance(place_on(w, a, b), before), 1e-5f) << kind.index();
        EXPECT_EQ(broken_invariant(*w), "");
    }
}

// Friction holds the pull of a spring between two crates, and less of what the deck does.
TEST(MergingJoints, ASpringInASliderTakesItsShareOfFriction)
{
    constexpr float friction = 0.5f, share = 0.6f;
    for (const float part : {0.9f, 1.1f}) // of the friction that is left
    {
        TestWorld w(merging());
        const BodyId deck = w.add({.type = BodyType::kinematic,
                                   .position = {0, -0.5, 0},
                                   .shapes = {{.geometry = Box{{20, 0.5f, 6}}, .friction = friction}}});
        const BodyId a = w.add_box({-1, 0.5, 0}, {0.5f, 0.5f, 0.5f}, {friction}),
                     b = w.add_box({1, 0.5, 0}, {0.5f, 0.5f, 0.5f}, {friction});
        const float pull = share * friction * gravity; // on a kilogram, towards each other
        w->create_joint(
            w->joint_at(a, b, {{0, 0.5, 0}, {}}, SliderJoint{.spring = {.stiffness = 10, .target = -0.1f * pull}}));
        w.run_seconds(2);
        ASSERT_TRUE(w->is_merged(a) && w->is_merged(b));
        const Vec3 before = place_on(w, a, deck);
        for (int i = 1; i <= 30; ++i) // a is pushed towards b, and left behind the other way
        {
            w->set_linear_velocity(deck, {-part * (1 - share) * friction * gravity * float(i) * w.dt, 0, 0});
            w.step();
        }
        EXPECT_EQ(distance(place_on(w, a, deck), before) > 1e-3f, part > 1) << part;
    }
}

// Slower all the time, and never still before it is there.
TEST(MergingJoints, ADrawerThatClosesByASpringIsNotHeldOnItsWay)
{
    for (const float damping : {20.0f, 200.0f})
    {
        const SliderJoint drawer{.spring = {.stiffness = 200, .damping = damping, .target = -0.3f}};
        Held held(true, drawer, {});
        held.w.run_seconds(12);
        EXPECT_NEAR(place_on(held.w, held.body, held.carrier).x, 2 - 0.3f, 2e-3f) << damping;
        EXPECT_TRUE(held.w->is_merged(held.body)) << damping;
    }
}

} // namespace moraine::test
