#include "cli/distributed_summary.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace moraine::cli
{

namespace
{

constexpr double network_bytes_per_ms = 10e9 / 8 / 1000; // 10 Gbit/s
constexpr double network_latency_ms = 0.02;
constexpr int rounds = 6; // at most: copies, bounds, boundary bodies, report, command, pushes: one after the other

double rounded(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

} // namespace

void DistributedSummary::add(const distribute::ServerStep& step, double wall_ms)
{
    ++steps_;
    double bodies = 0, slowest = 0, detect = 0;
    for (size_t w = 0; w < step.workers.size(); ++w)
    {
        const distribute::WorkerStep& s = step.workers[w];
        const double busy = double(s.busy_ms());
        load_[w] += s.bodies;
        busy_ms_[w] += busy;
        slowest = std::max(slowest, busy);
        detect = std::max(detect, double(s.detect_ms));
        bodies += s.bodies;
        const std::array<float, 4> parts{s.solve_ms, s.blend_ms, s.detect_ms, s.apply_ms};
        for (size_t p = 0; p < parts.size(); ++p)
            parts_ms_[p] += double(parts[p]) / double(step.workers.size());
    }
    bodies_ += bodies;
    overlap_ += step.overlap;
    active_ += step.active;
    active_last_ = step.active;
    begun_ += step.begun;
    ended_ += step.ended;
    imbalance_ += step.imbalance;
    imbalance_last_ += 0.05 * (step.imbalance - imbalance_last_);
    if (steps_ == 1)
        imbalance_last_ = step.imbalance;
    critical_ms_ += step.critical_ms;
    server_ms_ += step.server_ms;
    slowest_ms_ += slowest;
    detect_ms_ += detect;
    wall_ms_ += wall_ms;
    moved_ += step.moved;
    residual_max_ = std::max(residual_max_, step.residual);
    bytes_ += double(step.bytes);
    messages_ += double(step.messages);
}

double DistributedSummary::comm_ms() const
{
    if (workers() == 1)
        return 0;
    return rounds * network_latency_ms + mean(bytes_) / double(workers()) / network_bytes_per_ms;
}

std::string DistributedSummary::to_json() const
{
    nlohmann::ordered_json load = nlohmann::ordered_json::array(), busy = load;
    for (size_t w = 0; w < load_.size(); ++w)
    {
        load.push_back(rounded(mean(load_[w])));
        busy.push_back(rounded(mean(busy_ms_[w])));
    }
    const nlohmann::ordered_json json = {{"workers", workers()},
                                         {"active_mean", rounded(mean(active_))},
                                         {"active_end", active_last_},
                                         {"begun", begun_},
                                         {"ended", ended_},
                                         {"overlap_mean", rounded(mean(overlap_))},
                                         {"imbalance_mean", rounded(mean(imbalance_))},
                                         {"imbalance_end", rounded(imbalance_last_)},
                                         {"critical_path_ms", rounded(mean(critical_ms_))},
                                         {"slowest_worker_ms", rounded(mean(slowest_ms_))},
                                         {"server_ms", rounded(mean(server_ms_))},
                                         {"detect_ms", rounded(mean(detect_ms_))},
                                         {"comm_ms", rounded(comm_ms())},
                                         {"wall_ms", rounded(mean(wall_ms_))},
                                         {"bytes_per_step", rounded(mean(bytes_))},
                                         {"messages_per_step", rounded(mean(messages_))},
                                         {"moved_per_step", rounded(mean(moved_))},
                                         {"blend_residual_max", rounded(residual_max_)},
                                         {"bodies", load},
                                         {"busy_ms", busy},
                                         {"parts_ms",
                                          {{"solve", rounded(mean(parts_ms_[0]))},
                                           {"blend", rounded(mean(parts_ms_[1]))},
                                           {"detect", rounded(mean(parts_ms_[2]))},
                                           {"apply", rounded(mean(parts_ms_[3]))}}}};
    return json.dump();
}

std::string DistributedSummary::to_text() const
{
    const double critical = mean(critical_ms_), shared = bodies_ > 0 ? 100 * overlap_ / bodies_ : 0;
    const double busy = mean(std::accumulate(busy_ms_.begin(), busy_ms_.end(), 0.0)) / std::max(mean(active_), 1.0);
    const double waits = critical > 0 ? 100 * (1 - busy / critical) : 0;
    std::string text = "  worker      bodies      busy ms\n";
    for (size_t w = 0; w < load_.size(); ++w)
        text += fmt::format("  {:<8}{:>10.0f}{:>13.3f}\n", w, mean(load_[w]), mean(busy_ms_[w]));
    if (begun_ + ended_ > 0 || active_last_ < workers())
        text += fmt::format("  workers     {} of {} have something to do at the end; {} began, {} ended\n",
                            active_last_, workers(), begun_, ended_);
    text += fmt::format("  imbalance   {:.3f} mean, {:.3f} at the end (largest load over the mean)\n", mean(imbalance_),
                        imbalance_last_);
    text += fmt::format("  critical    {:.3f} ms a step: slowest worker {:.3f}, main server {:.3f}\n", critical,
                        mean(slowest_ms_), mean(server_ms_));
    text += fmt::format("  waiting     {:.1f} % of the workers' time on the critical path\n", waits);
    text += fmt::format("  overlap     {:.0f} bodies shared, {:.1f} %; {:.1f} come or go in a step\n", mean(overlap_),
                        shared, mean(moved_));
    text += fmt::format("  network     {:.3g} kB in {:.0f} messages a step; 10 GbE would take {:.3f} ms\n",
                        mean(bytes_) / 1000, mean(messages_), comm_ms());
    text += fmt::format("  residual    {:.3g} mm between copies before they are blended\n", 1000 * residual_max_);
    if (workers() > 1 && imbalance_last_ > 1.15)
        text += "  hint        the load is uneven: try --partition metis, or --load time\n";
    if (workers() > 1 && shared > 30)
        text += "  hint        a third of the bodies is shared: use fewer workers or a smaller --growth-depth\n";
    if (critical > 0 && mean(server_ms_) > 0.2 * critical)
        text +=
            "  hint        the main server takes a fifth of each step: use fewer workers for a scene of this size\n";
    return text;
}

} // namespace moraine::cli
