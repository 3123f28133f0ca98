// What is let go of falls, with merging as without: each against the unmerged run of the same thing.
#include "support/merging_worlds.h"

#include <gtest/gtest.h>

#include <functional>

namespace moraine::test
{

namespace
{

constexpr int allowed_delay = 3; // steps

WorldDef settings(bool merging)
{
    WorldDef def;
    def.merging = merging;
    def.sleeping = false;
    return def;
}

// Steps from `release` until the body has fallen by a centimetre; 1000: it has not.
int steps_to_fall(TestWorld& w, BodyId body, const std::function<void(int)>& release)
{
    const double height = w.position(body).y;
    for (int i = 0; i < 200; ++i)
    {
        release(i);
        w.step();
        if (w.position(body).y < height - 0.01)
            return i + 1;
    }
    return 1000;
}

void expect_same_fall(const std::function<int(bool)>& fall)
{
    const int plain = fall(false), merged = fall(true);
    EXPECT_LT(plain, 200) << "it must fall without merging";
    EXPECT_LE(std::abs(merged - plain), allowed_delay) << "merged after " << merged << " steps, unmerged " << plain;
}

BodyId add_plate(TestWorld& w, BodyType type, DVec3 position, Vec3 half, bool is_magnet = false)
{
    return w.add({.type = type, .position = position, .shapes = {{.geometry = Box{half}}}, .is_magnet = is_magnet});
}

} // namespace

TEST(MergingRelease, ATablePulledAwayLeavesItsLoadInTheAir)
{
    expect_same_fall([](bool merging) {
        TestWorld w(settings(merging));
        const BodyId table = add_plate(w, BodyType::kinematic, {0, -0.1, 0}, {0.6f, 0.1f, 0.6f});
        const BodyId low = w.add_box({0, 0.25, 0}, {0.25f, 0.25f, 0.25f});
        const BodyId high = w.add_box({0, 0.75, 0}, {0.25f, 0.25f, 0.25f});
        w.run_seconds(2);
        EXPECT_EQ(w->is_merged(low), merging);
        EXPECT_EQ(w->is_merged(high), merging);
        // Eight times what friction can do.
        return steps_to_fall(w, high, [&](int i) { w->set_linear_velocity(table, {40 * float(i + 1) / 60, 0, 0}); });
    });
}

// Two of three supports are left, and hold it in their collection, but not against gravity.
TEST(MergingRelease, ABallInACornerGoesWhenOneWallIsDestroyed)
{
    WorldDef def = settings(true);
    def.gravity = Vec3{-1, -1, -1} * 5.66f;
    TestWorld w(def);
    const std::array<BodyId, 3> walls = add_corner(w);
    const BodyId ball = w.add_ball({0.5, 0.5, 0.5});
    w.run_seconds(2);
    ASSERT_TRUE(w->is_merged(ball));
    w->destroy_body(walls[0]);
    w.run_steps(4);
    EXPECT_FALSE(w->is_merged(ball));
    w.run_seconds(0.5);
    EXPECT_LT(w.position(ball).x, 0.2);
}

TEST(MergingRelease, AMagnetSwitchedOffLetsFall)
{
    for (BodyType type : {BodyType::static_, BodyType::kinematic})
        expect_same_fall([type](bool merging) {
            TestWorld w(settings(merging));
            const BodyId magnet = add_plate(w, type, {0, 2, 0}, {0.6f, 0.1f, 0.6f}, true);
            const BodyId box = w.add_box({0, 1.6, 0}, {0.3f, 0.3f, 0.3f});
            w.run_seconds(2);
            EXPECT_NEAR(w.position(box).y, 1.6, 0.02);
            return steps_to_fall(w, box, [&](int i) {
                if (i == 0)
                    w->set_magnet(magnet, false);
            });
        });
}

// The poster's figure 4: the magnet lifts a box out of a merged heap, and the plank that rested on it falls.
TEST(MergingRelease, AMagnetSwitchedOnTakesTheBoxAndThePlankFalls)
{
    std::vector<double> box_height;
    expect_same_fall([&](bool merging) {
        TestWorld w(settings(merging));
        w.add_floor();
        const BodyId magnet = add_plate(w, BodyType::kinematic, {0.45, 1.1, 0}, {0.2f, 0.1f, 0.2f}, true);
        w->set_magnet(magnet, false);
        const BodyId box = w.add_box({0.2, 0.5, 0}, {0.5f, 0.5f, 0.5f});
        const BodyId post = w.add_box({-1.5, 0.5, 0}, {0.3f, 0.5f, 0.3f});
        const BodyId plank = w.add_box({-0.85, 1.05, 0}, {0.75f, 0.05f, 0.2f});
        w.run_seconds(3);
        for (BodyId b : {box, post, plank})
            EXPECT_EQ(w->is_merged(b), merging);
        w->set_magnet(magnet, true);
        w.run_steps(3);
        // It goes up, and slips out from under the plank sideways.
        const int fallen = steps_to_fall(w, plank, [&](int) { w->set_linear_velocity(magnet, {3, 0.5f, 0}); });
        box_height.push_back(w.position(box).y);
        return fallen;
    });
    ASSERT_EQ(box_height.size(), 2u);
    EXPECT_GT(box_height[0], 0.6);
    EXPECT_NEAR(box_height[0], box_height[1], 0.1);
}

TEST(MergingRelease, AGripperThatOpensLetsFall)
{
    expect_same_fall([](bool merging) {
        TestWorld w(settings(merging));
        w.add_floor();
        const BodyId arm = add_plate(w, BodyType::kinematic, {0, 3, 0}, {1, 0.1f, 0.2f});
        const BodyId box = w.add_box({0, 0.5, 0}, {0.4f, 0.5f, 0.4f}, {0.8f}, 20);
        const BodyId rider = w.add_box({0, 1.2, 0}, {0.2f, 0.2f, 0.2f}, {0.8f}, 2);
        std::vector<JointId> jaws;
        const auto drive = [](float speed) { return SliderJoint{.limit = {0, 0.5f}, .motor = {speed, 1500}}; };
        for (const float side : {-1.0f, 1.0f})
        {
            const DVec3 at(0.8 * double(side), 0.8, 0);
            const BodyId jaw = w.add_box(at, {0.1f, 0.3f, 0.3f}, {0.8f}, 5);
            jaws.push_back(w->create_joint(
                w->joint_at(arm, jaw, {at, rotation_between({1, 0, 0}, {-side, 0, 1e-3f})}, drive(-0.4f))));
        }
        const auto set_jaws = [&](float speed) {
            for (JointId jaw : jaws)
                w->set_joint_kind(jaw, drive(speed));
        };
        w.run_seconds(1);
        set_jaws(0.4f);
        w.run_seconds(1.5);
        w->set_linear_velocity(arm, {0, 0.5f, 0});
        w.run_seconds(2);
        w->set_linear_velocity(arm, {});
        w.run_seconds(2);
        EXPECT_GT(w.position(box).y, 1.3) << "it was lifted";
        return steps_to_fall(w, rider, [&](int i) {
            if (i == 0)
                set_jaws(-0.4f);
        });
    });
}

TEST(MergingRelease, ASupportThatIsDestroyedLetsFall)
{
    expect_same_fall([](bool merging) {
        TestWorld w(settings(merging));
        const BodyId table = add_plate(w, BodyType::static_, {0, -0.1, 0}, {1, 0.1f, 1});
        const BodyId low = w.add_box({0, 0.5, 0});
        const BodyId high = w.add_box({0, 1.5, 0});
        w.run_seconds(3);
        EXPECT_EQ(w->is_merged(low), merging);
        return steps_to_fall(w, high, [&](int i) {
            if (i == 0)
                w->destroy_body(table);
        });
    });
}

// A rope from a hook that will move to a box on the ground.
TEST(MergingRelease, ARopeLiftsABoxFromTheGround)
{
    for (bool merging : {false, true})
    {
        TestWorld w(settings(merging));
        w.add_floor();
        const BodyId hook = add_plate(w, BodyType::kinematic, {0, 4, 0}, {0.2f, 0.2f, 0.2f});
        const BodyId box = w.add_box({0, 0.5, 0});
        w->create_joint({.body_a = hook,
                         .body_b = box,
                         .frame_b = {{0, 0.5f, 0}, {}},
                         .kind = DistanceJoint{.lower = 0, .upper = 3.1f}});
        w.run_seconds(3);
        w->set_linear_velocity(hook, {0, 1, 0});
        w.run_seconds(2);
        EXPECT_NEAR(w.position(box).y, 2.4, 0.05) << "merging " << merging;
    }
}

// Wheels stand still on a standing deck, and roll as soon as it moves.
TEST(MergingRelease, ACartOnWheelsStaysBehindWhenItsDeckSpeedsUp)
{
    std::vector<double> left_behind;
    for (bool merging : {false, true})
    {
        TestWorld w(settings(merging));
        const BodyId deck = add_plate(w, BodyType::kinematic, {0, -0.5, 0}, {20, 0.5f, 5});
        const BodyId cart = w.add_box({0, 0.5, 0}, {0.8f, 0.1f, 0.5f}, {}, 40);
        for (const float x : {-0.5f, 0.5f})
            for (const float z : {-0.7f, 0.7f})
            {
                const DVec3 at(double(x), 0.2, double(z));
                const BodyId wheel = w.add({.position = at,
                                            .rotation = axis_angle({1, 0, 0}, 0.5f * pi),
                                            .shapes = {{.geometry = Cylinder{0.2f, 0.05f}}},
                                            .mass = 2});
                w->create_joint(w->joint_at(cart, wheel, {at, rotation_between({1, 0, 0}, {0, 0, 1})}, HingeJoint{}));
            }
        w.run_seconds(3);
        const double start = w.position(cart).x - w.position(deck).x;
        for (int i = 0; i < 60; ++i)
        {
            w->set_linear_velocity(deck, {3 * float(i + 1) / 60, 0, 0});
            w.step();
        }
        left_behind.push_back(start - (w.position(cart).x - w.position(deck).x));
    }
    // Rolling wheels of m in all under a cart of M follow a deck of acceleration a with m a / 2 / (M + 3/2 m).
    const double follows = 0.5 * 8 * 3 / (40 + 1.5 * 8);
    EXPECT_NEAR(left_behind[0], 0.5 * (3 - follows), 0.05);
    EXPECT_NEAR(left_behind[1], 0.5 * (3 - follows), 0.15);
}

// The mover of the two is in a group of sleepers when it goes: nobody may come back to it.
TEST(MergingRelease, ASleepingCollectionCanBeTakenApart)
{
    WorldDef def = settings(true);
    def.sleeping = true;
    TestWorld w(def);
    w.add({.type = BodyType::static_, .shapes = {{.geometry = HalfSpace{}}}, .can_merge = false});
    const BodyId tray = w.add_box({0, 0.25, 0}, {2, 0.25f, 1}, {}, 20);
    const BodyId load = w.add_box({0, 1, 0});
    w.run_seconds(4);
    ASSERT_EQ(w->collection(tray), w->collection(load));
    ASSERT_TRUE(w->is_merged(load));
    ASSERT_FALSE(w->is_awake(load));
    w->unmerge(load);
    EXPECT_FALSE(w->is_merged(tray));
    w->destroy_body(load);
    const BodyId next = w.add_box({0, 1.2, 0});
    w->wake(tray);
    w.run_seconds(4);
    EXPECT_NEAR(w.position(next).y, 1, 0.01);
    EXPECT_FALSE(w->is_awake(tray));
}

// It sleeps beside a body that rests on the ground for good, until that one is hit and pushes it.
TEST(MergingRelease, WhoSleepsBesideABodyThatIsHitIsPushed)
{
    for (const SolverKind solver : {SolverKind::substep, SolverKind::pgs})
    {
        double went[2];
        for (const bool merging : {false, true})
        {
            WorldDef def = settings(merging);
            def.sleeping = true;
            def.solver = solver;
            TestWorld w(def);
            w.add({.type = BodyType::static_, .shapes = {{.geometry = HalfSpace{}}}});
            const BodyId hit = w.add_box({0, 0.25, 0}, {0.25f, 0.25f, 0.25f});
            const BodyId beside = w.add({.position = {0.5, 0.25, 0},
                                         .shapes = {{.geometry = Box{{0.25f, 0.25f, 0.25f}}}},
                                         .mass = 1,
                                         .can_merge = false});
            w.run_seconds(4);
            EXPECT_EQ(w->is_merged(hit), merging);
            ASSERT_FALSE(w->is_awake(beside));
            w->apply_impulse(hit, {3 * w->mass(hit), 0, 0});
            w.run_seconds(0.1);
            EXPECT_TRUE(w->is_awake(beside));
            w.run_seconds(2);
            went[merging] = w.position(beside).x - 0.5;
        }
        EXPECT_GT(went[false], 0.05);
        EXPECT_NEAR(went[true], went[false], 0.1 * went[false]);
    }
}

} // namespace moraine::test
