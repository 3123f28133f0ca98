#include "solver_scenes.h"

using namespace moraine;
using namespace moraine::solver_scenes;

namespace
{

WorldDef with_friction(SolverKind solver, FrictionModel model)
{
    WorldDef def = settings(solver, 20);
    def.friction_model = model;
    return def;
}

struct Named
{
    SolverKind solver;
    FrictionModel model;
    const char* name;
};

void PrintTo(const Named& n, std::ostream* out) { *out << n.name; }

class WholeStepFriction : public testing::TestWithParam<Named>
{
};

class WholeStep : public testing::TestWithParam<Named>
{
};

constexpr Named pgs{SolverKind::pgs, FrictionModel::pyramid, "pgs"};
constexpr Named direct{SolverKind::direct, FrictionModel::pyramid, "direct"};

} // namespace

TEST_P(WholeStepFriction, BoxBelowTheFrictionAngleStays)
{
    Scene s = slope(with_friction(GetParam().solver, GetParam().model), 20, 0.5f); // tan 20° = 0.36
    s.run(0.2f);
    const DVec3 start = s.world.center_of_mass(s.bodies[0]);
    s.run(3);
    EXPECT_LT(length(s.world.center_of_mass(s.bodies[0]) - start), 1e-3);
}

TEST_P(WholeStepFriction, BoxAboveTheFrictionAngleSlidesAsCoulombSays)
{
    Scene s = slope(with_friction(GetParam().solver, GetParam().model), 35, 0.5f); // tan 35° = 0.70
    s.run(0.2f);
    const float before = length(s.world.linear_velocity(s.bodies[0]));
    s.run(1);
    const float expected = 9.81f * (std::sin(radians(35)) - 0.5f * std::cos(radians(35)));
    EXPECT_NEAR(length(s.world.linear_velocity(s.bodies[0])) - before, expected, 0.02f * expected);
}

INSTANTIATE_TEST_SUITE_P(Models, WholeStepFriction,
                         testing::Values(Named{SolverKind::pgs, FrictionModel::pyramid, "pgs_pyramid"},
                                         Named{SolverKind::pgs, FrictionModel::box, "pgs_box"},
                                         Named{SolverKind::pgs, FrictionModel::cone, "pgs_cone"},
                                         Named{SolverKind::direct, FrictionModel::pyramid, "direct_pyramid"},
                                         Named{SolverKind::direct, FrictionModel::box, "direct_box"}),
                         [](const auto& info) { return info.param.name; });

// Friction across the diagonal of the tangents: a pyramid allows √2 times the cone.
TEST(PgsFriction, ConeSlidesWhereThePyramidOfTheDiagonalHolds)
{
    for (FrictionModel model : {FrictionModel::pyramid, FrictionModel::cone})
    {
        Scene s(with_friction(SolverKind::pgs, model));
        s.add_floor(0, 0.5f);
        const BodyId box = s.add_box({0, 0.25, 0}, {0.5f, 0.25f, 0.5f});
        s.run(0.1f);
        const float force = 0.6f * 9.81f; // above μ m g along the diagonal, below it along each axis
        for (int i = 0; i < 100; ++i)
        {
            s.world.apply_force(box, Vec3{0.70711f * force, 0, 0.70711f * force});
            s.world.step(s.dt);
        }
        const float speed = length(s.world.linear_velocity(box));
        if (model == FrictionModel::pyramid)
            EXPECT_LT(speed, 1e-3f);
        else
            EXPECT_NEAR(speed, 0.1f * 9.81f, 0.05f);
    }
}

TEST_P(WholeStep, StackOfFiveStands)
{
    Scene s = stack(settings(GetParam().solver), 5);
    s.run(5);
    for (size_t i = 0; i < 5; ++i)
    {
        EXPECT_NEAR(s.height(i), 0.5 + double(i), 0.02);
        EXPECT_LT(length(s.world.linear_velocity(s.bodies[i])), 1e-3f);
    }
}

TEST_P(WholeStep, HeavyBoxOnALightOneStands)
{
    Scene s = stack(settings(GetParam().solver, 30), 2, 100);
    s.run(3);
    EXPECT_NEAR(s.height(0), 0.5, 0.03);
    EXPECT_NEAR(s.height(1), 1.5, 0.06);
    EXPECT_LT(length(s.world.linear_velocity(s.bodies[1])), 1e-2f);
}

TEST_P(WholeStep, ContactsCarryTheWeight)
{
    Scene s = stack(settings(GetParam().solver, 50), 3);
    s.run(2);
    EXPECT_NEAR(total_impulse(s, s.bodies[2]), 9.81 * 0.01, 1e-4);
    EXPECT_NEAR(total_impulse(s, s.bodies[0]), (3 + 2) * 9.81 * 0.01, 1e-3);
}

TEST_P(WholeStep, BallBouncesToTheSquareOfRestitution)
{
    for (float e : {0.5f, 0.8f})
    {
        Scene s(settings(GetParam().solver));
        s.dt = 0.002f;
        s.add_floor(0, 0.5f, e);
        s.add_ball({0, 2.5, 0}); // falls two metres
        double top = 0;
        bool has_bounced = false;
        for (int i = 0; i < 1000; ++i)
        {
            s.world.step(s.dt);
            has_bounced |= s.world.linear_velocity(s.bodies[0]).y > 1;
            if (has_bounced)
                top = std::max(top, s.height(0) - 0.5);
        }
        EXPECT_NEAR(top, 2 * double(e * e), 0.04);
    }
}

TEST_P(WholeStep, CollisionsKeepMomentum)
{
    WorldDef def = settings(GetParam().solver);
    def.gravity = {};
    Scene s(def);
    for (int i = 0; i < 4; ++i)
        s.add_box({1.2 * i, 0.2 * i, 0.1 * i}, {0.5f, 0.4f, 0.3f}, 1.0f + float(i));
    s.world.set_linear_velocity(s.bodies[0], {8, 0, 0});
    s.world.set_linear_velocity(s.bodies[3], {-5, 0, 0});
    const DVec3 before = momentum(s), turning_before = angular_momentum(s);
    s.run(1);
    EXPECT_GT(length(s.world.linear_velocity(s.bodies[1])), 0.1f);
    EXPECT_LT(length(momentum(s) - before), 1e-3);
    EXPECT_LT(length(angular_momentum(s) - turning_before), 0.05 * length(turning_before) + 0.05);
}

TEST_P(WholeStep, CradlePassesTheBlowOn)
{
    WorldDef def = settings(GetParam().solver, 30);
    def.gravity = {};
    Scene s(def);
    for (int i = 0; i < 5; ++i)
        s.add_ball({1.001 * i, 0, 0}, 0.5f, 1, 1);
    s.add_ball({-2, 0, 0}, 0.5f, 1, 1, {4, 0, 0});
    s.run(1);
    double fastest = 0;
    for (BodyId b : s.bodies)
        fastest = std::max(fastest, double(s.world.linear_velocity(b).x));
    EXPECT_EQ(s.world.linear_velocity(s.bodies[4]).x, float(fastest));
    EXPECT_GT(fastest, 0.5);
    EXPECT_NEAR(momentum(s).x, 4, 1e-3);
}

TEST_P(WholeStep, OverlapIsPushedOutSlowly)
{
    Scene s(settings(GetParam().solver));
    s.add_floor();
    s.add_box({0, 0.3, 0}); // 20 cm deep
    float fastest = 0;
    for (int i = 0; i < 100; ++i)
    {
        s.world.step(s.dt);
        fastest = std::max(fastest, s.world.linear_velocity(s.bodies[0]).y);
    }
    EXPECT_NEAR(s.height(0), 0.5, 0.02);
    EXPECT_LE(fastest, s.world.settings().push_speed * 1.01f);
}

TEST_P(WholeStep, PostStabilisationAddsNoSpeed)
{
    WorldDef def = settings(GetParam().solver);
    def.post_stabilization = true;
    Scene s(def);
    s.add_floor();
    s.add_box({0, 0.3, 0});
    float fastest = 0;
    for (int i = 0; i < 200; ++i)
    {
        s.world.step(s.dt);
        fastest = std::max(fastest, s.world.linear_velocity(s.bodies[0]).y);
    }
    EXPECT_NEAR(s.height(0), 0.5, 0.01);
    EXPECT_LT(fastest, 1e-3f);
}

TEST_P(WholeStep, ComplianceLetsAContactGiveWay)
{
    WorldDef def = settings(GetParam().solver, 50);
    def.cfm = 0.1f;
    def.slop = 0;
    Scene s(def);
    s.add_floor();
    s.add_box({0, 0.5, 0});
    s.run(3);
    // At rest the feedback balances the give: erp depth / dt = cfm λ, with λ a quarter of the weight at each corner.
    const double depth = 0.1 * (9.81 * 0.01 / 4) * 0.01 / double(def.erp);
    EXPECT_NEAR(s.height(0), 0.5 - depth, 0.05 * depth + 1e-6);
}

TEST_P(WholeStep, MagnetHoldsWhatHangsBelow)
{
    Scene s(settings(GetParam().solver, 30));
    s.world.create_body({.type = BodyType::static_,
                         .position = {0, 2, 0},
                         .shapes = {{.geometry = Box{{1, 0.5f, 1}}}},
                         .is_magnet = true});
    s.add_box({0, 1.0, 0});
    s.run(2);
    EXPECT_NEAR(s.height(0), 1.0, 0.02);
}

TEST_P(WholeStep, ThreadsDoNotChangeTheResult)
{
    uint64_t hashes[2];
    for (int threads : {1, 3})
    {
        WorldDef def = settings(GetParam().solver);
        def.threads = threads;
        Scene s(def);
        s.add_floor();
        for (int tower = 0; tower < 20; ++tower)
            for (int i = 0; i < 3; ++i)
                s.add_box({2.5 * tower + 0.05 * i, 0.6 + 1.05 * i, 0});
        s.run(0.5f);
        hashes[threads == 3] = s.world.state_hash();
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

INSTANTIATE_TEST_SUITE_P(Solvers, WholeStep, testing::Values(pgs, direct),
                         [](const auto& info) { return info.param.name; });
