// Merging by hand: glue holds what it is told to hold and no more, against the closed form.
#include "support/merging_invariants.h"
#include "support/merging_worlds.h"

namespace moraine::test
{

namespace
{

BodyId add_wall(TestWorld& w, BodyType type = BodyType::static_)
{
    return w.add({.type = type, .position = {-0.5, 5, 0}, .shapes = {{.geometry = Box{{0.5f, 5, 5}}}}});
}

// A bar of one kilogram sticks out of a wall, glued to it by its end. Does it stay there?
bool bar_stays(double gap, float share_of_weight, float mass = 1)
{
    TestWorld w(merging());
    const BodyId wall = add_wall(w), bar = w.add_box({1 + gap, 5, 0}, {1, 0.1f, 0.1f}, {}, mass);
    EXPECT_TRUE(w->merge(wall, bar, share_of_weight * mass * gravity * w.dt));
    w.run_seconds(2);
    EXPECT_EQ(broken_invariant(*w), "");
    EXPECT_EQ(w->is_glued(wall, bar), w.moved(bar) < 1e-6);
    return w.moved(bar) < 1e-6;
}

} // namespace

TEST(MergingByHand, ABarGluedToAWallByItsEndHoldsUpToItsWeight)
{
    for (double gap : {-0.002, 0.3}) // touching, and not
    {
        EXPECT_TRUE(bar_stays(gap, 1.03f)) << gap;
        EXPECT_FALSE(bar_stays(gap, 0.97f)) << gap;
        EXPECT_TRUE(bar_stays(gap, infinity)) << gap;
        EXPECT_TRUE(bar_stays(gap, 1.03f, 200)) << gap;
        EXPECT_FALSE(bar_stays(gap, 0.97f, 200)) << gap;
    }
}

TEST(MergingByHand, GlueOnALiftCarriesWeightAndAcceleration)
{
    for (float acceleration : {1.0f, 3.0f})
    {
        TestWorld w(merging());
        const BodyId wall = add_wall(w, BodyType::kinematic), bar = w.add_box({1.3, 5, 0}, {1, 0.1f, 0.1f});
        ASSERT_TRUE(w->merge(wall, bar, (gravity + 2) * w.dt)); // enough for two metres per second squared
        for (int i = 1; i <= 60; ++i)
        {
            const double t = i * double(w.dt);
            w->move_to(wall, {{-0.5, 5 + 0.5 * double(acceleration) * t * t, 0}, {}});
            w.step();
        }
        EXPECT_EQ(w->is_glued(wall, bar), acceleration < 2) << acceleration;
        EXPECT_EQ(w->is_merged(bar), acceleration < 2) << acceleration;
    }
}

// The step in which a lift comes to a stand is felt, and over in the next: nothing moves any more that would tell.
TEST(MergingByHand, GlueOnALiftThatHasStoppedCarriesTheWeightAlone)
{
    TestWorld w(merging());
    const BodyId wall = add_wall(w, BodyType::kinematic), bar = w.add_box({1.3, 5, 0}, {1, 0.1f, 0.1f});
    ASSERT_TRUE(w->merge(wall, bar, 100));
    const auto carried = [&] { return w->glue_impulse(wall, bar) / w.dt; };
    w->set_linear_velocity(wall, {0, -0.2f, 0});
    w.run_seconds(1);
    EXPECT_NEAR(carried(), gravity, 0.02f * gravity);
    w->set_linear_velocity(wall, {});
    w.step();
    EXPECT_NEAR(carried(), gravity + 0.2f / w.dt, 0.02f * gravity);
    w.step();
    EXPECT_NEAR(carried(), gravity, 0.02f * gravity);
}

// What presses the two together is no load on the glue, and what pulls has to lift the weight first.
TEST(MergingByHand, ABoxGluedToTheFloorComesOffWhenPulledByMoreThanItsWeightAndTheGlue)
{
    for (float pull : {-20.0f, 0.5f, 1.9f, 2.1f})
    {
        TestWorld w(merging());
        const BodyId floor = w.add_floor(), box = w.add_box({0, 0.5, 0});
        w.run_steps(30);
        ASSERT_TRUE(w->merge(floor, box, gravity * w.dt));
        for (int i = 0; i < 60; ++i)
        {
            w->apply_force(box, {0, pull * gravity, 0});
            w.step();
        }
        EXPECT_EQ(w->is_glued(floor, box), pull < 2) << pull;
        if (pull > 0 && pull < 2)
            EXPECT_NEAR(w->glue_impulse(floor, box), std::max(0.0f, pull - 1) * gravity * w.dt, 0.02f * gravity * w.dt);
    }
}

TEST(MergingByHand, TwoGluedBoxesInFlightKeepBothMomenta)
{
    TestWorld w(without_gravity());
    const BodyId a = w.add_box({0, 0, 0}), b = w.add_box({3, 0.5, 0}, {0.5f, 0.5f, 0.5f}, {}, 3);
    w->set_linear_velocity(a, {1, 2, -1});
    w->set_angular_velocity(b, {0, 3, 1});
    const DVec3 p = momentum(*w), l = angular_momentum(*w);
    ASSERT_TRUE(w->merge(a, b));
    EXPECT_EQ(w->collection(a), w->collection(b));
    expect_near(momentum(*w), p, 1e-5);
    expect_near(angular_momentum(*w), l, 1e-4);
    const float apart = float(length(w.position(a) - w.position(b)));
    w.run_seconds(0.5);
    expect_near(momentum(*w), p, 1e-4);
    expect_near(angular_momentum(*w), l, 2e-3 * length(l));
    EXPECT_NEAR(length(w.position(a) - w.position(b)), apart, 1e-4);
    EXPECT_EQ(broken_invariant(*w), "");
    const DVec3 before = momentum(*w), turning = angular_momentum(*w);
    w->unmerge(a);
    EXPECT_FALSE(w->is_merged(b));
    expect_near(momentum(*w), before, 1e-5);
    expect_near(angular_momentum(*w), turning, 1e-4);
}

TEST(MergingByHand, AChainOfGlueFallsApartWhereItIsCut)
{
    TestWorld w(merging());
    std::vector<BodyId> chain{add_wall(w)};
    for (int i = 0; i < 4; ++i)
    {
        chain.push_back(w.add_box({1.0 + 1.5 * i, 5, 0}));
        ASSERT_TRUE(w->merge(chain[size_t(i)], chain.back()));
    }
    w.run_seconds(1);
    EXPECT_EQ(w.moved(chain[4]), 0);
    EXPECT_FALSE(w->unmerge(chain[1], chain[3])); // not glued to each other
    EXPECT_TRUE(w->unmerge(chain[2], chain[3]));
    EXPECT_EQ(broken_invariant(*w), "");
    EXPECT_EQ(w->collection(chain[3]), w->collection(chain[4]));
    w.run_seconds(0.5);
    EXPECT_EQ(w.moved(chain[2]), 0);
    EXPECT_NEAR(w.way(chain[3]).y, -0.5 * double(gravity) * 0.25, 0.05);
    expect_near(w.way(chain[3]), w.way(chain[4]), 1e-3);
}

TEST(MergingByHand, WhatCannotBeGluedSaysWhy)
{
    TestWorld w(merging());
    const BodyId floor = w.add_floor(), wall = add_wall(w), box = w.add_box({3, 0.5, 0}), gone = w.add_box({6, 0.5, 0});
    const BodyId trigger = w.add({.shapes = {{}}, .is_trigger = true});
    w->destroy_body(gone);
    for (auto [a, b, why] : {std::tuple{box, gone, "does not exist"},
                             {gone, box, "does not exist"},
                             {box, BodyId{}, "does not exist"},
                             {box, box, "the same body"},
                             {floor, wall, "can be moved"},
                             {box, trigger, "trigger"}})
    {
        EXPECT_FALSE(w->merge(a, b));
        EXPECT_NE(w->last_error().find(why), std::string::npos) << w->last_error();
    }
    EXPECT_FALSE(w->try_merge(box, floor, -1.0f));
    EXPECT_FALSE(w->try_merge(box, wall, 0)); // they do not touch
    EXPECT_FALSE(w->unmerge(box, gone));
    w->unmerge(gone);
    EXPECT_EQ(w->joint_count(), 0);
    EXPECT_TRUE(w->joints().empty());
}

TEST(MergingByHand, DestroyingOrMovingAGluedBodyTakesTheGlueAway)
{
    TestWorld w(merging());
    const BodyId wall = add_wall(w), a = w.add_box({1, 5, 0}), b = w.add_box({2.5, 5, 0}), c = w.add_box({4, 5, 0});
    ASSERT_TRUE(w->merge(wall, a) && w->merge(a, b) && w->merge(b, c));
    EXPECT_EQ(w->joint_count(), 0);
    w.run_steps(5);
    w->destroy_body(b);
    EXPECT_FALSE(w->is_merged(c));
    w->set_pose(a, {{1, 6, 0}, {}});
    EXPECT_FALSE(w->is_glued(wall, a));
    w.run_steps(30);
    EXPECT_LT(w.position(a).y, 5.9);
    EXPECT_LT(w.position(c).y, 4.9);
    ASSERT_TRUE(w->merge(wall, a));
    w->destroy_body(wall);
    EXPECT_FALSE(w->is_merged(a));
    EXPECT_EQ(broken_invariant(*w), "");
}

TEST(MergingByHand, GlueIsInSnapshots)
{
    TestWorld w(merging());
    const BodyId wall = add_wall(w, BodyType::kinematic), bar = w.add_box({1.3, 5, 0}, {1, 0.1f, 0.1f});
    ASSERT_TRUE(w->merge(wall, bar, 2 * gravity * w.dt));
    // Up with an acceleration of 12 t: more than g after 0.82 s, which is step 49.
    const auto lift = [&](World& world, int step) {
        const double t = step * double(w.dt);
        world.move_to(wall, {{-0.5, 5 + 2 * t * t * t, 0}, {}});
        world.step(w.dt);
    };
    for (int i = 0; i < 10; ++i)
        lift(*w, i);
    World other;
    ASSERT_TRUE(other.restore(w->snapshot()));
    EXPECT_TRUE(other.is_glued(wall, bar));
    int broken = 0;
    for (int i = 10; i < 120; ++i)
    {
        lift(*w, i);
        lift(other, i);
        ASSERT_EQ(w->state_hash(), other.state_hash()) << i;
        if (broken == 0 && !w->is_glued(wall, bar))
            broken = i;
    }
    EXPECT_NEAR(broken, 49, 2);
}

// The force of an overlap is that of the two bodies that touch, to a factor of two, however heavy what one of them is part
// of: contacts are as stiff as what meets in them is heavy, and what is wedged in would burst when it merges.
TEST(MergingByHand, WhatIsWedgedInPressesNoHarderAsPartOfSomethingHeavy)
{
    const auto press_of = [](float heavy, double away) {
        WorldDef def = merging();
        def.gravity = {};
        TestWorld w(def);
        for (const double x : {-0.99, 0.99})
            w.add({.type = BodyType::static_, .position = {x, 0, 0}, .shapes = {{.geometry = Box{{0.5f, 2, 2}}}}});
        const BodyId box = w.add_box({0, 0, 0});
        if (heavy > 0)
            EXPECT_TRUE(w->merge(w.add_box({0, away, 0}, {0.5f, 0.5f, 0.5f}, {}, heavy), box));
        for (int i = 0; i < 4; ++i)
            w.step();
        float sum = 0;
        for (const ContactInfo& c : w->contacts(box))
            sum += c.impulse;
        return sum;
    };
    const float alone = press_of(0, 3);
    EXPECT_GT(alone, 0);
    for (const double away : {3.0, 20.0}) // close by, and at the end of a long arm
        for (const float heavy : {1.0f, 10.0f, 300.0f, 10'000.0f})
        {
            EXPECT_LT(press_of(heavy, away), 2 * alone) << heavy << " " << away;
            EXPECT_GT(press_of(heavy, away), 0.5f * alone) << heavy << " " << away;
        }
}

TEST(MergingByHand, ARuleKeepsTwoGroupsApart)
{
    TestWorld w(merging());
    const BodyId floor = w.add_floor();
    const BodyId crate = w.add_box({0, 0.5, 0}), cargo = w.add_box({0, 1.5, 0}), other = w.add_box({3, 0.5, 0});
    w->set_rule_groups(crate, 1u << 3);
    w->set_rule_groups(cargo, 1u << 4);
    const RuleId rule = w->create_rule({.kind = RuleKind::never_merge, .group_a = 3, .group_b = 4});
    w.run_seconds(4);
    EXPECT_TRUE(w->is_merged(crate));
    EXPECT_TRUE(w->is_merged(other));
    EXPECT_FALSE(w->is_merged(cargo));
    EXPECT_FALSE(w->merge(crate, cargo));
    EXPECT_LT(w.moved(cargo), 0.02);
    w->destroy_rule(rule);
    w.run_seconds(4);
    EXPECT_TRUE(w->is_merged(cargo));
    w->create_rule({.kind = RuleKind::never_merge, .group_a = 3, .group_b = 4});
    EXPECT_FALSE(w->is_merged(cargo));
    w->set_can_merge(floor, false);
    EXPECT_FALSE(w->is_merged(other));
    w.run_seconds(2);
    EXPECT_FALSE(w->is_merged(other));
}

} // namespace moraine::test
