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
