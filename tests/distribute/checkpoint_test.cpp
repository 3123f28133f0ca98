// A run that was stopped goes on as if it had not been.
#include "distribute/run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace moraine::distribute
{
namespace
{

class Checkpoints : public testing::Test
{
protected:
    Checkpoints()
    {
        folder_ = std::filesystem::temp_directory_path() /
                  ("moraine_checkpoints_" + std::to_string(::getpid()) + "_" +
                   testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
        path_ = (folder_ / "run").string();
        auto scene = load_scene("bowl", {{"count", "200"}});
        EXPECT_TRUE(bool(scene));
        scene_ = std::make_shared<const SceneDescription>(*scene);
    }
    ~Checkpoints() override { std::filesystem::remove_all(folder_); }

    Result<RunResult> run(int workers, uint64_t steps, uint64_t save_every, const Checkpoint* resumed = nullptr) const
    {
        const auto observe = [&](const ServerStep&, uint64_t step) {
            return Decision{.saves = save_every > 0 && step % save_every == 0};
        };
        return run_workers(scene_, {.steps = steps, .observe = observe, .checkpoint_path = path_, .resumed = resumed},
                           workers);
    }

    std::filesystem::path folder_;
    std::string path_;
    std::shared_ptr<const SceneDescription> scene_;
};

TEST_F(Checkpoints, GoOnBitForBitWithAsManyWorkers)
{
    const auto whole = run(3, 120, 0);
    ASSERT_TRUE(bool(run(3, 80, 80)));
    const auto checkpoint = load_checkpoint(path_);
    ASSERT_TRUE(bool(checkpoint));
    EXPECT_EQ(checkpoint->step, 80u);
    const auto resumed = run(3, 120, 0, &*checkpoint);
    ASSERT_TRUE(bool(whole));
    ASSERT_TRUE(bool(resumed));
    EXPECT_EQ(resumed->state_hash, whole->state_hash);
    EXPECT_EQ(resumed->steps, 120u);
    EXPECT_EQ(resumed->first_step, 80u);
}

TEST_F(Checkpoints, GoOnWithAnotherNumberOfWorkers)
{
    ASSERT_TRUE(bool(run(3, 80, 80)));
    const auto checkpoint = load_checkpoint(path_);
    ASSERT_TRUE(bool(checkpoint));
    const auto more = run(4, 81, 0, &*checkpoint);
    ASSERT_TRUE(bool(more));
    EXPECT_EQ(more->bodies.size(), checkpoint->bodies.size());
    // One step further, nothing has gone further than it could fall and fly.
    for (size_t i = 0; i < more->bodies.size(); ++i)
    {
        const Vec3 d = relative(more->bodies[i].state.pose.position, checkpoint->bodies[i].state.pose.position);
        EXPECT_LT(length(d), 0.3f) << i;
    }
    EXPECT_NEAR(more->time, 81.0 / 60, 1e-5);
}

TEST_F(Checkpoints, ACutOrDamagedOneIsRecognised)
{
    ASSERT_TRUE(bool(run(2, 60, 30)));
    const std::string older = path_ + ".a", later = path_ + ".b"; // in turns
    ASSERT_EQ(read_checkpoint(later)->step, 60u);
    ASSERT_EQ(read_checkpoint(older)->step, 30u);
    std::ifstream file(later, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    for (size_t size = 0; size < all.size(); size += 1 + all.size() / 97)
    {
        std::ofstream(later, std::ios::binary | std::ios::trunc) << all.substr(0, size);
        EXPECT_FALSE(bool(read_checkpoint(later))) << size;
        ASSERT_EQ(load_checkpoint(path_)->step, 30u) << size;
    }
    for (size_t at = 0; at < all.size(); at += 1 + all.size() / 97)
    {
        std::string damaged = all;
        damaged[at] = char(damaged[at] ^ 4);
        std::ofstream(later, std::ios::binary | std::ios::trunc) << damaged;
        if (at < 24 || at >= 32) // the step in the header is only for people
            EXPECT_FALSE(bool(read_checkpoint(later))) << at;
    }
}

// A small one, so that every length can be tried.
TEST_F(Checkpoints, OneThatIsCutAtAnyByteIsNotUsed)
{
    scene_ = std::make_shared<const SceneDescription>(*load_scene("bowl", {{"count", "4"}}));
    ASSERT_TRUE(bool(run(2, 4, 2)));
    const std::string later = path_ + ".b";
    ASSERT_EQ(load_checkpoint(path_)->step, 4u);
    for (auto size = std::filesystem::file_size(later); size-- > 0;)
    {
        std::filesystem::resize_file(later, size);
        ASSERT_FALSE(bool(read_checkpoint(later))) << size;
    }
    EXPECT_EQ(load_checkpoint(path_)->step, 2u);
}

TEST_F(Checkpoints, OfAnotherSceneAreRefused)
{
    ASSERT_TRUE(bool(run(2, 10, 10)));
    const auto checkpoint = load_checkpoint(path_);
    ASSERT_TRUE(bool(checkpoint));
    scene_ = std::make_shared<const SceneDescription>(*load_scene("bowl", {{"count", "201"}}));
    EXPECT_FALSE(bool(run(2, 20, 0, &*checkpoint)));
}

TEST_F(Checkpoints, AFolderThatIsNotThereEndsTheRunWithASentence)
{
    path_ = (folder_ / "missing" / "run").string();
    const auto result = run(2, 10, 5);
    ASSERT_FALSE(bool(result));
    EXPECT_NE(result.error().message.find("cannot write the checkpoint"), std::string::npos);
}

} // namespace
} // namespace moraine::distribute
