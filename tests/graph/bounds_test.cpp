// The graph stays small, and triggers stay true through sleep, a shot, and sleep again.
#include "scene/random.h"
#include "support/test_world.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace moraine;
using namespace moraine::test;

namespace
{

// `count` balls in a box with soft borders: who leaves comes in again on the other side.
int most_edges(int count, double seconds, int& last)
{
    WorldDef def = without_gravity();
    def.sleeping = false;
    TestWorld w(def);
    Random random(1);
    const float side = 4 * std::cbrt(float(count)); // metres: a ball every 64 m³
    std::vector<BodyId> balls;
    for (int i = 0; i < count; ++i)
        balls.push_back(w->create_body({.position = DVec3(random.within({side / 2, side / 2, side / 2})),
                                        .linear_velocity = random.direction() * 5.0f,
                                        .shapes = {{.geometry = Sphere{0.3f}, .friction = 0, .restitution = 1}},
                                        .events = 0}));
    int most = 0;
    const int steps = int(seconds * 60);
    for (int i = 0; i < steps; ++i)
    {
        w.step();
        most = std::max(most, w->edge_count());
        if (i % 30)
            continue;
        for (BodyId b : balls)
        {
            DVec3 p = w.position(b);
            const DVec3 was = p;
            for (double* x : {&p.x, &p.y, &p.z})
                *x -= double(side) * std::round(*x / double(side));
            if (!(p == was))
                w->set_pose(b, {p, {}});
        }
    }
    last = w->edge_count();
    return most;
}

struct TriggerRun
{
    std::vector<std::pair<int, BodyId>> entered, left; // step and body
    int asleep_twice = 0;
};

// Boxes fall into a trigger, sleep there, are shot at, sleep again, and at last the floor opens.
TriggerRun trigger_over_a_pile(int threads)
{
    WorldDef def;
    def.threads = threads;
    TestWorld w(def);
    const BodyId floor = w.add(
        {.type = BodyType::static_, .position = {0, -0.5, 0}, .shapes = {{.geometry = Box{{10, 0.5f, 10}}}}});
    w.add({.type = BodyType::static_,
           .position = {0, 2, 0},
           .shapes = {{.geometry = Box{{30, 4, 30}}}},
           .is_trigger = true});
    std::vector<BodyId> boxes;
    for (int i = 0; i < 60; ++i)
        boxes.push_back(
            w.add_box({1.05 * (i % 4) - 1.5 + 0.1 * (i / 16), 8 + 1.1 * (i / 16), 1.05 * (i / 4 % 4) - 1.5}));
    TriggerRun run;
    const auto run_steps = [&](int steps) {
        for (int i = 0; i < steps; ++i)
        {
            w.step();
            for (const ContactEvent& e : w->events().trigger_entered)
                run.entered.emplace_back(int(w->step_count()), e.body_b);
            for (const ContactEvent& e : w->events().trigger_left)
                run.left.emplace_back(int(w->step_count()), e.body_b);
        }
    };
    const auto all_asleep = [&] {
        return std::none_of(boxes.begin(), boxes.end(), [&](BodyId b) { return w->is_awake(b); });
    };
    run_steps(480);
    run.asleep_twice += all_asleep();
    const BodyId shot = w.add(
        {.position = {-9, 0.7, 0}, .linear_velocity = {25, 0, 0}, .shapes = {{.geometry = Sphere{0.3f}}}, .mass = 2});
    run_steps(60);
    EXPECT_FALSE(all_asleep());
    w->destroy_body(shot);
    run_steps(600);
    run.asleep_twice += all_asleep();
    w->destroy_body(floor);
    run_steps(300);
    for (BodyId b : boxes)
        EXPECT_LT(w.position(b).y, -3);
    std::erase_if(run.entered, [&](const auto& e) { return e.second == shot; });
    std::erase_if(run.left, [&](const auto& e) { return e.second == shot; });
    return run;
}

} // namespace

TEST(EdgeCount, StaysBoundedWhileBodiesFlyPastEachOther)
{
    int last_short = 0, last_long = 0;
    const int after_five = most_edges(1000, 5, last_short);
    const int after_twenty = most_edges(1000, 20, last_long);
    EXPECT_LT(after_twenty, 1.3 * after_five + 20);
    EXPECT_LT(last_long, after_twenty);
    EXPECT_LT(after_twenty, 1000); // of half a million pairs
}

TEST(TriggerPile, EveryBodyEntersOnceAndLeavesOnceForAnyNumberOfThreads)
{
    const TriggerRun one = trigger_over_a_pile(1);
    EXPECT_EQ(one.asleep_twice, 2);
    for (const auto* list : {&one.entered, &one.left})
    {
        ASSERT_EQ(list->size(), 60u);
        std::set<BodyId> bodies;
        for (const auto& [step, body] : *list)
            bodies.insert(body);
        EXPECT_EQ(bodies.size(), 60u);
    }
    for (int threads : {2, 4})
    {
        const TriggerRun other = trigger_over_a_pile(threads);
        EXPECT_EQ(one.entered, other.entered);
        EXPECT_EQ(one.left, other.left);
    }
}
