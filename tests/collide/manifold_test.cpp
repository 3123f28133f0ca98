// Manifolds whose points are known in closed form.
#include "random_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace moraine::test
{
namespace
{

constexpr float margin = default_contact_margin;

struct Result
{
    bool has_contact;
    LocalManifold m;
};

Result collide(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b)
{
    Result result;
    PairCache cache;
    result.has_contact = collide_convex(a, pose_a, b, pose_b, margin, cache, result.m);
    return result;
}

bool has_point_near(const LocalManifold& m, Vec3 p, float tolerance = 1e-4f)
{
    return std::any_of(m.points, m.points + m.count,
                       [&](const LocalPoint& point) { return distance(point.position, p) < tolerance; });
}

TEST(Manifold, BoxOnBoxTouchesAtFourCorners)
{
    ShapeStore store;
    const Result r = collide(store.box({1, 1, 1}), {}, store.box({0.5f, 0.5f, 0.5f}), {{0.2f, 1.49f, 0.1f}, {}});
    ASSERT_TRUE(r.has_contact);
    ASSERT_EQ(r.m.count, 4);
    EXPECT_NEAR(distance(r.m.normal, {0, 1, 0}), 0, 1e-6f);
    for (const float x : {-0.3f, 0.7f})
        for (const float z : {-0.4f, 0.6f})
            EXPECT_TRUE(has_point_near(r.m, {x, 0.995f, z}));
    for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(r.m.points[i].separation, -0.01f, 1e-5f);
}

TEST(Manifold, ExactlyTouchingBoxesHaveFourPointsWithoutDepth)
{
    ShapeStore store;
    const Shape box = store.box({0.5f, 0.5f, 0.5f});
    const Result r = collide(box, {}, box, {{0, 1, 0}, {}});
    ASSERT_TRUE(r.has_contact);
    ASSERT_EQ(r.m.count, 4);
    for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(r.m.points[i].separation, 0, 1e-6f);
}

TEST(Manifold, KeysOfAStackedBoxDoNotChangeWhileItShakes)
{
    ShapeStore store;
    Random random(9);
    const Shape box = store.box({0.5f, 0.5f, 0.5f});
    PairCache cache;
    LocalManifold first, now;
    ASSERT_TRUE(collide_convex(box, {}, box, {{0.05f, 0.995f, 0.03f}, {}}, margin, cache, first));
    for (int i = 0; i < 200; ++i)
    {
        const Transform pose{Vec3{0.05f, 0.995f, 0.03f} + random.in_box(2e-3f),
                             rotation_from_vector(random.in_box(2e-3f))};
        ASSERT_TRUE(collide_convex(box, {}, box, pose, margin, cache, now));
        ASSERT_EQ(now.count, 4);
        for (int k = 0; k < 4; ++k)
            EXPECT_TRUE(std::any_of(first.points, first.points + 4,
                                    [&](const LocalPoint& p) { return p.key == now.points[k].key; }));
    }
}

TEST(Manifold, HullOfABoxAgreesWithTheBox)
{
    ShapeStore store;
    Random random(10);
    std::vector<Vec3> corners;
    for (int i = 0; i < 8; ++i)
        corners.push_back({i & 1 ? 0.4f : -0.4f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.6f : -0.6f});
    const Shape box = store.box({0.4f, 0.5f, 0.6f}), hull = store.hull(corners);
    for (int i = 0; i < 500; ++i)
    {
        SCOPED_TRACE(i);
        const Transform pose{random.unit() * random.uniform(0.6f, 1.2f), random.rotation()};
        const Result by_box = collide(box, {}, box, pose), by_hull = collide(hull, {}, hull, pose);
        if (!by_box.has_contact || by_box.m.points[0].separation > -1e-3f)
            continue;
        ASSERT_TRUE(by_hull.has_contact);
        const auto depth = [](const LocalManifold& m) {
            float lowest = 0;
            for (int k = 0; k < m.count; ++k)
                lowest = std::min(lowest, m.points[k].separation);
            return lowest;
        };
        EXPECT_NEAR(depth(by_box.m), depth(by_hull.m), 0.003f + 0.08f * std::fabs(depth(by_box.m)));
    }
}

TEST(Manifold, ParallelCapsulesTouchTwice)
{
    ShapeStore store;
    const Shape capsule = store.capsule(0.25f, 0.5f);
    const Result r = collide(capsule, {}, capsule, {{0.49f, 0.2f, 0}, {}});
    ASSERT_TRUE(r.has_contact);
    ASSERT_EQ(r.m.count, 2);
    EXPECT_TRUE(has_point_near(r.m, {0.245f, -0.3f, 0}));
    EXPECT_TRUE(has_point_near(r.m, {0.245f, 0.5f, 0}));
}

TEST(Manifold, CapsuleLyingOnABoxTouchesTwice)
{
    ShapeStore store;
    const Transform lying{{0, 1.24f, 0}, axis_angle({0, 0, 1}, 0.5f * pi)};
    for (const bool is_deep : {false, true})
    {
        Transform pose = lying;
        pose.position.y = is_deep ? 0.95f : 1.24f;
        const Result r = collide(store.box({1, 1, 1}), {}, store.capsule(0.25f, 0.5f), pose);
        ASSERT_TRUE(r.has_contact);
        ASSERT_EQ(r.m.count, 2);
        EXPECT_NEAR(distance(r.m.normal, {0, 1, 0}), 0, 1e-4f);
        for (int i = 0; i < 2; ++i)
            EXPECT_NEAR(r.m.points[i].separation, is_deep ? -0.3f : -0.01f, 1e-4f);
    }
}

TEST(Manifold, CylinderStandsOnFourPointsAndLiesOnTwo)
{
    ShapeStore store;
    const Shape cylinder = store.cylinder(0.5f, 0.75f), box = store.box({2, 1, 2});
    const Result standing = collide(box, {}, cylinder, {{0, 1.745f, 0}, {}});
    ASSERT_TRUE(standing.has_contact);
    EXPECT_EQ(standing.m.count, 4);
    for (int i = 0; i < standing.m.count; ++i)
        EXPECT_NEAR(std::hypot(standing.m.points[i].position.x, standing.m.points[i].position.z), 0.5f, 1e-3f);
    const Result lying = collide(box, {}, cylinder, {{0, 1.495f, 0}, axis_angle({0, 0, 1}, 0.5f * pi)});
    ASSERT_TRUE(lying.has_contact);
    EXPECT_EQ(lying.m.count, 2);
    EXPECT_NEAR(distance(lying.m.normal, {0, 1, 0}), 0, 1e-3f);
}

TEST(Manifold, SphereInsideABoxLeavesThroughTheNearestFace)
{
    ShapeStore store;
    const Result r = collide(store.sphere(0.25f), {{0.9f, 0, 0}, {}}, store.box({1, 1, 1}), {});
    ASSERT_TRUE(r.has_contact);
    EXPECT_NEAR(distance(r.m.normal, {-1, 0, 0}), 0, 1e-6f);
    EXPECT_NEAR(r.m.points[0].separation, -0.35f, 1e-6f);
}

TEST(Manifold, HalfSpaceSeesTheLowestPoints)
{
    ShapeStore store;
    const Shape ground = store.half_space();
    const Result box = collide(ground, {}, store.box({0.5f, 0.5f, 0.5f}), {{0, 0.49f, 0}, {}});
    ASSERT_TRUE(box.has_contact);
    EXPECT_EQ(box.m.count, 4);
    EXPECT_NEAR(distance(box.m.normal, {0, 1, 0}), 0, 1e-6f);
    EXPECT_NEAR(box.m.points[0].separation, -0.01f, 1e-6f);
    const Shape cylinder = store.cylinder(0.5f, 0.5f);
    EXPECT_EQ(collide(ground, {}, cylinder, {{0, 0.49f, 0}, {}}).m.count, 4);
    const Quat lying = axis_angle({0, 0, 1}, 0.5f * pi), tilted = axis_angle({0, 0, 1}, 0.25f * pi);
    EXPECT_EQ(collide(ground, {}, cylinder, {{0, 0.49f, 0}, lying}).m.count, 2);
    EXPECT_EQ(collide(ground, {}, cylinder, {{0, 0.7f, 0}, tilted}).m.count, 1);
    EXPECT_FALSE(collide(ground, {}, store.sphere(0.5f), {{0, 0.53f, 0}, {}}).has_contact);
    EXPECT_TRUE(collide(ground, {}, store.sphere(0.5f), {{0, 0.51f, 0}, {}}).has_contact);
    EXPECT_FALSE(collide(ground, {}, ground, {}).has_contact);
}

bool has_keys(const LocalManifold& m, std::vector<uint32_t> keys)
{
    std::vector<uint32_t> found;
    for (int i = 0; i < m.count; ++i)
        found.push_back(m.points[i].key);
    std::sort(keys.begin(), keys.end());
    std::sort(found.begin(), found.end());
    return found == keys;
}

TEST(Manifold, ReductionKeepsTheDeepestAndTheCorners)
{
    LocalPoint points[8];
    for (int i = 0; i < 8; ++i)
    {
        const float angle = 0.25f * pi * float(i);
        points[i] = {{std::cos(angle), 0, std::sin(angle)}, i == 3 ? -0.02f : -0.01f, uint32_t(i)};
    }
    LocalManifold m;
    reduce_points(points, 8, {0, 1, 0}, {}, m);
    EXPECT_TRUE(has_keys(m, {3, 7, 1, 5}));
}

// An octagon has two squares that are equally good: whichever corner is a little deeper, the choice stays, until one that
// is left out is really deeper.
TEST(Manifold, ReductionDoesNotChangeItsMindForALittleDepth)
{
    LocalPoint points[8];
    for (int i = 0; i < 8; ++i)
    {
        const float angle = 0.25f * pi * float(i);
        points[i] = {{std::cos(angle), 0, std::sin(angle)}, -0.01f, uint32_t(i)};
    }
    const PointKeys last{4, {1, 5, 3, 7}};
    LocalManifold m;
    points[2].separation = -0.0101f;
    reduce_points(points, 8, {0, 1, 0}, {}, m);
    EXPECT_TRUE(has_keys(m, {0, 2, 4, 6}));
    reduce_points(points, 8, {0, 1, 0}, last, m);
    EXPECT_TRUE(has_keys(m, {1, 3, 5, 7}));
    points[2].separation = -0.02f;
    reduce_points(points, 8, {0, 1, 0}, last, m);
    EXPECT_TRUE(has_keys(m, {0, 2, 4, 6}));
    // Points that span much less than others could are not kept either.
    points[2].separation = -0.01f;
    reduce_points(points, 8, {0, 1, 0}, {4, {0, 1, 2, 3}}, m);
    EXPECT_FALSE(has_keys(m, {0, 1, 2, 3}));
}

// Two nearly parallel sides cross somewhere in the middle: that corner says little, and jumps when a shape turns a little.
TEST(Manifold, CornersOnStraightSidesAreLeftOut)
{
    const auto polygon = [](float crossing) {
        return std::vector<LocalPoint>{{{-1, 0, -1}, -0.01f, 0},
                                       {{1, 0, -1}, -0.01f, 1},
                                       {{1, 0, 0.999f}, -0.01f, 2},
                                       {{crossing, 0, 1.0f}, -0.011f, 9},
                                       {{-1, 0, 0.9995f}, -0.01f, 3}};
    };
    for (float crossing : {-0.9f, 0.1f, 0.7f})
    {
        std::vector<LocalPoint> points = polygon(crossing);
        ASSERT_EQ(drop_idle_corners(points.data(), 5, {0, 1, 0}, 0.01f, {}), 4);
        for (uint32_t i = 0; i < 4; ++i)
            EXPECT_EQ(points[i].key, i);
    }
    // A corner that sticks out stays.
    std::vector<LocalPoint> points = polygon(0);
    points[3].position.z = 1.5f;
    EXPECT_EQ(drop_idle_corners(points.data(), 5, {0, 1, 0}, 0.01f, {}), 5);
    // Of two corners in nearly the same place the one of the last step stays.
    std::vector<LocalPoint> twins{
        {{-1, 0, -1}, 0, 0}, {{1, 0, -1}, 0, 1}, {{1, 0, 1}, 0, 2}, {{0.999f, 0, 1}, 0, 3}, {{-1, 0, 1}, 0, 4}};
    for (uint32_t kept : {2u, 3u})
    {
        std::vector<LocalPoint> left = twins;
        ASSERT_EQ(drop_idle_corners(left.data(), 5, {0, 1, 0}, 0.01f, {4, {0, 1, kept, 4}}), 4);
        EXPECT_EQ(left[2].key, kept);
    }
}

TEST(Manifold, PosesThatAreNotNumbersGiveNoContact)
{
    ShapeStore store;
    const float nan = std::nanf("");
    for (const ShapeKind kind : convex_kinds)
    {
        Random random(1);
        const Shape shape = store.random(kind, random);
        EXPECT_FALSE(collide(shape, {}, shape, {{nan, 0, 0}, {}}).has_contact);
        EXPECT_FALSE(collide(shape, {}, shape, {{0, 0, 0}, {nan, 0, 0, 1}}).has_contact);
    }
}

} // namespace
} // namespace moraine::test
