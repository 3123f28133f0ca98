// A warm step does not touch the heap.
#include "scene/description.h"
#include "support/test_world.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace
{

std::atomic<bool> is_counting{false};
std::atomic<int> allocations{0};

void* counted(std::size_t size, std::size_t alignment)
{
    if (is_counting.load(std::memory_order_relaxed))
        allocations.fetch_add(1, std::memory_order_relaxed);
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* p = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded ? rounded : alignment)
                                                    : std::malloc(size ? size : 1);
    if (!p)
        throw std::bad_alloc();
    return p;
}

} // namespace

void* operator new(std::size_t size) { return counted(size, 1); }
void* operator new[](std::size_t size) { return counted(size, 1); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 1); }
void* operator new(std::size_t size, std::align_val_t a) { return counted(size, std::size_t(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return counted(size, std::size_t(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

using namespace moraine;
using namespace moraine::test;

namespace
{

int allocations_of_warm_steps(const char* name, const SceneParameters& parameters, SolverKind solver, int threads,
                              bool sleeping = false, bool merging = false)
{
    Result<SceneDescription> description = load_scene(name, parameters);
    EXPECT_TRUE(description);
    description->world.sleeping = sleeping;
    description->world.merging = merging;
    description->world.solver = solver;
    description->world.threads = threads;
    Result<Scene> scene = Scene::create(*description);
    EXPECT_TRUE(scene);
    World& world = scene->world();
    const float dt = description->dt;
    // The pile settles first, then it is warm. What the probe works out for a large collection may wait for long.
    for (int i = 0; i < (merging ? 2000 : 800); ++i)
        world.step(dt);
    int count = 0;
    for (int i = 0; i < 50; ++i)
    {
        allocations = 0;
        is_counting = true;
        const StepReport report = world.step(dt);
        is_counting = false;
        // Lists of members grow to the largest that there have been: see MergingAndUnmergingDoNotAllocate.
        if (report.merges + report.unmerges == 0)
            count += allocations;
    }
    return count;
}

} // namespace

TEST(Allocation, TheCounterCounts)
{
    allocations = 0;
    is_counting = true;
    std::vector<int> v(100);
    is_counting = false;
    EXPECT_GE(allocations, 1);
    EXPECT_EQ(v.size(), 100u);
}

TEST(Allocation, AWarmPileDoesNotAllocate)
{
    EXPECT_EQ(allocations_of_warm_steps("pile_5000", {{"count", "150"}}, SolverKind::substep, 1), 0);
}

TEST(Allocation, AWarmPileDoesNotAllocateOnTwoThreads)
{
    EXPECT_EQ(allocations_of_warm_steps("pile_5000", {{"count", "150"}}, SolverKind::substep, 2), 0);
}

TEST(Allocation, AWarmPileDoesNotAllocateByPgs)
{
    EXPECT_EQ(allocations_of_warm_steps("pile_5000", {{"count", "100"}}, SolverKind::pgs, 1), 0);
}

TEST(Allocation, WarmShapesOnMeshAndHeightFieldDoNotAllocate)
{
    EXPECT_EQ(allocations_of_warm_steps("mixed_shapes", {{"count", "60"}}, SolverKind::substep, 1), 0);
}

TEST(Allocation, AWarmBridgeDoesNotAllocate)
{
    EXPECT_EQ(allocations_of_warm_steps("bridge", {{"planks", "20"}, {"boxes", "5"}}, SolverKind::substep, 1), 0);
}

TEST(Allocation, AMovingDeckDoesNotAllocate)
{
    EXPECT_EQ(allocations_of_warm_steps("ferry", {{"stacks", "4"}, {"height", "4"}}, SolverKind::substep, 1), 0);
}

TEST(Allocation, AWarmPileOfCollectionsDoesNotAllocate)
{
    EXPECT_EQ(allocations_of_warm_steps("pile_5000", {{"count", "150"}}, SolverKind::substep, 1, false, true), 0);
    EXPECT_EQ(allocations_of_warm_steps("pile_5000", {{"count", "150"}}, SolverKind::substep, 2, false, true), 0);
    EXPECT_EQ(allocations_of_warm_steps("pile_5000", {{"count", "100"}}, SolverKind::pgs, 1, false, true), 0);
}

TEST(Allocation, WarmShapesBridgesAndDecksDoNotAllocateInCollections)
{
    const auto count = [](const char* name, const SceneParameters& parameters) {
        return allocations_of_warm_steps(name, parameters, SolverKind::substep, 1, false, true);
    };
    EXPECT_EQ(count("mixed_shapes", {{"count", "60"}}), 0);
    EXPECT_EQ(count("bridge", {{"planks", "20"}, {"boxes", "5"}}), 0);
    EXPECT_EQ(count("ferry", {{"stacks", "4"}, {"height", "4"}}), 0);
}

// A machine that shakes hits the floor in nearly every step; floor and fridge have models and kick what stands on them.
TEST(Allocation, ImpactsOnBodiesWithModelsDoNotAllocate)
{
    for (SolverKind solver : {SolverKind::substep, SolverKind::pgs})
        for (ResponseKick kick : {ResponseKick::displacement, ResponseKick::thrown})
            for (bool is_continuous : {false, true})
            {
                Result<SceneDescription> description = load_scene("washing_machine", {});
                ASSERT_TRUE(description);
                description->world.solver = solver;
                description->world.sleeping = false;
                description->world.response.kick = kick;
                description->world.response.is_continuous = is_continuous;
                Result<Scene> scene = Scene::create(*description);
                ASSERT_TRUE(scene);
                for (int i = 0; i < 300; ++i)
                    scene->step();
                int count = 0, impacts = 0, kicks = 0;
                for (int i = 0; i < 100; ++i)
                {
                    allocations = 0;
                    is_counting = true;
                    const StepReport report = scene->step();
                    is_counting = false;
                    count += allocations;
                    impacts += report.impacts;
                    kicks += report.kicks;
                }
                EXPECT_EQ(count, 0) << int(solver) << int(kick) << is_continuous;
                EXPECT_GT(impacts, 10);
                EXPECT_GT(kicks, 10);
            }
}

// A deck that jerks to and fro: what stands on it slides and comes to rest again, in the same way each time.
TEST(Allocation, MergingAndUnmergingDoNotAllocate)
{
    WorldDef def;
    def.merging = true;
    def.sleeping = false;
    TestWorld w(def);
    const BodyId deck = w.add({.type = BodyType::kinematic,
                               .position = {0, -0.5, 0},
                               .shapes = {{.geometry = Box{{20, 0.5f, 20}}, .friction = 0.5f}}});
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 2; ++j)
            w.add_box({2.0 * (i % 3), 0.25 + 0.5 * j, 2.0 * int(i / 3)}, {0.5f, 0.25f, 0.5f});
    double place = 0, speed = 0;
    int merges = 0, unmerges = 0;
    const auto run = [&](int steps, double acceleration) {
        for (int i = 0; i < steps; ++i)
        {
            speed += acceleration * double(w.dt);
            place += speed * double(w.dt);
            w->move_to(deck, {{place, -0.5, 0}, {}});
            is_counting = true;
            const StepReport report = w.step();
            is_counting = false;
            merges += report.merges;
            unmerges += report.unmerges;
        }
    };
    const auto cycle = [&] {
        run(12, 8);
        run(12, -8);
        run(180, 0);
    };
    for (int i = 0; i < 12; ++i)
        cycle();
    allocations = merges = unmerges = 0;
    for (int i = 0; i < 4; ++i)
        cycle();
    EXPECT_EQ(allocations, 0);
    EXPECT_GT(merges, 20);
    EXPECT_GT(unmerges, 20);
}

TEST(Allocation, ASleepingWorldDoesNotAllocate)
{
    EXPECT_EQ(allocations_of_warm_steps("wall", {{"count", "40"}}, SolverKind::substep, 1, true), 0);
}
