// What hangs by joints alone becomes one when it has come to rest, and not before.
#include "support/merging_invariants.h"
#include "support/merging_worlds.h"

#include <gtest/gtest.h>

namespace moraine::test
{

namespace
{

WorldDef settings(bool merges)
{
    WorldDef def = merging();
    def.merging = merges;
    return def;
}

// Links that hang from the ceiling, the first by its end.
std::vector<BodyId> hang_chain(TestWorld& w, int count, Vec3 half = {0.05f, 0.2f, 0.05f})
{
    std::vector<BodyId> links;
    for (int i = 0; i < count; ++i)
    {
        const double top = 10 - 2 * double(half.y) * i;
        links.push_back(w.add_box({0, top - double(half.y), 0}, half));
        const BodyId above = i == 0 ? BodyId{} : links[size_t(i - 1)];
        w->create_joint(w->joint_at(above, links.back(), {{0, top, 0}, {}}, BallJoint{}));
    }
    return links;
}

} // namespace

TEST(MergingHanging, AHangingChainBecomesOneUntilItIsHit)
{
    std::vector<double> thrown;
    for (const bool merges : {false, true})
    {
        TestWorld w(settings(merges));
        const std::vector<BodyId> links = hang_chain(w, 8);
        w.run_seconds(3);
        for (BodyId link : links)
            EXPECT_EQ(w->is_merged(link), merges);
        w.mark(links[7]);
        w.run_seconds(5);
        EXPECT_LT(w.moved(links[7]), 1e-4);
        const BodyId ball = w.add_ball({-0.6, w.position(links[6]).y, 0}, 0.2f, {}, 2);
        w->set_linear_velocity(ball, {6, 0, 0});
        double furthest = 0;
        for (int i = 0; i < 30; ++i)
        {
            w.step();
            furthest = std::max(furthest, w.position(links[7]).x);
            EXPECT_EQ(broken_invariant(*w), "");
        }
        thrown.push_back(furthest);
        EXPECT_FALSE(w->is_merged(links[7]));
        for (JointId joint : w->joints())
            EXPECT_LT(w->joint_error(joint), 0.01f);
    }
    EXPECT_GT(thrown[0], 0.3);
    EXPECT_NEAR(thrown[1], thrown[0], 0.1 * thrown[0]);
}

TEST(MergingHanging, APendulumIsNotHeldWhereItTurnsRound)
{
    for (const float length : {1.0f, 10.0f})
        for (const float angle : {0.01f, 0.05f, 0.5f})
        {
            TestWorld w(merging());
            const DVec3 bob(double(length * std::sin(angle)), -double(length * std::cos(angle)), 0);
            const BodyId ball = w.add_ball(bob, 0.1f * length);
            w->create_joint(w->joint_at({}, ball, {{}, {}}, BallJoint{}));
            // A swing and a half: it is on the other side.
            const double period = 2 * double(pi) * std::sqrt(double(length * (1 + 0.4f * 0.01f)) / double(gravity)) *
                                  (1 + double(angle * angle) / 16);
            for (int i = 0; i < int(1.5 * period / double(w.dt) + 0.5); ++i)
            {
                w.step();
                EXPECT_FALSE(w->is_merged(ball)) << length << " m, " << angle << " in step " << i;
            }
            EXPECT_NEAR(w.position(ball).x, -bob.x, 0.1 * bob.x) << length << " m, " << angle;
        }
}

// Planks between two banks, hung by two ball joints at each end.
TEST(MergingHanging, ABridgeThatHasComeToRestBecomesOneUntilItIsHit)
{
    constexpr int count = 9;
    std::vector<double> pushed;
    for (const bool merges : {false, true})
    {
        TestWorld w(settings(merges));
        std::vector<BodyId> planks;
        for (int i = 0; i < count; ++i)
        {
            // In an arc that is a little longer than the way across.
            const double x = 0.5 * (i - 0.5 * (count - 1)), sag = 0.05 * (x * x - 5);
            planks.push_back(w.add({.position = {x, sag, 0},
                                    .rotation = axis_angle({0, 0, 1}, float(std::atan(0.1 * x))),
                                    .shapes = {{.geometry = Box{{0.24f, 0.03f, 0.5f}}}},
                                    .mass = 5}));
        }
        const auto hang = [&](BodyId a, BodyId b, double x) {
            for (const double z : {-0.4, 0.4})
                w->create_joint(w->joint_at(a, b, {{x, 0.05 * (x * x - 5), z}, {}}, BallJoint{}));
        };
        for (int i = 0; i <= count; ++i)
            hang(i == 0 ? BodyId{} : planks[size_t(i - 1)], i == count ? BodyId{} : planks[size_t(i)],
                 0.5 * (i - 0.5 * count));
        w.run_seconds(20);
        int merged = 0;
        for (BodyId plank : planks)
            merged += w->is_merged(plank);
        EXPECT_EQ(merged, merges ? count : 0);
        w.mark(planks[4]);
        w.run_seconds(5);
        EXPECT_LT(w.moved(planks[4]), merges ? 1e-5 : 0.01);
        const BodyId ball = w.add_ball({0, 1.5, 0}, 0.2f, {}, 5);
        w->set_linear_velocity(ball, {0, -5, 0});
        double furthest = 0;
        for (int i = 0; i < 60; ++i)
        {
            w.step();
            furthest = std::max(furthest, w.moved(planks[4]));
            EXPECT_EQ(broken_invariant(*w), "");
        }
        pushed.push_back(furthest);
        for (JointId joint : w->joints())
            EXPECT_LT(w->joint_error(joint), 0.02f);
    }
    EXPECT_GT(pushed[0], 0.02);
    EXPECT_NEAR(pushed[1], pushed[0], 0.2 * pushed[0]);
}

} // namespace moraine::test
