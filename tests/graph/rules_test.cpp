// Rules between groups of bodies, at run time, and worlds that only watch.
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

BodyId add_grouped_box(TestWorld& w, DVec3 position, uint64_t groups, BodyType type = BodyType::dynamic_)
{
    return w.add(
        {.type = type, .position = position, .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}}, .rule_groups = groups});
}

} // namespace

TEST(Rules, GroupsThatIgnoreEachOtherPassThrough)
{
    TestWorld w;
    add_grouped_box(w, {0, 0, 0}, 0b0010, BodyType::static_);
    const BodyId ignoring = add_grouped_box(w, {0, 2, 0}, 0b0100);
    const BodyId other = add_grouped_box(w, {0.2, 4, 0}, 0b1000);
    w->create_rule({.group_a = 1, .group_b = 2});
    w.run_seconds(2);
    EXPECT_LT(w.position(ignoring).y, -5);
    EXPECT_NEAR(w.position(other).y, 1, 0.02);
}

TEST(Rules, MadeWhileABodyRestsLetItFallAndGoneTheyCatchItAgain)
{
    TestWorld w;
    add_grouped_box(w, {0, 0, 0}, 1, BodyType::static_);
    add_grouped_box(w, {0, -6, 0}, 1, BodyType::static_);
    const BodyId box = add_grouped_box(w, {0, 1, 0}, 2);
    w.run_seconds(2);
    ASSERT_FALSE(w->is_awake(box));
    const RuleId rule = w->create_rule({.group_a = 0, .group_b = 1});
    w.step();
    EXPECT_EQ(w->events().touch_ended.size(), 1u);
    w.run_seconds(0.7);
    EXPECT_LT(w.position(box).y, -1);
    w->destroy_rule(rule);
    EXPECT_FALSE(w->is_valid(rule));
    w.run_seconds(2);
    EXPECT_NEAR(w.position(box).y, -5, 0.02);
}

TEST(Rules, SpeakOfOneGroupToo)
{
    TestWorld w(without_gravity());
    const BodyId a = add_grouped_box(w, {0, 0, 0}, 1), b = add_grouped_box(w, {0.5, 0, 0}, 1);
    w->create_rule({.group_a = 0, .group_b = 0});
    w.run_seconds(1);
    EXPECT_EQ(w.moved(a) + w.moved(b), 0);
    w->set_rule_groups(b, 0);
    w.run_seconds(1);
    EXPECT_GT(w.moved(a), 0.2);
}

TEST(Rules, ObserversAreToldAndNotPushed)
{
    TestWorld w;
    const BodyId floor = add_grouped_box(w, {0, 0, 0}, 1, BodyType::static_);
    const BodyId box = add_grouped_box(w, {0, 3, 0}, 2);
    w->create_rule({.kind = RuleKind::observe, .group_a = 0, .group_b = 1});
    size_t began = 0, ended = 0;
    for (int i = 0; i < 120; ++i)
    {
        w.step();
        began += w->events().touch_began.size();
        ended += w->events().touch_ended.size();
        EXPECT_TRUE(w->contacts(floor).empty());
    }
    EXPECT_EQ(began, 1u);
    EXPECT_EQ(ended, 1u);
    EXPECT_NEAR(w.way(box).y, -0.5 * double(gravity) * 4, 0.3);
}

TEST(Rules, ThatTurnARestIntoObservationAndBackKeepTheTouch)
{
    TestWorld w;
    w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{5, 1, 5}}}}, .rule_groups = 1});
    const BodyId box = add_grouped_box(w, {0, 1.5, 0}, 2);
    w.run_seconds(1);
    w->create_rule({.kind = RuleKind::observe, .group_a = 0, .group_b = 1});
    w.run_steps(20);
    EXPECT_LT(w.position(box).y, 1.4); // sinks in
    EXPECT_TRUE(w->contacts(box).empty());
    for (RuleId rule : w->rules())
        w->destroy_rule(rule);
    w.run_seconds(2);
    EXPECT_NEAR(w.position(box).y, 1.5, 0.05); // and is pushed out
}

TEST(Rules, BadOnesAreRefusedWithASentence)
{
    World w;
    EXPECT_FALSE(w.try_create_rule({.group_a = 64}));
    EXPECT_FALSE(w.create_rule({.group_b = -1}));
    EXPECT_NE(w.last_error().find("0 to 63"), std::string::npos);
    EXPECT_FALSE(w.try_create_timer({.interval = 0}));
    EXPECT_TRUE(w.rules().empty());
    w.destroy_rule({});
    w.destroy_timer({});
    w.set_rule_groups({}, 1);
    w.set_event_mask({}, 1);
}

TEST(ProximityOnly, TellsWhoIsNearAndOverlapsAndPushesNothing)
{
    WorldDef def;
    def.proximity_only = true;
    TestWorld w(def);
    w.add_floor();
    const BodyId ball = w.add({.position = {0, 2, 0}, .shapes = {{}}, .events = EventMask::all});
    size_t near = 0, touching = 0;
    for (int i = 0; i < 90; ++i)
    {
        const StepReport report = w.step();
        EXPECT_EQ(report.contacts_solved, 0);
        near += w->events().proximity_began.size();
        touching += w->events().touch_began.size();
    }
    EXPECT_EQ(near, 1u);
    EXPECT_EQ(touching, 1u);
    EXPECT_LT(w.position(ball).y, -5);
}
