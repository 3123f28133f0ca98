// Nothing that is shot at a wall comes out at the other side.
#include "scene/random.h"
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

constexpr float half_thickness = 0.01f;

Geometry random_bullet(int kind, Random& random)
{
    const float size = 0.5f * random.between(0.05f, 0.2f); // across: 5 to 20 cm
    if (kind == 0)
        return Sphere{size};
    if (kind == 1)
        return Box{{size, 0.5f * random.between(0.05f, 0.2f), 0.5f * random.between(0.05f, 0.2f)}};
    return Capsule{0.5f * size, 0.5f * size};
}

BodyDef random_shot(int i, Random& random)
{
    const float speed = random.between(20, 500);
    Vec3 direction = random.within({0, 0.5f, 0.5f});
    direction.x = 1;
    return {.position = {-1.0 - random.unit() * 12, 0.8 * (i % 32) - 12, 0.8 * (i / 32) - 12},
            .rotation = random.rotation(),
            .linear_velocity = normalize(direction) * speed,
            .angular_velocity = random.direction() * random.between(0, 60),
            .shapes = {{.geometry = random_bullet(i % 3, random), .restitution = i % 2 ? 0.0f : 0.5f}},
            .filter = {.group = -1}}; // they fly through each other
}

// A slab of two triangulated sheets, a metre a square.
MeshRef mesh_wall()
{
    std::vector<Vec3> vertices;
    std::vector<uint32_t> indices;
    const int n = 120;
    for (int side = 0; side < 2; ++side)
    {
        const uint32_t first = uint32_t(vertices.size());
        const float x = side ? half_thickness : -half_thickness;
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i)
                vertices.push_back({x, 4 * (float(i) - 0.5f * n), 4 * (float(j) - 0.5f * n)});
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
            {
                const uint32_t a = first + uint32_t(j * (n + 1) + i), b = a + 1, c = a + n + 1, d = c + 1;
                // Counter-clockwise from outside: y cross z is +x.
                if (side)
                    indices.insert(indices.end(), {a, b, d, a, d, c});
                else
                    indices.insert(indices.end(), {a, d, b, a, c, d});
            }
    }
    Result<MeshRef> mesh = make_mesh(vertices, indices);
    EXPECT_TRUE(mesh);
    return mesh ? *mesh : nullptr;
}

int count_passed(const Geometry& wall, uint64_t seed, int shots)
{
    TestWorld w(without_gravity());
    w.add({.type = BodyType::static_, .shapes = {{.geometry = wall, .friction = 0.2f}}});
    Random random(seed);
    std::vector<BodyId> bullets;
    for (int i = 0; i < shots; ++i)
        bullets.push_back(w.add(random_shot(i, random)));
    for (int i = 0; i < 60; ++i)
        w.step();
    int passed = 0;
    for (size_t i = 0; i < bullets.size(); ++i)
        if (w->center_of_mass(bullets[i]).x > 0)
        {
            ++passed;
            const ShapeDef shape = w->shapes(bullets[i])[0];
            ADD_FAILURE() << "shot " << i << " of kind " << shape.geometry.index() << " passed, now at x "
                          << w->center_of_mass(bullets[i]).x << " with speed " << w.speed(bullets[i]);
            if (passed > 5)
                break;
        }
    return passed;
}

} // namespace

TEST(Continuous, NoneOfAThousandShotsPassesAThinWall)
{
    EXPECT_EQ(count_passed(Box{{half_thickness, 300, 300}}, 1, 1000), 0);
}

TEST(Continuous, NoneOfAThousandShotsPassesAThinMesh) { EXPECT_EQ(count_passed(mesh_wall(), 2, 1000), 0); }

TEST(Continuous, AShotAcrossAHeightFieldStaysAboveIt)
{
    TestWorld w;
    const std::vector<float> heights(64 * 64, 0.0f);
    w.add({.type = BodyType::static_, .shapes = {{.geometry = *make_height_field(heights, 64, 64, 2)}}});
    Random random(3);
    std::vector<BodyId> bullets;
    for (int i = 0; i < 100; ++i)
        bullets.push_back(w.add({.position = {random.between(-20, 20), random.between(1, 9), random.between(-20, 20)},
                                 .rotation = random.rotation(),
                                 .linear_velocity = {random.between(-20, 20), -random.between(50, 400), 0},
                                 .angular_velocity = random.within({40, 40, 40}),
                                 .shapes = {{.geometry = random_bullet(i % 3, random)}},
                                 .filter = {.group = -1}}));
    w.run_seconds(0.5);
    for (BodyId b : bullets)
        EXPECT_GT(w.position(b).y, 0) << b.index;
}

TEST(Continuous, AFastBulletHitsAMovingPlate)
{
    TestWorld w(without_gravity());
    const BodyId plate = w.add(
        {.linear_velocity = {-30, 0, 0}, .shapes = {{.geometry = Box{{0.02f, 2, 2}}, .density = 8000}}});
    const BodyId bullet = w.add({.position = {-7, 0.1, 0},
                                 .linear_velocity = {400, 0, 0},
                                 .shapes = {{.geometry = Sphere{0.05f}}},
                                 .is_fast = true});
    w.run_seconds(0.3);
    EXPECT_LT(w.position(bullet).x, w.position(plate).x);
}

TEST(Continuous, AFastBulletHitsAKinematicPlate)
{
    TestWorld w(without_gravity());
    const BodyId plate = w.add(
        {.type = BodyType::kinematic, .linear_velocity = {-20, 0, 0}, .shapes = {{.geometry = Box{{0.02f, 2, 2}}}}});
    const BodyId bullet = w.add(
        {.position = {-7, 0.1, 0}, .linear_velocity = {300, 0, 0}, .shapes = {{.geometry = Sphere{0.05f}}}});
    w.run_seconds(0.3);
    EXPECT_LT(w.position(bullet).x, w.position(plate).x);
}

TEST(Continuous, SwitchedOffAFastBulletPassesBetweenTwoSteps)
{
    WorldDef def = without_gravity();
    def.continuous = false;
    TestWorld w(def);
    w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{half_thickness, 2, 2}}}}});
    const BodyId bullet = w.add(
        {.position = {-4, 0, 0}, .linear_velocity = {480, 0, 0}, .shapes = {{.geometry = Sphere{0.05f}}}});
    w.run_steps(3);
    EXPECT_GT(w.position(bullet).x, 1);
}

TEST(Continuous, AnImpactStopsAtTheWallAndLosesItsSpeed)
{
    TestWorld w(without_gravity());
    w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{half_thickness, 2, 2}}}}});
    const BodyId bullet = w.add(
        {.position = {-4, 0, 0}, .linear_velocity = {480, 0, 0}, .shapes = {{.geometry = Sphere{0.05f}}}});
    w.run_steps(10);
    EXPECT_NEAR(w.position(bullet).x, -0.06, 0.01);
    EXPECT_NEAR(w->linear_velocity(bullet).x, 0, 0.5f);
}

// A plate that stands in a wall by more than its own half: out it goes as it likes, further in it does not.
TEST(Continuous, WhatIsInAWallMayLeaveItAndNotGoThrough)
{
    for (const float speed : {4.0f, -4.0f})
    {
        TestWorld w(without_gravity());
        w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{0.05f, 2, 2}}}}});
        const BodyId plate = w.add({.position = {0.03, 0, 0}, .shapes = {{.geometry = Box{{0.03f, 0.3f, 0.3f}}}}});
        w.step();
        w->set_pose(plate, {{0.03, 0, 0}, {}});
        w->set_linear_velocity(plate, {speed, 0, 0});
        w.step();
        if (speed > 0)
            EXPECT_GE(w.position(plate).x, 0.03 + 0.99 * double(speed) / 60);
        else
            EXPECT_GE(w.position(plate).x, 0.029);
    }
}

// A room that flies at a hundred metres a second, with balls at rest in it and others that are shot at its walls.
TEST(Continuous, WhatIsInAFlyingRoomStaysInIt)
{
    WorldDef def;
    def.gravity = {};
    TestWorld w(def);
    const Vec3 speed{90, 0, 45};
    std::vector<ShapeDef> walls;
    for (const float side : {-1.0f, 1.0f})
    {
        walls.push_back({.geometry = Box{{half_thickness, 2, 2}}, .pose = {{2 * side, 0, 0}, {}}});
        walls.push_back({.geometry = Box{{2, half_thickness, 2}}, .pose = {{0, 2 * side, 0}, {}}});
        walls.push_back({.geometry = Box{{2, 2, half_thickness}}, .pose = {{0, 0, 2 * side}, {}}});
    }
    const BodyId room = w.add({.type = BodyType::kinematic, .linear_velocity = speed, .shapes = walls});
    Random random(7);
    std::vector<BodyId> balls;
    for (int i = 0; i < 60; ++i)
        balls.push_back(w.add({.position = DVec3(random.within({1.8f, 1.8f, 1.8f})),
                               .linear_velocity = speed + (i % 2 ? random.direction() * 50.0f : Vec3{}),
                               .shapes = {{.geometry = Sphere{0.04f}, .restitution = 1}},
                               .filter = {.group = -1}}));
    w.run_seconds(2);
    for (size_t i = 0; i < balls.size(); ++i)
    {
        const Vec3 at = Vec3(w.position(balls[i]) - w.position(room));
        EXPECT_LT(std::max({std::fabs(at.x), std::fabs(at.y), std::fabs(at.z)}), 2) << "ball " << i;
        if (i % 2 == 0)
            EXPECT_LT(length(w->linear_velocity(balls[i]) - speed), 1e-3f) << "ball " << i;
    }
}
