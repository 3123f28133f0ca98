#include "collide/shape_query.h"
#include "scenes.h"

namespace moraine
{

using namespace surface_test;

namespace
{

// Signed distance to a solid, for marching.
float distance_to(const Shape& shape, const Transform& pose, Vec3 p)
{
    const auto result = closest_point(shape, pose, p, 1e6f);
    return result ? result->distance : 1e6f;
}

// Sphere tracing: finds the first entry from signed distances alone.
std::optional<float> march(const Shape& shape, const Transform& pose, Vec3 origin, Vec3 translation)
{
    const float total = length(translation);
    float way = 0;
    for (int i = 0; i < 3000 && way <= total; ++i)
    {
        const float d = distance_to(shape, pose, origin + translation * (way / total));
        if (d < 1e-5f)
            return way / total;
        way += std::fmax(d, 1e-5f);
    }
    return std::nullopt;
}

void compare_with_marching(const Geometry& geometry, uint64_t seed)
{
    Random random(seed);
    const Shape shape = shape_of(geometry);
    int hits = 0;
    for (int i = 0; i < 800; ++i)
    {
        const Transform pose = random.pose(0.5f);
        const Vec3 origin = random.direction() * random.uniform(0.2f, 4.0f);
        const Vec3 translation = random.point(1.0f) * 1.5f - origin;
        const auto hit = ray_cast(shape, pose, origin, translation);
        const auto expected = march(shape, pose, origin, translation);
        if (hit.has_value() != expected.has_value())
        {
            // Only a ray that grazes may be seen differently.
            float nearest = 1e9f;
            for (int k = 0; k <= 2000; ++k)
                nearest = std::fmin(nearest, distance_to(shape, pose, origin + translation * (float(k) / 2000)));
            EXPECT_NEAR(nearest, 0, 2e-3f) << i;
            continue;
        }
        if (!hit)
            continue;
        ++hits;
        EXPECT_NEAR((hit->fraction - *expected) * length(translation), 0, 3e-3f) << i;
        EXPECT_NEAR(length(hit->normal), 1, 1e-5f);
        EXPECT_LE(dot(hit->normal, translation), 1e-4f);
        const Vec3 p = origin + hit->fraction * translation;
        if (hit->fraction > 0)
        {
            EXPECT_NEAR(distance_to(shape, pose, p), 0, 1e-4f);
            // A step out along the normal leaves the solid.
            EXPECT_GT(distance_to(shape, pose, p + 1e-2f * hit->normal), 1e-3f);
        }
        else
            EXPECT_LT(distance_to(shape, pose, origin), 1e-5f);
    }
    EXPECT_GT(hits, 100);
}

} // namespace

TEST(ShapeRayCast, SphereAgreesWithMarching) { compare_with_marching(Sphere{0.7f}, 1); }
TEST(ShapeRayCast, CapsuleAgreesWithMarching) { compare_with_marching(Capsule{0.3f, 0.6f}, 2); }
TEST(ShapeRayCast, CylinderAgreesWithMarching) { compare_with_marching(Cylinder{0.5f, 0.7f}, 3); }
TEST(ShapeRayCast, BoxAgreesWithMarching) { compare_with_marching(Box{{0.3f, 0.6f, 0.9f}}, 4); }
TEST(ShapeRayCast, HalfSpaceAgreesWithMarching) { compare_with_marching(HalfSpace{}, 5); }
TEST(ShapeRayCast, HullAgreesWithMarching)
{
    Random random(6);
    compare_with_marching(make_random_hull(random, 0.9f), 6);
}

TEST(ShapeRayCast, FarRayAtASmallBallIsExact)
{
    const Shape ball = shape_of(Sphere{0.01f});
    const auto hit = ray_cast(ball, {}, {-1000, 0.005f, 0}, {2000, 0, 0});
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->normal.y, 0.5f, 1e-2f);
    EXPECT_FALSE(ray_cast(ball, {}, {-1000, 0.0101f, 0}, {2000, 0, 0}));
}

TEST(ShapeRayCast, StandingRayHitsOnlyFromInside)
{
    const Shape box = shape_of(Box{{1, 1, 1}});
    ASSERT_TRUE(ray_cast(box, {}, {0.5f, 0, 0}, {0, 0, 0}));
    EXPECT_EQ(ray_cast(box, {}, {0.5f, 0, 0}, {0, 0, 0})->fraction, 0);
    EXPECT_FALSE(ray_cast(box, {}, {1.5f, 0, 0}, {0, 0, 0}));
    EXPECT_FALSE(ray_cast(shape_of(make_flat_grid(2, 1)), {}, {0, 1, 0}, {0, 0, 0}));
}

TEST(ShapeRayCast, NonFiniteRaysMiss)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const Geometry& geometry : {Geometry(Sphere{1}), Geometry(Box{}), Geometry(make_flat_grid(2, 1))})
    {
        EXPECT_FALSE(ray_cast(shape_of(geometry), {}, {nan, 0, 0}, {1, 0, 0}));
        EXPECT_FALSE(ray_cast(shape_of(geometry), {}, {0, 5, 0}, {0, -std::numeric_limits<float>::infinity(), 0}));
    }
}

TEST(ShapeRayCast, NoRaySlipsThroughTheSeamsOfAMesh)
{
    const MeshRef mesh = make_flat_grid(10, 2);
    const Shape floor = shape_of(mesh);
    Random random(8);
    // Aim at corners and at points of edges exactly.
    for (int i = 0; i < 5000; ++i)
    {
        const uint32_t t = uint32_t(random.uniform(0, float(mesh->indices.size() / 3) - 1));
        const Vec3 a = mesh->vertices[mesh->indices[3 * t]], b = mesh->vertices[mesh->indices[3 * t + 1]];
        const Vec3 target = a + (i % 3 == 0 ? 0.0f : random.uniform(0, 1)) * (b - a);
        if (std::fabs(target.x) > 1.9f || std::fabs(target.z) > 1.9f)
            continue;
        const Vec3 from = target + Vec3{random.uniform(-1, 1), random.uniform(0.1f, 2), random.uniform(-1, 1)};
        const auto hit = ray_cast(floor, {}, from, 1.5f * (target - from));
        ASSERT_TRUE(hit) << i;
        EXPECT_NEAR(hit->fraction, 1 / 1.5f, 1e-4f);
        EXPECT_NEAR(hit->normal.y, 1, 1e-6f);
        const auto from_below = ray_cast(floor, {}, {from.x, -from.y, from.z}, {0, 2 * from.y, 0});
        if (std::fabs(from.x) < 1.9f && std::fabs(from.z) < 1.9f)
        {
            ASSERT_TRUE(from_below);
            EXPECT_NEAR(from_below->normal.y, -1, 1e-6f);
        }
    }
}

TEST(ShapeRayCast, CubeMeshAgreesWithABox)
{
    const Shape mesh = shape_of(make_cube_mesh(1, 5));
    const Shape box = shape_of(Box{{1, 1, 1}});
    Random random(9);
    int hits = 0;
    for (int i = 0; i < 4000; ++i)
    {
        const Transform pose = random.pose(3);
        const Vec3 origin = pose.position + random.direction() * random.uniform(1.8f, 5.0f);
        const Vec3 translation = (pose.position + random.point(1.2f) - origin) * random.uniform(0.3f, 2);
        const auto a = ray_cast(mesh, pose, origin, translation);
        const auto b = ray_cast(box, pose, origin, translation);
        ASSERT_EQ(a.has_value(), b.has_value()) << i;
        if (!a)
            continue;
        ++hits;
        EXPECT_NEAR(a->fraction, b->fraction, 1e-4f);
        EXPECT_GT(dot(a->normal, b->normal), 0.999f);
    }
    EXPECT_GT(hits, 1000);
}

TEST(ShapeRayCast, HeightFieldAgreesWithAllItsTriangles)
{
    Random random(10);
    constexpr int columns = 17, rows = 9;
    std::vector<float> heights;
    for (int i = 0; i < columns * rows; ++i)
        heights.push_back(random.uniform(-0.5f, 0.5f));
    const HeightFieldRef field = *make_height_field(heights, columns, rows, 0.4f);
    const Shape shape = shape_of(field);
    int hits = 0;
    for (int i = 0; i < 4000; ++i)
    {
        Vec3 origin = multiply(random.point(1), {4, 1.5f, 3});
        Vec3 target = multiply(random.point(1), {4, 1.5f, 3});
        if (i % 5 == 0)
            target.x = origin.x = 0.4f * std::round(origin.x / 0.4f); // along a line of the grid
        if (i % 7 == 0)
            target.z = origin.z; // straight
        if (i % 11 == 0)
            target = {origin.x, -2, origin.z}; // down
        std::optional<float> expected;
        for (int32_t t = 0; t < 2 * (columns - 1) * (rows - 1); ++t)
        {
            const Triangle triangle = triangle_at(*field, t);
            Shape one;
            one.kind = ShapeKind::triangle;
            one.triangle = triangle.corners;
            const auto hit = ray_cast(one, {}, origin, target - origin);
            if (hit && (!expected || hit->fraction < *expected))
                expected = hit->fraction;
        }
        const auto hit = ray_cast(shape, {}, origin, target - origin);
        ASSERT_EQ(hit.has_value(), expected.has_value()) << i;
        if (!hit)
            continue;
        ++hits;
        EXPECT_FLOAT_EQ(hit->fraction, *expected);
    }
    EXPECT_GT(hits, 1000);
}

} // namespace moraine
