// The numbers of a run: what the summary, the JSON object and the stats file say.
#pragma once

#include "scene/description.h"

#include <array>
#include <vector>

namespace moraine::cli
{

struct Percentiles
{
    double mean = 0, p50 = 0, p99 = 0, max = 0;
};

Percentiles percentiles(std::vector<float> values);

// Sums over the steps of the window.
class Statistics
{
public:
    void add(const StepReport& report, float milliseconds);
    void add_joint_errors(const World& world);
    void add_joint_error(double metres) { joint_error_max_ = metres > joint_error_max_ ? metres : joint_error_max_; }

    size_t steps() const { return milliseconds_.size(); }
    const StepReport& last() const { return last_; }
    Percentiles milliseconds() const { return percentiles(milliseconds_); }
    double phase_mean(Phase phase) const;
    double movers_mean() const { return mean(movers_); }
    double merged_mean() const { return mean(merged_); }
    double asleep_mean() const { return mean(asleep_); }
    double solved_mean() const { return mean(solved_); }
    double internal_mean() const { return mean(internal_); }
    double touching_mean() const { return mean(touching_); }
    double tested_mean() const { return mean(tested_); }
    double followed_mean() const { return mean(followed_); }
    double unchanged_mean() const { return mean(unchanged_); }
    long groups_warped() const { return groups_warped_; }
    long warp_steps() const { return warp_steps_; }
    double penetration_max() const { return penetration_max_; }
    double penetration_mean() const { return solved_ > 0 ? penetration_sum_ / solved_ : 0; }
    double joint_error_max() const { return joint_error_max_; }
    long merges() const { return merges_; }
    long unmerges() const { return unmerges_; }

private:
    double mean(double sum) const { return milliseconds_.empty() ? 0 : sum / double(milliseconds_.size()); }

    std::vector<float> milliseconds_;
    std::array<double, size_t(Phase::count)> phases_{};
    StepReport last_{};
    double movers_ = 0, merged_ = 0, asleep_ = 0, solved_ = 0, internal_ = 0;
    double penetration_sum_ = 0, penetration_max_ = 0, joint_error_max_ = 0;
    double touching_ = 0, tested_ = 0, followed_ = 0, unchanged_ = 0;
    long groups_warped_ = 0, warp_steps_ = 0;
    long merges_ = 0, unmerges_ = 0;
    std::vector<JointId> joints_;
};

} // namespace moraine::cli
