// Manifolds of all convex pairs, judged by what they mean: moving B along the normal by the depth separates, no
// shorter way does, and neither the order of the shapes nor the frame matters.
#include "random_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace moraine::test
{
namespace
{

constexpr float margin = default_contact_margin;

struct Scene
{
    Shape a, b;
    Transform pose_a, pose_b;
};

float deepest(const LocalManifold& m)
{
    float lowest = m.points[0].separation;
    for (int i = 1; i < m.count; ++i)
        lowest = std::min(lowest, m.points[i].separation);
    return lowest;
}

bool collide(const Scene& s, LocalManifold& out)
{
    PairCache cache;
    return collide_convex(s.a, s.pose_a, s.b, s.pose_b, margin, cache, out);
}

// Signed distance by GJK and EPA.
float signed_distance(const Scene& s)
{
    Vec3 axis{};
    const ConvexView a = make_view(s.a, s.pose_a), b = make_view(s.b, s.pose_b);
    const DistanceResult d = distance(a, b, axis);
    return d.is_overlapping ? -penetration(a, b).depth : d.distance;
}

// A pair that is neither far apart nor one inside the other.
Scene random_scene(ShapeKind a, ShapeKind b, Random& r, ShapeStore& store)
{
    Scene s{store.random(a, r), store.random(b, r), {r.in_box(2), r.rotation()}, {{}, r.rotation()}};
    const Vec3 direction = r.unit();
    float near = 0, far = 6;
    for (int i = 0; i < 20; ++i)
    {
        const float middle = 0.5f * (near + far);
        s.pose_b.position = s.pose_a.position + direction * middle;
        (signed_distance(s) < 0 ? near : far) = middle;
    }
    s.pose_b.position = s.pose_a.position + direction * (near + r.uniform(-0.15f, 0.05f));
    return s;
}

class ConvexPairs : public testing::TestWithParam<std::tuple<ShapeKind, ShapeKind>>
{
protected:
    ShapeKind kind_a() const { return std::get<0>(GetParam()); }
    ShapeKind kind_b() const { return std::get<1>(GetParam()); }
    Scene random(Random& r) { return random_scene(kind_a(), kind_b(), r, store_); }

    ShapeStore store_;
};

TEST_P(ConvexPairs, DepthAndNormalSeparateAndNothingShorterDoes)
{
    Random r(1);
    for (int i = 0; i < 400; ++i)
    {
        SCOPED_TRACE(i);
        Scene s = random(r);
        const float expected = signed_distance(s);
        LocalManifold m;
        const bool has_contact = collide(s, m);
        if (expected < -1e-4f)
        {
            ASSERT_TRUE(has_contact) << expected;
        }
        if (expected > margin + 1e-4f)
        {
            ASSERT_FALSE(has_contact) << expected;
        }
        if (!has_contact)
            continue;
        ASSERT_TRUE(is_finite(m.normal));
        ASSERT_NEAR(length(m.normal), 1, 1e-5f);
        ASSERT_GE(m.count, 1);
        const float separation = deepest(m);
        if (expected > 0)
        {
            // Near corners the face that was chosen sees the gap at an angle.
            EXPECT_NEAR(separation, expected, 0.01f);
            EXPECT_GE(separation, -1e-3f);
            continue;
        }
        // Faces are preferred a little.
        EXPECT_GE(separation, expected * 1.08f - 0.003f);
        s.pose_b.position += m.normal * (-separation + 1e-4f);
        EXPECT_GE(signed_distance(s), -0.003f);
    }
}

TEST_P(ConvexPairs, SwappingTheShapesFlipsTheNormal)
{
    Random r(2);
    for (int i = 0; i < 100; ++i)
    {
        SCOPED_TRACE(i);
        const Scene s = random(r);
        LocalManifold m, swapped;
        const bool has_contact = collide(s, m);
        const bool has_swapped = collide({s.b, s.a, s.pose_b, s.pose_a}, swapped);
        const float expected = signed_distance(s);
        if (std::fabs(expected) > 1e-3f && expected < margin - 1e-3f && expected < 0)
        {
            ASSERT_EQ(has_contact, has_swapped);
        }
        if (!has_contact || !has_swapped || kind_a() == kind_b())
            continue;
        EXPECT_NEAR(length(m.normal + swapped.normal), 0, 1e-5f);
        ASSERT_EQ(m.count, swapped.count);
        for (int k = 0; k < m.count; ++k)
        {
            EXPECT_NEAR(distance(m.points[k].position, swapped.points[k].position), 0, 1e-5f);
            EXPECT_NEAR(m.points[k].separation, swapped.points[k].separation, 1e-5f);
        }
    }
}

TEST_P(ConvexPairs, MovingTheCommonFrameMovesTheResult)
{
    Random r(3);
    int different = 0;
    for (int i = 0; i < 100; ++i)
    {
        const Scene s = random(r);
        const Transform frame{r.in_box(3), r.rotation()};
        LocalManifold m, moved;
        const bool has_contact = collide(s, m);
        const bool has_moved = collide({s.a, s.b, frame * s.pose_a, frame * s.pose_b}, moved);
        if (has_contact != has_moved || m.count != moved.count)
        {
            ++different; // on the brink
            continue;
        }
        if (!has_contact)
            continue;
        if (length(rotate(frame.rotation, m.normal) - moved.normal) > 1e-3f)
        {
            ++different;
            continue;
        }
        EXPECT_NEAR(deepest(m), deepest(moved), 2e-3f);
    }
    EXPECT_LE(different, 3);
}

TEST_P(ConvexPairs, TheCacheDoesNotChangeWhetherTheyTouch)
{
    Random r(4);
    for (int i = 0; i < 100; ++i)
    {
        SCOPED_TRACE(i);
        Scene s = random(r);
        PairCache cache;
        LocalManifold m;
        // A short random walk with the cache kept.
        for (int k = 0; k < 10; ++k)
        {
            const bool has_contact = collide_convex(s.a, s.pose_a, s.b, s.pose_b, margin, cache, m);
            const float expected = signed_distance(s);
            if (expected < -1e-4f)
            {
                ASSERT_TRUE(has_contact) << expected;
            }
            if (expected > margin + 1e-4f)
            {
                ASSERT_FALSE(has_contact) << expected;
            }
            if (has_contact && expected < 0)
            {
                EXPECT_GE(deepest(m), expected * 1.08f - 0.004f);
            }
            s.pose_b.position += r.in_box(0.03f);
            s.pose_b.rotation = normalize(rotation_from_vector(r.in_box(0.03f)) * s.pose_b.rotation);
        }
    }
}

TEST_P(ConvexPairs, CoincidentCentresAndExtremeSizesStayFinite)
{
    Random r(5);
    for (int i = 0; i < 60; ++i)
    {
        SCOPED_TRACE(i);
        Scene s{store_.random(kind_a(), r), store_.random(kind_b(), r), {}, {}};
        if (i % 2)
            s.pose_b.rotation = r.rotation();
        if (kind_b() == ShapeKind::box && i % 3 == 0)
            s.b = store_.box({1e4f, 1e-3f, 1e4f});
        if (kind_a() == ShapeKind::box && i % 5 == 0)
            s.a = store_.box({1e-3f, 1.0f, 1e-3f});
        LocalManifold m;
        if (!collide(s, m))
            continue;
        EXPECT_TRUE(is_finite(m.normal));
        EXPECT_NEAR(length(m.normal), 1, 1e-4f);
        for (int k = 0; k < m.count; ++k)
        {
            EXPECT_TRUE(is_finite(m.points[k].position));
            EXPECT_TRUE(std::isfinite(m.points[k].separation));
        }
    }
}

TEST_P(ConvexPairs, KeysAreUniqueAndSurviveSmallMotions)
{
    Random r(6);
    int points = 0, kept = 0;
    for (int i = 0; i < 200; ++i)
    {
        Scene s = random(r);
        PairCache cache;
        LocalManifold m, next;
        if (!collide_convex(s.a, s.pose_a, s.b, s.pose_b, margin, cache, m))
            continue;
        for (int k = 0; k < m.count; ++k)
            for (int l = 0; l < k; ++l)
                EXPECT_NE(m.points[k].key, m.points[l].key);
        s.pose_b.position += r.in_box(1e-5f);
        if (!collide_convex(s.a, s.pose_a, s.b, s.pose_b, margin, cache, next))
            continue;
        for (int k = 0; k < m.count; ++k)
        {
            ++points;
            for (int l = 0; l < next.count; ++l)
                kept += m.points[k].key == next.points[l].key &&
                        distance(m.points[k].position, next.points[l].position) < 0.02f;
        }
    }
    EXPECT_GE(kept, points * 97 / 100) << points;
}

std::string pair_name(const testing::TestParamInfo<std::tuple<ShapeKind, ShapeKind>>& info)
{
    return std::string(name_of(std::get<0>(info.param))) + "_" + name_of(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, ConvexPairs,
                         testing::Combine(testing::ValuesIn(convex_kinds), testing::ValuesIn(convex_kinds)), pair_name);

} // namespace
} // namespace moraine::test
