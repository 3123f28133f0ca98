// The kernel: one lane and eight give the same bits; empty and idle lanes are harmless; definitions are checked.
#include "dynamics/joint_bench.h"
#include "dynamics/joint_rows.h"

#include <cstring>
#include <limits>

namespace moraine
{

namespace
{

std::vector<JointKind> all_kinds()
{
    SixDofJoint six;
    six.linear[1] = {.mode = AxisMode::limited, .limit = {-0.1f, 0.1f}, .motor = {1, 5}, .spring = {10, 1, 0}};
    six.angular[0] = {.mode = AxisMode::free, .motor = {1, 5}};
    six.angular[2] = {.mode = AxisMode::limited, .limit = {-0.1f, 0.1f}};
    return {BallJoint{},
            BallJoint{.cone_limit = 0.3f, .twist = {-0.1f, 0.2f}},
            BallJoint{.cone_limit = 0},
            HingeJoint{.limit = {-0.2f, 0.4f}, .motor = {2, 3}, .spring = {10, 1, 0.1f}},
            SliderJoint{.limit = {-0.2f, 0.4f}, .motor = {2, 3}, .spring = {10, 1, 0.1f}},
            FixedJoint{},
            DistanceJoint{0, 0.2f},
            DistanceJoint{0.5f, 0.5f},
            UniversalJoint{},
            six,
            SpringJoint{},
            SpringJoint{.rest_length = 0.3f},
            DragJoint{},
            DragJoint{.max_force = 20}};
}

// A tree of boxes, every edge another kind of joint.
JointBench mixed_bench(int count)
{
    JointBench bench;
    bench.add_static();
    const std::vector<JointKind> kinds = all_kinds();
    for (int i = 0; i < count; ++i)
    {
        const int32_t parent = 1 + i / 2;
        const DVec3 position = bench.pose(parent).position + DVec3(i % 2 ? 0.5 : -0.5, -0.5, 0.1 * (i % 3));
        const int32_t body = bench.add_box({position, axis_angle({1, 2, 3}, float(i))}, 1 + float(i % 4),
                                           {0.2f, 0.1f, 0.05f});
        bench.join(parent, body, {bench.pose(parent).position, axis_angle({3, 1, 2}, float(i))},
                   kinds[size_t(i) % kinds.size()]);
    }
    return bench;
}

} // namespace

// It is beside what rows move, and tells when pairs must be sought again: without it they would be, in every step.
TEST(JointKernel, RowsLeaveTheRoomOfMoversAlone)
{
    JointBench bench = mixed_bench(60);
    for (MoverVelocity& v : bench.movers.velocities)
        v.room = 0.125f;
    bench.step();
    for (const MoverVelocity& v : bench.movers.velocities)
        EXPECT_EQ(v.room, 0.125f);
}

TEST(JointKernel, OneLaneEqualsEightBitForBit)
{
    JointBench lanes = mixed_bench(60), scalar = mixed_bench(60);
    scalar.is_scalar = true;
    for (int i = 0; i < 120; ++i)
    {
        lanes.step();
        scalar.step();
        ASSERT_EQ(std::memcmp(lanes.movers.velocities.data(), scalar.movers.velocities.data(),
                              lanes.movers.velocities.size() * sizeof(MoverVelocity)),
                  0)
            << "step " << i;
    }
}

// Side by side a joint is given the rows of all kinds in its batch, and those that it does not have must do nothing.
TEST(JointKernel, InTurnEachJointHasItsOwnRowsOnlyAndNothingChanges)
{
    JointBench lanes = mixed_bench(60), turns = mixed_bench(60);
    turns.in_turn = true;
    for (int i = 0; i < 120; ++i)
    {
        lanes.step();
        turns.step();
        for (size_t m = 0; m < lanes.movers.velocities.size(); ++m)
        {
            ASSERT_EQ(lanes.movers.velocities[m].linear, turns.movers.velocities[m].linear) << "step " << i;
            ASSERT_EQ(lanes.movers.velocities[m].spin, turns.movers.velocities[m].spin) << "step " << i;
        }
    }
}

TEST(JointKernel, EveryKindStaysFinite)
{
    JointBench bench = mixed_bench(60);
    bench.run(10);
    for (int32_t i : bench.movers.awake)
        EXPECT_TRUE(is_finite(bench.velocity(i)) && is_finite(bench.pose(i))) << i;
}

TEST(JointKernel, ResultDoesNotDependOnWhichLaneAJointHas)
{
    // The same pendulum alone, and as the last of eight.
    DVec3 position[2];
    for (int n : {1, 8})
    {
        JointBench bench;
        const int32_t ground = bench.add_static();
        int32_t last = 0;
        for (int i = 0; i < n; ++i)
        {
            last = bench.add_box({{1, 0, 0}, {}}, 1, {0.2f, 0.1f, 0.05f});
            bench.join(ground, last, {}, i + 1 < n ? JointKind(SliderJoint{}) : JointKind(BallJoint{}));
        }
        bench.run(1);
        position[n == 8] = bench.pose(last).position;
    }
    EXPECT_EQ(position[0], position[1]);
}

TEST(JointKernel, TripleCountsAgreeWithTheRowsBuilt)
{
    for (const JointKind& kind : all_kinds())
    {
        JointRows rows;
        build_rows(kind, {.gap = {0.1f, 0.2f, 0}, .linear_mass = 1}, rows);
        EXPECT_EQ(rows.triple_count, triple_count(kind)) << kind.index();
        for (int i = 3 * rows.triple_count; i < 3 * max_joint_triples; ++i)
            EXPECT_EQ(rows.rows[i].use, RowUse::empty) << kind.index();
    }
}

TEST(JointKernel, PlanarBodiesAndCoincidingPointsAreHarmless)
{
    for (const JointKind& kind : all_kinds())
    {
        JointBench bench;
        const int32_t ground = bench.add_static();
        const int32_t box = bench.add_box({}, 1, {0.2f, 0.1f, 0.05f});
        MoverMass mass = bench.movers.masses[size_t(box)];
        mass.factor = factor_of_inverse(diagonal({1, 1, 1}), true);
        bench.movers.masses.set(size_t(box), mass);
        bench.movers[box].is_planar = true;
        bench.join(ground, box, {}, kind);
        bench.run(1);
        EXPECT_TRUE(is_finite(bench.velocity(box)) && is_finite(bench.omega(box))) << kind.index();
        EXPECT_LT(length(bench.velocity(box)), 20) << kind.index();
    }
}

TEST(JointKernel, JointsInsideOneMoverAreLeftOut)
{
    JointBench bench;
    const int32_t a = bench.add_sphere({0, 0, 0}, 1), b = bench.add_sphere({1, 0, 0}, 1);
    bench.join_points(a, {}, b, {}, BallJoint{});
    bench.bodies[b].mover = a;
    bench.bodies[b].pose_in_mover = {{1, 0, 0}, {}};
    bench.run(0.5f);
    EXPECT_EQ(bench.velocity(a).x, 0);
}

TEST(JointKernel, MemberOfACollectionIsHeldAtItsOwnPoint)
{
    JointBench bench;
    const int32_t ground = bench.add_static();
    const int32_t mover = bench.add_box({{0, 0, 0}, {}}, 2, {1, 0.1f, 0.1f});
    const int32_t member = bench.add_sphere({0, 0, 0}, 1); // its own mover is not used
    bench.bodies[member].mover = mover;
    bench.bodies[member].pose_in_mover = {{-1, 0, 0}, axis_angle({0, 0, 1}, 0.5f * pi)};
    // Its frame's x axis is the mover's y axis.
    bench.join_points(ground, {-1.2f, 0, 0}, member, {0, 0.2f, 0}, BallJoint{});
    bench.run(2);
    EXPECT_LT(length(bench.point(mover, {-1.2f, 0, 0}) - DVec3(-1.2, 0, 0)), 2e-3);
}

TEST(JointKernel, FarFromTheOriginIsLikeAtTheOrigin)
{
    Vec3 moved[2];
    for (int i = 0; i < 2; ++i)
    {
        const DVec3 origin = i ? DVec3(50000, 100, -50000) : DVec3(0, 0, 0);
        JointBench bench;
        const int32_t anchor = bench.add_static(origin);
        const int32_t bob = bench.add_box({origin + DVec3(1, 0, 0), {}}, 1, {0.2f, 0.1f, 0.05f});
        bench.join_points(anchor, {}, bob, {-1, 0, 0}, BallJoint{});
        bench.run(2);
        moved[i] = relative(bench.pose(bob).position, origin);
    }
    EXPECT_LT(distance(moved[0], moved[1]), 1e-4f);
}

TEST(JointChain, TwentyCapsulesHoldWhileTheySwing)
{
    JointBench bench;
    int32_t before = bench.add_static();
    for (int i = 0; i < 20; ++i)
    {
        const int32_t link = bench.add_capsule({{0, -0.3 * (i + 0.5), 0}, {}}, 1, 0.05f, 0.1f);
        bench.join(before, link, {{0, -0.3 * i, 0}, {}}, BallJoint{});
        bench.set_velocity(link, {0.2f * float(i), 0, 0.1f * float(i)});
        before = link;
    }
    bench.run(10);
    EXPECT_LT(bench.largest_error, 2.6e-3f);
}

TEST(JointChain, HeavyEndHangsOnALightChain)
{
    JointBench bench;
    int32_t before = bench.add_static();
    for (int i = 0; i < 10; ++i)
    {
        const bool is_end = i == 9;
        const int32_t link = is_end ? bench.add_sphere({0, -0.3 * i - 0.15, 0}, 100, 0.15f)
                                    : bench.add_capsule({{0, -0.3 * (i + 0.5), 0}, {}}, 1, 0.05f, 0.1f);
        bench.join(before, link, {{0, -0.3 * i, 0}, {}}, BallJoint{});
        before = link;
    }
    bench.set_velocity(before, {1, 0, 0.5f});
    bench.run(10);
    EXPECT_LT(bench.largest_error, 0.03f);
    bench.largest_error = 0;
    bench.run(10);
    EXPECT_LT(bench.largest_error, 0.01f);
}

TEST(JointProblem, GoodDefinitionsHaveNone)
{
    for (const JointKind& kind : all_kinds())
        EXPECT_EQ(joint_problem({.body_a = {0, 1}, .body_b = {1, 1}, .kind = kind}), "") << kind.index();
}

TEST(JointProblem, BadDefinitionsAreNamed)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const JointDef good{.body_a = {0, 1}, .body_b = {1, 1}};
    const auto problem_of = [&](const JointKind& kind) {
        JointDef def = good;
        def.kind = kind;
        return joint_problem(def);
    };
    JointDef def = good;
    def.frame_a.position.x = nan;
    EXPECT_NE(joint_problem(def), "");
    def = good;
    def.frame_b.rotation = {0, 0, 0, 0};
    EXPECT_NE(joint_problem(def), "");
    def = good;
    def.body_b = def.body_a;
    EXPECT_NE(joint_problem(def), "");
    def = good;
    def.break_impulse = nan;
    EXPECT_NE(joint_problem(def), "");
    EXPECT_NE(problem_of(BallJoint{.cone_limit = -1}), "");
    EXPECT_NE(problem_of(BallJoint{.twist = {1, -1}}), "");
    EXPECT_NE(problem_of(HingeJoint{.limit = {1, -1}}), "");
    EXPECT_NE(problem_of(HingeJoint{.limit = {nan, 1}}), "");
    EXPECT_NE(problem_of(HingeJoint{.motor = {nan, 1}}), "");
    EXPECT_NE(problem_of(SliderJoint{.motor = {1, -1}}), "");
    EXPECT_NE(problem_of(SliderJoint{.spring = {-1, 0, 0}}), "");
    EXPECT_NE(problem_of(DistanceJoint{2, 1}), "");
    EXPECT_NE(problem_of(DistanceJoint{-2, 1}), "");
    EXPECT_NE(problem_of(SpringJoint{.stiffness = -1}), "");
    EXPECT_NE(problem_of(SpringJoint{.rest_length = infinity}), "");
    EXPECT_NE(problem_of(DragJoint{.frequency = nan}), "");
    EXPECT_NE(problem_of(DragJoint{.max_force = -1}), "");
    SixDofJoint six;
    six.angular[1].motor.max_force = -3;
    EXPECT_NE(problem_of(six).find("angular axis y"), std::string::npos);
}

} // namespace moraine
