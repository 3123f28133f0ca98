// Time warp: what went wrong is repeated in small steps, alone, and events tell of what really happened.
#include "scene/description.h"
#include "support/test_world.h"

#include <algorithm>

using namespace moraine;
using namespace moraine::test;

namespace
{

constexpr float fast = 40; // m/s: 0.67 m in a step

struct Shot
{
    TestWorld w;
    BodyId plate{}, ball{}, stack{};
};

// A ball at a thin plate that stands free in space, and a tower far away.
Shot shot_at_a_plate(bool warps, EventPolicy policy = EventPolicy::completed_frames)
{
    WorldDef def = without_gravity();
    def.time_warp = warps;
    def.merging = false;
    def.event_policy = policy;
    Shot shot{TestWorld(def)};
    shot.plate = shot.w.add_box({0, 0, 0}, {1, 1, 0.01f}, {}, 1);
    shot.ball = shot.w.add(
        {.position = {0, 0, -5.1}, .linear_velocity = {0, 0, fast}, .shapes = {{.geometry = Sphere{0.1f}}}, .mass = 1});
    shot.stack = shot.w.add_box({50, 0, 0});
    return shot;
}

} // namespace

TEST(TimeWarp, ABallDoesNotPassThroughAPlate)
{
    Shot without = shot_at_a_plate(false), with = shot_at_a_plate(true);
    int warped = 0;
    for (int i = 0; i < 30; ++i)
    {
        without.w.step();
        warped += with.w.step().groups_warped;
    }
    EXPECT_GT(without.w.position(without.ball).z, 10); // went through
    EXPECT_GE(warped, 1);
    EXPECT_LE(warped, 3);
    // Equal masses, no bounce: both go on with half the speed.
    EXPECT_NEAR(with.w->linear_velocity(with.ball).z, fast / 2, 0.5f);
    EXPECT_NEAR(with.w->linear_velocity(with.plate).z, fast / 2, 0.5f);
    EXPECT_LT(with.w.position(with.ball).z, with.w.position(with.plate).z);
    expect_near(momentum(*with.w), {0, 0, double(fast)}, 1e-3);
}

TEST(TimeWarp, TheRestOfTheWorldKeepsItsStepToTheBit)
{
    const auto run = [](bool warps, bool shoots) {
        WorldDef def;
        def.time_warp = warps;
        def.merging = false;
        TestWorld w(def);
        w.add_floor();
        std::vector<BodyId> boxes;
        for (int i = 0; i < 20; ++i)
            boxes.push_back(w.add_box({1.1 * (i % 3) + 30, 0.52 + 1.02 * (i / 3), 0.3 * (i / 3 % 2)}));
        w.add({.position = {0, 5, 0}, .shapes = {{.geometry = Box{{1, 1, 0.01f}}}}, .mass = 1, .gravity_scale = 0});
        w.add({.position = {0, 5, -3},
               .linear_velocity = {0, 0, shoots ? fast : 0.0f},
               .shapes = {{.geometry = Sphere{0.1f}}},
               .mass = 1,
               .gravity_scale = 0});
        int warped = 0;
        for (int i = 0; i < 90; ++i)
            warped += w.step().groups_warped;
        EXPECT_EQ(warped > 0, warps && shoots);
        std::vector<Pose> poses;
        for (BodyId b : boxes)
            poses.push_back(w->pose(b));
        return poses;
    };
    const std::vector<Pose> still = run(true, false), shot = run(true, true);
    for (size_t i = 0; i < still.size(); ++i)
        EXPECT_EQ(still[i], shot[i]);
}

TEST(TimeWarp, EventsTellWhatHappenedAndWhen)
{
    for (EventPolicy policy : {EventPolicy::completed_frames, EventPolicy::queue})
    {
        Shot s = shot_at_a_plate(true, policy);
        // A trigger behind the plate: where the ball would have been, had it gone through.
        const BodyId behind = s.w.add({.type = BodyType::static_,
                                       .position = {0, 0, 0.6},
                                       .shapes = {{.geometry = Box{{0.3f, 0.3f, 0.3f}}}},
                                       .is_trigger = true,
                                       .filter = {.category = 2}});
        s.w->set_filter(s.plate, {.mask = 1});
        size_t touches = 0, hits = 0;
        double touched_at = 0, impulse = 0;
        int first_in = -1, touch_step = -1;
        for (int i = 0; i < 30; ++i)
        {
            s.w.step();
            const Events& e = s.w->events();
            for (const ContactEvent& t : e.touch_began)
            {
                ++touches;
                touched_at = t.time;
                touch_step = i;
            }
            hits += e.hits.size();
            for (const HitEvent& h : e.hits)
                impulse += double(h.impulse);
            for (const ContactEvent& t : e.trigger_entered)
                if (t.body_a == behind && first_in < 0)
                    first_in = i;
        }
        EXPECT_EQ(touches, 1u);
        // 4.99 m less the radius to go; noticed within a small step of that.
        EXPECT_NEAR(touched_at, (5.1 - 0.01 - 0.1 - 0.02) / double(fast), 2.0 / 960 + 1e-4);
        EXPECT_EQ(hits, 1u);
        EXPECT_NEAR(impulse, double(fast) / 2, 1); // equal masses of 1 kg
        EXPECT_GT(first_in, touch_step - 1);
    }
}

TEST(TimeWarp, IsTheSameForAnyNumberOfThreads)
{
    uint64_t hashes[3];
    for (int i = 0; i < 3; ++i)
    {
        WorldDef def;
        def.time_warp = true;
        def.merging = false;
        def.threads = 1 << i;
        TestWorld w(def);
        w.add_floor();
        for (int k = 0; k < 40; ++k)
            w.add_box({1.1 * (k % 5), 0.6 + 1.1 * (k / 5), 0}, {0.5f, 0.5f, 0.05f});
        for (int k = 0; k < 4; ++k)
            w.add({.position = {1.0 * k, 2, -4.0 - k},
                   .linear_velocity = {0, 0, fast},
                   .shapes = {{.geometry = Sphere{0.2f}}},
                   .mass = 3});
        int warped = 0;
        for (int k = 0; k < 60; ++k)
            warped += w.step().groups_warped;
        EXPECT_GT(warped, 0);
        EXPECT_TRUE(all_finite(*w));
        hashes[i] = w->state_hash();
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(TimeWarp, SaysThatItDoesNothingWhileMergingIsOn)
{
    WorldDef def;
    def.time_warp = true;
    EXPECT_EQ(World(def).last_error(), "");
    def.merging = true;
    EXPECT_NE(World(def).last_error().find("switch one off"), std::string::npos);
    SceneDescription scene;
    scene.world = def;
    EXPECT_FALSE(Scene::create(scene));
}
