// How the main server evens out the load, and what follows from that: who has what and how much it counts.
#include "distribute/server.h"
#include "distribute/weights.h"

#include <algorithm>
#include <cmath>

namespace moraine::distribute
{

namespace
{

// Joints have three rows and more, and every body is integrated. What is shared is blended and pushed, with each of those
// that have it.
constexpr double joint_load = 8, body_load = 2, copy_load = 2;
// A contact that is sought anew takes as long as this many that are solved, with balls as with links of hulls. What moves
// and what rests changes from step to step, and borders must not run after that: it is smoothed, and told in steps.
constexpr double tested_load = 2.5, tested_smoothing = 1.0 / 32, tested_grain = 1.0 / 64;
constexpr double smoothing = 0.1;                 // of measured times
constexpr uint64_t longest_balance_interval = 64; // steps
constexpr int patience = 8;
constexpr double nearly_even = 1.15;     // largest load over the mean
constexpr uint64_t change_interval = 64; // steps: one worker at a time, and then the load is evened out first
// Every body's turn comes once in so many steps, should something have changed further away than next to it. The wider
// the overlap is, the longer a search takes and the less it matters where exactly it ends.
int stray_interval(const DistributeDef& def) { return 16 * (1 + std::min(def.growth_depth, 15)); }
int turn_interval(const DistributeDef& def) { return stray_interval(def) / 2; }
bool is_turn(int32_t body, uint64_t step, int interval)
{
    return (uint32_t(body) + uint32_t(step)) % uint32_t(interval) == 0;
}

} // namespace

std::vector<double> Server::measure_loads(const std::vector<Report>& reports)
{
    const LoadKind kind = shared_.scene().distribute.load;
    std::vector<double> loads;
    double sum = 0, most = 0;
    for (size_t w = 0; w < reports.size(); ++w)
    {
        const WorkerStep& s = reports[w].step;
        smooth_time_[w] += smoothing * (double(s.solve_ms) - smooth_time_[w]);
        tested_[w] += tested_smoothing * (double(s.tested) / std::max(s.touching, 1) - tested_[w]);
        const double tested = tested_grain * std::round(tested_[w] / tested_grain);
        const double constraints = s.contacts * (1 + tested_load * tested) + joint_load * s.joints +
                                   body_load * s.movers + copy_load * s.copies;
        if ((active() & mask_of(int(w))) != 0)
        {
            sum += constraints;
            most = std::max(most, constraints);
        }
        loads.push_back(kind == LoadKind::bodies ? s.bodies : kind == LoadKind::time ? smooth_time_[w] : constraints);
    }
    last_.active = count_of(active());
    last_.imbalance = sum > 0 ? most * double(last_.active) / sum : 1;
    return loads;
}

WorkerMask Server::active() const
{
    return shared_.scene().distribute.balance == Balance::steady ? ownership_.workers() : mask_of(workers_) - 1;
}

// One worker more or less where the load is beyond its thresholds. The main server's own worker never ends.
void Server::change_workers(std::span<const double> loads, const std::vector<Report>& reports,
                            std::vector<Command>& commands)
{
    const DistributeDef& def = shared_.scene().distribute;
    const WorkerMask idle = (mask_of(workers_) - 1) & ~active();
    if (divided_ >= 0)
    {
        const std::vector<int32_t>& half = reports[size_t(divided_)].half;
        if (!half.empty() && idle != 0)
            ownership_.begin_worker(first_of(idle), divided_, half), ++last_.begun;
        divided_ = -1;
        return;
    }
    if (step_ < changed_workers_ + change_interval)
        return;
    double sum = 0;
    int most = 0, least = -1;
    for_each_worker(active(), [&](int w) {
        const double load = loads[size_t(w)];
        sum += load;
        most = load > loads[size_t(most)] ? w : most;
        least = w > 0 && (least < 0 || load < loads[size_t(least)]) ? w : least;
    });
    const double mean = sum / std::max(count_of(active()), 1);
    if (def.grow_above > 0 && mean > double(def.grow_above) && idle != 0)
    {
        divided_ = most;
        commands[size_t(most)].divides = 1;
    }
    else if (mean < double(def.shrink_below) && least > 0)
        ownership_.end_worker(least, ownership_.find_heir(least, loads, graph_)), ++last_.ended;
    else
        return;
    changed_workers_ = step_;
}

// A body that nothing of a worker touches any more, and that no collision will send away.
void Server::drop_strays()
{
    std::vector<std::pair<int32_t, WorkerMask>> strays;
    const int interval = stray_interval(shared_.scene().distribute);
    for (int32_t body : sets_.overlap())
    {
        if (!is_turn(body, step_, interval) || is_asleep_[size_t(body)])
            continue;
        WorkerMask needed = 0;
        for (const ConstraintLink& link : graph_.links(body))
            needed |= sets_[link.other];
        const WorkerMask left = sets_[body] & needed;
        strays.emplace_back(body, left != 0 ? left : mask_of(first_of(sets_[body])));
    }
    for (const auto& [body, mask] : strays)
        sets_.set(body, mask);
}

// The overlap is as thick as it shall be around what each worker owns, wherever something has changed.
void Server::follow_owners(std::span<const double> loads)
{
    // Where there was nothing to give, there is nothing while all stays as it is.
    const bool is_settled = steps_since_change_ > int(balance_interval) && std::ranges::equal(loads, settled_loads_);
    if (step_ % balance_interval_ == 0 && !is_settled)
    {
        ownership_.even_out(loads, is_asleep_, graph_, sets_);
        settled_loads_.assign(loads.begin(), loads.end());
        if (!ownership_.given().empty())
        {
            settled_loads_.clear();
            // A gift takes the overlap around it along, which may be worth more than what was to be evened out, and where
            // several workers meet it would go round and round: what did not help is tried again less and less often.
            if (last_.imbalance > nearly_even)
                balance_interval_ = balance_interval, idle_gifts_ = 0;
            else if (last_.imbalance < balanced_)
                balanced_ = last_.imbalance, idle_gifts_ = 0;
            else if (++idle_gifts_ == patience)
            {
                balance_interval_ = std::min(2 * balance_interval_, longest_balance_interval);
                balanced_ = last_.imbalance, idle_gifts_ = 0;
            }
        }
    }
    ownership_.hand_over(met_, graph_);
    std::vector<int32_t> changed, reviewed;
    // Where one worker has all around a body, nothing follows from its contacts.
    for (int32_t body : dirty_)
    {
        bool is_border = sets_.is_overlap(body);
        for (const ConstraintLink& link : graph_.links(body))
            is_border |= sets_[link.other] != sets_[body];
        if (is_border)
            changed.push_back(body);
    }
    for (const ContactPair& pair : met_)
        changed.push_back(pair.body_a), changed.push_back(pair.body_b);
    const int interval = stray_interval(shared_.scene().distribute);
    if (steps_since_change_ <= interval) // else all have had their turn
        for (int32_t body : sets_.overlap())
            if (is_turn(body, step_, interval) && !is_asleep_[size_t(body)])
                reviewed.push_back(body);
    ownership_.update_sets(changed, reviewed, graph_, sets_);
}

void Server::update_weights(std::vector<Command>& commands)
{
    const DistributeDef& def = shared_.scene().distribute;
    const int interval = turn_interval(def);
    if (dirty_.empty() && steps_since_change_ > interval) // all have had their turn
        return;
    const std::span<const int> owners = def.balance == Balance::steady ? ownership_.owners() : std::span<const int>();
    for (int32_t body : sets_.overlap())
    {
        const bool is_due = steps_since_change_ <= interval && is_turn(body, step_, interval);
        if (!is_due && !is_dirty_[size_t(body)])
            continue;
        const WorkerMask held = find_held(body, def, graph_, sets_);
        compute_weights(body, find_idle(body, def, graph_, sets_), def, graph_, sets_, owners, new_weights_);
        if (std::vector<float>& weights = weights_[size_t(body)]; weights != new_weights_)
        {
            weights = new_weights_;
            for_each_worker(sets_[body], [&](int w) {
                Command& command = commands[size_t(w)];
                command.weighted.push_back(body);
                command.weights.insert(command.weights.end(), weights.begin(), weights.end());
            });
        }
        if (held == held_[size_t(body)])
            continue;
        held_[size_t(body)] = held;
        for_each_worker(sets_[body], [&](int w) { commands[size_t(w)].holds.push_back({held, body, 0}); });
    }
}

} // namespace moraine::distribute
