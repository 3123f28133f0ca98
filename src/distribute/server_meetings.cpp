// Which workers look for contacts between what they have, and the main server's own look where it does that for them.
#include "collide/narrow_phase.h"
#include "distribute/server.h"
#include "distribute/touch.h"
#include "geometry/bvh.h"

#include <algorithm>

namespace moraine::distribute
{

// For each two workers what one of them would do by itself.
void Server::find_central_meetings(std::vector<Report>& reports, float dt)
{
    std::vector<Bvh> trees(reports.size());
    for (size_t w = 0; w < reports.size(); ++w)
    {
        std::vector<Aabb> boxes;
        for (const BoundaryBody& body : reports[w].bodies)
            boxes.push_back(body.box);
        if (!boxes.empty())
            trees[w].build(boxes);
    }
    for (int a = 0; a < workers_; ++a)
        for (int b = a + 1; b < workers_; ++b)
        {
            if (!has_looked(a, b))
                continue;
            const int looker = looks(a, b) ? a : b, other = a + b - looker;
            Report& report = reports[size_t(looker)];
            Lookout lookout(shared_.scene(), shared_.joints_of, dt * report.step.speed_max, dt, outlook_of(a, b).sight);
            for (const BoundaryBody& body : reports[size_t(other)].bodies)
                trees[size_t(looker)].query(lookout.box_around(body), [&](int32_t i) {
                    const BoundaryBody& own = report.bodies[size_t(i)];
                    if ((own.workers & body.workers) == 0 &&
                        lookout.meets(own.box, own.body, own.moved_at, body, [&] { return own; }))
                        met_.push_back({std::min(own.body, body.body), std::max(own.body, body.body)});
                });
            report.gaps.push_back({other, lookout.gap()});
        }
}

// What no worker has together is more than the contact margin apart when two workers have looked: they need not look
// again before they have come half of that closer, or as much as they have seen to lie between them.
void Server::plan_meetings(const std::vector<Report>& reports, float dt, std::vector<Command>& commands)
{
    const auto way = [&](int w) { return double(dt) * double(reports[size_t(w)].step.speed_max); };
    for (int w = 0; w < workers_; ++w)
        travelled_[size_t(w)] += way(w);
    for (int a = 0; a < workers_; ++a)
        for (const Gap& gap : reports[size_t(a)].gaps)
            see_gap(a, gap);
    std::vector<WorkerMask> next(meets_.size());
    for (Command& command : commands)
        command.horizons.resize(size_t(workers_));
    for (int a = 0; a < workers_; ++a)
        for (int b = a + 1; b < workers_; ++b)
        {
            Outlook& outlook = outlook_of(a, b);
            const double together = travelled_[size_t(a)] + travelled_[size_t(b)];
            if (has_looked(a, b))
            {
                outlook.free_until = together + std::max(0.5 * double(default_contact_margin), double(outlook.gap));
                outlook.sight.looked_at = uint32_t(step_);
            }
            outlook.gap = 0;
            if (together + way(a) + way(b) <= outlook.free_until)
                continue;
            next[size_t(a)] |= mask_of(b);
            next[size_t(b)] |= mask_of(a);
            outlook.sight.horizon = outlook.quick > 0 ? 0 : outlook.horizon;
            commands[size_t(a)].horizons[size_t(b)] = commands[size_t(b)].horizons[size_t(a)] = outlook.sight.horizon;
        }
    meets_ = std::move(next);
    for (int w = 0; w < workers_; ++w)
        commands[size_t(w)].meets = meets_[size_t(w)];
}

// Looking further costs more, and less often: twice as far as there was something, or as nothing was. Where something is
// near, the next looks are quick ones.
void Server::see_gap(int worker, const Gap& gap)
{
    constexpr float farthest = 1000;
    constexpr int quick_looks = 31;
    Outlook& outlook = outlook_of(std::min(worker, gap.worker), std::max(worker, gap.worker));
    outlook.gap = gap.distance;
    if (outlook.sight.is_quick())
    {
        outlook.quick = std::max(outlook.quick - 1, 0);
        return;
    }
    outlook.horizon = std::clamp(2 * gap.distance, default_contact_margin, farthest);
    outlook.quick = gap.distance < 0.5f * default_contact_margin ? quick_looks : 0;
}

// A body that leaves a worker may be nearer to what that has than the two that have them now know of each other.
void Server::look_again(int worker)
{
    for (int other = 0; other < workers_; ++other)
    {
        if (other == worker)
            continue;
        double& free_until = outlook_of(std::min(worker, other), std::max(worker, other)).free_until;
        const double together = travelled_[size_t(worker)] + travelled_[size_t(other)];
        free_until = std::min(free_until, together + 0.5 * double(default_contact_margin));
    }
}

} // namespace moraine::distribute
