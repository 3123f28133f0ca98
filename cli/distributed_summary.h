// What the workers of a run did, summed over its steps.
#pragma once

#include "distribute/server.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <string>
#include <vector>

namespace moraine::cli
{

class DistributedSummary
{
public:
    explicit DistributedSummary(int workers = 1) : load_(size_t(workers)), busy_ms_(size_t(workers)) {}

    void add(const distribute::ServerStep& step, double wall_ms);
    bool is_empty() const { return steps_ == 0; }

    std::string to_json() const;
    std::string to_text() const; // load, waiting, overlap, bytes, and what to change

private:
    double mean(double sum) const { return steps_ > 0 ? sum / double(steps_) : 0; }
    double comm_ms() const; // as a network of 10 Gbit/s would need

    int workers() const { return int(load_.size()); }

    uint64_t steps_ = 0;
    int active_last_ = 0, begun_ = 0, ended_ = 0; // workers
    std::vector<double> load_;                    // bodies
    std::vector<double> busy_ms_;                 // processor time
    double overlap_ = 0, bodies_ = 0, active_ = 0, imbalance_ = 0, imbalance_last_ = 0, critical_ms_ = 0,
           server_ms_ = 0;
    double slowest_ms_ = 0, wall_ms_ = 0, moved_ = 0, residual_max_ = 0;
    std::array<double, 4> parts_ms_{}; // of a worker on the mean: solve, blend, detect, apply
    double bytes_ = 0, messages_ = 0, detect_ms_ = 0;
};

} // namespace moraine::cli
