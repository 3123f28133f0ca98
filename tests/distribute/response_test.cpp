// A hit in one worker is felt in all that have what was hit: as in a run without workers, once, and in the same step.
#include "scene/catalogue_response.h"
#include "support/worker_runs.h"

#include <filesystem>

namespace moraine::distribute
{
namespace
{

constexpr double top = 0.02; // of what is hit

struct Struck
{
    SceneDescription scene = response_scene();
    int plate = -1, hammer = -1;
    std::vector<int> riders{};
};

SceneBody make_plate(BodyType type)
{
    SceneBody plate = make_body({0, 0, 0}, Box{{1, float(top), 0.15f}}, {.density = 700, .friction = 0.5f});
    plate.def.type = type;
    plate.response = SceneResponse{.material = elastic(1.1e9, 700), .cell_size = 0.1f, .modes = 12};
    plate.part = 0;
    return plate;
}

void add_hammer(Struck& s, double height)
{
    SceneBody hammer = make_body({-0.5, top + 0.1 + height, 0}, Sphere{0.1f});
    hammer.def.mass = 5;
    hammer.def.linear_velocity = {0, -3, 0};
    hammer.part = 0;
    s.hammer = add(s.scene, std::move(hammer));
}

void add_riders(Struck& s, int workers, float mass)
{
    for (int w = 0; w < workers; ++w)
    {
        SceneBody rider = make_body({-0.1 + 0.25 * w, top + 0.05, 0}, Sphere{0.05f});
        rider.def.mass = mass;
        rider.part = w;
        s.riders.push_back(add(s.scene, std::move(rider)));
    }
}

// A hammer falls on a plate that is held at both ends. It is in the first worker, and each has a ball on the plate.
Struck make_struck(int workers, float mass = 0.2f)
{
    Struck s;
    SceneBody plate = make_plate(BodyType::static_);
    plate.response->fixed = {{.upper = {-0.95f, 10, 10}}, {.lower = {0.95f, -10, -10}}};
    s.plate = add(s.scene, std::move(plate));
    add_hammer(s, 0.2);
    add_riders(s, workers, mass);
    s.scene.world.sleeping = false;
    s.scene.distribute.partition = PartitionKind::semantic;
    s.scene.distribute.balance = Balance::none;
    return s;
}

// How fast each rider goes up at most, when it begins to, and how fast all of them were in each step.
struct Jumps
{
    std::vector<double> speeds{};
    std::vector<uint64_t> steps{};
    std::vector<std::vector<double>> all{};
    std::vector<WorkerMask> masks{}; // when the first one jumps
};

double up(const BodyCopy& copy) { return double(copy.state.linear.y); }

Jumps jumps_of(const Struck& s, int workers, uint64_t steps = 45, const Checkpoint* resumed = nullptr)
{
    Jumps jumps{std::vector<double>(s.riders.size()), std::vector<uint64_t>(s.riders.size())};
    const auto show = [&](const Shown& shown) {
        std::vector<double>& now = jumps.all.emplace_back();
        for (size_t i = 0; i < s.riders.size(); ++i)
        {
            now.push_back(up(shown.bodies[size_t(s.riders[i])]));
            if (now[i] > 0.05 && jumps.steps[i] == 0)
                jumps.steps[i] = shown.step;
            if (jumps.steps[i] == shown.step && jumps.masks.empty())
                jumps.masks = shown.masks;
            jumps.speeds[i] = std::max(jumps.speeds[i], now[i]);
        }
    };
    const auto result = run_workers(std::make_shared<const SceneDescription>(s.scene),
                                    {.steps = steps, .show = show, .resumed = resumed}, workers);
    EXPECT_TRUE(bool(result)) << (result ? "" : result.error().message);
    return jumps;
}

void expect_alike(const Jumps& alone, const Jumps& divided, double tolerance)
{
    for (size_t i = 0; i < alone.speeds.size(); ++i)
    {
        EXPECT_GT(alone.speeds[i], 0.1) << i;
        EXPECT_EQ(alone.steps[i], divided.steps[i]) << i;
        EXPECT_NEAR(divided.speeds[i], alone.speeds[i], tolerance * alone.speeds[i]) << i;
    }
}

TEST(Response, AHitOnWhatIsFixedIsFeltInEveryWorker)
{
    for (int workers : {2, 3, 4})
    {
        const Struck s = make_struck(workers);
        expect_alike(jumps_of(s, 1), jumps_of(s, workers), 1e-3);
    }
}

// Riders press on the plate and hold it back, also those of other workers.
TEST(Response, RidersAreThrownAsIfAllWereInOneWorld)
{
    for (int workers : {2, 3, 4})
        for (float mass : {0.2f, 2.0f})
        {
            Struck s = make_struck(workers, mass);
            s.scene.world.response.kick = ResponseKick::thrown;
            expect_alike(jumps_of(s, 1), jumps_of(s, workers), 0.01);
        }
}

// The plank lies on two trestles. Each worker has piles of bricks on it, so that none leaves all of them to the other.
Struck make_plank(ResponseKick kick)
{
    Struck s;
    s.plate = add(s.scene, make_plate(BodyType::dynamic_));
    for (double x : {-0.9, 0.9})
        add(s.scene, make_static({x, -top - 0.1, 0}, Box{{0.05f, 0.1f, 0.15f}}));
    add_hammer(s, 0.2);
    for (int i = 0; i < 24; ++i)
    {
        const int pile = i / 4;
        SceneBody brick = make_body({-0.15 + 0.15 * pile, top + 0.02 + 0.04 * (i % 4), 0}, Box{{0.04f, 0.02f, 0.1f}});
        brick.def.mass = 0.05f;
        brick.part = pile / 3;
        s.riders.push_back(add(s.scene, std::move(brick)));
    }
    s.scene.world.sleeping = false;
    s.scene.world.response.kick = kick;
    s.scene.distribute.partition = PartitionKind::semantic;
    return s;
}

// The hit itself crosses the border a step late, so that bricks of the other worker are not as fast as the plank
// when it throws them. What is thrown feels that, what is kicked by a displacement does not.
TEST(Response, APlankThatWorkersShareIsFeltInAllOfThem)
{
    for (ResponseKick kick : {ResponseKick::displacement, ResponseKick::thrown})
    {
        const Struck s = make_plank(kick);
        const Jumps alone = jumps_of(s, 1), divided = jumps_of(s, 2);
        EXPECT_EQ(count_of(divided.masks[size_t(s.plate)]), 2);
        EXPECT_EQ(count_of(divided.masks[size_t(s.hammer)]), 1); // one of them lacks it
        const double tolerance = kick == ResponseKick::displacement ? 0.005 : 0.4;
        for (size_t i = 0; i < s.riders.size(); i += 4) // those that lie on it
        {
            EXPECT_GT(alone.all[alone.steps[0] + 1][i], 1);
            EXPECT_NEAR(divided.all[alone.steps[0] + 1][i] / alone.all[alone.steps[0] + 1][i], 1, tolerance) << i;
        }
    }
}

double impact_energy(const Struck& s)
{
    auto alone = Scene::create(s.scene);
    EXPECT_TRUE(bool(alone));
    double most = 0;
    for (int i = 0; i < 30; ++i)
    {
        alone->step();
        double sum = 0;
        for (const ImpactEvent& e : alone->world().events().impacts)
            sum += double(e.energy);
        most = std::max(most, sum);
    }
    return most;
}

// Riders so heavy that the impact cannot pay for all that they would take.
TEST(Response, WorkersTogetherSpendNoMoreThanTheImpactLost)
{
    for (SolverKind solver : {SolverKind::substep, SolverKind::pgs})
    {
        const int workers = 3;
        const float mass = 50;
        Struck s = make_struck(workers, mass);
        s.scene.world.solver = solver;
        const auto energy_of = [&](const Jumps& jumps) {
            double sum = 0;
            for (double v : jumps.all[jumps.steps[0]])
                sum += 0.5 * double(mass) * v * v;
            return sum;
        };
        const double lost = impact_energy(s), divided = energy_of(jumps_of(s, workers)),
                     alone = energy_of(jumps_of(s, 1));
        EXPECT_GT(lost, 0.5);
        EXPECT_LE(divided, lost * 1.001);
        EXPECT_NEAR(divided, alone, 0.05 * alone);
        s.scene.world.response.energy_bound = false;
        EXPECT_GT(energy_of(jumps_of(s, workers)), lost); // else nothing was tried
    }
}

TEST(Response, WhoSleepsOrIsMergedInAnotherWorkerIsFree)
{
    Struck s = make_struck(3);
    s.scene.world.sleeping = true;
    for (int rider : s.riders) // balls do not merge
        s.scene.bodies[size_t(rider)].def.shapes = {make_shape_def(Box{{0.05f, 0.05f, 0.05f}})};
    s.scene.bodies[size_t(s.hammer)].def.position.y += 6;
    for (bool is_merging : {false, true})
    {
        s.scene.world.merging = is_merging;
        int merged = 0;
        run(std::make_shared<const SceneDescription>(s.scene), 3, 60, nullptr, [&](const Shown& shown) {
            for (const WorkerStep& w : shown.last.workers)
                merged = std::max(merged, is_merging ? w.merged : w.asleep);
        });
        EXPECT_GT(merged, 0);
        const Jumps alone = jumps_of(s, 1, 150), divided = jumps_of(s, 3, 150);
        EXPECT_GT(alone.steps[1], 60u);
        expect_alike(alone, divided, 1e-3);
    }
}

Struck make_ringing(int workers)
{
    Struck s = make_struck(workers, 20);
    s.scene.world.response.is_continuous = true;
    s.scene.world.gravity = {0, -40, 0}; // so that riders come back while it rings
    return s;
}

void expect_alike_in_all_steps(const Jumps& alone, const Jumps& divided)
{
    const size_t count = divided.all.size(), skipped = alone.all.size() - count;
    for (size_t step = 0; step < count; ++step)
        for (size_t i = 0; i < alone.speeds.size(); ++i)
            ASSERT_NEAR(divided.all[step][i], alone.all[step + skipped][i], 0.01) << "step " << step << " rider " << i;
}

TEST(Response, ARingingPlateRingsInAllWorkers)
{
    const Struck s = make_ringing(3);
    const Jumps alone = jumps_of(s, 1, 60);
    expect_alike(alone, jumps_of(s, 3, 60), 0.01);
    expect_alike_in_all_steps(alone, jumps_of(s, 3, 60));
}

class ResponseCheckpoints : public testing::Test
{
protected:
    ResponseCheckpoints()
    {
        folder_ = std::filesystem::temp_directory_path() /
                  ("moraine_response_" + std::to_string(::getpid()) + "_" +
                   testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
    }
    ~ResponseCheckpoints() override { std::filesystem::remove_all(folder_); }

    Checkpoint after(const Struck& s, int workers, uint64_t step)
    {
        const std::string path = (folder_ / ("run" + std::to_string(saved_++))).string();
        const auto observe = [&](const ServerStep&, uint64_t now) { return Decision{.saves = now == step}; };
        const auto ran = run_workers(std::make_shared<const SceneDescription>(s.scene),
                                     {.steps = step, .observe = observe, .checkpoint_path = path}, workers);
        EXPECT_TRUE(bool(ran));
        const auto checkpoint = load_checkpoint(path);
        EXPECT_TRUE(bool(checkpoint));
        return checkpoint ? *checkpoint : Checkpoint{};
    }

    std::filesystem::path folder_;
    int saved_ = 0;
};

// Saved after the hit and before anybody has felt it.
TEST_F(ResponseCheckpoints, AHitThatIsStillToBeFeltIsKept)
{
    for (ResponseKick kick : {ResponseKick::displacement, ResponseKick::thrown})
    {
        Struck s = make_struck(3);
        s.scene.world.response.kick = kick;
        const Jumps alone = jumps_of(s, 1);
        ASSERT_GT(alone.steps[1], 1u);
        const uint64_t hit = alone.steps[1] - 1;
        for (int before : {1, 3})
        {
            const Checkpoint checkpoint = after(s, before, hit);
            EXPECT_FALSE(checkpoint.shakes.impacts.empty());
            for (int workers : {1, 2, 3})
            {
                // Another number of workers does not know how heavily riders lay there, which matters to what is thrown.
                const double tolerance = workers != before && kick == ResponseKick::thrown ? 0.1 : 1e-3;
                const Jumps resumed = jumps_of(s, workers, hit + 1, &checkpoint);
                for (size_t i = 0; i < s.riders.size(); ++i)
                    EXPECT_NEAR(resumed.all.back()[i] / alone.all[hit + 1][i], 1, tolerance) << i;
            }
        }
    }
}

TEST_F(ResponseCheckpoints, GoOnBitForBitBetweenHitAndKick)
{
    for (bool is_ringing : {false, true})
    {
        const Struck s = is_ringing ? make_ringing(3) : make_struck(3);
        const auto whole = jumps_of(s, 3);
        const Checkpoint checkpoint = after(s, 3, whole.steps[1] - (is_ringing ? 0 : 1));
        const auto resumed = jumps_of(s, 3, 45, &checkpoint);
        EXPECT_EQ(resumed.all, std::vector(whole.all.end() - std::ptrdiff_t(resumed.all.size()), whole.all.end()));
    }
}

TEST_F(ResponseCheckpoints, ARingingPlateGoesOnWithAnotherNumberOfWorkers)
{
    const Struck s = make_ringing(3);
    const Jumps alone = jumps_of(s, 1, 60);
    const Checkpoint checkpoint = after(s, 3, alone.steps[1] + 1);
    ASSERT_EQ(checkpoint.ringing.size(), 1u);
    ASSERT_EQ(checkpoint.shakes.left.size(), 1u);
    for (int workers : {1, 2})
        expect_alike_in_all_steps(alone, jumps_of(s, workers, 60, &checkpoint));
}

// Bricks of the other worker fall on the plank while it rings: from then on it rings there.
TEST_F(ResponseCheckpoints, AWorkerThatGetsAPlankGetsItsRinging)
{
    Struck s;
    s.plate = add(s.scene, make_plate(BodyType::dynamic_));
    for (double x : {-0.9, 0.9})
        add(s.scene, make_static({x, -top - 0.1, 0}, Box{{0.05f, 0.1f, 0.15f}}));
    add_hammer(s, 0.2);
    for (int i = 0; i < 6; ++i)
    {
        SceneBody brick = make_body({0.5, 0.4 + 0.04 * i, 0}, Box{{0.04f, 0.02f, 0.1f}});
        brick.part = 1;
        s.riders.push_back(add(s.scene, std::move(brick)));
    }
    s.scene.world.response.is_continuous = true;
    s.scene.distribute.partition = PartitionKind::semantic;
    const auto scene = std::make_shared<const SceneDescription>(s.scene);
    const SharedScene shared(scene);
    uint64_t hit = 0, came = 0;
    run(scene, 2, 60, nullptr, [&](const Shown& shown) {
        hit = hit == 0 && up(shown.bodies[size_t(s.hammer)]) > 0 ? shown.step : hit;
        came = came == 0 && (shown.masks[size_t(s.plate)] & mask_of(1)) != 0 ? shown.step : came;
    });
    ASSERT_GT(hit, 0u);
    ASSERT_GT(came, hit + 1);
    const auto filter_in = [&](const Checkpoint& checkpoint, int w) {
        Worker worker(shared, s.scene.world, w, int(checkpoint.workers.size()));
        EXPECT_TRUE(bool(worker.restore(checkpoint.workers[size_t(w)])));
        const auto& bodies = worker.world().data().responses.bodies;
        EXPECT_TRUE(bodies.size() == 1 && bodies[0].is_ringing);
        return bodies.empty() ? std::vector<double>() : bodies[0].filter.last;
    };
    EXPECT_EQ(filter_in(after(s, 2, came), 1), filter_in(after(s, 1, came), 0));
}

} // namespace
} // namespace moraine::distribute
