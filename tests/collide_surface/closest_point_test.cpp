#include "collide/shape_query.h"
#include "scenes.h"

namespace moraine
{

using namespace surface_test;

namespace
{

// No point of the surface, sampled by rays from all around, may be closer; and the answer lies on the surface.
void compare_with_samples(const Geometry& geometry, uint64_t seed)
{
    Random random(seed);
    const Shape shape = shape_of(geometry);
    const float size = length(half_extents(shape.bounds));
    std::vector<Vec3> samples;
    for (int i = 0; i < 30000; ++i)
    {
        const Vec3 from = random.direction() * (2 * size);
        const Vec3 translation = random.point(0.5f * size) - from;
        if (const auto hit = ray_cast(shape, {}, from, 2 * translation))
            samples.push_back(from + hit->fraction * 2 * translation);
    }
    ASSERT_GT(samples.size(), 10000u);
    for (int i = 0; i < 200; ++i)
    {
        const Transform pose = random.pose(1);
        const Vec3 local = random.point(1.5f * size);
        const auto result = closest_point(shape, pose, apply(pose, local), 100);
        ASSERT_TRUE(result);
        const Vec3 surface = apply_inverse(pose, result->point);
        EXPECT_NEAR(length(result->normal), 1, 1e-5f);
        EXPECT_NEAR(std::fabs(result->distance), distance(local, surface), 1e-4f);
        float nearest = 1e9f;
        for (const Vec3 s : samples)
            nearest = std::fmin(nearest, distance(s, local));
        EXPECT_LE(std::fabs(result->distance), nearest + 1e-4f);
        EXPECT_NEAR(std::fabs(result->distance), nearest, 0.08f * size);
        const bool is_inside = ray_cast(shape, {}, local, {0, 0, 0}).has_value();
        EXPECT_TRUE(is_inside == (result->distance < 0) || std::fabs(result->distance) < 1e-4f);
        // The normal points from the surface to the point outside, and the other way inside.
        EXPECT_NEAR(distance(result->point + result->normal * result->distance, apply(pose, local)), 0, 1e-3f);
    }
}

} // namespace

TEST(ClosestPoint, SphereAgreesWithSamples) { compare_with_samples(Sphere{0.7f}, 1); }
TEST(ClosestPoint, CapsuleAgreesWithSamples) { compare_with_samples(Capsule{0.3f, 0.6f}, 2); }
TEST(ClosestPoint, CylinderAgreesWithSamples) { compare_with_samples(Cylinder{0.5f, 0.7f}, 3); }
TEST(ClosestPoint, BoxAgreesWithSamples) { compare_with_samples(Box{{0.3f, 0.6f, 0.9f}}, 4); }
TEST(ClosestPoint, HullAgreesWithSamples)
{
    Random random(6);
    compare_with_samples(make_random_hull(random, 0.9f), 6);
}

TEST(ClosestPoint, HullOutsideAgreesWithGjk)
{
    Random random(21);
    for (int i = 0; i < 500; ++i)
    {
        const Shape shape = shape_of(make_random_hull(random, 0.8f));
        const Vec3 p = random.direction() * random.uniform(0.9f, 3.0f);
        const auto result = closest_point(shape, {}, p, 100);
        ASSERT_TRUE(result);
        Vec3 axis{};
        ConvexView point;
        point.pose.position = p;
        EXPECT_NEAR(result->distance, distance(make_view(shape, {}), point, axis).distance, 1e-5f);
    }
}

TEST(ClosestPoint, HalfSpaceIsSigned)
{
    const Shape ground = shape_of(HalfSpace{});
    EXPECT_NEAR(closest_point(ground, {}, {3, 2, 1}, 5)->distance, 2, 1e-6f);
    EXPECT_NEAR(closest_point(ground, {}, {3, -2, 1}, 5)->distance, -2, 1e-6f);
    EXPECT_FALSE(closest_point(ground, {}, {3, 6, 1}, 5));
}

TEST(ClosestPoint, CentreOfASolidHasAnAnswer)
{
    for (const Geometry& geometry :
         {Geometry(Sphere{1}), Geometry(Box{{1, 1, 1}}), Geometry(Cylinder{1, 1}), Geometry(Capsule{1, 1})})
    {
        const auto result = closest_point(shape_of(geometry), {}, {0, 0, 0}, 5);
        ASSERT_TRUE(result);
        EXPECT_NEAR(result->distance, -1, 1e-6f);
        EXPECT_NEAR(length(result->normal), 1, 1e-6f);
    }
}

TEST(ClosestPoint, SurfacesAgreeWithAllTheirTriangles)
{
    Random random(12);
    std::vector<float> heights;
    for (int i = 0; i < 11 * 19; ++i)
        heights.push_back(random.uniform(-0.5f, 0.5f));
    const HeightFieldRef field = *make_height_field(heights, 11, 19, 0.3f);
    const MeshRef mesh = make_grid(13, 2, 0.3f, [](float x, float z) { return std::sin(3 * x) * std::sin(2 * z); });
    const Shape shapes[] = {shape_of(field), shape_of(mesh)};
    for (int i = 0; i < 2000; ++i)
    {
        const Vec3 p = random.point(i % 2 ? 2.0f : 6.0f);
        const bool on_field = i % 4 < 2;
        const int32_t count = on_field ? 2 * 10 * 18 : int32_t(mesh->indices.size() / 3);
        float nearest = 1e9f;
        for (int32_t t = 0; t < count; ++t)
        {
            const Triangle triangle = on_field ? triangle_at(*field, t) : triangle_at(*mesh, t);
            Shape one;
            one.kind = ShapeKind::triangle;
            one.triangle = triangle.corners;
            nearest = std::fmin(nearest, closest_point(one, {}, p, 100)->distance);
        }
        const auto result = closest_point(shapes[on_field ? 0 : 1], {}, p, 100);
        ASSERT_TRUE(result);
        EXPECT_NEAR(result->distance, nearest, 1e-6f);
        EXPECT_TRUE(closest_point(shapes[on_field ? 0 : 1], {}, p, nearest * 1.01f + 1e-5f));
        EXPECT_FALSE(closest_point(shapes[on_field ? 0 : 1], {}, p, nearest * 0.99f - 1e-5f));
    }
}

} // namespace moraine
