#include "cli/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace moraine::cli
{

Percentiles percentiles(std::vector<float> values)
{
    if (values.empty())
        return {};
    std::sort(values.begin(), values.end());
    // Nearest rank: a value that was really measured.
    const auto rank = [&](double share) {
        return double(values[size_t(std::max(0.0, std::ceil(share * double(values.size())) - 1))]);
    };
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {sum / double(values.size()), rank(0.5), rank(0.99), double(values.back())};
}

void Statistics::add(const StepReport& report, float milliseconds)
{
    last_ = report;
    milliseconds_.push_back(milliseconds);
    for (size_t i = 0; i < phases_.size(); ++i)
        phases_[i] += double(report.phase_ms[i]);
    movers_ += report.movers_awake;
    merged_ += report.bodies_merged;
    asleep_ += report.bodies_asleep;
    touching_ += report.edges_touching;
    tested_ += report.edges_tested;
    followed_ += report.edges_followed;
    unchanged_ += report.edges_unchanged;
    groups_warped_ += report.groups_warped;
    warp_steps_ += report.warp_steps;
    solved_ += report.contacts_solved;
    internal_ += report.contacts_internal;
    penetration_sum_ += report.penetration_sum;
    penetration_max_ = std::max(penetration_max_, double(report.penetration_max));
    merges_ += report.merges;
    unmerges_ += report.unmerges;
}

void Statistics::add_joint_errors(const World& world)
{
    if (world.joint_count() == 0)
        return;
    if (int(joints_.size()) != world.joint_count())
        joints_ = world.joints();
    for (JointId joint : joints_)
        if (world.is_valid(joint))
            joint_error_max_ = std::max(joint_error_max_, double(world.joint_error(joint)));
}

double Statistics::phase_mean(Phase phase) const { return mean(phases_[size_t(phase)]); }

} // namespace moraine::cli
