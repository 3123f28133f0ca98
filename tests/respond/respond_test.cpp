// Impacts here, kicks there: worlds with a beam whose vibration is known in closed form.
#include "respond/beam_world.h"

namespace moraine::test
{
namespace
{

class EverySolver : public testing::TestWithParam<SolverKind>
{
};
INSTANTIATE_TEST_SUITE_P(Respond, EverySolver,
                         testing::Values(SolverKind::substep, SolverKind::pgs, SolverKind::direct));

TEST_P(EverySolver, TheImpulseOfTheImpactIsMassTimesSpeed)
{
    BeamWorld b(with_solver(GetParam()));
    b.w.run_steps(20);
    b.drop(-0.5, 5, 2);
    EXPECT_NEAR(b.run_to_impact(), 5 * 2, 0.6);
}

TEST_P(EverySolver, TheKickIsTheLargestDisplacementOfTheStep)
{
    BeamWorld b(with_solver(GetParam()));
    b.w.run_steps(20);
    b.drop();
    const float impulse = b.run_to_impact();
    ASSERT_GT(impulse, 1);
    const StepReport report = b.w.step();
    EXPECT_EQ(report.impacts, 1);
    EXPECT_EQ(report.kicks, 1);
    const double expected = b.beam.largest(0.6, -0.5, double(impulse), double(step)) / double(step);
    const double speed = double(b.w->linear_velocity(b.rider).y);
    EXPECT_LE(speed, expected * 1.01);
    EXPECT_GE(speed, expected * 0.88); // sampled at a quarter of the shortest period
}

TEST_P(EverySolver, AnImpulseByEffectiveMassGivesTheSameSpeedToAFreeBall)
{
    WorldDef def = with_solver(GetParam());
    BeamWorld by_velocity(def);
    def.response.injection = ResponseInjection::impulse;
    BeamWorld by_impulse(def);
    float speeds[2];
    int i = 0;
    for (BeamWorld* b : {&by_velocity, &by_impulse})
    {
        b->w.run_steps(20);
        b->drop();
        ASSERT_GT(b->run_to_impact(), 1);
        b->w.step();
        speeds[i++] = b->w->linear_velocity(b->rider).y;
    }
    // The impulse comes before gravity of the step acts, the velocity is asked for after it.
    EXPECT_NEAR(speeds[0] - speeds[1], 9.81f * step, 0.02f * speeds[0]);
}

TEST(Respond, EnergyThatIsLeftIsKeptThroughStepsWithoutAKick)
{
    // The rider is far away for a while, and on the beam again before it has died away.
    WorldDef def = without_sleep();
    def.response.is_continuous = true;
    BeamWorld b(def);
    b.w.run_steps(20);
    b.drop();
    ASSERT_GT(b.run_to_impact(), 1);
    const StepReport first = b.w.step();
    ASSERT_GT(first.response_energy, 0);
    b.w->set_pose(b.rider, {{0.6, 1, 0}, {}});
    b.w->set_linear_velocity(b.rider, {});
    b.w->set_pose(b.hammer, {{-0.5, 2, 0}, {}});
    b.w->set_linear_velocity(b.hammer, {});
    StepReport quiet;
    for (int i = 0; i < 5; ++i)
        quiet = b.w.step();
    EXPECT_EQ(quiet.kicks, 0);
    EXPECT_NEAR(quiet.response_energy, first.response_energy - first.response_work, 1e-6 * first.response_energy);
}

TEST(Respond, WhatIsHitByNothingIsNotTouched)
{
    WorldDef on = without_sleep(), off = without_sleep();
    off.response.is_on = false;
    BeamWorld a(on), b(off);
    a.w.run_steps(200);
    b.w.run_steps(200);
    EXPECT_EQ(a.w->state_hash(), b.w->state_hash());
}

TEST(Respond, SmallImpactsAreNotFelt)
{
    WorldDef def = without_sleep();
    def.response.threshold = 20;
    BeamWorld b(def);
    b.w.run_steps(20);
    b.drop();
    b.w.run_steps(30);
    EXPECT_NEAR(b.w.position(b.rider).y, b.beam.top() + 0.05, 1e-4);
}

TEST(Respond, RestingLoadsAreNoImpacts)
{
    BeamWorld b;
    const BodyId heavy = b.w.add_box({-0.4, b.beam.top() + 0.1, 0}, {0.1f, 0.1f, 0.1f}, {}, 100);
    b.w.add_box({-0.4, b.beam.top() + 0.3, 0}, {0.1f, 0.1f, 0.1f}, {}, 100);
    for (int i = 0; i < 100; ++i)
    {
        b.w.step();
        EXPECT_EQ(b.w->events().impacts.size(), 0u) << i;
    }
    EXPECT_LT(b.w.moved(heavy), 1e-3);
}

TEST(Respond, TwoImpactsAddUp)
{
    // At the same distance on either side of the middle: odd modes add, even ones cancel.
    BeamWorld b;
    b.w.run_steps(20);
    const auto drop = [&](double x) {
        const BodyId ball = b.w.add_ball({x, b.beam.top() + 0.12, 0}, 0.1f, {}, 5);
        b.w->set_linear_velocity(ball, {0, -2, 0});
        return ball;
    };
    const BodyId left = drop(-0.4);
    drop(0.4);
    b.hammer = left;
    const float impulse = b.run_to_impact();
    ASSERT_GT(impulse, 1);
    b.w.step();
    double most = 0;
    for (int k = 1; k <= 4000; ++k)
    {
        double q = 0;
        for (int j = 1; j <= b.beam.modes; ++j)
            q += b.beam.shape(j, 0.6) * (b.beam.shape(j, -0.4) + b.beam.shape(j, 0.4)) * double(impulse) /
                 b.beam.frequency(j) * std::sin(b.beam.frequency(j) * double(step) * k / 4000);
        most = std::max(most, std::fabs(q));
    }
    const double expected = most / double(step);
    EXPECT_NEAR(b.w->linear_velocity(b.rider).y, expected, 0.12 * expected);
}

TEST(Respond, WorkIsNeverMoreThanTheImpactLost)
{
    // Heavy riders: without the bound they would get more than there is.
    const Beam beam;
    for (SolverKind solver : {SolverKind::substep, SolverKind::pgs, SolverKind::direct})
        for (ResponseInjection injection : {ResponseInjection::velocity, ResponseInjection::impulse})
        {
            WorldDef def = with_solver(solver);
            def.response.injection = injection;
            BeamWorld b(def, {}, beam);
            for (int i = 0; i < 3; ++i)
                b.w.add_box({-0.1 + 0.22 * i, beam.top() + 0.1, 0}, {0.1f, 0.1f, 0.1f}, {}, 200);
            b.w.run_steps(30);
            b.drop(-0.5, 3, 1);
            const double before = b.w->kinetic_energy() + b.w->potential_energy();
            bool has_kicked = false;
            for (int i = 0; i < 100; ++i)
            {
                const StepReport report = b.w.step();
                EXPECT_LE(report.response_work, report.response_energy * 1.0001 + 1e-9);
                has_kicked |= report.kicks > 0;
            }
            EXPECT_TRUE(has_kicked);
            EXPECT_LE(b.w->kinetic_energy() + b.w->potential_energy(), before + 1e-3);
        }
}

TEST(Respond, WithoutTheBoundHeavyRidersGetMore)
{
    const Beam beam;
    WorldDef def = without_sleep();
    def.response.energy_bound = false;
    BeamWorld b(def, {}, beam);
    for (int i = 0; i < 3; ++i)
        b.w.add_box({-0.1 + 0.22 * i, beam.top() + 0.1, 0}, {0.1f, 0.1f, 0.1f}, {}, 200);
    b.w.run_steps(30);
    b.drop(-0.5, 3, 1);
    bool exceeds = false;
    for (int i = 0; i < 50; ++i)
    {
        const StepReport report = b.w.step();
        exceeds |= report.response_work > 1.01 * report.response_energy;
    }
    EXPECT_TRUE(exceeds);
}

TEST(Respond, AWaveGetsSmallerWithTheDistance)
{
    ResponseDef def{.attenuation = Attenuation{.beta = 2, .reference_distance = 0.1f}, .blend = 1};
    BeamWorld b(without_sleep(), def);
    const BodyId near = b.w.add_ball({-0.1, b.beam.top() + 0.05, 0}, 0.05f, {}, 0.2f);
    b.w.run_steps(20);
    b.drop(-0.5);
    const float impulse = b.run_to_impact();
    b.w.step();
    const double amplitude = b.beam.largest(-0.5, -0.5, 1, 0.01);
    for (const auto& [ball, distance] : {std::pair{b.rider, 1.1}, std::pair{near, 0.4}})
    {
        const double expected = std::pow(distance / 0.1, -2) * amplitude * double(impulse) / double(step);
        EXPECT_NEAR(b.w->linear_velocity(ball).y, expected, 0.03 * expected);
    }
}

TEST(Respond, BlendingIsTheMeanOfBoth)
{
    float speed[3];
    for (int i = 0; i < 3; ++i)
    {
        ResponseDef def{.attenuation = Attenuation{.beta = 0.5f, .reference_distance = 0.1f}, .blend = 0.5f * float(i)};
        BeamWorld b(without_sleep(), def);
        b.w.run_steps(20);
        b.drop();
        ASSERT_GT(b.run_to_impact(), 1);
        b.w.step();
        speed[i] = b.w->linear_velocity(b.rider).y;
    }
    EXPECT_NEAR(speed[1], 0.5f * (speed[0] + speed[2]), 1e-4f);
    EXPECT_GT(std::fabs(speed[0] - speed[2]), 1e-3f);
}

TEST(Respond, AContinuousVibrationKicksAgain)
{
    for (bool is_continuous : {false, true})
    {
        WorldDef def = without_sleep();
        def.response.is_continuous = is_continuous;
        Beam damped;
        damped.material.alpha0 = 20;
        BeamWorld b(def, {}, damped);
        const BodyId far = b.w.add_box({0.9, b.beam.top() + 0.05, 0}, {0.02f, 0.05f, 0.05f}, {}, 50);
        b.w.run_steps(20);
        b.drop();
        b.run_to_impact();
        int steps = 0;
        for (int i = 0; i < 400; ++i)
            steps += b.w.step().kicks > 0;
        EXPECT_EQ(steps > 8, is_continuous) << steps;
        EXPECT_EQ(b.w.step().kicks, 0); // it has died away
        EXPECT_LT(b.w.moved(far), 0.05);
    }
}

TEST(Respond, AKickWakesWhoSleeps)
{
    for (const WorldDef& def : {WorldDef{}, thrown(WorldDef{})})
    {
        BeamWorld b(def);
        b.w.run_seconds(2);
        ASSERT_FALSE(b.w->is_awake(b.rider));
        b.drop();
        b.run_to_impact();
        b.w.step();
        EXPECT_TRUE(b.w->is_awake(b.rider));
        EXPECT_GT(b.w->linear_velocity(b.rider).y, 0.01f);
    }
}

TEST(Respond, AKickTakesMembersOutOfTheirCollection)
{
    for (WorldDef def : {without_sleep(), thrown()})
    {
        def.merging = true;
        BeamWorld b(def);
        const BodyId box = b.w.add_box({0.4, b.beam.top() + 0.05, 0}, {0.05f, 0.05f, 0.05f}, {}, 0.3f);
        b.w.run_seconds(1);
        ASSERT_TRUE(b.w->is_merged(box));
        b.drop();
        b.run_to_impact();
        b.w.step();
        EXPECT_FALSE(b.w->is_merged(box));
        EXPECT_GT(b.w->linear_velocity(box).y, 0.01f);
    }
}

TEST(Respond, ASlowKickLeavesMembersAndSleepersAlone)
{
    WorldDef def = without_sleep();
    def.merging = true;
    def.response.wake_speed = 1000;
    BeamWorld b(def);
    const BodyId box = b.w.add_box({0.4, b.beam.top() + 0.05, 0}, {0.05f, 0.05f, 0.05f}, {}, 0.3f);
    b.w.run_seconds(1);
    ASSERT_TRUE(b.w->is_merged(box));
    b.drop();
    b.run_to_impact();
    b.w.step();
    EXPECT_TRUE(b.w->is_merged(box));
}

TEST(Respond, KicksTravelThroughBodiesThatHaveAModel)
{
    // A beam lies on a beam, and something on the upper one: the lower one's kick goes through.
    WorldDef def = without_sleep();
    def.response.threshold = 0.01f;
    BeamWorld b(def);
    // The supports of the upper one's model are beyond its ends: supports do not move.
    Beam small{.length = 0.5, .width = 0.2, .thickness = 0.05};
    small.material.young = 1e8;
    const double y = b.beam.top() + small.thickness / 2;
    const BodyId upper = b.w.add_box({0.2, y, 0}, {0.15f, 0.025f, 0.1f}, {}, 30);
    const BodyId plant = b.w.add_ball({0.2, y + small.thickness / 2 + 0.03, 0}, 0.03f, {}, 0.1f);
    b.w.run_steps(20);
    const auto run = [&](bool has_model) {
        if (has_model)
            EXPECT_TRUE(bool(b.w->set_response(upper, {.model = small.model()})));
        const std::vector<uint8_t> start = b.w->snapshot();
        b.drop();
        b.run_to_impact();
        float fastest = 0;
        for (int i = 0; i < 2; ++i)
        {
            b.w.step();
            fastest = std::max(fastest, b.w->linear_velocity(plant).y - b.w->linear_velocity(upper).y);
        }
        EXPECT_TRUE(bool(b.w->restore(start)));
        return fastest;
    };
    EXPECT_LT(run(false), 0.01f);
    EXPECT_GT(run(true), 0.05f);
}

TEST(Respond, ADynamicBodyRespondsToo)
{
    WorldDef def = without_sleep();
    TestWorld w(def);
    w.dt = step;
    w.add_floor();
    const Beam beam;
    const BodyId table = w.add_box({0, 0.5, 0}, {float(beam.length / 2), 0.5f, float(beam.width / 2)}, {}, 200);
    auto model = beam.model();
    for (Vec3& v : model->vertices)
        v.y = 0.5f;
    ASSERT_TRUE(bool(w->set_response(table, {.model = model})));
    const BodyId rider = w.add_ball({0.6, 1.05, 0}, 0.05f, {}, 0.2f);
    w.run_steps(30);
    const BodyId hammer = w.add_ball({-0.4, 1.12, 0}, 0.1f, {}, 5);
    w->set_linear_velocity(hammer, {0, -2, 0});
    float fastest = 0;
    for (int i = 0; i < 6; ++i)
    {
        w.step();
        fastest = std::max(fastest, w->linear_velocity(rider).y);
    }
    EXPECT_GT(fastest, 0.1f);
    EXPECT_LT(w.moved(table), 0.02);
}

TEST_P(EverySolver, TheSurfaceTakesAlongWhatLiesOnIt)
{
    // A mode that moves up and aside by the same amount.
    auto model = Beam{}.model();
    for (Vec3& s : model->shapes)
        s.z = s.y;
    for (bool tangential : {false, true})
    {
        WorldDef def = with_solver(GetParam());
        def.response.tangential = tangential;
        BeamWorld b(def, {.model = model});
        const BodyId box = b.w.add_box({0.4, b.beam.top() + 0.01, 0}, {0.05f, 0.01f, 0.05f}, {}, 0.3f);
        b.w.run_steps(20);
        b.drop();
        b.run_to_impact();
        b.w.step();
        const float aside = std::fabs(b.w->linear_velocity(box).z);
        EXPECT_EQ(aside > 0.02f, tangential) << aside;
        // Friction holds half of what the kick presses with.
        EXPECT_LE(aside, 0.5f * b.w->linear_velocity(box).y + 0.06f);
    }
}

void expect_same_bits_after_restoring(const WorldDef& def, int steps_after_the_hit)
{
    BeamWorld b(def);
    b.w.run_steps(20);
    b.drop();
    b.run_to_impact();
    b.w.run_steps(steps_after_the_hit);
    const std::vector<uint8_t> half = b.w->snapshot();
    b.w.run_steps(40);
    World other;
    ASSERT_TRUE(bool(other.restore(half)));
    for (int i = 0; i < 40; ++i)
        other.step(step);
    EXPECT_EQ(other.state_hash(), b.w->state_hash());
}

TEST(Respond, ASnapshotGoesOnBitForBit)
{
    WorldDef def = without_sleep();
    def.response.is_continuous = true;
    expect_same_bits_after_restoring(def, 1); // in the middle of the vibration
    expect_same_bits_after_restoring(def, 0);
    expect_same_bits_after_restoring(thrown(), 0); // between the hit and what it throws
}

void expect_same_bits_for_threads(ResponseKick kick)
{
    uint64_t hashes[3];
    int i = 0;
    for (int threads : {1, 2, 4})
    {
        WorldDef def = without_sleep();
        def.response.kick = kick;
        def.threads = threads;
        BeamWorld b(def);
        for (int k = 0; k < 60; ++k)
            b.w.add_ball({-0.9 + 0.03 * k, b.beam.top() + 0.01, 0.1 + 0.005 * (k % 3)}, 0.01f, {}, 0.02f);
        b.w.run_steps(20);
        b.drop();
        b.w.run_steps(60);
        hashes[i++] = b.w->state_hash();
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Respond, ThreadsMakeNoDifference)
{
    for (ResponseKick kick : {ResponseKick::displacement, ResponseKick::thrown})
        expect_same_bits_for_threads(kick);
}

TEST(Respond, BadModelsAreRefused)
{
    TestWorld w;
    const BodyId floor = w.add_floor();
    auto model = Beam{}.model();
    model->triangles[3][1] = 100000;
    EXPECT_FALSE(bool(w->set_response(floor, {.model = model})));
    model = Beam{}.model();
    model->shapes.pop_back();
    EXPECT_FALSE(bool(w->set_response(floor, {.model = model})));
    model = Beam{}.model();
    model->frequencies[0] = -1;
    EXPECT_FALSE(bool(w->set_response(floor, {.model = model})));
    EXPECT_FALSE(bool(w->set_response(floor, {.model = Beam{}.model(), .blend = 2})));
    EXPECT_FALSE(bool(w->set_response({}, {.model = Beam{}.model()})));
    EXPECT_TRUE(bool(w->set_response(floor, {.model = Beam{}.model()})));
    EXPECT_TRUE(bool(w->response(floor).model));
    w->destroy_body(floor);
    EXPECT_FALSE(bool(w->response(floor).model));
    w.run_steps(2);
}

} // namespace
} // namespace moraine::test
