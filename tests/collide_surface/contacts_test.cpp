#include "scenes.h"

namespace moraine
{

using namespace surface_test;

namespace
{

constexpr float margin = default_contact_margin;

ManifoldList collide(const Shape& shape, const Transform& pose, const Shape& surface, const Transform& place = {})
{
    ManifoldList list;
    collide_surface(shape, pose, surface, place, margin, list);
    return list;
}

float deepest(const ManifoldList& list)
{
    float lowest = 1e9f;
    for (const LocalManifold& m : list)
        for (int i = 0; i < m.count; ++i)
            lowest = std::fmin(lowest, m.points[i].separation);
    return lowest;
}

int point_count(const ManifoldList& list)
{
    int count = 0;
    for (const LocalManifold& m : list)
        count += m.count;
    return count;
}

// One manifold that pushes straight up.
void expect_flat(const ManifoldList& list, Vec3 up)
{
    ASSERT_EQ(list.size(), 1);
    EXPECT_GE(list[0].count, 1);
    EXPECT_NEAR(dot(list[0].normal, up), -1, 1e-6f);
}

} // namespace

TEST(SurfaceContacts, SphereSlidesOverSeamsWithThePlaneNormal)
{
    const Shape floor = shape_of(make_flat_grid(9, 3));
    const Shape sphere = shape_of(Sphere{0.4f});
    uint32_t manifold_key = 0, point_key = 0;
    for (int i = 0; i <= 2000; ++i)
    {
        const float t = float(i) / 1000 - 1;
        const ManifoldList list = collide(sphere, {{2.3f * t, 0.39f, 1.1f * t + 0.03f}, {}}, floor);
        expect_flat(list, {0, 1, 0});
        ASSERT_EQ(list[0].count, 1);
        EXPECT_NEAR(list[0].points[0].separation, -0.01f, 1e-6f);
        EXPECT_NEAR(list[0].points[0].position.x, 2.3f * t, 1e-5f);
        if (i > 0)
        {
            EXPECT_EQ(list[0].key, manifold_key);
            EXPECT_EQ(list[0].points[0].key, point_key);
        }
        manifold_key = list[0].key;
        point_key = list[0].points[0].key;
    }
}

TEST(SurfaceContacts, EveryShapeSlidesOverSeamsWithThePlaneNormal)
{
    Random random(3);
    const Shape floor = shape_of(make_flat_grid(11, 3));
    const Geometry shapes[] = {Capsule{0.2f, 0.4f}, Cylinder{0.3f, 0.3f}, Box{{0.3f, 0.4f, 0.5f}},
                               make_random_hull(random, 0.5f)};
    for (const Geometry& geometry : shapes)
    {
        const Shape shape = shape_of(geometry);
        for (int i = 0; i < 400; ++i)
        {
            Transform pose{random.point(1.5f), random.rotation()};
            pose.position.y = 0;
            // Lower it until it is a little in the floor.
            float lowest = 0;
            const ConvexView view = make_view(shape, pose);
            lowest = support(view, {0, -1, 0}).y - view.radius;
            pose.position.y = -lowest - random.uniform(-0.5f * margin, 0.3f * margin);
            const ManifoldList list = collide(shape, pose, floor);
            expect_flat(list, {0, 1, 0});
            EXPECT_NEAR(deepest(list), pose.position.y + lowest, 2e-3f) << int(shape.kind);
        }
    }
}

TEST(SurfaceContacts, BoxRestsOnItsCornersHoweverTheFloorIsCut)
{
    const Shape box = shape_of(Box{{0.5f, 0.2f, 0.7f}});
    for (const int n : {1, 2, 5, 16, 40, 100})
    {
        const Shape floor = shape_of(make_flat_grid(n, 3));
        for (int i = 0; i < 60; ++i)
        {
            const Transform pose{{0.021f * float(i) - 0.6f, 0.195f, 0.3f}, axis_angle({0, 1, 0}, 0.11f * float(i))};
            const ManifoldList list = collide(box, pose, floor);
            expect_flat(list, {0, 1, 0});
            ASSERT_EQ(list[0].count, 4) << n << " cuts, step " << i;
            bool is_met[4] = {};
            for (const LocalPoint& p : list[0].points)
            {
                const Vec3 local = apply_inverse(pose, p.position);
                EXPECT_NEAR(std::fabs(local.x), 0.5f, 1e-3f);
                EXPECT_NEAR(std::fabs(local.z), 0.7f, 1e-3f);
                EXPECT_NEAR(p.separation, -0.005f, 1e-5f);
                is_met[(local.x > 0 ? 1 : 0) + (local.z > 0 ? 2 : 0)] = true;
            }
            EXPECT_TRUE(is_met[0] && is_met[1] && is_met[2] && is_met[3]);
        }
    }
}

TEST(SurfaceContacts, KeysOfASlidingBoxStay)
{
    const Shape box = shape_of(Box{{0.5f, 0.2f, 0.7f}});
    const Shape floor = shape_of(make_flat_grid(30, 3));
    uint32_t first[5] = {};
    for (int i = 0; i < 200; ++i)
    {
        const ManifoldList list = collide(
            box, {{0.005f * float(i), 0.199f, 0.002f * float(i)}, axis_angle({0, 1, 0}, 0.3f)}, floor);
        ASSERT_EQ(list.size(), 1);
        ASSERT_EQ(list[0].count, 4);
        const uint32_t keys[5] = {list[0].key, list[0].points[0].key, list[0].points[1].key, list[0].points[2].key,
                                  list[0].points[3].key};
        for (int k = 0; k < 5; ++k)
        {
            if (i == 0)
                first[k] = keys[k];
            EXPECT_EQ(keys[k], first[k]) << i;
        }
    }
}

TEST(SurfaceContacts, DoNotDependOnTheFrame)
{
    Random random(11);
    const Shape box = shape_of(Box{{0.5f, 0.2f, 0.7f}});
    const Shape floor = shape_of(make_flat_grid(7, 3));
    const Transform pose{{0.1f, 0.195f, 0.2f}, axis_angle({0, 1, 0}, 0.4f)};
    for (int i = 0; i < 100; ++i)
    {
        const Transform frame = random.pose(2);
        const ManifoldList list = collide(box, frame * pose, floor, frame);
        expect_flat(list, rotate(frame.rotation, {0, 1, 0}));
        ASSERT_EQ(list[0].count, 4);
        for (const LocalPoint& p : list[0].points)
        {
            EXPECT_NEAR(p.separation, -0.005f, 1e-5f);
            EXPECT_NEAR(apply_inverse(frame, p.position).y, -0.0025f, 1e-4f);
        }
    }
}

TEST(SurfaceContacts, SlopedFloorPushesAlongItsNormal)
{
    const Vec3 up = normalize(Vec3{-0.3f, 1, 0.2f});
    const Shape floor = shape_of(make_grid(12, 3, 0.3f, [](float x, float z) { return 0.3f * x - 0.2f * z; }));
    const Shape sphere = shape_of(Sphere{0.4f});
    for (int i = 0; i < 500; ++i)
    {
        const float x = 0.004f * float(i) - 1;
        const Vec3 below{x, 0.3f * x - 0.2f * 0.1f, 0.1f};
        const ManifoldList list = collide(sphere, {below + 0.395f * up, {}}, floor);
        ASSERT_EQ(list.size(), 1);
        EXPECT_NEAR(dot(list[0].normal, up), -1, 1e-5f);
        EXPECT_NEAR(list[0].points[0].separation, -0.005f, 1e-5f);
    }
}

TEST(SurfaceContacts, SphereOnARidgeLeansOverIt)
{
    // A roof with its ridge along z.
    const Shape roof = shape_of(make_grid(4, 2, 0, [](float x, float) { return -std::fabs(x); }));
    const Shape sphere = shape_of(Sphere{0.5f});
    for (const float angle : {-40.0f, -20.0f, 0.0f, 10.0f, 35.0f})
    {
        const Vec3 up{std::sin(radians(angle)), std::cos(radians(angle)), 0};
        const ManifoldList list = collide(sphere, {0.49f * up + Vec3{0, 0, 0.3f}, {}}, roof);
        ASSERT_EQ(list.size(), 1) << angle;
        EXPECT_NEAR(dot(list[0].normal, up), -1, 1e-5f);
        EXPECT_NEAR(deepest(list), -0.01f, 1e-5f);
    }
    // Beyond the ridge's wedge the slope takes over.
    const Vec3 slope = normalize(Vec3{1, 1, 0});
    const ManifoldList list = collide(sphere, {Vec3{0.2f, -0.2f, 0} + 0.49f * slope, {}}, roof);
    ASSERT_EQ(list.size(), 1);
    EXPECT_NEAR(dot(list[0].normal, slope), -1, 1e-5f);
}

TEST(SurfaceContacts, BoxOnARidgeRestsOnALine)
{
    const Shape roof = shape_of(make_grid(4, 2, 0, [](float x, float) { return -std::fabs(x); }));
    const Shape box = shape_of(Box{{0.4f, 0.2f, 0.6f}});
    const ManifoldList list = collide(box, {{0.1f, 0.195f, 0.1f}, {}}, roof);
    ASSERT_EQ(list.size(), 1);
    EXPECT_NEAR(list[0].normal.y, -1, 1e-5f);
    EXPECT_GE(list[0].count, 2);
    float first = 1e9f, last = -1e9f;
    for (int i = 0; i < list[0].count; ++i)
    {
        EXPECT_NEAR(list[0].points[i].position.x, 0, 0.02f);
        EXPECT_NEAR(list[0].points[i].separation, -0.005f, 1e-4f);
        first = std::fmin(first, list[0].points[i].position.z);
        last = std::fmax(last, list[0].points[i].position.z);
    }
    EXPECT_NEAR(first, -0.5f, 1e-3f);
    EXPECT_NEAR(last, 0.7f, 1e-3f);
}

TEST(SurfaceContacts, CapsuleLiesAlongARidge)
{
    const Shape roof = shape_of(make_grid(4, 2, 0, [](float x, float) { return -std::fabs(x); }));
    const Shape capsule = shape_of(Capsule{0.2f, 0.3f});
    const ManifoldList list = collide(capsule, {{0, 0.195f, 0.1f}, axis_angle({1, 0, 0}, pi / 2)}, roof);
    ASSERT_EQ(list.size(), 1);
    EXPECT_NEAR(list[0].normal.y, -1, 1e-5f);
    EXPECT_GE(list[0].count, 2);
    for (int i = 0; i < list[0].count; ++i)
        EXPECT_NEAR(list[0].points[i].separation, -0.005f, 1e-4f);
}

TEST(SurfaceContacts, ValleyPushesFromBothSides)
{
    const Shape valley = shape_of(make_grid(6, 2, 0, [](float x, float) { return std::fabs(x); }));
    const Shape sphere = shape_of(Sphere{0.5f});
    const ManifoldList list = collide(sphere, {{0, 0.5f * std::sqrt(2.0f) - 0.005f, 0.1f}, {}}, valley);
    ASSERT_EQ(list.size(), 2);
    EXPECT_NEAR(list[0].normal.x + list[1].normal.x, 0, 1e-5f);
    EXPECT_NEAR(list[0].normal.y, -std::sqrt(0.5f), 1e-5f);
}

TEST(SurfaceContacts, BoxOverhangingALedgeIsOnlyPushedUp)
{
    const Shape box = shape_of(Box{{0.5f, 0.25f, 0.4f}});
    for (const int n : {1, 3, 20, 100})
    {
        const Shape cube = shape_of(make_cube_mesh(1, n));
        for (int i = 0; i < 120; ++i)
        {
            const float x = 0.6f + 0.007f * float(i);
            const Transform pose{{x, 1.245f, 0.05f}, {}};
            const ManifoldList list = collide(box, pose, cube);
            expect_flat(list, {0, 1, 0});
            ASSERT_FALSE(HasFailure()) << n << " cuts at " << x;
            EXPECT_NEAR(deepest(list), -0.005f, 1e-5f);
            EXPECT_EQ(list[0].count, 4);
        }
    }
}

TEST(SurfaceContacts, HullsOfACubeMeshAgreeWithABox)
{
    // The mesh of a cube is the same solid as a box: shapes outside it must be as far away, in the same direction.
    Random random(5);
    const Shape cube = shape_of(make_cube_mesh(1, 4));
    const Shape solid = shape_of(Box{{1, 1, 1}});
    const Geometry shapes[] = {Sphere{0.3f}, Capsule{0.2f, 0.3f}, Box{{0.2f, 0.3f, 0.4f}}, Cylinder{0.3f, 0.2f},
                               make_random_hull(random, 0.4f)};
    int touching = 0, exact = 0;
    for (const Geometry& geometry : shapes)
        for (int i = 0; i < 1500; ++i)
        {
            const Shape shape = shape_of(geometry);
            Transform pose{random.point(1.5f), random.rotation()};
            Vec3 axis{};
            DistanceResult gap = distance(make_view(shape, pose), make_view(solid, {}), axis);
            if (gap.is_overlapping || gap.distance < 0.011f)
                continue;
            // Move it to just outside.
            const float rest = random.uniform(0.001f, 0.01f);
            pose.position += gap.normal * (gap.distance - rest);
            gap = distance(make_view(shape, pose), make_view(solid, {}), axis);
            const ManifoldList list = collide(shape, pose, cube);
            ASSERT_GE(list.size(), 1) << "kind " << int(shape.kind) << " at " << i;
            EXPECT_NEAR(deepest(list), gap.distance, 2e-3f) << "kind " << int(shape.kind) << " at " << i;
            float best = -1;
            for (const LocalManifold& m : list)
                best = std::fmax(best, dot(m.normal, gap.normal));
            EXPECT_GT(best, 0.98f) << "kind " << int(shape.kind) << " at " << i;
            exact += best > 0.999f && std::fabs(deepest(list) - gap.distance) < 2e-4f;
            ++touching;
        }
    EXPECT_GT(touching, 2000);
    EXPECT_GT(exact, touching * 95 / 100);
}

TEST(SurfaceContacts, BoxSlidesOverAFineDomeWithoutBumps)
{
    // All edges are convex by one or two degrees: no contact may lean further than the surface does.
    const auto height = [](float x, float z) { return -0.05f * (x * x + z * z); };
    const Shape dome = shape_of(make_grid(30, 3, 0.2f, height));
    const Shape box = shape_of(Box{{0.3f, 0.2f, 0.4f}});
    Random random(41);
    for (int i = 0; i < 1000; ++i)
    {
        const float x = random.uniform(-1.5f, 1.5f), z = random.uniform(-1.5f, 1.5f);
        const Vec3 up = normalize(Vec3{0.1f * x, 1, 0.1f * z});
        const Quat level = rotation_between({0, 1, 0}, up) * axis_angle({0, 1, 0}, random.uniform(0, 6));
        const Vec3 ground{x, height(x, z), z};
        const ManifoldList list = collide(box, {ground + up * random.uniform(0.18f, 0.205f), level}, dome);
        ASSERT_GE(list.size(), 1);
        for (const LocalManifold& m : list)
            EXPECT_LT(dot(m.normal, up), -0.98f) << i;
    }
}

TEST(SurfaceContacts, NothingTouchesFromBehind)
{
    const Shape floor = shape_of(make_flat_grid(4, 3));
    EXPECT_EQ(collide(shape_of(Sphere{0.4f}), {{0.1f, -0.39f, 0.2f}, {}}, floor).size(), 0);
    EXPECT_EQ(collide(shape_of(Box{{0.4f, 0.4f, 0.4f}}), {{0.1f, -0.39f, 0.2f}, {}}, floor).size(), 0);
    // Sunk by a third it is still pushed out.
    const ManifoldList list = collide(shape_of(Box{{0.4f, 0.4f, 0.4f}}), {{0.1f, 0.13f, 0.2f}, {}}, floor);
    expect_flat(list, {0, 1, 0});
    EXPECT_NEAR(deepest(list), -0.27f, 1e-5f);
    EXPECT_EQ(list[0].count, 4);
}

TEST(SurfaceContacts, HeightFieldEqualsTheSameMesh)
{
    Random random(17);
    constexpr int n = 13;
    std::vector<float> heights;
    for (int i = 0; i < n * n; ++i)
        heights.push_back(random.uniform(-0.2f, 0.2f));
    const HeightFieldRef field = *make_height_field(heights, n, n, 0.5f);
    std::vector<Vec3> vertices;
    std::vector<uint32_t> indices;
    for (int32_t i = 0; i < 2 * (n - 1) * (n - 1); ++i)
        for (const Vec3 corner : triangle_at(*field, i).corners)
        {
            vertices.push_back(corner);
            indices.push_back(uint32_t(indices.size()));
        }
    const Shape a = shape_of(field);
    const Shape b = shape_of(*make_mesh(vertices, indices));
    const Geometry shapes[] = {Sphere{0.3f}, Capsule{0.2f, 0.3f}, Box{{0.2f, 0.3f, 0.4f}}, Cylinder{0.3f, 0.2f}};
    int touching = 0;
    for (const Geometry& geometry : shapes)
        for (int i = 0; i < 500; ++i)
        {
            const Shape shape = shape_of(geometry);
            Transform pose = random.pose(2);
            pose.position.y = random.uniform(0, 0.6f);
            const ManifoldList on_field = collide(shape, pose, a);
            const ManifoldList on_mesh = collide(shape, pose, b);
            ASSERT_EQ(on_field.size(), on_mesh.size());
            ASSERT_EQ(point_count(on_field), point_count(on_mesh));
            if (on_field.is_empty())
                continue;
            ++touching;
            EXPECT_NEAR(deepest(on_field), deepest(on_mesh), 1e-4f);
        }
    EXPECT_GT(touching, 500);
}

TEST(SurfaceContacts, SphereOnATerrainIsAsDeepAsItsDistanceSays)
{
    Random random(23);
    const MeshRef mesh = make_grid(20, 3, 0.3f, [](float x, float z) { return 0.4f * std::sin(2 * x) * std::cos(z); });
    const Shape terrain = shape_of(mesh);
    const Shape sphere = shape_of(Sphere{0.25f});
    for (int i = 0; i < 2000; ++i)
    {
        const float x = random.uniform(-2.5f, 2.5f), z = random.uniform(-2.5f, 2.5f);
        const Vec3 centre{x, 0.4f * std::sin(2 * x) * std::cos(z) + random.uniform(0.2f, 0.3f), z};
        float nearest = 1e9f;
        for (int32_t t = 0; t < int32_t(mesh->indices.size() / 3); ++t)
        {
            const Triangle tri = triangle_at(*mesh, t);
            Shape one;
            one.kind = ShapeKind::triangle;
            one.triangle = tri.corners;
            Vec3 axis{};
            if (length(tri.corners[0] - centre) > 1)
                continue;
            nearest = std::fmin(nearest, distance(make_view(one, {}), make_view(sphere, {centre, {}}), axis).distance);
        }
        const ManifoldList list = collide(sphere, {centre, {}}, terrain);
        if (nearest > margin + 2e-3f)
        {
            EXPECT_EQ(list.size(), 0);
        }
        else if (nearest < margin - 2e-3f)
        {
            ASSERT_GE(list.size(), 1);
            EXPECT_NEAR(deepest(list), nearest, 2e-3f);
            EXPECT_LE(list.size(), 8);
        }
    }
}

TEST(SurfaceContacts, BigBoxOnAFineMeshStaysCheapAndExact)
{
    const Shape floor = shape_of(make_flat_grid(160, 4)); // 51 200 triangles, half of them under the box
    const Shape box = shape_of(Box{{2.9f, 0.5f, 2.9f}});
    const ManifoldList list = collide(box, {{0, 0.49f, 0}, axis_angle({0, 1, 0}, 0.1f)}, floor);
    expect_flat(list, {0, 1, 0});
    EXPECT_EQ(list[0].count, 4);
    for (const LocalPoint& p : list[0].points)
        EXPECT_NEAR(p.position.x * p.position.x + p.position.z * p.position.z, 2 * 2.9f * 2.9f, 1e-2f);
}

TEST(SurfaceContacts, AFullListKeepsTheDeepest)
{
    const Shape floor = shape_of(make_flat_grid(3, 3));
    const Shape sphere = shape_of(Sphere{0.4f});
    ManifoldList list;
    for (int i = 0; i < ManifoldList::capacity; ++i)
        collide_surface(sphere, {{0, 0.4f, 0}, {}}, floor, {}, margin, list);
    ASSERT_TRUE(list.is_full());
    collide_surface(sphere, {{0, 0.3f, 0}, {}}, floor, {}, margin, list);
    EXPECT_NEAR(deepest(list), -0.1f, 1e-5f);
}

} // namespace moraine
