// What was hit in one worker is told to all that have it from now on, in the order of the workers that tell it.
#include "distribute/server.h"

#include <algorithm>

namespace moraine::distribute
{

namespace
{

void add_left(const std::vector<Shakes::LeftEnergy>& parts, std::vector<Shakes::LeftEnergy>& sums)
{
    for (const Shakes::LeftEnergy& part : parts)
        if (const auto known = std::ranges::find(sums, part.body, &Shakes::LeftEnergy::body); known != sums.end())
            known->energy += part.energy;
        else
            sums.push_back(part);
}

} // namespace

void Server::tell_shakes(const std::vector<Report>& reports, std::vector<Command>& commands)
{
    if (step_ > 1) // before the first step there is what a checkpoint has left
        shakes_ = {};
    for (const Report& report : reports)
    {
        shakes_.impacts.insert(shakes_.impacts.end(), report.shakes.impacts.begin(), report.shakes.impacts.end());
        add_left(report.shakes.left, shakes_.left);
    }
    if (shakes_.is_empty())
        return;
    WorkerMask sharers = 0;
    const auto workers_of = [&](int32_t body) {
        const WorkerMask all = mask_of(workers_) - 1;
        const WorkerMask workers = shared_.is_dynamic(body) ? sets_[body] : all;
        sharers |= count_of(workers) > 1 ? workers : 0;
        return workers;
    };
    for (const Impact& impact : shakes_.impacts)
        for_each_worker(workers_of(impact.body), [&](int w) { commands[size_t(w)].shakes.impacts.push_back(impact); });
    for (const Shakes::LeftEnergy& left : shakes_.left)
        for_each_worker(workers_of(left.body), [&](int w) { commands[size_t(w)].shakes.left.push_back(left); });
    for_each_worker(sharers, [&](int w) { commands[size_t(w)].shakes.sharers = sharers; });
}

} // namespace moraine::distribute
