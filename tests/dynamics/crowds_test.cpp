#include "dynamics/crowds.h"
#include "solver_scenes.h"

#include <algorithm>

using namespace moraine;
using namespace moraine::solver_scenes;

namespace
{

// Movers of given masses in contact with one another.
struct Contacts
{
    Movers movers;
    ContactGraph graph;
    std::vector<int32_t> manifolds;

    int32_t add_mover(float mass)
    {
        const int32_t index = movers.movers.create();
        MoverVelocity v;
        v.inv_mass = 1 / mass;
        movers.velocities.push_back(v);
        movers.masses.push_back({});
        return index;
    }
    void add_manifold(int32_t a, int32_t b)
    {
        const int32_t edge = graph.edges.create();
        graph.edges[edge].mover_a = a;
        graph.edges[edge].mover_b = b;
        manifolds.push_back(graph.manifolds.create());
        graph.manifolds[manifolds.back()].edge = edge;
    }
};

class CrowdedWorld : public testing::TestWithParam<SolverKind>
{
protected:
    static WorldDef def(Vec3 gravity)
    {
        WorldDef d = settings(GetParam(), GetParam() == SolverKind::pgs ? 20 : 4);
        d.gravity = gravity;
        return d;
    }
    // A square of boxes of 1 kg, 0.2 m wide, their bottoms at a height.
    static void add_square(Scene& s, int side, double bottom, float friction)
    {
        for (int i = 0; i < side; ++i)
            for (int k = 0; k < side; ++k)
                s.add_box({0.3 * (i - 0.5 * (side - 1)), bottom + 0.1, 0.3 * (k - 0.5 * (side - 1))},
                          {0.1f, 0.1f, 0.1f}, 1, friction);
    }
    // Of two halves that are one: only what has members has a crowd.
    static BodyId add_plate(Scene& s, DVec3 centre, Vec3 half, float mass)
    {
        const BodyId left = s.add_box(centre - DVec3(half.x / 2, 0, 0), {half.x / 2, half.y, half.z}, mass / 2, 0.5f);
        const BodyId right = s.add_box(centre + DVec3(half.x / 2, 0, 0), {half.x / 2, half.y, half.z}, mass / 2, 0.5f);
        EXPECT_TRUE(s.world.merge(left, right));
        return left;
    }
    static DVec3 momentum(const Scene& s)
    {
        DVec3 sum{};
        for (BodyId body : s.bodies)
            sum += DVec3(s.world.linear_velocity(body)) * double(s.world.mass(body));
        return sum;
    }
};

} // namespace

TEST(Crowds, EveryContactIsInOneBatchAndNoLightMoverTwiceInIt)
{
    Contacts c;
    const int32_t platform = c.add_mover(500), ship = c.add_mover(2000);
    for (int i = 0; i < 30; ++i)
    {
        const int32_t light = c.add_mover(1);
        for (int n = 0; n <= i % 4; ++n)
            c.add_manifold(n % 2 ? light : platform, n % 2 ? platform : light);
        if (i % 3 == 0)
            c.add_manifold(light, ship);
    }
    c.add_manifold(platform, ship); // one is four times as heavy: nobody is shared
    Arena arena;
    const Crowds crowds = pack_crowds(c.manifolds, c.graph, c.movers, true, arena);
    std::vector<int32_t> seen;
    for (size_t i = 0; i < crowds.batches.size(); ++i)
    {
        const int32_t heavy = crowds.batches[i].heavy;
        std::vector<int32_t> light;
        for (int32_t m : crowds.items(int(i)))
        {
            seen.push_back(m);
            const Edge& edge = c.graph.edges[c.graph.manifolds[m].edge];
            if (heavy < 0)
                continue;
            EXPECT_TRUE(edge.mover_a == heavy || edge.mover_b == heavy);
            light.push_back(edge.mover_a == heavy ? edge.mover_b : edge.mover_a);
        }
        EXPECT_LE(crowds.items(int(i)).size(), size_t(lane_count));
        std::sort(light.begin(), light.end());
        EXPECT_TRUE(std::adjacent_find(light.begin(), light.end()) == light.end());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, c.manifolds);
    EXPECT_LE(crowds.batches.size(), 20u) << "lanes stay empty";
}

TEST(Crowds, OnlyWhatIsMuchHeavierIsShared)
{
    Contacts c;
    const int32_t light = c.add_mover(1), equal = c.add_mover(30), heavy = c.add_mover(33);
    c.movers.velocities.push_back({}); // no mass: static
    EXPECT_EQ(heavy_of(c.movers, light, equal), -1);
    EXPECT_EQ(heavy_of(c.movers, light, heavy), heavy);
    EXPECT_EQ(heavy_of(c.movers, heavy, light), heavy);
    EXPECT_EQ(heavy_of(c.movers, light, int32_t(c.movers.velocities.size()) - 1), -1);
}

// Sixty-four boxes fly into a plate, which they share if it is a collection and take by turns if it is one body.
TEST_P(CrowdedWorld, HitsAPlateTogetherAsOneByOne)
{
    float speeds[2];
    for (const bool is_crowd : {false, true})
    {
        Scene s(def({}));
        if (is_crowd)
            add_plate(s, {0, -0.5, 0}, {2, 0.5f, 2}, 1000);
        else
            s.add_box({0, -0.5, 0}, {2, 0.5f, 2}, 1000, 0.5f);
        const size_t first = s.bodies.size();
        add_square(s, 8, 0.02, 0.5f);
        for (size_t i = first; i < s.bodies.size(); ++i)
            s.world.set_linear_velocity(s.bodies[i], {0.5f, -1, 0});
        const DVec3 before = momentum(s);
        s.run(0.1f);
        EXPECT_LT(length(momentum(s) - before), 1e-4 * length(before));
        // Of the plate's centre: rubbed along its top, it turns as well.
        speeds[is_crowd] = (s.world.linear_velocity(s.bodies[0]).y + s.world.linear_velocity(s.bodies[first - 1]).y) /
                           2;
        s.run(2);
        EXPECT_LT(length(momentum(s) - before), 1e-3 * length(before));
    }
    EXPECT_NEAR(speeds[1], speeds[0], 0.02f * std::fabs(speeds[0]));
    EXPECT_NEAR(speeds[1], -64 / 1064.0, GetParam() == SolverKind::pgs ? 1e-3 : 0.02); // sub-steps rebound a little
}

// A plate of a tonne on the floor with what stands on it: floor and plate carry all the weight.
TEST_P(CrowdedWorld, PlateCarriesWhatStandsOnIt)
{
    Scene s(def({0, -9.81f, 0}));
    s.add_floor();
    const BodyId plate = add_plate(s, {0, 0.5, 0}, {2, 0.5f, 2}, 1000);
    add_square(s, 8, 1, 0.5f);
    s.run(2);
    EXPECT_LT(length(s.world.linear_velocity(plate)), 1e-3f);
    for (size_t i = 2; i < s.bodies.size(); ++i)
    {
        EXPECT_NEAR(s.height(i), 1.1, 0.005);
        EXPECT_LT(length(s.world.linear_velocity(s.bodies[i])), 1e-2f);
    }
}

// At the end of a thin bar even a heavy one is light: together they must not push it as if each were alone.
TEST_P(CrowdedWorld, EnergyDoesNotGrowAtTheEndOfALongArm)
{
    Scene s(def({}));
    add_plate(s, {0, -0.05, 0}, {10, 0.05f, 0.5f}, 40);
    for (int i = 0; i < 32; ++i)
        s.add_box({7 + 0.1 * i, 0.05, 0}, {0.04f, 0.04f, 0.4f}, 1, 0.5f);
    for (size_t i = 2; i < s.bodies.size(); ++i)
        s.world.set_linear_velocity(s.bodies[i], {0, -2, 0});
    const double before = s.world.kinetic_energy();
    for (int i = 0; i < 200; ++i)
    {
        s.run(s.dt);
        ASSERT_LT(s.world.kinetic_energy(), before * 1.001) << "step " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, CrowdedWorld, testing::Values(SolverKind::pgs, SolverKind::substep),
                         [](const auto& info) { return info.param == SolverKind::pgs ? "pgs" : "substep"; });
