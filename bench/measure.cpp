#include "measure.h"

#include "isolate.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <cstring>

namespace moraine::bench
{

namespace
{

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Resident memory without the program's code, which does not grow with bodies.
double resident_bytes()
{
    long pages = 0, resident = 0, shared = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr)
        return 0;
    const int read = std::fscanf(file, "%ld %ld %ld", &pages, &resident, &shared);
    std::fclose(file);
    return read == 3 ? double(resident - shared) * double(sysconf(_SC_PAGESIZE)) : 0;
}

Measurement run(const Case& c)
{
    Measurement result;
    const float dt = c.scene->dt;
    // Poses are the benchmark's, not the engine's: their memory is there before.
    std::vector<Pose> before(c.scene->bodies.size()), now(c.scene->bodies.size());
    const double memory_before = resident_bytes();
    const auto build_start = Clock::now();
    auto created = c.peer->create(*c.scene, c.options);
    if (!created)
    {
        result.outcome = Outcome::not_supported;
        std::snprintf(result.reason, sizeof(result.reason), "%s", created.error().message.c_str());
        return result;
    }
    Peer& peer = **created;
    result.build_ms = milliseconds_since(build_start);
    for (int i = 0; i + 1 < c.warmup; ++i)
        peer.step(dt);
    peer.read_poses(before);
    if (c.warmup > 0)
        peer.step(dt);
    result.memory_bytes = resident_bytes() - memory_before;
    peer.read_poses(now);
    const Judge judge(*c.scene);
    const std::vector<Rest> rests = judge.find_rests(before, now, dt);

    const auto start = Clock::now();
    for (int i = 0; i < c.steps; ++i)
        peer.step(dt);
    result.step_ms = c.steps > 0 ? milliseconds_since(start) / c.steps : 0;

    peer.read_poses(now);
    result.state_hash = peer.state_hash();
    result.penetration = judge.penetration(now);
    result.drift = judge.drift(rests, now);
    result.joint_gap = judge.joint_gap(now);
    result.outcome = Outcome::measured;
    return result;
}

void show_progress(size_t done, size_t total, const Case& c)
{
    if (isatty(STDERR_FILENO) == 0)
        return;
    fmt::print(stderr, "\r\033[K{} / {}: {}, {}, {} thread{}", done + 1, total, c.scene->name, c.peer->name,
               c.options.threads, c.options.threads == 1 ? "" : "s");
    std::fflush(stderr);
}

void clear_progress()
{
    if (isatty(STDERR_FILENO) != 0)
        fmt::print(stderr, "\r\033[K");
}

} // namespace

Measurement measure(const Case& c)
{
    return run_isolated([&] { return run(c); }).value_or(Measurement{});
}

std::vector<Measurement> measure_best(std::span<const Case> cases, int rounds)
{
    std::vector<Measurement> best(cases.size());
    const size_t total = cases.size() * size_t(rounds);
    for (int round = 0; round < rounds; ++round)
        for (size_t i = 0; i < cases.size(); ++i)
        {
            // What cannot be run once cannot be run again.
            if (round > 0 && best[i].outcome != Outcome::measured)
                continue;
            show_progress(size_t(round) * cases.size() + i, total, cases[i]);
            const Measurement measurement = measure(cases[i]);
            if (round == 0 || (measurement.outcome == Outcome::measured && measurement.step_ms < best[i].step_ms))
                best[i] = measurement;
        }
    clear_progress();
    return best;
}

} // namespace moraine::bench
