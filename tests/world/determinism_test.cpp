// The same bits for any number of threads, and after a snapshot.
#include "scene/description.h"
#include "scene/random.h"
#include "support/test_world.h"

#include <filesystem>

using namespace moraine;
using namespace moraine::test;

namespace
{

struct Case
{
    const char* name;
    SceneParameters parameters;
    int steps = 150;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
std::string case_name(const testing::TestParamInfo<Case>& info) { return info.param.name; }

Scene make_scene(const Case& c, int threads, SolverKind solver = SolverKind::substep)
{
    Result<SceneDescription> description = load_scene(c.name, c.parameters);
    if (!description)
        throw std::runtime_error(description.error().message);
    description->world.threads = threads;
    description->world.solver = solver;
    Result<Scene> scene = Scene::create(*description);
    if (!scene)
        throw std::runtime_error(scene.error().message);
    return std::move(*scene);
}

// The hash after every step.
std::vector<uint64_t> run(Scene& scene, int steps)
{
    std::vector<uint64_t> hashes;
    for (int i = 0; i < steps; ++i)
    {
        scene.step();
        hashes.push_back(scene.world().state_hash());
    }
    return hashes;
}

std::vector<uint64_t> run_world(World& world, float dt, int steps)
{
    std::vector<uint64_t> hashes;
    for (int i = 0; i < steps; ++i)
    {
        world.step(dt);
        hashes.push_back(world.state_hash());
    }
    return hashes;
}

void expect_same(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b, const std::string& what)
{
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(a[i], b[i]) << what << ": first difference at step " << i;
}

class Determinism : public testing::TestWithParam<Case>
{
};
class Snapshots : public testing::TestWithParam<Case>
{
};

const Case cases[] = {
    {"pile_5000", {{"count", "150"}}},
    {"hull_pile", {{"count", "80"}}},
    {"mixed_shapes", {{"count", "80"}}},
    {"chains", {{"chains", "8"}, {"links", "10"}}},
    {"wall", {{"count", "150"}}},
    {"bowl", {{"count", "150"}}},
    {"ragdolls", {{"count", "4"}}},
    {"bridge", {{"planks", "20"}, {"boxes", "6"}}},
    {"domino", {{"count", "60"}}},
    {"machine", {{"balls", "40"}}},
    {"ferry", {{"stacks", "6"}, {"height", "5"}}},
    {"wagon", {{"toys", "15"}}},
    {"magnet_crane", {}},
    {"tower", {{"layers", "5"}, {"springs", "1"}}},
    {"spinning_tops", {}},
    {"demo", {}, 80},
};

} // namespace

TEST_P(Determinism, EveryStepIsTheSameForOneTwoAndFourThreads)
{
    Scene first = make_scene(GetParam(), 1);
    const std::vector<uint64_t> expected = run(first, GetParam().steps);
    for (int threads : {1, 2, 4})
    {
        Scene scene = make_scene(GetParam(), threads);
        expect_same(expected, run(scene, GetParam().steps), std::to_string(threads) + " threads");
    }
    EXPECT_TRUE(all_finite(first.world()));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Determinism, testing::ValuesIn(cases), case_name);

TEST(DeterminismOfSolvers, EveryStepIsTheSameForAnyNumberOfThreads)
{
    for (SolverKind solver : {SolverKind::pgs, SolverKind::direct})
    {
        const Case c{solver == SolverKind::pgs ? "pile_5000" : "wall",
                     {{"count", solver == SolverKind::pgs ? "60" : "12"}}};
        Scene first = make_scene(c, 1, solver), second = make_scene(c, 4, solver);
        expect_same(run(first, 100), run(second, 100), solver == SolverKind::pgs ? "pgs" : "direct");
    }
}

TEST_P(Snapshots, RestoredIntoAFreshAndAUsedWorldGoOnBitForBit)
{
    Scene scene = make_scene(GetParam(), 1);
    run(scene, 90);
    const std::vector<uint8_t> bytes = scene.world().snapshot();
    const uint64_t hash = scene.world().state_hash();
    const float dt = scene.description().dt;
    const std::vector<uint64_t> expected = run_world(scene.world(), dt, 100);

    World fresh;
    ASSERT_TRUE(fresh.restore(bytes));
    EXPECT_EQ(fresh.state_hash(), hash);
    expect_same(expected, run_world(fresh, dt, 100), "fresh world");

    Scene used = make_scene({"mixed_shapes", {{"count", "30"}}}, 2);
    run(used, 30);
    ASSERT_TRUE(used.world().restore(bytes));
    expect_same(expected, run_world(used.world(), dt, 100), "used world, two threads");

    // Back in time in its own world.
    ASSERT_TRUE(scene.world().restore(bytes));
    expect_same(expected, run_world(scene.world(), dt, 100), "its own world");
}

INSTANTIATE_TEST_SUITE_P(Scenes, Snapshots, testing::ValuesIn(cases), case_name);

TEST(Snapshots, SavingDoesNotDisturb)
{
    const Case c{"pile_5000", {{"count", "60"}}};
    Scene plain = make_scene(c, 1), saved = make_scene(c, 1);
    for (int i = 0; i < 100; ++i)
    {
        plain.step();
        saved.step();
        (void)saved.world().snapshot();
        ASSERT_EQ(plain.world().state_hash(), saved.world().state_hash()) << i;
    }
}

TEST(Snapshots, OfARestoredWorldAreTheSameBytes)
{
    Scene scene = make_scene({"mixed_shapes", {{"count", "60"}}}, 1);
    run(scene, 80);
    const std::vector<uint8_t> bytes = scene.world().snapshot();
    World other;
    ASSERT_TRUE(other.restore(bytes));
    EXPECT_EQ(other.snapshot().size(), bytes.size());
    EXPECT_EQ(other.body_count(), scene.world().body_count());
    EXPECT_EQ(other.joint_count(), scene.world().joint_count());
    EXPECT_EQ(other.time(), scene.world().time());
}

TEST(Snapshots, HandlesNamesAndScriptsSurvive)
{
    TestWorld w;
    const BodyId gone = w.add_box({5, 5, 5});
    w->destroy_body(gone);
    const BodyId deck = w.add(
        {.type = BodyType::kinematic, .shapes = {{.geometry = Box{}}}, .name = "deck", .user_data = 17});
    w->set_motion(deck, KeyFrameMotion{{{0, {}}, {1, {{0, 3, 0}, {}}}}, true});
    w.run_steps(20);
    World other;
    ASSERT_TRUE(other.restore(w->snapshot()));
    EXPECT_EQ(other.find_body("deck"), deck);
    EXPECT_EQ(other.user_data(deck), 17u);
    EXPECT_FALSE(other.is_valid(gone));
    for (int i = 0; i < 100; ++i)
    {
        w.step();
        other.step(w.dt);
        ASSERT_EQ(other.state_hash(), w->state_hash());
    }
}

TEST(Snapshots, DamagedOnesGiveAnErrorAndLeaveTheWorldUnchanged)
{
    Scene source = make_scene({"mixed_shapes", {{"count", "20"}}}, 1);
    run(source, 40);
    const std::vector<uint8_t> good = source.world().snapshot();
    Scene scene = make_scene({"pile_5000", {{"count", "30"}}}, 1),
          twin = make_scene({"pile_5000", {{"count", "30"}}}, 1);
    run(scene, 60);
    run(twin, 60);
    const uint64_t before = scene.world().state_hash();
    Random random(5);
    for (int i = 0; i < 300; ++i)
    {
        std::vector<uint8_t> bad = good;
        if (i % 3 == 0)
            bad.resize(size_t(random.below(int(bad.size()))));
        else if (i % 3 == 1)
            bad[size_t(random.below(int(bad.size())))] ^= uint8_t(1u << random.below(8));
        else
            bad.insert(bad.begin() + random.below(int(bad.size())), uint8_t(random.below(256)));
        const Status status = scene.world().restore(bad);
        ASSERT_FALSE(status) << i;
        ASSERT_FALSE(status.error().message.empty());
        ASSERT_EQ(scene.world().state_hash(), before);
    }
    EXPECT_FALSE(scene.world().restore({}));
    EXPECT_FALSE(scene.world().load_snapshot("/nonexistent/file"));
    EXPECT_FALSE(scene.world().save_snapshot("/nonexistent/folder/file"));
    expect_same(run(twin, 50), run(scene, 50), "after refused snapshots");
}

TEST(Snapshots, GoThroughAFile)
{
    const std::string path = (std::filesystem::temp_directory_path() / "moraine_world_test.snapshot").string();
    Scene scene = make_scene({"wall", {{"count", "40"}}}, 1);
    run(scene, 20);
    ASSERT_TRUE(scene.world().save_snapshot(path));
    World other;
    ASSERT_TRUE(other.load_snapshot(path));
    EXPECT_EQ(other.state_hash(), scene.world().state_hash());
    std::filesystem::remove(path);
}
