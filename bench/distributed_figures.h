// Table 2 and figures 8 and 10 to 14 of "Distributed Simulation of Large Multi-body Systems", as CSV and as plots.
#pragma once

#include "scene/description.h"
#include "table.h"

#include <string>
#include <vector>

namespace moraine::bench
{

// One run, step by step; times are means over the steps after the warm-up.
struct DistributedRun
{
    int workers = 1;
    double wall_ms = 0, critical_ms = 0, server_ms = 0, network_ms = 0, kilobytes = 0;
    double contacts = 0, overlap_share = 0, imbalance = 0;
    double penetration = 0, joint_error = 0, residual = 0;
    std::vector<double> frame_ms{};                              // critical path of each step
    std::vector<double> residuals{};                             // of each step
    std::vector<double> errors{};                                // of each step, metres: largest joint gap or overlap
    std::vector<std::vector<double>> contacts_of{}, bodies_of{}; // by worker, of each step
};

struct WeightsRun
{
    std::string weights{}, border{};
    DistributedRun run{};
};

class Figures
{
public:
    explicit Figures(std::string folder) : folder_(std::move(folder)) {}

    void add(const SceneDescription& scene, const std::vector<DistributedRun>& runs); // one worker first
    void add_weights(const std::vector<WeightsRun>& runs);                            // figure 8
    Status save(); // nothing without a folder; the first error of all that was added

    const std::vector<std::string>& notes() const { return notes_; }

private:
    void save_table(const Table& table, const std::string& name);
    void save_plot(const struct Plot& plot, const std::string& name);
    void add_steps(const std::string& scene, const std::vector<DistributedRun>& runs);
    void add_workers(const std::string& scene, const DistributedRun& run);
    bool has_folder() const { return !folder_.empty() && bool(status_); }

    std::string folder_;
    Status status_ = Ok{};
    Table table_2_{
        {"scene", "bodies", "joints", "contacts", "best speed-up", "workers", "paper", "paper's workers"}, {}, {}};
    Table speed_ups_{{"scene", "workers", "critical path ms", "speed-up"}, {}, {}}; // figure 10
    std::vector<std::string> notes_;
};

} // namespace moraine::bench
