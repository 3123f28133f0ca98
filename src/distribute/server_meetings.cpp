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
void Server::see_gaps(const std::vector<Report>& reports, float dt)
{
    for (int w = 0; w < workers_; ++w)
        travelled_[size_t(w)] += double(dt) * double(reports[size_t(w)].step.speed_max);
    for (int a = 0; a < workers_; ++a)
        for (const Gap& gap : reports[size_t(a)].gaps)
            see_gap(a, gap);
    for (int a = 0; a < workers_; ++a)
        for (int b = a + 1; b < workers_; ++b)
        {
            Outlook& outlook = outlook_of(a, b);
            if (has_looked(a, b))
            {
                outlook.free_until = travelled_[size_t(a)] + travelled_[size_t(b)] +
                                     std::max(0.5 * double(default_contact_margin), double(outlook.gap));
                outlook.sight.looked_at = uint32_t(step_);
            }
            outlook.gap = 0;
        }
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

// Metres that two workers may come closer before they have to look.
double Server::way_left(int a, int b)
{
    return outlook_of(std::min(a, b), std::max(a, b)).free_until - travelled_[size_t(a)] - travelled_[size_t(b)];
}

void Server::limit_way(int a, int b, double most)
{
    double& free_until = outlook_of(std::min(a, b), std::max(a, b)).free_until;
    free_until = std::min(free_until, travelled_[size_t(a)] + travelled_[size_t(b)] + most);
}

// A body that leaves a worker may be near to what that has: so far nobody had to look, and now those that speak for the
// two do. Where another worker speaks for a body than before, what was seen from the one holds for the other.
void Server::look_again(std::span<const WorkerSets::Change> changes)
{
    if (changes.empty())
        return;
    // Who may speak for what a worker has: those that have some of it too, or just had.
    std::vector<WorkerMask> around(static_cast<size_t>(workers_));
    const auto note = [&](WorkerMask mask) { for_each_worker(mask, [&](int w) { around[size_t(w)] |= mask; }); };
    for (int32_t body : sets_.overlap())
        note(sets_[body]);
    for (const WorkerSets::Change& change : changes)
        note(change.before), note(sets_[change.body]);
    for (const WorkerSets::Change& change : changes)
    {
        const WorkerMask now = sets_[change.body], went = change.before & ~now;
        const int speaker = first_of(now), before = first_of(change.before);
        WorkerMask near = 0;
        for_each_worker(went, [&](int w) { near |= around[size_t(w)]; });
        for_each_worker((mask_of(workers_) - 1) & ~now, [&](int other) {
            if ((near & mask_of(other)) != 0)
                limit_way(speaker, other, 0.5 * double(default_contact_margin));
            else if (speaker != before)
                limit_way(speaker, other, way_left(before, other));
        });
    }
}

void Server::plan_meetings(const std::vector<Report>& reports, float dt, std::vector<Command>& commands)
{
    const auto way = [&](int w) { return double(dt) * double(reports[size_t(w)].step.speed_max); };
    std::fill(meets_.begin(), meets_.end(), 0);
    for (Command& command : commands)
        command.horizons.resize(size_t(workers_));
    for (int a = 0; a < workers_; ++a)
        for (int b = a + 1; b < workers_; ++b)
        {
            if (way(a) + way(b) <= way_left(a, b))
                continue;
            Outlook& outlook = outlook_of(a, b);
            meets_[size_t(a)] |= mask_of(b);
            meets_[size_t(b)] |= mask_of(a);
            outlook.sight.horizon = outlook.quick > 0 ? 0 : outlook.horizon;
            commands[size_t(a)].horizons[size_t(b)] = commands[size_t(b)].horizons[size_t(a)] = outlook.sight.horizon;
        }
    for (int w = 0; w < workers_; ++w)
        commands[size_t(w)].meets = meets_[size_t(w)];
}

} // namespace moraine::distribute
