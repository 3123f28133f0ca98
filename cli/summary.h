// What a run says at its end: for people, and as the JSON object that scripts rely on.
#pragma once

#include "cli/statistics.h"

#include <string>

namespace moraine::cli
{

struct Summary
{
    std::string scene{};
    uint64_t first_step = 0;
    uint64_t steps = 0; // reached, counted from the start of the scene
    double time = 0;    // simulated seconds reached
    float dt = 0;
    int threads = 1;
    uint64_t state_hash = 0;
    int bodies = 0;
    int bodies_dynamic = 0;
    int joints = 0;
    double energy_start = 0, energy_end = 0; // of the window
    double carrier_drift_max = 0;
    size_t riders = 0; // bodies that rested on something when the window began
    double wall_seconds = 0;
    bool is_interrupted = false;
    Statistics statistics{};
    std::string distributed_json{}, distributed_text{}; // of runs with workers
};

std::string to_text(const Summary& summary);
std::string to_json(const Summary& summary); // one line

} // namespace moraine::cli
