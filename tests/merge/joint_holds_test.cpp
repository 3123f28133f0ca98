// The points by which a joint holds inside a collection hold the same motions as its rows do.
#include "merge/joint_holds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace moraine::test
{

namespace
{

// Force and torque about the origin of frame B.
using Wrench = std::array<float, 6>;

Wrench make_wrench(Vec3 force, Vec3 torque) { return {force.x, force.y, force.z, torque.x, torque.y, torque.z}; }

Wrench wrench_of(const JointHold& hold, int i, Vec3 direction)
{
    return make_wrench(direction, cross(hold.offsets[i], direction));
}

int rank(std::vector<Wrench> rows)
{
    int found = 0;
    for (size_t column = 0; column < 6 && found < int(rows.size()); ++column)
    {
        size_t best = size_t(found);
        for (size_t i = best; i < rows.size(); ++i)
            if (std::fabs(rows[i][column]) > std::fabs(rows[best][column]))
                best = i;
        if (std::fabs(rows[best][column]) < 1e-3f)
            continue;
        std::swap(rows[best], rows[size_t(found)]);
        for (size_t i = size_t(found) + 1; i < rows.size(); ++i)
        {
            const float share = rows[i][column] / rows[size_t(found)][column];
            for (size_t k = 0; k < 6; ++k)
                rows[i][k] -= share * rows[size_t(found)][k];
        }
        ++found;
    }
    return found;
}

std::vector<Wrench> wrenches_of(const JointHolds& holds)
{
    std::vector<Wrench> out;
    for (int h = 0; h < holds.count; ++h)
        for (int i = 0; i < holds.all[h].count; ++i)
        {
            const JointHold& hold = holds.all[h];
            if (!hold.is_all_ways)
                out.push_back(wrench_of(hold, i, hold.direction));
            else
                for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
                    out.push_back(wrench_of(hold, i, axis));
        }
    return out;
}

std::vector<Wrench> locked_by_rows(const JointKind& kind, const JointPlacement& place)
{
    JointRows rows;
    build_rows(kind, place, rows);
    std::vector<Wrench> out;
    for (int i = 0; i < 3 * rows.triple_count; ++i)
        if (const JointRow& row = rows.rows[i]; row.use == RowUse::locked)
            out.push_back(row.is_angular ? make_wrench({}, row.axis) : make_wrench(row.axis, {}));
    return out;
}

JointPlacement turned_place()
{
    JointPlacement place;
    place.frame_a = place.frame_b = normalize(axis_angle({0.3f, 0.8f, 0.5f}, 0.7f));
    return place;
}

void expect_same_holds(const JointKind& kind)
{
    const JointPlacement place = turned_place();
    Joint joint;
    joint.kind = kind;
    const JointHolds holds = holds_of(joint, place, {60, 60, 0.4f});
    ASSERT_TRUE(holds.is_possible);
    std::vector<Wrench> points = wrenches_of(holds), rows = locked_by_rows(kind, place);
    EXPECT_EQ(rank(points), rank(rows));
    rows.insert(rows.end(), points.begin(), points.end());
    EXPECT_EQ(rank(rows), rank(points)) << "they span the same";
}

} // namespace

TEST(JointHolds, PointsHoldWhatTheRowsLock)
{
    expect_same_holds(BallJoint{});
    expect_same_holds(HingeJoint{});
    expect_same_holds(SliderJoint{});
    expect_same_holds(FixedJoint{});
    expect_same_holds(UniversalJoint{});
}

// All that can be locked of six. A turn needs a locked direction across it: without one, such bodies do not merge.
TEST(JointHolds, SixAxesHoldInAllCombinations)
{
    int possible = 0;
    for (int mask = 0; mask < 64; ++mask)
    {
        SixDofJoint six;
        for (int i = 0; i < 3; ++i)
        {
            six.linear[i].mode = mask >> i & 1 ? AxisMode::locked : AxisMode::free;
            six.angular[i].mode = mask >> (3 + i) & 1 ? AxisMode::locked : AxisMode::free;
        }
        bool can_hold = true;
        for (int i = 0; i < 3; ++i)
            can_hold &= six.angular[i].mode != AxisMode::locked || six.linear[(i + 1) % 3].mode == AxisMode::locked ||
                        six.linear[(i + 2) % 3].mode == AxisMode::locked;
        Joint joint;
        joint.kind = six;
        SCOPED_TRACE(mask);
        EXPECT_EQ(holds_of(joint, turned_place(), {60, 60, 0.4f}).is_possible, can_hold);
        if (can_hold)
            expect_same_holds(six);
        possible += can_hold;
    }
    EXPECT_GT(possible, 40);
}

TEST(JointHolds, AMotorHoldsItsForceAndItsTorque)
{
    constexpr float force = 7, reach = 0.4f;
    for (const JointKind& kind :
         {JointKind(SliderJoint{.motor = {0, force}}), JointKind(HingeJoint{.motor = {0, force}})})
    {
        Joint joint;
        joint.kind = kind;
        const JointPlacement place = turned_place();
        const JointHolds holds = holds_of(joint, place, {60, 60, reach});
        const JointHold& motor = holds.all[holds.count - 1];
        const Vec3 axis = rotate(place.frame_a, {1, 0, 0}), push = motor.direction * motor.most;
        const bool is_slider = std::holds_alternative<SliderJoint>(kind);
        const float along = is_slider ? dot(push, axis) : dot(cross(motor.offsets[0], push), axis);
        EXPECT_NEAR(std::fabs(along), force, 1e-4f);
        EXPECT_TRUE(motor.is_rod);
    }
}

TEST(JointHolds, AMotorThatIsStoppedByOthersPushesWithAllItHas)
{
    constexpr float force = 7;
    Joint joint;
    joint.kind = SliderJoint{.motor = {0.5f, force}};
    EXPECT_FALSE(holds_of(joint, turned_place(), {240, 60, 1}).is_possible) << "it moves";
    JointRows rows;
    build_rows(joint.kind, turned_place(), rows);
    for (int i = 0; i < 3 * rows.triple_count; ++i)
        if (rows.rows[i].use == RowUse::motor)
            joint.impulse[i] = force / 240;
    const JointHolds holds = holds_of(joint, turned_place(), {240, 60, 1});
    EXPECT_TRUE(holds.is_possible);
    EXPECT_NEAR(dot(holds.force, rotate(turned_place().frame_a, {1, 0, 0})), force, 1e-4f);
}

} // namespace moraine::test
