// The same bits from threads and from ranks of an MPI job.
#include "distribute/transport.h"
#include "support/paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace moraine::distribute
{
namespace
{

struct Ended
{
    std::string output;
    int status = -1;
};

Ended shell(const std::string& command)
{
    Ended ended;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (!pipe)
        return ended;
    std::array<char, 4096> buffer;
    while (const size_t size = fread(buffer.data(), 1, buffer.size(), pipe))
        ended.output.append(buffer.data(), size);
    ended.status = pclose(pipe);
    return ended;
}

std::string hash_in(const std::string& output)
{
    const std::string key = "\"state_hash\":\"";
    const size_t at = output.find(key);
    return at == std::string::npos ? "none in: " + output : output.substr(at + key.size(), 16);
}

// As root and with more ranks than cores, as test machines are. Open MPI's own modules leak, which is not ours to judge.
const std::string mpi_environment =
    "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none ";
const std::string mpirun = mpi_environment + "timeout 100 mpirun ";

bool can_run_mpi() { return has_mpi() && !test::command_path().empty() && shell("command -v mpirun").status == 0; }

void expect_said_once(const Ended& ended, const std::string& words)
{
    EXPECT_NE(ended.status, 0);
    const size_t at = ended.output.find(words);
    ASSERT_NE(at, std::string::npos) << ended.output;
    EXPECT_EQ(ended.output.find(words, at + 1), std::string::npos) << "said once:\n" << ended.output;
}

TEST(Mpi, GivesTheSameBitsAsThreadsBitForBit)
{
    if (!can_run_mpi())
        GTEST_SKIP() << "no MPI here";
    const std::string run = test::command_path() + " run bowl --param count=300 --steps 120 --json ";
    const Ended threads = shell(run + "--workers 2"), ranks = shell(mpirun + "-n 2 " + run + "--distributed");
    EXPECT_EQ(ranks.status, 0);
    EXPECT_EQ(hash_in(threads.output), hash_in(ranks.output));
}

// A pot falls on a table, and dishes that other ranks have are thrown.
TEST(Mpi, AHitIsFeltInOtherRanksBitForBit)
{
    if (!can_run_mpi())
        GTEST_SKIP() << "no MPI here";
    const std::string run = test::command_path() + " run dinner --steps 60 --json ";
    const Ended threads = shell(run + "--workers 3"), ranks = shell(mpirun + "-n 3 " + run + "--distributed");
    EXPECT_EQ(ranks.status, 0);
    EXPECT_EQ(hash_in(threads.output), hash_in(ranks.output));
    EXPECT_NE(hash_in(threads.output), hash_in(shell(run + "--workers 3 --response off").output));
}

TEST(Mpi, BadInputIsOneSentenceAndACleanEnd)
{
    if (!can_run_mpi())
        GTEST_SKIP() << "no MPI here";
    const Ended ended = shell(mpirun + "-n 3 " + test::command_path() +
                              " run bowl --param count=2 --steps 5 --distributed");
    expect_said_once(ended, "use fewer workers");
    const std::string run = mpirun + "-n 3 " + test::command_path() + " run ";
    expect_said_once(shell(run + "bowl --steps 5 --distributed --partition halves"),
                     "halves is none of bisect, metis, naive, semantic");
    expect_said_once(shell(run + "bowl --steps 5 --distributed --growth-depth -1"), "--growth-depth");
    expect_said_once(shell(run + "no_such_scene --steps 5 --distributed"), "no_such_scene");
}

// A folder of its own that goes with the test.
class MpiRuns : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!can_run_mpi())
            GTEST_SKIP() << "no MPI here";
        folder_ = std::filesystem::temp_directory_path() /
                  ("moraine_mpi_" + std::to_string(::getpid()) + "_" +
                   testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    std::filesystem::path folder_;
};

// Only one rank gets the signal, and it is not the main server. The checkpoint goes on to the same end, which is not far from
// where the signal came: how long that takes is not a matter of how busy the machine is.
TEST_F(MpiRuns, ASignalToAnyRankEndsTheRunWithACheckpoint)
{
    const std::string run = test::command_path() + " run bowl --param count=40 --sleeping off --json --steps ";
    const auto ranks = [&](const std::string& steps) {
        return mpirun + "-n 2 " + run + steps + " --distributed --checkpoint " + path("run");
    };
    const std::string rank = "\"^" + test::command_path() + " run .*" + path("run") + "( |$)\"";
    // A process that has not begun yet dies of the signal: SIGUSR1 is the tenth bit of what it catches.
    const std::string catches = "grep -q '^SigCgt:.*[2367abef]..$' /proc/$(pgrep -nf " + rank + ")/status";
    const Ended stopped = shell(ranks("100000000") + " & job=$!; until [ $(pgrep -cf " + rank + ") = 2 ] && " +
                                catches + "; do sleep 0.05; done; sleep 0.3; kill -USR1 $(pgrep -nf " + rank +
                                "); wait $job");
    EXPECT_EQ(stopped.status, 0) << stopped.output;
    EXPECT_NE(stopped.output.find("\"interrupted\":true"), std::string::npos) << stopped.output;
    const size_t reached = stopped.output.find("\"steps\":");
    ASSERT_NE(reached, std::string::npos) << stopped.output;
    const std::string end = std::to_string(std::stoll(stopped.output.substr(reached + 8)) + 500);
    const Ended resumed = shell(ranks(end) + " --resume");
    EXPECT_EQ(resumed.status, 0) << resumed.output;
    EXPECT_EQ(hash_in(resumed.output), hash_in(shell(run + end + " --workers 2").output));
}

TEST_F(MpiRuns, EndAfterSoManyHoursWithACheckpoint)
{
    const Ended ended = shell(mpirun + "-n 2 " + test::command_path() +
                              " run bowl --param count=50 --steps 100000000 --max-hours 0.0002 --distributed --json "
                              "--checkpoint " +
                              path("run"));
    EXPECT_EQ(ended.status, 0) << ended.output;
    EXPECT_TRUE(std::filesystem::exists(path("run.a")));
}

// Killed at random moments, the run ends with the bits of one that nobody killed. MORAINE_KILLS says how often.
TEST_F(MpiRuns, AKilledRankCostsOnlyTheStepsSinceTheLastCheckpoint)
{
    const char* wanted = std::getenv("MORAINE_KILLS");
    const int kills = wanted ? std::atoi(wanted) : 1;
    const std::string tests = test::source_folder() + "/tests/distribute/", tools = test::source_folder() + "/tools/";
    const Ended ended = shell(mpi_environment + tests + "kill_ranks.sh " + tools + "launch-distributed " +
                              test::command_path() + " " + folder_.string() + " " + std::to_string(kills));
    EXPECT_EQ(ended.status, 0) << ended.output;
    EXPECT_NE(ended.output.find("kills " + std::to_string(kills) + " status 0"), std::string::npos) << ended.output;
    const size_t steps = ended.output.find("steps ");
    ASSERT_NE(steps, std::string::npos) << ended.output;
    const Ended whole = shell(test::command_path() + " run bowl --param count=60 --workers 2 --json --steps " +
                              std::to_string(std::atoi(ended.output.c_str() + steps + 6)));
    EXPECT_EQ(hash_in(ended.output), hash_in(whole.output));
}

TEST_F(MpiRuns, RanksOfDifferentBuildsAreRefused)
{
    const std::string other = path("moraine");
    std::filesystem::copy_file(test::command_path(), other);
    std::ofstream(other, std::ios::app) << "x"; // runs as before, but is another program
    const std::string run = " run bowl --param count=20 --steps 5 --distributed";
    expect_said_once(shell(mpirun + "-n 1 " + test::command_path() + run + " : -n 1 " + other + run),
                     "rank 1 runs another build");
}

TEST_F(MpiRuns, APartitionThatMissesBodiesIsRefused)
{
    std::ofstream(path("partition")) << "4 0\n5 1\n";
    expect_said_once(shell(mpirun + "-n 2 " + test::command_path() +
                           " run bowl --param count=20 --steps 5 --distributed --partition-file " + path("partition")),
                     "body 6 is missing");
}

TEST_F(MpiRuns, ACheckpointThatDoesNotFitEndsAllRanks)
{
    std::filesystem::create_symlink("/dev/full", path("run.a.part"));
    expect_said_once(shell(mpirun + "-n 2 " + test::command_path() +
                           " run bowl --param count=100 --steps 20 --distributed --checkpoint-every 10 --checkpoint " +
                           path("run")),
                     "cannot write the checkpoint: No space left");
    EXPECT_FALSE(std::filesystem::exists(path("run.a")));
}

} // namespace
} // namespace moraine::distribute
