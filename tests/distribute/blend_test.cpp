#include "distribute/blend.h"

#include <gtest/gtest.h>

#include <cmath>

namespace moraine::distribute
{
namespace
{

BodyState turned(float angle, DVec3 position = {}, Vec3 velocity = {})
{
    return {{position, axis_angle({0, 0, 1}, angle)}, velocity, velocity * 2};
}

TEST(Blend, PositionsAndVelocitiesAreWeightedSums)
{
    const BodyState copies[] = {turned(0, {1, 2, 3}, {4, 0, 0}), turned(0, {2, 2, 7}, {0, 8, 0})};
    const float weights[] = {0.25f, 0.75f};
    const BodyState s = blend(copies, weights);
    EXPECT_DOUBLE_EQ(s.pose.position.x, 1.75);
    EXPECT_DOUBLE_EQ(s.pose.position.y, 2);
    EXPECT_DOUBLE_EQ(s.pose.position.z, 6);
    EXPECT_FLOAT_EQ(s.linear.x, 1);
    EXPECT_FLOAT_EQ(s.linear.y, 6);
    EXPECT_FLOAT_EQ(s.angular.y, 12);
}

// Equal weights of two rotations about one axis give the one half way between.
TEST(Blend, RotationsMeetHalfWay)
{
    const BodyState copies[] = {turned(0.2f), turned(0.6f)};
    const float weights[] = {0.5f, 0.5f};
    const Quat q = blend(copies, weights).pose.rotation;
    EXPECT_NEAR(2 * std::atan2(q.z, q.w), 0.4f, 1e-6f);
    EXPECT_NEAR(dot(q, q), 1, 1e-6f);
}

TEST(Blend, AQuaternionAndItsNegativeAreTheSameRotation)
{
    BodyState flipped = turned(0.5f);
    const Quat q = flipped.pose.rotation;
    flipped.pose.rotation = {-q.x, -q.y, -q.z, -q.w};
    const BodyState copies[] = {turned(0.5f), flipped, turned(0.5f)};
    const float weights[] = {0.3f, 0.3f, 0.4f};
    const Quat blended = blend(copies, weights).pose.rotation;
    EXPECT_NEAR(std::fabs(dot(blended, q)), 1, 1e-6f);
}

TEST(Blend, CopiesThatAgreeAreNotRounded)
{
    const BodyState s = turned(0.1f, {0.1, 1e6 / 3, 7}, {0.1f, 0.2f, 0.3f});
    const BodyState copies[] = {s, s, s};
    const float weights[] = {0.1f, 0.2f, 0.7f};
    EXPECT_EQ(blend(copies, weights), s);
}

} // namespace
} // namespace moraine::distribute
