// One engine, one scene, one number of threads: how long a step takes and how good the result is.
#pragma once

#include "judge.h"
#include "peer.h"

#include <optional>

namespace moraine::bench
{

struct Case
{
    const PeerKind* peer = nullptr;
    const SceneDescription* scene = nullptr;
    PeerOptions options{};
    int warmup = 300; // steps before the window
    int steps = 300;  // of the window
};

enum class Outcome : uint8_t
{
    measured,
    not_supported,
    crashed
};

struct Measurement
{
    Outcome outcome = Outcome::crashed;
    char reason[96] = {}; // not_supported: what is missing
    double build_ms = 0;  // to create the world
    double step_ms = 0;   // mean over the window
    uint64_t state_hash = 0;
    Penetration penetration{}; // at the end
    Drift drift{};             // over the window
    double joint_gap = 0;      // at the end
    double memory_bytes = 0;   // resident, of the engine alone
};

// In a child process.
Measurement measure(const Case& c);

// Every case `rounds` times in turn, so that a slow moment of the machine hits all engines alike; the fastest counts.
std::vector<Measurement> measure_best(std::span<const Case> cases, int rounds);

} // namespace moraine::bench
