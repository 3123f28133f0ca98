// What a vibrating surface throws, against a beam that is stepped finely; and what that costs.
#include "respond/beam_world.h"

namespace moraine::test
{
namespace
{

class ThrownBySolver : public testing::TestWithParam<SolverKind>
{
};
INSTANTIATE_TEST_SUITE_P(Respond, ThrownBySolver,
                         testing::Values(SolverKind::substep, SolverKind::pgs, SolverKind::direct));

// Hammer and rider on the beam's modes with stiff springs between them, in steps of a fifth of a microsecond.
struct FineBeam
{
    const Beam& beam;
    std::vector<double> q, speed;

    explicit FineBeam(const Beam& b) : beam(b), q(size_t(b.modes)), speed(size_t(b.modes)) {}

    double at(double x, const std::vector<double>& of) const
    {
        double sum = 0;
        for (int j = 1; j <= beam.modes; ++j)
            sum += beam.shape(j, x) * of[size_t(j) - 1];
        return sum;
    }
    // How high the rider jumps.
    double rise(double hammer_x, double hammer_mass, double hammer_speed, double rider_x, double rider_mass)
    {
        constexpr double h = 2e-7, stiffness = 1e8, g = 9.81;
        const double x[2] = {hammer_x, rider_x}, mass[2] = {hammer_mass, rider_mass};
        double y[2] = {0, -rider_mass * g / stiffness}, v[2] = {-hammer_speed, 0}, highest = 0;
        const double damping[2] = {2 * std::sqrt(stiffness * mass[0]), 2 * std::sqrt(stiffness * mass[1])};
        const double load = rider_mass * g; // q is from where the rider rests
        for (double t = 0; t < 2 * std::numbers::pi / beam.frequency(1); t += h)
        {
            double force[2];
            for (int i = 0; i < 2; ++i)
            {
                const double gap = y[i] - at(x[i], q), closing = v[i] - at(x[i], speed);
                force[i] = gap < 0 ? std::max(0.0, -stiffness * gap - damping[i] * closing) : 0;
                v[i] += h * (force[i] / mass[i] - g);
                y[i] += h * v[i];
            }
            for (int j = 1; j <= beam.modes; ++j)
            {
                const size_t k = size_t(j) - 1;
                const double w = beam.frequency(j);
                speed[k] += h *
                            (-w * w * q[k] - beam.shape(j, x[0]) * force[0] - beam.shape(j, x[1]) * (force[1] - load));
                q[k] += h * speed[k];
            }
            if (v[1] > 0)
                highest = std::max(highest, y[1] + v[1] * v[1] / (2 * g));
        }
        return highest;
    }
};

TEST_P(ThrownBySolver, WhatIsThrownRisesAsOnAFinelySteppedBeam)
{
    Beam beam;
    beam.modes = 5;
    for (double mass : {0.2, 2.0})
    {
        WorldDef def = thrown(with_solver(GetParam()));
        def.response.energy_bound = false;
        BeamWorld b(def, {}, beam);
        b.w->destroy_body(b.rider);
        const BodyId rider = b.w.add_ball({0.3, beam.top() + 0.05, 0}, 0.05f, {}, float(mass));
        b.w.run_steps(20);
        b.drop(-0.5, 5, 2);
        const double impulse = double(b.run_to_impact()); // it fell a little before it hit, and does not bounce
        ASSERT_GT(impulse, 1);
        b.w.step();
        const double speed = double(b.w->linear_velocity(rider).y);
        const double expected = FineBeam(beam).rise(-0.5, 5, impulse / 5, 0.3, mass);
        EXPECT_NEAR(speed * speed / (2 * 9.81), expected, 0.2 * expected) << mass;
    }
}

TEST_P(ThrownBySolver, AFlatHitInTheMiddleThrowsBothSidesAlike)
{
    // How the solve shares the impulse among the points of a disc that falls flat is any of many: it must not matter.
    const Beam beam;
    WorldDef def = thrown(with_solver(GetParam()));
    BeamWorld b(def, {}, beam);
    b.w->destroy_body(b.rider);
    std::vector<BodyId> riders;
    for (double x : {-0.6, 0.6})
        riders.push_back(b.w.add(
            {.position = {x, beam.top() + 0.01, 0}, .shapes = {{.geometry = Cylinder{0.1f, 0.01f}}}, .mass = 0.5f}));
    b.w.run_steps(20);
    b.hammer = b.w.add(
        {.position = {0, beam.top() + 0.11, 0}, .shapes = {{.geometry = Cylinder{0.13f, 0.09f}}}, .mass = 5});
    b.w->set_linear_velocity(b.hammer, {0, -3, 0});
    ASSERT_GT(b.run_to_impact(), 0.3f);
    b.w.step();
    const double left = double(b.w->linear_velocity(riders[0]).y), right = double(b.w->linear_velocity(riders[1]).y);
    EXPECT_GT(left, 0.1);
    EXPECT_NEAR(left, right, 0.15 * left);
}

TEST(Thrown, ADiscThatIsAsLongAsAWaveRidesOnItsCrests)
{
    // One mode with a crest in the middle of each quarter of the rim, between the four points of the manifold at most
    // partly: whichever four those are, the rim finds crests.
    auto model = std::make_shared<ResponseModel>();
    const float radius = 0.2f;
    const int side = 81;
    model->frequencies = {200};
    model->material = {.young = 1e9, .poisson = 0.3, .density = 700, .alpha0 = 0, .alpha1 = 0};
    for (int i = 0; i < side * side; ++i)
    {
        const double x = 0.8 * (double(i % side) / (side - 1) - 0.5), z = 0.8 * (double(i / side) / (side - 1) - 0.5);
        model->vertices.push_back({float(x), 0.1f, float(z)});
        const double around = std::cos(4 * std::atan2(z, x)),
                     near = std::exp(-std::pow((std::hypot(x, z) - 0.2) / 0.05, 2));
        model->shapes.push_back({0, float(std::hypot(x - 0.35, z) < 0.04 ? 1 : around * near), 0});
    }
    for (uint32_t row = 0; row + 1 < uint32_t(side); ++row)
        for (uint32_t i = 0; i + 1 < uint32_t(side); ++i)
        {
            const uint32_t a = row * uint32_t(side) + i, c = a + uint32_t(side);
            model->triangles.push_back({a, c, a + 1});
            model->triangles.push_back({a + 1, c, c + 1});
        }
    double speeds[2];
    int count = 0;
    // The points of the manifold turn with the disc: on crests, and between them.
    for (double turn : {0.0, std::numbers::pi / 4})
    {
        TestWorld w(thrown());
        w.dt = step;
        const BodyId plate = w.add({.type = BodyType::static_, .shapes = {{.geometry = Box{{0.4f, 0.1f, 0.4f}}}}});
        ASSERT_TRUE(bool(w->set_response(plate, {.model = model})));
        const BodyId disc = w.add({.position = {0, 0.11, 0},
                                   .rotation = axis_angle({0, 1, 0}, float(turn)),
                                   .shapes = {{.geometry = Cylinder{radius, 0.01f}}},
                                   .mass = 0.5f});
        w.run_steps(20);
        const BodyId hammer = w.add_ball({0.35, 0.16, 0}, 0.05f, {}, 0.5f);
        w->set_linear_velocity(hammer, {0, -2, 0});
        double fastest = 0;
        for (int i = 0; i < 10; ++i)
        {
            w.step();
            fastest = std::max(fastest, double(w->linear_velocity(disc).y));
        }
        speeds[count++] = fastest;
    }
    EXPECT_GT(speeds[0], 0.05);
    EXPECT_NEAR(speeds[0], speeds[1], 0.25 * speeds[0]);
}

TEST_P(ThrownBySolver, WhatIsStackedOnAKickedBodyIsPaidForToo)
{
    // Kicked alone the lowest box would take little; with the others on it far more than the impact had.
    for (ResponseKick kick : {ResponseKick::displacement, ResponseKick::thrown})
    {
        const Beam beam;
        WorldDef def = with_solver(GetParam());
        def.response.kick = kick;
        BeamWorld b(def, {}, beam);
        for (int i = 0; i < 4; ++i)
            b.w.add_box({0.2, beam.top() + 0.05 + 0.1 * i, 0}, {0.1f, 0.05f, 0.1f}, {}, i == 0 ? 1.0f : 60.0f);
        b.w.run_steps(60);
        b.drop(-0.5, 3, 1);
        ASSERT_GT(b.run_to_impact(), 0.3f);
        const std::vector<uint8_t> start = b.w->snapshot();
        const StepReport report = b.w.step();
        ASSERT_GT(report.kicks, 1);
        const double with_kick = b.w->kinetic_energy() + b.w->potential_energy();
        ASSERT_TRUE(bool(b.w->restore(start)));
        ASSERT_TRUE(bool(b.w->set_response(b.body, {})));
        b.w.step();
        const double without = b.w->kinetic_energy() + b.w->potential_energy();
        EXPECT_LE(report.response_work, report.response_energy);
        EXPECT_NEAR(with_kick - without, report.response_work, 0.05 * report.response_energy) << int(kick);
    }
}

} // namespace
} // namespace moraine::test
