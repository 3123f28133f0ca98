// How the command ends, and the one line it says when it does not end well.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace moraine::cli
{

enum ExitCode : int
{
    exit_done = 0,
    exit_bad_input = 2,    // usage, file or parameter
    exit_failed = 3,       // the simulation broke; a snapshot of the last good state was written
    exit_interrupted = 130 // as shells report Ctrl-C
};

inline int fail(int code, const std::string& message)
{
    fmt::print(stderr, "moraine: {}\n", message);
    return code;
}

// Where all ranks of a job come to the same end before they can talk to each other, the first one says so.
inline int fail_alike(int code, const std::string& message)
{
    for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char* value = std::getenv(rank))
            return std::string(value) == "0" ? fail(code, message) : code;
    return fail(code, message);
}

inline void warn(const std::string& message) { fmt::print(stderr, "moraine: warning: {}\n", message); }

} // namespace moraine::cli
