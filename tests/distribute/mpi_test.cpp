// The same bits from threads and from ranks of an MPI job.
#include "distribute/transport.h"
#include "support/paths.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
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
const std::string mpirun =
    "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none timeout 100 mpirun ";

bool can_run_mpi() { return has_mpi() && !test::command_path().empty() && shell("command -v mpirun").status == 0; }

TEST(Mpi, GivesTheSameBitsAsThreadsBitForBit)
{
    if (!can_run_mpi())
        GTEST_SKIP() << "no MPI here";
    const std::string run = test::command_path() + " run bowl --param count=300 --steps 120 --json ";
    const Ended threads = shell(run + "--workers 2"), ranks = shell(mpirun + "-n 2 " + run + "--distributed");
    EXPECT_EQ(ranks.status, 0);
    EXPECT_EQ(hash_in(threads.output), hash_in(ranks.output));
}

TEST(Mpi, BadInputIsOneSentenceAndACleanEnd)
{
    if (!can_run_mpi())
        GTEST_SKIP() << "no MPI here";
    const Ended ended = shell(mpirun + "-n 3 " + test::command_path() +
                              " run bowl --param count=2 --steps 5 --distributed");
    EXPECT_NE(ended.status, 0);
    const size_t at = ended.output.find("use fewer workers");
    ASSERT_NE(at, std::string::npos) << ended.output;
    EXPECT_EQ(ended.output.find("use fewer workers", at + 1), std::string::npos) << "said once";
}

} // namespace
} // namespace moraine::distribute
