#include "collide/shape_query.h"
#include "scenes.h"

namespace moraine
{

using namespace surface_test;

namespace
{

float gap_between(const Shape& shape, const Transform& pose, const Shape& convex, const Transform& at)
{
    Vec3 axis{};
    const DistanceResult d = distance(make_view(shape, pose), make_view(convex, at), axis);
    return d.is_overlapping ? 0 : std::fmax(d.distance, 0.0f);
}

Geometry random_convex(Random& random)
{
    switch (int(random.uniform(0, 4.999f)))
    {
    case 0: return Sphere{random.uniform(0.1f, 0.5f)};
    case 1: return Capsule{random.uniform(0.1f, 0.3f), random.uniform(0.1f, 0.5f)};
    case 2: return Box{{random.uniform(0.1f, 0.5f), random.uniform(0.1f, 0.5f), random.uniform(0.1f, 0.5f)}};
    case 3: return Cylinder{random.uniform(0.1f, 0.5f), random.uniform(0.1f, 0.5f)};
    default: return make_random_hull(random, random.uniform(0.2f, 0.5f));
    }
}

Sweep random_sweep(Random& random, float reach, bool turns)
{
    Sweep sweep;
    sweep.start = {random.direction() * reach, random.rotation()};
    sweep.translation = (random.point(0.8f) - sweep.start.position) * random.uniform(0.5f, 2.0f);
    if (turns)
        sweep.rotation = random.point(3);
    return sweep;
}

} // namespace

TEST(ShapeCast, ConvexPairsTouchWhereTheCastSaysAndNotBefore)
{
    Random random(31);
    int hits = 0, misses = 0;
    for (int i = 0; i < 600; ++i)
    {
        const Shape target = shape_of(random_convex(random));
        const Shape convex = shape_of(random_convex(random));
        const Transform pose = random.pose(0.3f);
        const Sweep sweep = random_sweep(random, 3, i % 2 == 0);
        const CastResult hit = cast_shape(target, pose, convex, sweep, 0.005f);
        const float last = hit.has_hit ? hit.fraction : 1;
        for (int k = 0; k <= 100; ++k)
            ASSERT_GT(gap_between(target, pose, convex, at(sweep, last * float(k) / 100)), 0.004f) << i;
        (hit.has_hit ? hits : misses) += 1;
        if (!hit.has_hit)
            continue;
        EXPECT_NEAR(gap_between(target, pose, convex, at(sweep, hit.fraction)), 0.005f, 5e-4f);
        EXPECT_NEAR(length(hit.normal), 1, 1e-4f);
    }
    EXPECT_GT(hits, 100);
    EXPECT_GT(misses, 50);
}

TEST(ShapeCast, HalfSpaceAgreesWithTheFormula)
{
    const Shape ground = shape_of(HalfSpace{});
    Random random(32);
    for (int i = 0; i < 500; ++i)
    {
        const Shape sphere = shape_of(Sphere{0.3f});
        Sweep sweep;
        sweep.start.position = random.point(1) + Vec3{0, 2, 0};
        sweep.translation = random.point(10);
        const CastResult hit = cast_shape(ground, {}, sphere, sweep, 0);
        const float fraction = sweep.translation.y < 0 ? (sweep.start.position.y - 0.3f) / -sweep.translation.y : 2.0f;
        ASSERT_EQ(hit.has_hit, fraction <= 1) << i;
        EXPECT_NEAR(hit.fraction, std::fmin(fraction, 1.0f), 1e-4f);
    }
}

TEST(ShapeCast, FastThingsNeverPassAThinWall)
{
    // 500 m/s for a sixtieth of a second against two centimetres.
    Random random(33);
    const Shape wall = shape_of(Box{{0.01f, 5, 5}});
    const MeshRef one = *make_mesh(std::vector<Vec3>{{0, -9, -9}, {0, 9, -9}, {0, 0, 12}},
                                   std::vector<uint32_t>{0, 2, 1}); // faces -x
    const Shape sheet = shape_of(one);
    ASSERT_LT(triangle_at(*one, 0).normal.x, -0.9f);
    for (int i = 0; i < 3000; ++i)
    {
        const Shape convex = shape_of(random_convex(random));
        Sweep sweep;
        sweep.start = {{random.uniform(-7.5f, -1.5f), random.uniform(-2, 2), random.uniform(-2, 2)}, random.rotation()};
        sweep.translation = Vec3{500.0f / 60, random.uniform(-1, 1), random.uniform(-1, 1)};
        sweep.rotation = i % 2 ? random.point(5) : Vec3{};
        if (sweep.start.position.x + sweep.translation.x < 0.02f)
            continue;
        for (const Shape* target : {&wall, &sheet})
        {
            const CastResult hit = cast_shape(*target, {}, convex, sweep, 0.005f);
            ASSERT_TRUE(hit.has_hit) << i;
            EXPECT_LT(at(sweep, hit.fraction).position.x, 0.0f);
            EXPECT_LT(hit.normal.x, -0.5f);
        }
    }
}

TEST(ShapeCast, MeshOfACubeAgreesWithABox)
{
    Random random(34);
    const Shape mesh = shape_of(make_cube_mesh(0.5f, 3));
    const Shape box = shape_of(Box{{0.5f, 0.5f, 0.5f}});
    int hits = 0;
    for (int i = 0; i < 500; ++i)
    {
        const Shape convex = shape_of(random_convex(random));
        const Transform pose = random.pose(0.3f);
        const Sweep sweep = random_sweep(random, 3, i % 2 == 0);
        const CastResult a = cast_shape(mesh, pose, convex, sweep, 0.005f);
        const CastResult b = cast_shape(box, pose, convex, sweep, 0.005f);
        if (a.has_hit != b.has_hit)
        {
            // Only one that just touches may be seen differently.
            float nearest = 1e9f;
            for (int k = 0; k <= 1000; ++k)
                nearest = std::fmin(nearest, gap_between(box, pose, convex, at(sweep, float(k) / 1000)));
            EXPECT_NEAR(nearest, 0.005f, 1e-3f);
            continue;
        }
        if (!a.has_hit)
            continue;
        ++hits;
        EXPECT_NEAR((a.fraction - b.fraction) * length(sweep.translation), 0, 5e-3f) << i;
        EXPECT_GT(dot(a.normal, b.normal), 0.9f) << i;
    }
    EXPECT_GT(hits, 150);
}

TEST(ShapeCast, HeightFieldAgreesWithTheSameMesh)
{
    Random random(35);
    constexpr int n = 13;
    std::vector<float> heights;
    for (int i = 0; i < n * n; ++i)
        heights.push_back(random.uniform(-0.3f, 0.3f));
    const HeightFieldRef field = *make_height_field(heights, n, n, 0.5f);
    std::vector<Vec3> vertices;
    std::vector<uint32_t> indices;
    for (int32_t i = 0; i < 2 * (n - 1) * (n - 1); ++i)
        for (const Vec3 corner : triangle_at(*field, i).corners)
        {
            vertices.push_back(corner);
            indices.push_back(uint32_t(indices.size()));
        }
    const Shape a = shape_of(field), b = shape_of(*make_mesh(vertices, indices));
    int hits = 0;
    for (int i = 0; i < 600; ++i)
    {
        const Shape convex = shape_of(random_convex(random));
        const Transform pose = random.pose(1);
        Sweep sweep;
        sweep.start = {apply(pose, {random.uniform(-3, 3), random.uniform(1, 3), random.uniform(-3, 3)}),
                       random.rotation()};
        sweep.translation = apply(pose, {random.uniform(-3, 3), random.uniform(-2, 1), random.uniform(-3, 3)}) -
                            sweep.start.position;
        sweep.rotation = i % 2 ? random.point(2) : Vec3{};
        const CastResult on_field = cast_shape(a, pose, convex, sweep, 0.005f);
        const CastResult on_mesh = cast_shape(b, pose, convex, sweep, 0.005f);
        ASSERT_EQ(on_field.has_hit, on_mesh.has_hit) << i;
        EXPECT_NEAR(on_field.fraction, on_mesh.fraction, 1e-4f);
        hits += on_field.has_hit;
    }
    EXPECT_GT(hits, 200);
}

TEST(ShapeCast, LeavingASurfaceIsNoHit)
{
    const Shape floor = shape_of(make_flat_grid(4, 3));
    const Shape sphere = shape_of(Sphere{0.4f});
    Sweep sweep;
    sweep.start.position = {0, 0.39f, 0};
    sweep.translation = {1, 2, 0};
    EXPECT_FALSE(cast_shape(floor, {}, sphere, sweep, 0.005f).has_hit);
    sweep.start.position = {0, -2, 0}; // from behind
    sweep.translation = {0, 5, 0};
    EXPECT_FALSE(cast_shape(floor, {}, sphere, sweep, 0.005f).has_hit);
}

TEST(ShapeOverlap, AgreesWithDistance)
{
    Random random(36);
    int count = 0;
    for (int i = 0; i < 2000; ++i)
    {
        const Shape a = shape_of(random_convex(random)), b = shape_of(random_convex(random));
        const Transform pose_a = random.pose(0.5f), pose_b = random.pose(0.5f);
        const bool is_apart = gap_between(a, pose_a, b, pose_b) > 1e-5f;
        if (!is_apart && gap_between(a, pose_a, b, pose_b) > 0)
            continue;
        EXPECT_EQ(overlaps(a, pose_a, b, pose_b), !is_apart) << i;
        EXPECT_EQ(overlaps(b, pose_b, a, pose_a), !is_apart) << i;
        count += is_apart;
    }
    EXPECT_GT(count, 200);
    EXPECT_LT(count, 1800);
}

TEST(ShapeOverlap, SurfacesAndHalfSpaces)
{
    const Shape floor = shape_of(make_flat_grid(5, 3));
    const Shape ground = shape_of(HalfSpace{});
    const Shape box = shape_of(Box{{0.5f, 0.5f, 0.5f}});
    const Quat on_edge = axis_angle({0, 0, 1}, pi / 4);
    for (const Shape* surface : {&floor, &ground})
    {
        EXPECT_TRUE(overlaps(*surface, {}, box, {{0, 0.499f, 0}, {}}));
        EXPECT_FALSE(overlaps(*surface, {}, box, {{0, 0.501f, 0}, {}}));
        EXPECT_TRUE(overlaps(*surface, {}, box, {{0, 0.7f, 0}, on_edge}));
        EXPECT_FALSE(overlaps(*surface, {}, box, {{0, 0.71f, 0}, on_edge}));
    }
    EXPECT_TRUE(overlaps(ground, {}, box, {{0, -5, 0}, {}}));
    EXPECT_FALSE(overlaps(floor, {}, box, {{0, -5, 0}, {}}));
}

} // namespace moraine
