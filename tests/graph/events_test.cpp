// Events of the contact graph: proximity, touches, triggers, timers; filtered, in order, and true while bodies sleep.
#include "support/test_world.h"

#include <algorithm>

using namespace moraine;
using namespace moraine::test;

namespace
{

bool has(const std::vector<ContactEvent>& events, BodyId a, BodyId b)
{
    return std::any_of(events.begin(), events.end(), [&](const ContactEvent& e) {
        return (e.body_a == a && e.body_b == b) || (e.body_a == b && e.body_b == a);
    });
}

struct Tally
{
    int proximity_began = 0, proximity_ended = 0, touch_began = 0, touch_ended = 0, entered = 0, left = 0;

    void add(const Events& e)
    {
        proximity_began += int(e.proximity_began.size());
        proximity_ended += int(e.proximity_ended.size());
        touch_began += int(e.touch_began.size());
        touch_ended += int(e.touch_ended.size());
        entered += int(e.trigger_entered.size());
        left += int(e.trigger_left.size());
    }
};

} // namespace

TEST(ProximityEvents, BeginBeforeTheTouchPersistAndEnd)
{
    TestWorld w(without_gravity());
    const BodyId wall = w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{1, 5, 5}}}}});
    const BodyId ball = w.add({.position = {6, 0, 0},
                               .linear_velocity = {-3, 0, 0},
                               .shapes = {{.geometry = Sphere{0.5f}, .restitution = 1}},
                               .events = EventMask::all});
    Tally tally;
    int near_at = -1, touch_at = -1, steps_near = 0;
    for (int i = 0; i < 240; ++i)
    {
        w.step();
        const Events& e = w->events();
        tally.add(e);
        if (!e.proximity_began.empty())
            near_at = i;
        if (!e.touch_began.empty())
            touch_at = i;
        steps_near += has(e.proximity_persists, wall, ball);
        EXPECT_FALSE(has(e.proximity_began, wall, ball) && has(e.proximity_persists, wall, ball));
    }
    EXPECT_EQ(tally.proximity_began, 1);
    EXPECT_EQ(tally.proximity_ended, 1);
    EXPECT_EQ(tally.touch_began, 1);
    EXPECT_EQ(tally.touch_ended, 1);
    EXPECT_GE(touch_at, near_at);
    EXPECT_GE(near_at, 0);
    EXPECT_GT(steps_near, 1);
    EXPECT_GT(w->linear_velocity(ball).x, 2.5f); // bounced
}

TEST(TouchEvents, PersistInEveryStepAndWhileAsleep)
{
    TestWorld w;
    const BodyId floor = w.add_floor();
    const BodyId box = w.add({.position = {0, 0.5, 0},
                              .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}},
                              .events = EventMask::standard | EventMask::touch_persists});
    w.step();
    ASSERT_TRUE(has(w->events().touch_began, floor, box));
    EXPECT_TRUE(w->events().touch_persists.empty());
    for (int i = 0; i < 240; ++i)
    {
        w.step();
        ASSERT_EQ(w->events().touch_persists.size(), 1u) << i;
        ASSERT_TRUE(w->events().touch_ended.empty());
    }
    EXPECT_FALSE(w->is_awake(box));
}

TEST(TouchEvents, AreToldWhenOneOfTheTwoBodiesWantsThem)
{
    for (int wants = 0; wants < 3; ++wants)
    {
        TestWorld w;
        const auto mask = [](bool on) { return on ? EventMask::standard : uint16_t(0); };
        w.add({.type = BodyType::static_, .shapes = {{.geometry = HalfSpace{}}}, .events = mask(wants == 1)});
        w.add({.position = {0, 1, 0}, .shapes = {{}}, .events = mask(wants == 2)});
        Tally tally;
        size_t hits = 0, sleeps = 0;
        for (int i = 0; i < 180; ++i)
        {
            w.step();
            tally.add(w->events());
            hits += w->events().hits.size();
            sleeps += w->events().sleeps.size();
        }
        EXPECT_EQ(tally.touch_began, wants > 0 ? 1 : 0);
        EXPECT_EQ(hits, wants > 0 ? 1u : 0u);
        EXPECT_EQ(sleeps > 0, wants == 2); // only the ball sleeps
    }
}

TEST(TouchEvents, AMoveThatKeepsTheTouchIsNoEnd)
{
    TestWorld w;
    w.add_floor();
    const BodyId box = w.add_box({0, 0.5, 0});
    const BodyId zone = w.add(
        {.type = BodyType::static_, .shapes = {{.geometry = Box{{5, 2, 5}}}}, .is_trigger = true});
    w.run_seconds(2);
    Tally tally;
    w->set_pose(box, {{1, 0.5, 0}, {}});
    w->set_pose(zone, {{0.5, 0, 0}, {}});
    w->set_filter(box, {.category = 3});
    for (int i = 0; i < 120; ++i)
    {
        w.step();
        tally.add(w->events());
    }
    EXPECT_EQ(tally.touch_began + tally.touch_ended + tally.entered + tally.left, 0);
    w->set_pose(zone, {{50, 0, 0}, {}});
    w.step();
    EXPECT_EQ(w->events().trigger_left.size(), 1u);
    EXPECT_FALSE(w->is_awake(box)); // a trigger that goes disturbs nobody
}

TEST(TouchEvents, AFilterSwitchedOffAndOnBetweenStepsIsNoEventWithCompletedFrames)
{
    for (EventPolicy policy : {EventPolicy::completed_frames, EventPolicy::queue})
    {
        WorldDef def;
        def.event_policy = policy;
        TestWorld w(def);
        w.add_floor();
        const BodyId box = w.add_box({0, 0.5, 0});
        w.run_seconds(1);
        w->set_filter(box, {.mask = 0});
        w->set_filter(box, {});
        w.step();
        const size_t expected = policy == EventPolicy::queue ? 1 : 0;
        EXPECT_EQ(w->events().touch_began.size(), expected);
        EXPECT_EQ(w->events().touch_ended.size(), expected);
    }
}

TEST(TriggerEvents, ATriggerPutOverSleepersIsEnteredWithoutWakingThem)
{
    TestWorld w;
    w.add_floor();
    const BodyId box = w.add_box({0, 0.5, 0});
    w.run_seconds(2);
    ASSERT_FALSE(w->is_awake(box));
    const BodyId zone = w.add({.type = BodyType::static_,
                               .shapes = {{.geometry = Box{{2, 2, 2}}}},
                               .is_trigger = true,
                               .events = EventMask::trigger | EventMask::trigger_persists});
    w.step();
    ASSERT_TRUE(has(w->events().trigger_entered, zone, box));
    w.step();
    EXPECT_TRUE(has(w->events().trigger_persists, zone, box));
    EXPECT_FALSE(w->is_awake(box));
    w->set_pose(zone, {{10, 0, 0}, {}});
    w.step();
    EXPECT_TRUE(has(w->events().trigger_left, zone, box));
    EXPECT_FALSE(w->is_awake(box));
}

TEST(TriggerEvents, ScriptedBodiesAreNoticedAndFixedOnesWhereAskedFor)
{
    for (bool wants_fixed : {false, true})
    {
        TestWorld w;
        const uint16_t mask = wants_fixed ? EventMask::all : EventMask::standard;
        const BodyId block = w.add(
            {.type = BodyType::static_, .position = {1, 0, 0}, .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}}});
        const BodyId zone = w.add(
            {.type = BodyType::static_, .shapes = {{.geometry = Box{{2, 2, 2}}}}, .is_trigger = true, .events = mask});
        const BodyId late = w.add(
            {.type = BodyType::static_, .position = {-1, 0, 0}, .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}}});
        const BodyId cart = w.add({.type = BodyType::kinematic,
                                   .position = {0, 0, -4},
                                   .linear_velocity = {0, 0, 4},
                                   .shapes = {{.geometry = Sphere{0.3f}}}});
        int cart_in = 0, cart_out = 0, fixed_in = 0, other = 0;
        for (int i = 0; i < 120; ++i)
        {
            w.step();
            cart_in += has(w->events().trigger_entered, zone, cart);
            cart_out += has(w->events().trigger_left, zone, cart);
            fixed_in += has(w->events().trigger_entered, zone, block) + has(w->events().trigger_entered, zone, late);
            other += int(w->events().touch_began.size() + w->events().trigger_left.size());
        }
        EXPECT_EQ(cart_in, 1);
        EXPECT_EQ(cart_out, 1);
        EXPECT_EQ(fixed_in, wants_fixed ? 2 : 0);
        EXPECT_EQ(other, 1); // the cart leaving
    }
}

TEST(Timers, TickInTheWorldsTimeHoweverLongTheSteps)
{
    for (float dt : {1 / 60.0f, 0.01f, 0.3f})
    {
        TestWorld w;
        w.dt = dt;
        const TimerId often = w->create_timer({.interval = 0.1, .user_data = 7});
        const TimerId once = w->create_timer({.interval = 1, .delay = 0.55, .repeats = false});
        std::vector<TimerEvent> ticks;
        for (double t = 0; t < 3 - 1e-3; t += double(dt))
        {
            w.step();
            for (const TimerEvent& e : w->events().ticks)
                ticks.push_back(e);
        }
        EXPECT_EQ(ticks.size(), 31u) << dt;
        EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end(),
                                   [](const TimerEvent& a, const TimerEvent& b) { return a.time < b.time; }));
        uint64_t count = 0;
        for (const TimerEvent& e : ticks)
            if (e.timer == often)
            {
                EXPECT_EQ(e.tick, ++count);
                EXPECT_NEAR(e.time, 0.1 * double(count), 1e-9);
            }
            else
                EXPECT_NEAR(e.time, 0.55, 1e-9);
        EXPECT_FALSE(w->is_valid(once));
        EXPECT_TRUE(w->is_valid(often));
        EXPECT_EQ(w->timer_def(often).user_data, 7u);
        w->destroy_timer(often);
        w.run_steps(20);
        EXPECT_TRUE(w->events().ticks.empty());
    }
}

TEST(EventCallback, IsCalledWithTheStepsEventsAndMayChangeTheWorld)
{
    TestWorld w;
    w.add_floor();
    const BodyId ball = w.add_ball({0, 2, 0});
    int calls = 0, touches = 0;
    w->set_event_callback([&](World& world, const Events& events) {
        ++calls;
        touches += int(events.touch_began.size());
        if (!events.touch_began.empty())
            world.destroy_body(ball);
        EXPECT_TRUE(world.step(0.1f).has_error); // not from here
    });
    w.run_seconds(3);
    EXPECT_EQ(touches, 1);
    EXPECT_LE(calls, 3);
    EXPECT_FALSE(w->is_valid(ball));
}

TEST(Snapshots, KeepTimersRulesGroupsAndMasks)
{
    TestWorld w;
    w.add_floor();
    const BodyId box = w.add({.position = {0, 0.5, 0},
                              .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}},
                              .rule_groups = 4,
                              .events = EventMask::all});
    const TimerId timer = w->create_timer({.interval = 0.25});
    const RuleId rule = w->create_rule({.group_a = 1, .group_b = 2});
    w.run_steps(10);
    World other;
    ASSERT_TRUE(other.restore(w->snapshot()));
    EXPECT_TRUE(other.is_valid(timer));
    EXPECT_TRUE(other.is_valid(rule));
    EXPECT_EQ(other.rule_groups(box), 4u);
    EXPECT_EQ(other.event_mask(box), EventMask::all);
    for (int i = 0; i < 60; ++i)
    {
        w.step();
        other.step(w.dt);
        ASSERT_EQ(w->events().ticks.size(), other.events().ticks.size());
        ASSERT_EQ(w->events().touch_persists.size(), other.events().touch_persists.size());
    }
}
