// Who has moved since it was last looked at, and how fast anything takes up new space.
#include "distribute/restless.h"
#include "support/test_world.h"
#include "world/body_state.h"

namespace moraine::distribute
{
namespace
{

constexpr float dt = 0.002f;

struct Floating // nothing pulls at it
{
    test::TestWorld w{WorldDef{.gravity = {}, .sleeping = false}};
    Restless restless;

    BodyId add(const ShapeDef& shape, Vec3 linear, Vec3 angular)
    {
        const BodyId id = w.add({.linear_velocity = linear, .angular_velocity = angular, .shapes = {shape}});
        restless.note_change(int32_t(id.index));
        return id;
    }
    float step()
    {
        w->step(dt);
        return restless.update(w->data(), dt);
    }
};

TEST(Restless, WhatIsNewHasMovedAndThenItRests)
{
    Floating f;
    const BodyId box = f.add({.geometry = Box{{1, 1, 1}}}, {}, {});
    f.step();
    EXPECT_EQ(f.restless.moved_at(int32_t(box.index)), f.restless.now());
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(f.step(), 0);
    EXPECT_EQ(f.restless.moved_at(int32_t(box.index)), 1u);
}

// 0.2 m/s are 0.4 mm a step: from where it was, more than a millimetre after three of them.
TEST(Restless, WhatMovesIsNoticedAfterAMillimetre)
{
    Floating f;
    const BodyId box = f.add({.geometry = Box{{1, 1, 1}}}, {0.2f, 0, 0}, {});
    f.step();
    f.step();
    EXPECT_EQ(f.restless.moved_at(int32_t(box.index)), 1u);
    EXPECT_NEAR(f.step(), 0.2f, 1e-6f);
    EXPECT_EQ(f.restless.moved_at(int32_t(box.index)), 3u);
}

// A ball that turns takes up no new space, a box of half a diagonal of √3 m does.
TEST(Restless, OnlyWhatIsNotRoundMovesByTurning)
{
    Floating f;
    const BodyId ball = f.add({.geometry = Sphere{1}}, {}, {0, 3, 0});
    f.step();
    EXPECT_EQ(f.step(), 0);
    EXPECT_EQ(f.restless.moved_at(int32_t(ball.index)), 1u);
    const BodyId box = f.add({.geometry = Box{{1, 1, 1}}}, {}, {0, 3, 0});
    f.w->set_pose(box, {{10, 0, 0}, {}});
    f.step();
    EXPECT_NEAR(f.step(), 3 * std::sqrt(3.0f), 0.01f);
    EXPECT_EQ(f.restless.moved_at(int32_t(box.index)), f.restless.now());
}

TEST(BodyState, SaysHowFarTheBodyWasFromIt)
{
    Floating f;
    const BodyId box = f.add({.geometry = Box{{1, 1, 1}}}, {}, {});
    BodyState state = body_state(f.w->data(), int32_t(box.index));
    EXPECT_EQ(set_body_state(f.w->data(), int32_t(box.index), state), 0);
    state.pose.position = state.pose.position + DVec3(0, 3, 4);
    EXPECT_FLOAT_EQ(set_body_state(f.w->data(), int32_t(box.index), state), 5);
    EXPECT_EQ(body_state(f.w->data(), int32_t(box.index)), state);
}

} // namespace
} // namespace moraine::distribute
