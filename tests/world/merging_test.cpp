// Merging must not cheat: what physics would move moves, against the closed form.
#include "support/merging_worlds.h"

#include <gtest/gtest.h>

namespace moraine::test
{

namespace
{

BodyId add_deck(TestWorld& w, float friction, Vec3 half = {20, 0.5f, 20})
{
    return w.add({.type = BodyType::kinematic,
                  .position = {0, -double(half.y), 0},
                  .shapes = {{.geometry = Box{half}, .friction = friction}}});
}

// Turns the deck about z by `rate` degrees a second until `has_gone()`; the angle, in degrees.
template <class HasGone>
double tilt_until(TestWorld& w, BodyId deck, double rate, double from, HasGone&& has_gone)
{
    const DVec3 at = w->pose(deck).position;
    double angle = from;
    while (angle < 60 && !has_gone())
    {
        angle += rate / 60;
        w->move_to(deck, {at, axis_angle({0, 0, 1}, radians(float(angle)))});
        w.step();
    }
    return angle;
}

Vec3 place_on(const TestWorld& w, BodyId body, BodyId deck) { return relative(w->pose(body), w->pose(deck)).position; }

} // namespace

TEST(Merging, AStackOnTheGroundBecomesOneAndStaysWhereItIs)
{
    TestWorld w(merging());
    w.add_floor();
    std::vector<BodyId> stack;
    for (int i = 0; i < 5; ++i)
        stack.push_back(w.add_box({0, 0.5 + i, 0}));
    w.run_seconds(5);
    for (BodyId b : stack)
    {
        EXPECT_TRUE(w->is_merged(b));
        EXPECT_EQ(w->collection(b), w->collection(stack[0]));
        EXPECT_LT(w.moved(b), 0.02);
        w.mark(b);
    }
    w.run_seconds(10);
    for (BodyId b : stack)
        EXPECT_EQ(w.moved(b), 0);
}

TEST(Merging, ASlowlyTiltedBoxSlidesAtTheFrictionAngle)
{
    for (float friction : {0.3f, 0.5f, 0.8f})
    {
        TestWorld w(merging());
        const BodyId deck = add_deck(w, friction);
        const BodyId box = w.add_box({0, 0.25, 0}, {0.5f, 0.25f, 0.5f}, {friction});
        w.run_seconds(2);
        ASSERT_TRUE(w->is_merged(box));
        const double angle = tilt_until(w, deck, 2, 0, [&] { return !w->is_merged(box); });
        EXPECT_NEAR(angle, std::atan(double(friction)) * 180 / pi, 1.0) << "friction " << friction;
        const Vec3 before = place_on(w, box, deck);
        tilt_until(w, deck, 2, angle, [&] { return angle > 0 && distance(place_on(w, box, deck), before) > 0.05f; });
        EXPECT_GT(distance(place_on(w, box, deck), before), 0.05f);
    }
}

TEST(Merging, AColumnOfTenTipsWhereItsCentreLeavesItsBase)
{
    TestWorld w(merging());
    const BodyId deck = add_deck(w, 0.9f);
    std::vector<BodyId> column;
    for (int i = 0; i < 10; ++i)
        column.push_back(w.add_box({0, 0.5 + i, 0}, {0.5f, 0.5f, 0.5f}, {0.9f}));
    w.run_seconds(8);
    const Vec3 before = place_on(w, column[9], deck);
    const double angle = tilt_until(w, deck, 0.5, 0,
                                    [&] { return distance(place_on(w, column[9], deck), before) > 0.02f; });
    EXPECT_NEAR(angle, std::atan(0.1) * 180 / pi, 1.0);
}

TEST(Merging, ABrakingDeckKeepsItsLoadBelowFrictionAndLosesItAbove)
{
    constexpr float friction = 0.5f;
    for (float share : {0.9f, 1.1f})
    {
        TestWorld w(merging());
        const BodyId deck = add_deck(w, friction);
        const BodyId box = w.add_box({0, 0.25, 0}, {0.5f, 0.25f, 0.5f}, {friction});
        w->set_linear_velocity(deck, {5, 0, 0});
        w->set_linear_velocity(box, {5, 0, 0});
        w.run_seconds(2);
        ASSERT_TRUE(w->is_merged(box));
        const Vec3 before = place_on(w, box, deck);
        const float braking = share * friction * gravity;
        for (float v = 5; v > 0; v -= braking * w.dt)
        {
            w->set_linear_velocity(deck, {std::max(v, 0.0f), 0, 0});
            w.step();
        }
        const float slid = distance(place_on(w, box, deck), before);
        if (share < 1)
            EXPECT_LT(slid, 1e-4f);
        else // brakes over 5² / 2a while friction alone needs 5² / 2 mu g
            EXPECT_GT(slid, 0.05f);
    }
}

// A deck's velocity is the mean of a step. What rides on it gains speed in each of four sub-steps, so it ends a step with
// (1/2 - 1/8) a dt more than that; against the deck it does not move, and merges while both gain speed.
TEST(Merging, ABoxRidesOnADeckThatGainsSpeed)
{
    constexpr float acceleration = 2;
    for (const bool merges : {false, true})
    {
        WorldDef def = merging();
        def.merging = merges;
        TestWorld w(def);
        const BodyId deck = add_deck(w, 0.5f);
        const BodyId box = w.add_box({0, 0.25, 0}, {0.5f, 0.25f, 0.5f}, {0.5f});
        Vec3 before{};
        for (int i = 1; i <= 120; ++i)
        {
            w->set_linear_velocity(deck, {acceleration * float(i) * w.dt, 0, 0});
            w.step();
            if (i == 30)
                before = place_on(w, box, deck);
        }
        EXPECT_LT(distance(place_on(w, box, deck), before), 1e-4f);
        EXPECT_EQ(w->is_merged(box), merges);
        if (!merges)
            EXPECT_NEAR(w->linear_velocity(box).x - w->linear_velocity(deck).x, 0.375f * acceleration * w.dt, 1e-4f);
    }
}

// Like two cards: neither is carried by the ground alone, both are by the ground and each other.
TEST(Merging, TwoThatLeanOnEachOtherMergeTogether)
{
    TestWorld w(merging());
    w.add_floor({0.9f});
    const float angle = radians(25), half = 0.5f, thick = 0.05f;
    // The upper inner corners meet above the origin, the lower outer corners stand on the floor.
    const double reach = double(half * std::sin(angle) + thick * std::cos(angle));
    const double height = double(half * std::cos(angle) + thick * std::sin(angle));
    std::vector<BodyId> cards;
    for (const float side : {-1.0f, 1.0f})
        cards.push_back(w.add({.position = {double(side) * reach, height, 0},
                               .rotation = axis_angle({0, 0, 1}, side * angle),
                               .shapes = {{.geometry = Box{{thick, half, half}}, .friction = 0.9f}}}));
    int steps = 0;
    while (steps < 300 && !(w->is_merged(cards[0]) && w->is_merged(cards[1])))
    {
        w.step();
        ++steps;
    }
    EXPECT_LT(steps, 100); // each alone would have to wait for twenty times six
    w.run_seconds(5);
    for (const BodyId card : cards)
    {
        EXPECT_TRUE(w->is_merged(card));
        EXPECT_LT(w.moved(card), 0.02);
    }
}

TEST(Merging, ATurntableLosesABoxWhereFrictionNoLongerHoldsIt)
{
    constexpr float friction = 0.4f, radius = 3;
    TestWorld w(merging());
    const BodyId table = add_deck(w, friction);
    const BodyId box = w.add_box({radius, 0.25, 0}, {0.3f, 0.25f, 0.3f}, {friction});
    w.run_seconds(2);
    ASSERT_TRUE(w->is_merged(box));
    float omega = 0;
    while (omega < 3 && distance(place_on(w, box, table), Vec3{radius, 0.75f, 0}) < 0.002f)
    {
        omega += 0.05f * w.dt;
        w->set_angular_velocity(table, {0, omega, 0});
        w.step();
    }
    EXPECT_NEAR(omega * omega * radius, friction * gravity, 0.05f * friction * gravity);
}

TEST(Merging, WhatLosesItsSupportFalls)
{
    TestWorld w(merging());
    w.add_floor();
    const BodyId table = w.add(
        {.type = BodyType::static_, .position = {0, 2, 0}, .shapes = {{.geometry = Box{{1, 0.1f, 1}}}}});
    const BodyId box = w.add_box({0, 2.6, 0});
    w.run_seconds(2);
    ASSERT_TRUE(w->is_merged(box));
    w->destroy_body(table);
    w.run_steps(10);
    const float t = 10.0f / 60;
    EXPECT_NEAR(-w->linear_velocity(box).y, gravity * t, 3 * gravity / 60);
}

TEST(Merging, ASupportThatMovesAwayLetsFall)
{
    TestWorld w(merging());
    const BodyId table = add_deck(w, 0.5f, {1, 0.1f, 1});
    const BodyId box = w.add_box({0, 0.5, 0});
    w.run_seconds(2);
    ASSERT_TRUE(w->is_merged(box));
    w->set_linear_velocity(table, {0, -30, 0}); // faster than anything falls
    w.run_steps(6);
    EXPECT_FALSE(w->is_merged(box));
    EXPECT_NEAR(-w->linear_velocity(box).y, gravity * 6 / 60, 3 * gravity / 60);
}

// Unmerged the lower ones rock too when the top is shot off, and come to rest where they were.
TEST(Merging, AShotThrowsTheTopOffAndLeavesTheRest)
{
    TestWorld w(merging());
    w.add_floor();
    std::vector<BodyId> stack;
    for (int i = 0; i < 4; ++i)
        stack.push_back(w.add_box({0, 0.5 + i, 0}));
    w.run_seconds(4);
    ASSERT_TRUE(w->is_merged(stack[3]));
    w.add({.position = {-2, 3.5, 0}, .linear_velocity = {15, 0, 0}, .shapes = {{.geometry = Sphere{0.3f}}}, .mass = 2});
    w.run_seconds(0.3);
    EXPECT_FALSE(w->is_merged(stack[3]));
    EXPECT_GT(w.moved(stack[3]), 0.3);
    w.run_seconds(2.2);
    EXPECT_TRUE(w->is_merged(stack[0]));
    EXPECT_TRUE(w->is_merged(stack[1]));
    EXPECT_LT(w.moved(stack[0]), 0.02);
}

TEST(Merging, AnImpulseOnAMemberActsOnThatMember)
{
    TestWorld w(merging());
    w.add_floor();
    const BodyId low = w.add_box({0, 0.5, 0}), high = w.add_box({0, 1.5, 0});
    w.run_seconds(3);
    ASSERT_TRUE(w->is_merged(high));
    w->apply_impulse(high, {4, 0, 0});
    w.step();
    EXPECT_FALSE(w->is_merged(high));
    EXPECT_NEAR(w->linear_velocity(high).x, 4, 0.5);
    EXPECT_LT(w.speed(low), 0.3f);
}

// So much gives way at once that the probe cannot look at all of it in one step.
TEST(Merging, AFullDeckThatIsJerkedAwaySlidesAsAWhole)
{
    TestWorld w(merging());
    const BodyId deck = add_deck(w, 0.5f);
    std::vector<BodyId> low;
    for (int x = 0; x < 6; ++x)
        for (int z = 0; z < 6; ++z)
            for (int y = 0; y < 2; ++y)
            {
                const BodyId box = w.add_box({2.0 * x, 0.25 + 0.5 * y, 2.0 * z}, {0.5f, 0.25f, 0.5f}, {0.5f});
                if (y == 0)
                    low.push_back(box);
            }
    w.run_seconds(2);
    const double acceleration = 1.6 * 0.5 * double(gravity);
    double place = 0;
    for (int i = 1; i <= 12; ++i)
    {
        place = 0.5 * acceleration * i * (i + 1) * double(w.dt) * double(w.dt);
        w->move_to(deck, {{place, -0.5, 0}, {}});
        w.step();
    }
    // Whoever slides from the sixth step on falls behind by at least half of what one does that slides from the first.
    const double behind = 0.5 * (acceleration - 0.5 * double(gravity)) * 36 * double(w.dt) * double(w.dt);
    for (BodyId box : low)
        EXPECT_LT(w.way(box).x, place - 0.5 * behind);
}

TEST(Merging, ContactsOfMergedBodiesTellWhatTheyCarryNow)
{
    TestWorld w(merging());
    const BodyId floor = w.add_floor();
    const BodyId low = w.add_box({0, 0.5, 0});
    const auto carried = [&] {
        float sum = 0;
        for (const ContactInfo& c : w->contacts(floor))
            sum += c.impulse;
        return sum;
    };
    w.run_seconds(1);
    ASSERT_TRUE(w->is_merged(low));
    EXPECT_NEAR(carried(), gravity * w.dt, 0.05f * gravity * w.dt);
    const BodyId high = w.add_box({0, 1.5, 0});
    w.run_seconds(1);
    ASSERT_TRUE(w->is_merged(high));
    EXPECT_NEAR(carried(), 2 * gravity * w.dt, 0.1f * gravity * w.dt);
}

// The step in which a lift comes to a stand is over afterwards: who is set free later neither falls nor flies.
TEST(Merging, ALiftThatHasStoppedDoesNotThrowItsLoadLater)
{
    TestWorld w(merging());
    const BodyId lift = add_deck(w, 0.5f), box = w.add_box({0, 0.5, 0});
    w->set_linear_velocity(lift, {0, -0.2f, 0});
    w.run_seconds(1);
    w->set_linear_velocity(lift, {});
    w.run_steps(30);
    ASSERT_TRUE(w->is_merged(box));
    w.mark(box);
    w->unmerge(box);
    w.run_steps(3);
    EXPECT_LT(w.moved(box), 1e-5);
}

TEST(Merging, FreeCollectionsKeepBothMomenta)
{
    WorldDef def = merging();
    def.gravity = {0, -9.81f, 0};
    TestWorld w(def);
    // A heavy tray in free flight cannot hold anything; on a slide without friction it carries its load along.
    const BodyId slide = w.add({.type = BodyType::static_,
                                .position = {0, -0.5, 0},
                                .shapes = {{.geometry = Box{{200, 0.5f, 5}}, .friction = 0}},
                                .can_merge = false});
    static_cast<void>(slide);
    const BodyId tray = w.add_box({0, 0.25, 0}, {2, 0.25f, 1}, {0.6f}, 20);
    const BodyId load = w.add_box({0, 1, 0}, {0.5f, 0.5f, 0.5f}, {0.6f}, 1);
    w->set_linear_velocity(tray, {3, 0, 0});
    w->set_linear_velocity(load, {3, 0, 0});
    w.run_seconds(1);
    const DVec3 before = momentum(*w);
    w.run_seconds(3);
    EXPECT_TRUE(w->is_merged(load));
    EXPECT_EQ(w->collection(load), w->collection(tray));
    EXPECT_NEAR(momentum(*w).x, before.x, 1e-4 * before.x);
    EXPECT_NEAR(w.position(load).x - w.position(tray).x, 0, 1e-3);
}

TEST(Merging, CanBeDoneAndUndoneByHand)
{
    TestWorld w(merging());
    w.add_floor();
    const BodyId low = w.add_box({0, 0.5, 0}), high = w.add_box({0, 1.5, 0}), far = w.add_box({5, 0.5, 0});
    w.run_steps(3);
    EXPECT_FALSE(w->merge(low, far, 0)); // they do not touch
    ASSERT_TRUE(w->merge(low, high, 0));
    EXPECT_EQ(w->collection(low), w->collection(high));
    EXPECT_NE(w->collection(low), 0u);
    w.step();
    w->unmerge(high);
    EXPECT_FALSE(w->is_merged(high));
    EXPECT_EQ(w->collection(high), 0u);
    w.run_seconds(1);
    EXPECT_LT(w.moved(high), 0.02);
}

TEST(Merging, SnapshotsInTheMiddleOfItGoOnBitForBit)
{
    const auto build = [] {
        auto w = std::make_unique<TestWorld>(merging());
        const BodyId deck = add_deck(*w, 0.6f);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                w->add_box({i * 1.5, 0.5 + j, 0});
        (*w)->set_motion(deck, SineMotion{.translation = {0, 0.2f, 0}, .rotation = {0.02f, 0, 0.02f}, .period = 5});
        return w;
    };
    auto a = build();
    a->run_seconds(2.5);
    const std::vector<uint8_t> saved = (*a)->snapshot();
    World b;
    ASSERT_TRUE(b.restore(saved));
    for (int i = 0; i < 200; ++i)
    {
        a->step();
        b.step(a->dt);
        ASSERT_EQ((*a)->state_hash(), b.state_hash()) << "step " << i;
    }
}

TEST(Merging, TheSameBitsOnAnyNumberOfThreads)
{
    std::vector<uint64_t> hashes;
    for (int threads : {1, 2, 4})
    {
        WorldDef def = merging();
        def.threads = threads;
        TestWorld w(def);
        const BodyId deck = add_deck(w, 0.6f);
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j < 8; ++j)
                w.add_box({i * 1.2 - 7, 0.5 + j, 0});
        w->set_motion(deck, SineMotion{.translation = {0, 0.2f, 0}, .rotation = {0.01f, 0, 0.01f}, .period = 5});
        w.run_seconds(6);
        hashes.push_back(w->state_hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

} // namespace moraine::test
