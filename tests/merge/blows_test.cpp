// Who is moved by a blow: cubes of one kilogram and a metre, against closed forms of hits without bounce.
#include "merge/blows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace moraine
{

namespace
{

constexpr float half = 0.5f, inertia = 1.0f / 6, dt = 1.0f / 60;

struct Cubes
{
    Collections c;
    std::vector<int32_t> bodies;
    float friction = 0.5f;

    int32_t add(float mass = 1)
    {
        const int32_t index = c.bodies.create();
        MergedBody& m = c.bodies[index];
        m.inv_mass = 1 / mass;
        m.radius = half * 1.7320508f;
        m.inv_inertia[0] = Vec3{1, 1, 1} / (inertia * mass);
        bodies.push_back(index);
        return index;
    }
    // B is on the side of A that the normal points to, and touches it with the corners of a face. none: what stays for ever.
    void join(int32_t a, int32_t b, Vec3 normal, float pressed = 0)
    {
        const int32_t index = c.welds.create();
        Weld& w = c.welds[index];
        w.a = a, w.b = b, w.normal = normal, w.friction = friction, w.count = 4;
        w.tangent = std::fabs(normal.y) > 0.5f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
        const Vec3 second = cross(normal, w.tangent);
        for (int i = 0; i < 4; ++i)
        {
            Weld::Point& p = w.points[i];
            const Vec3 corner = (w.tangent * (i & 1 ? 1.0f : -1.0f) + second * (i & 2 ? 1.0f : -1.0f)) * half;
            p.arm_a = corner + normal * half;
            p.arm_b = corner - normal * half;
            p.force[0] = 0.25f * pressed;
            p.give_a = a == none ? Weld::Give{} : give(c.bodies[a], p.arm_a, normal, w.tangent, second);
            p.give_b = b == none ? Weld::Give{} : give(c.bodies[b], p.arm_b, normal, w.tangent, second);
        }
        for (int side = 0; side < 2; ++side)
            if (const int32_t m = side == 0 ? a : b; m != none)
            {
                c.welds[index].next[side] = c.bodies[m].weld_first;
                c.bodies[m].weld_first = index;
            }
    }
    // What happens at the arm along one direction by a unit force along another one.
    static float give(const MergedBody& m, Vec3 arm, Vec3 along, Vec3 push)
    {
        const Vec3 v = push * m.inv_mass + cross(turn_by(m, cross(arm, push)), arm);
        return dot(along, v);
    }
    static Weld::Give give(const MergedBody& m, Vec3 arm, Vec3 n, Vec3 t1, Vec3 t2)
    {
        return {give(m, arm, n, n), give(m, arm, t1, t1), give(m, arm, t2, t2), give(m, arm, t1, n),
                give(m, arm, t2, n)};
    }
    std::vector<int32_t> blown(int32_t struck, Vec3 impulse, float speed, Vec3 at = {})
    {
        c.blows.bodies.clear();
        find_blown({struck, impulse, cross(at, impulse)}, speed, dt, c);
        return c.blows.bodies;
    }
    // On the ground, one on top of the other.
    explicit Cubes(int stacked = 0)
    {
        for (int i = 0; i < stacked; ++i)
        {
            const int32_t below = i == 0 ? none : bodies.back();
            c.bodies[add()].level = i + 1;
            join(below, bodies.back(), {0, 1, 0}, 9.81f * float(stacked - i));
        }
    }
};

} // namespace

TEST(Blows, MoveNobodyWhoseMassIsTooMuchForThem)
{
    Cubes one;
    const int32_t cube = one.add();
    EXPECT_TRUE(one.blown(cube, {0, 0.04f, 0}, 0.05f).empty());
    EXPECT_EQ(one.blown(cube, {0, 0.06f, 0}, 0.05f).size(), 1u);
}

// Between the ground and the struck body there may be others: a tall column is left with a tenth of the speed at most.
TEST(Blows, FromAboveAreBorneByTheGround)
{
    for (const int cubes : {1, 2})
    {
        Cubes column(cubes);
        EXPECT_TRUE(column.blown(column.bodies.back(), {0, -3, 0}, 0.05f).empty()) << cubes;
    }
    for (const int cubes : {3, 6, 12})
    {
        Cubes column(cubes);
        for (const int32_t m : column.blown(column.bodies.back(), {0, -3, 0}, 0.05f))
            EXPECT_LT(length(column.c.bodies[m].thrown), 0.3f) << cubes;
    }
}

TEST(Blows, FromBelowLiftWhatTheyReach)
{
    Cubes column(3);
    EXPECT_EQ(column.blown(column.bodies[2], {0, 3, 0}, 0.05f).size(), 1u); // what is on top flies off alone
    EXPECT_EQ(column.blown(column.bodies[0], {0, 3, 0}, 0.05f).size(), 3u); // all three with 1 m/s
}

// A cube of one kilogram on the ground is held by friction up to µ times what presses in the same step.
TEST(Blows, FromTheSideMoveWhatFrictionDoesNotHold)
{
    for (const float pressed : {10.0f, 100.0f})
    {
        Cubes one;
        const int32_t cube = one.add();
        one.c.bodies[cube].level = 1;
        one.join(none, cube, {0, 1, 0}, pressed);
        const float held = one.friction * pressed * dt;
        EXPECT_TRUE(one.blown(cube, {0.9f * held, 0, 0}, 0.05f, {0, -half, 0}).empty()) << pressed;
        EXPECT_EQ(one.blown(cube, {held + 0.3f, 0, 0}, 0.05f, {0, -half, 0}).size(), 1u) << pressed;
    }
}

// At the top it tips over its far edge, which friction cannot keep from happening.
TEST(Blows, AtTheTopTipIt)
{
    Cubes one;
    one.friction = 100;
    const int32_t cube = one.add();
    one.c.bodies[cube].level = 1;
    one.join(none, cube, {0, 1, 0}, 9.81f);
    ASSERT_EQ(one.blown(cube, {1, 0, 0}, 0.05f, {0, half, 0}).size(), 1u);
    // About the edge, against its weight: J · 1 m - m g dt · ½ m = (1/6 + 1/2) kg m² ω.
    EXPECT_NEAR(one.c.bodies[cube].turn_thrown.z, -(1 - 0.5f * 9.81f * dt) * 1.5f, 0.01f);
}

// Without friction and anything to hold them all go on together, n of them with J / (n m).
TEST(Blows, RunAlongARow)
{
    for (const size_t cubes : {3, 12})
    {
        Cubes row;
        row.friction = 0;
        for (size_t i = 0; i < cubes; ++i)
        {
            row.add();
            if (i > 0)
                row.join(row.bodies[i - 1], row.bodies.back(), {1, 0, 0});
        }
        const std::vector<int32_t> blown = row.blown(row.bodies[0], {float(cubes), 0, 0}, 0.1f);
        EXPECT_EQ(blown.size(), cubes);
        Vec3 momentum{};
        for (int32_t m : blown)
        {
            EXPECT_NEAR(row.c.bodies[m].thrown.x, 1, 0.1f);
            momentum += row.c.bodies[m].thrown;
        }
        EXPECT_NEAR(momentum.x, float(cubes), 1e-4f);
    }
}

TEST(Blows, EndAtWhatIsTooHeavyForThem)
{
    Cubes pair;
    pair.friction = 0;
    const int32_t light = pair.add(1), heavy = pair.add(1000);
    pair.join(light, heavy, {1, 0, 0});
    EXPECT_TRUE(pair.blown(light, {10, 0, 0}, 0.05f).empty());
    EXPECT_EQ(pair.blown(light, {-10, 0, 0}, 0.05f), std::vector<int32_t>{light});
}

} // namespace moraine
