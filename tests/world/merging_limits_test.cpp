// Limits of single bodies, and the criteria that can be switched on.
#include "support/merging_invariants.h"
#include "support/merging_worlds.h"

namespace moraine::test
{

namespace
{

int steps_until_merged(TestWorld& w, BodyId body, int most = 400)
{
    for (int i = 0; i < most; ++i)
        if (w->is_merged(body))
            return i;
        else
            w.step();
    return most;
}

BodyId add_box_with(TestWorld& w, DVec3 position, const BodyMergeDef& def)
{
    return w.add({.position = position, .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}}, .mass = 1, .merge = def});
}

} // namespace

TEST(MergingLimits, ABodyMayNeedMoreStepsThanOthers)
{
    TestWorld plain(merging()), patient(merging());
    for (TestWorld* w : {&plain, &patient})
        w->add_floor();
    const int few = steps_until_merged(plain, plain.add_box({0, 0.5, 0}));
    const BodyId body = add_box_with(patient, {0, 0.5, 0}, {.steps = 100});
    EXPECT_EQ(patient->merge_def(body).steps, 100);
    EXPECT_EQ(steps_until_merged(patient, body) - few, 100 - MergeDef{}.steps);
    // With new limits it has to show anew that it rests, for twice as long because the two have parted once. It does not move
    // at all, so that each step beyond the usual time counts four times.
    patient->set_merge_def(body, {.steps = 20});
    EXPECT_FALSE(patient->is_merged(body));
    EXPECT_EQ(steps_until_merged(patient, body), 20 + 20 / 4);
}

TEST(MergingLimits, OfTwoOwnValuesTheStricterCounts)
{
    for (int swapped : {0, 1})
    {
        TestWorld w(merging());
        w.add_floor();
        const BodyMergeDef quick{.steps = 2}, slow{.steps = 120};
        const BodyId low = add_box_with(w, {0, 0.5, 0}, swapped ? slow : quick);
        const BodyId high = add_box_with(w, {0, 1.5, 0}, swapped ? quick : slow);
        EXPECT_GE(steps_until_merged(w, high), 120);
        EXPECT_TRUE(w->is_merged(low));
    }
}

TEST(MergingLimits, ABodyThatMustNotMoveAtAllStaysFree)
{
    TestWorld w(merging());
    w.add_floor();
    const BodyId strict = add_box_with(w, {0, 0.5, 0}, {.slip_speed = 0, .breathe_speed = 0, .rest = 1e-9f}),
                 other = w.add_box({3, 0.5, 0});
    w.run_steps(60);
    EXPECT_FALSE(w->is_merged(strict));
    EXPECT_TRUE(w->is_merged(other));
    w->set_merge_def(strict, {});
    w.run_steps(60);
    EXPECT_TRUE(w->is_merged(strict));
}

TEST(MergingLimits, NonsenseIsRefused)
{
    TestWorld w;
    BodyDef def{.shapes = {{}}};
    def.merge.rest = 0;
    EXPECT_FALSE(w->try_create_body(def));
    const BodyId body = w.add_box({0, 1, 0});
    w->set_merge_def(body, {.speed = infinity});
    EXPECT_NE(w->last_error().find("set_merge_def"), std::string::npos);
    EXPECT_EQ(w->merge_def(body), BodyMergeDef{});
    w->destroy_body(body);
    EXPECT_EQ(w->merge_def(body), BodyMergeDef{});
}

TEST(MergingLimits, OwnLimitsAreInSnapshots)
{
    TestWorld w(merging());
    w.add_floor();
    const BodyId body = add_box_with(w, {0, 0.5, 0}, {.steps = 50, .rest = 0.02f});
    w.run_steps(10);
    World other;
    ASSERT_TRUE(other.restore(w->snapshot()));
    EXPECT_EQ(other.merge_def(body), w->merge_def(body));
    for (int i = 0; i < 100; ++i)
    {
        w.step();
        other.step(w.dt);
        ASSERT_EQ(w->state_hash(), other.state_hash()) << i;
        ASSERT_EQ(w->is_merged(body), other.is_merged(body)) << i;
    }
    EXPECT_TRUE(w->is_merged(body));
}

// The poster's rule: a deck without friction leaves slowly, and the box on it is slow for long enough, but ever faster.
TEST(MergingLimits, WhoMovesEverFasterDoesNotMergeWithTheTrendChecked)
{
    for (bool checks_trend : {false, true})
    {
        WorldDef def = merging();
        def.merge.checks_slip = false;
        def.merge.checks_trend = checks_trend;
        TestWorld w(def);
        const BodyId deck = w.add({.type = BodyType::kinematic,
                                   .position = {0, -0.5, 0},
                                   .shapes = {{.geometry = Box{{5, 0.5f, 5}}, .friction = 0}}});
        const BodyId box = w.add_box({0, 0.5, 0}, {0.5f, 0.5f, 0.5f}, {0});
        bool has_merged = false;
        for (int i = 1; i <= 30; ++i)
        {
            const double t = i * double(w.dt);
            w->move_to(deck, {{0.5 * 0.03 * t * t, -0.5, 0}, {}});
            w.step();
            has_merged |= w->is_merged(box);
        }
        EXPECT_EQ(has_merged, !checks_trend);
    }
}

TEST(MergingLimits, WithTheTrendCheckedWhatRestsMergesAllTheSame)
{
    WorldDef def = merging();
    def.merge.checks_trend = true;
    TestWorld w(def);
    w.add_floor();
    std::vector<BodyId> stack;
    for (int i = 0; i < 5; ++i)
        stack.push_back(w.add_box({0, 0.5 + i, 0}));
    w.run_seconds(5);
    for (BodyId b : stack)
        EXPECT_TRUE(w->is_merged(b));
}

// A ball touches the floor at one point: by itself that is not stable. In a corner of three walls it is.
TEST(MergingLimits, WithCyclesCheckedOnePointIsEnoughOnlyInACompleteSubgraph)
{
    for (bool checks_cycles : {false, true})
    {
        WorldDef def = merging();
        def.gravity = Vec3{-1, -1, -1} * 5.66f;
        def.merge.checks_cycles = checks_cycles;
        TestWorld w(def);
        const std::array<BodyId, 3> walls = add_corner(w);
        const BodyId ball = w.add_ball({0.5, 0.5, 0.5});
        w.run_seconds(3);
        EXPECT_TRUE(w->is_merged(ball)) << checks_cycles;
        w->destroy_body(walls[0]);
        w.run_steps(5);
        EXPECT_FALSE(w->is_merged(ball));
        EXPECT_EQ(broken_invariant(*w), "");

        w->set_gravity({0, -9.81f, 0});
        const BodyId lone = w.add_ball({3, 0.5, 3}), box = w.add_box({3, 0.5, 1});
        w.run_seconds(3);
        EXPECT_EQ(w->is_merged(lone), !checks_cycles);
        EXPECT_TRUE(w->is_merged(box));
    }
}

} // namespace moraine::test
