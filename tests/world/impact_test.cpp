// Collisions: restitution, conservation, and what the hit events say.
#include "scene/description.h"
#include "scene/random.h"
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

// The highest point after the first bounce.
double bounce_height(float restitution, float dt, double drop)
{
    TestWorld w(without_sleep());
    w.dt = dt;
    w.add_floor({.friction = 0});
    const BodyId ball = w.add_ball({0, 0.5 + drop, 0}, 0.5f, {.friction = 0, .restitution = restitution});
    bool has_bounced = false;
    double highest = 0;
    for (int i = 0; i < int(3 / dt); ++i)
    {
        w.step();
        const float v = w->linear_velocity(ball).y;
        if (has_bounced && v < 0)
            break;
        has_bounced |= v > 0;
        if (has_bounced)
            highest = std::max(highest, w.position(ball).y - 0.5);
    }
    return highest;
}

// Several bodies of all kinds fly at each other in empty space.
TestWorld closed_collision(SolverKind solver)
{
    WorldDef def = without_gravity();
    def.solver = solver;
    def.sleeping = false;
    TestWorld w(def);
    Random random(7);
    for (int i = 0; i < 30; ++i)
    {
        const DVec3 p{double(i % 3) * 1.3 - 1.3, double(i / 3 % 3) * 1.3 - 1.3, double(i / 9) * 1.3 - 2};
        Geometry g = Sphere{0.4f};
        if (i % 4 == 1)
            g = Box{{0.3f, 0.4f, 0.5f}};
        if (i % 4 == 2)
            g = Capsule{0.25f, 0.3f};
        if (i % 4 == 3)
            g = Cylinder{0.35f, 0.3f};
        w.add(
            {.position = p,
             .rotation = random.rotation(),
             .linear_velocity = Vec3(p * -2.0) + random.within({1, 1, 1}) + Vec3{0.5f, 0, 0.2f},
             .angular_velocity = random.within({2, 2, 2}),
             .shapes = {{.geometry = g, .density = random.between(300, 3000), .friction = 0.4f, .restitution = 0.3f}}});
    }
    return w;
}

double sum_of_momenta(const World& world)
{
    double sum = 0;
    for (BodyId b : world.bodies())
        sum += double(world.mass(b) * length(world.linear_velocity(b)));
    return sum;
}

double sum_of_angular_momenta(const World& world)
{
    double sum = 0;
    for (BodyId b : world.bodies())
        sum += length(cross(world.center_of_mass(b), DVec3(world.linear_velocity(b)) * double(world.mass(b)))) +
               double(length(world.inertia(b) * world.angular_velocity(b)));
    return sum;
}

class ClosedCollision : public testing::TestWithParam<SolverKind>
{
};

std::string solver_name(const testing::TestParamInfo<SolverKind>& info)
{
    const char* names[] = {"substep", "pgs", "direct"};
    return names[size_t(info.param)];
}

} // namespace

// The bounce takes place somewhere in the step, so the height is off by up to the way of one step.
TEST(Impact, ABallBouncesToTheSquareOfItsRestitution)
{
    for (float e : {0.5f, 0.8f, 1.0f})
        EXPECT_NEAR(bounce_height(e, 1.0f / 240, 2), double(e * e) * 2, 0.03 * 2) << "restitution " << e;
}

TEST(Impact, ABallBouncesNearlyRightInCoarseSteps)
{
    for (float e : {0.5f, 0.8f, 1.0f})
        EXPECT_NEAR(bounce_height(e, 1.0f / 60, 2), double(e * e) * 2, 0.08 * 2) << "restitution " << e;
}

TEST(Impact, WithoutRestitutionNothingBounces) { EXPECT_LT(bounce_height(0, 1.0f / 60, 2), 0.01); }

TEST(Impact, AnElasticBallNeverBouncesHigherThanItFell)
{
    TestWorld w(without_sleep());
    w.add_floor({.restitution = 1});
    const BodyId ball = w.add_ball({0, 3, 0}, 0.5f, {.restitution = 1});
    double highest = 0;
    for (int i = 0; i < 60 * 60; ++i)
    {
        w.step();
        if (i > 60)
            highest = std::max(highest, w.position(ball).y);
    }
    EXPECT_LT(highest, 3 * 1.02);
}

TEST(Impact, EqualBallsSwapTheirVelocities)
{
    TestWorld w(without_gravity());
    const BodyId a = w.add({.position = {-2, 0, 0}, .linear_velocity = {5, 0, 0}, .shapes = {{.restitution = 1}}});
    const BodyId b = w.add({.position = {2, 0, 0}, .shapes = {{.restitution = 1}}});
    w.run_seconds(1.5);
    EXPECT_NEAR(w->linear_velocity(a).x, 0, 0.05f);
    EXPECT_NEAR(w->linear_velocity(b).x, 5, 0.05f);
}

TEST_P(ClosedCollision, KeepsMomentumAndAngularMomentum)
{
    TestWorld w = closed_collision(GetParam());
    const DVec3 p = momentum(*w), l = angular_momentum(*w);
    const double p_size = sum_of_momenta(*w), l_size = sum_of_angular_momenta(*w);
    const double energy = w->kinetic_energy();
    size_t touched = 0;
    for (int i = 0; i < 120; ++i)
    {
        w.step();
        touched += w->events().touch_began.size();
        ASSERT_LT(w->kinetic_energy(), 1.02 * energy) << "step " << i;
    }
    EXPECT_GT(touched, 20u);
    expect_near(momentum(*w), p, 1e-5 * p_size, "momentum");
    expect_near(angular_momentum(*w), l, 1e-5 * l_size, "angular momentum");
}

INSTANTIATE_TEST_SUITE_P(Solvers, ClosedCollision,
                         testing::Values(SolverKind::substep, SolverKind::pgs, SolverKind::direct), solver_name);

TEST(Impact, NewtonsCradlePassesTheMotionToTheOtherEnd)
{
    Result<SceneDescription> description = load_scene("newton_cradle");
    ASSERT_TRUE(description) << description.error().message;
    Result<Scene> scene = Scene::create(*description);
    ASSERT_TRUE(scene);
    std::vector<BodyId> balls;
    for (BodyId b : scene->world().bodies())
        if (scene->world().type(b) == BodyType::dynamic_)
            balls.push_back(b);
    ASSERT_EQ(balls.size(), 5u);
    const auto x = [&](size_t i) { return scene->world().center_of_mass(balls[i]).x; };
    const auto y = [&](size_t i) { return scene->world().center_of_mass(balls[i]).y; };
    const auto speed = [&](size_t i) { return scene->world().linear_velocity(balls[i]).x; };
    ASSERT_GT(y(0), y(4)); // the lifted one
    const double rest = x(4);
    float blow = 0;
    for (int i = 0; i < 300 && blow == 0; ++i)
    {
        const float before = speed(0);
        scene->step();
        if (speed(1) > 0.1f)
            blow = before;
    }
    ASSERT_GT(blow, 3);
    for (int i = 0; i < 20; ++i)
        scene->step();
    // The last flies on in the direction of the blow, faster than any other, and together they have its momentum.
    for (size_t i = 0; i < 4; ++i)
        EXPECT_GT(speed(4), speed(i)) << "ball " << i;
    EXPECT_GT(x(4), rest);
    EXPECT_NEAR(speed(0) + speed(1) + speed(2) + speed(3) + speed(4), blow, 0.05f * blow);
}

TEST(HitEvents, GiveTheImpulseThatStoppedTheBody)
{
    TestWorld w;
    const BodyId floor = w.add_floor();
    const BodyId ball = w.add_ball({0, 3, 0}, 0.5f, {}, 4);
    for (int i = 0; i < 120; ++i)
    {
        const float before = w->linear_velocity(ball).y;
        w.step();
        if (w->events().hits.empty())
            continue;
        ASSERT_EQ(w->events().hits.size(), 1u);
        const HitEvent& hit = w->events().hits[0];
        const float change = w->linear_velocity(ball).y - before + gravity * w.dt;
        EXPECT_NEAR(hit.impulse, 4 * change, 0.01f * 4 * change);
        EXPECT_NEAR(hit.speed, -before, 0.05f * -before);
        EXPECT_TRUE((hit.body_a == floor && hit.body_b == ball) || (hit.body_a == ball && hit.body_b == floor));
        EXPECT_NEAR(std::fabs(hit.normal.y), 1, 1e-4f);
        EXPECT_NEAR(hit.normal.y, hit.body_a == floor ? 1.0f : -1.0f, 1e-4f);
        EXPECT_NEAR(hit.point.y, 0, 0.1);
        return;
    }
    FAIL() << "no hit";
}

TEST(HitEvents, GiveImpulseAndSpeedOfABounceBetweenTwoBodies)
{
    TestWorld w(without_gravity());
    const BodyId a = w.add(
        {.position = {-2, 0, 0}, .linear_velocity = {6, 0, 0}, .shapes = {{.restitution = 0.5f}}, .mass = 2});
    const BodyId b = w.add(
        {.position = {2, 0, 0}, .linear_velocity = {-1, 0, 0}, .shapes = {{.restitution = 0.5f}}, .mass = 3});
    for (int i = 0; i < 120; ++i)
    {
        w.step();
        if (w->events().hits.empty())
            continue;
        const HitEvent& hit = w->events().hits[0];
        const float expected = 1.5f * 7 / (1 / 2.0f + 1 / 3.0f); // (1 + e) v / (1/m + 1/m)
        EXPECT_NEAR(hit.impulse, expected, 0.01f * expected);
        EXPECT_NEAR(hit.impulse, 2 * (6 - w->linear_velocity(a).x), 0.01f * expected);
        EXPECT_NEAR(hit.impulse, 3 * (w->linear_velocity(b).x + 1), 0.01f * expected);
        EXPECT_NEAR(hit.speed, 7, 0.1f);
        return;
    }
    FAIL() << "no hit";
}

TEST(HitEvents, GiveTheSpeedOfTheContactNotOfTheCentre)
{
    TestWorld w;
    w.add_floor({.friction = 0});
    // A stick lands on one end: the impulse is a quarter of what a blow at the centre would need.
    const BodyId stick = w.add({.position = {0, 2, 0},
                                .rotation = axis_angle({0, 0, 1}, 0.3f),
                                .shapes = {{.geometry = Box{{1, 0.05f, 0.05f}}, .friction = 0}}});
    for (int i = 0; i < 120; ++i)
    {
        const float before = -w->linear_velocity(stick).y;
        w.step();
        if (w->events().hits.empty())
            continue;
        EXPECT_NEAR(w->events().hits[0].speed, before, 0.1f * before);
        return;
    }
    FAIL() << "no hit";
}

TEST(HitEvents, RestingContactsReportNone)
{
    TestWorld w(without_sleep());
    w.add_floor();
    w.add_box({0, 0.5, 0});
    for (int i = 0; i < 120; ++i)
    {
        w.step();
        EXPECT_TRUE(w->events().hits.empty());
    }
}
