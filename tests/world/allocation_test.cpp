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
                              bool sleeping = false)
{
    Result<SceneDescription> description = load_scene(name, parameters);
    EXPECT_TRUE(description);
    description->world.sleeping = sleeping;
    description->world.solver = solver;
    description->world.threads = threads;
    Result<Scene> scene = Scene::create(*description);
    EXPECT_TRUE(scene);
    World& world = scene->world();
    const float dt = description->dt;
    // The pile settles first, then it is warm.
    for (int i = 0; i < 800; ++i)
        world.step(dt);
    allocations = 0;
    is_counting = true;
    for (int i = 0; i < 50; ++i)
        world.step(dt);
    is_counting = false;
    return allocations;
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

TEST(Allocation, ASleepingWorldDoesNotAllocate)
{
    EXPECT_EQ(allocations_of_warm_steps("wall", {{"count", "40"}}, SolverKind::substep, 1, true), 0);
}
