#include "distribute/balance.h"

#include <algorithm>
#include <queue>

namespace moraine::distribute
{

Loads::Loads(std::span<const double> measured, const WorkerSets& sets)
    : sets_(sets),
      measured_(measured.begin(), measured.end())
{
    double sum = 0, bodies = 0;
    for (int w = 0; w < sets.workers(); ++w)
    {
        active_.push_back(sets.active(w));
        sum += measured_[size_t(w)];
        bodies += sets.active(w);
    }
    per_body_ = bodies > 0 && sum > 0 ? sum / bodies : 1;
}

double Loads::of(int worker) const
{
    return measured_[size_t(worker)] + per_body_ * (sets_.active(worker) - active_[size_t(worker)]);
}

double Loads::of_all(WorkerMask workers) const
{
    double sum = 0;
    for_each_worker(workers, [&](int w) { sum += of(w); });
    return sum;
}

int Loads::smallest(WorkerMask workers) const
{
    int best = first_of(workers);
    for_each_worker(workers, [&](int w) { best = of(w) < of(best) ? w : best; });
    return best;
}

bool is_bridge(int32_t body, const ConstraintGraph& graph, const WorkerSets& sets)
{
    WorkerMask workers = 0;
    for (const ConstraintLink& link : graph.links(body))
        workers |= sets[link.other];
    return count_of(workers) > 1;
}

namespace
{

class BalancePass
{
public:
    BalancePass(const DistributeDef& def, const std::vector<bool>& is_asleep, const Loads& loads,
                const ConstraintGraph& graph, WorkerSets& sets)
        : def_(def),
          is_asleep_(is_asleep),
          loads_(loads),
          graph_(graph),
          sets_(sets)
    {}

    void run(std::span<const ContactPair> met, std::span<const int32_t> looked_at)
    {
        for (const ContactPair& pair : met)
            contacts_.push(pair);
        for (int32_t body : looked_at)
            push_contacts(body, {});
        // In the order of the pairs, each once: contacts of bodies that one worker has alone need nothing.
        ContactPair last;
        while (!contacts_.empty())
        {
            const ContactPair pair = contacts_.top();
            contacts_.pop();
            if (pair == last)
                continue;
            last = pair;
            look_at(pair);
        }
        cover();
    }

private:
    void look_at(const ContactPair& pair)
    {
        const int32_t a = pair.body_a, b = pair.body_b;
        if ((sets_[a] & sets_[b]) == 0)
            share(pair);
        else if (def_.balance == Balance::none || is_asleep_[size_t(a)] || is_asleep_[size_t(b)])
            return;
        else if (sets_.is_overlap(a) && sets_.is_alone(b) && !is_bridge(a, graph_, sets_))
            let_go(pair, a, sets_[a] & ~sets_[b]);
        else if (sets_.is_overlap(b) && sets_.is_alone(a) && !is_bridge(b, graph_, sets_))
            let_go(pair, b, sets_[b] & ~sets_[a]);
        else if (sets_[a] == sets_[b] && sets_.is_overlap(a)) // figure 9 (v)
        {
            const WorkerMask others = sets_[a] & ~mask_of(loads_.smallest(sets_[a]));
            let_go(pair, a, others);
            let_go(pair, b, others);
        }
    }

    // Figure 9 (i) and (ii).
    void share(const ContactPair& pair)
    {
        const int32_t a = pair.body_a, b = pair.body_b;
        const WorkerMask mask_a = sets_[a], mask_b = sets_[b];
        const bool takes_b = loads_.of_all(mask_a) <= loads_.of_all(mask_b);
        const int32_t root = takes_b ? b : a;
        change(pair, root, sets_[root] | (takes_b ? mask_a : mask_b));
        graph_.search(root, def_.growth_depth, [&](int32_t body, int) {
            grown_.push_back(body);
            return true;
        });
        for (int32_t body : grown_)
            change(pair, body, sets_[body] | mask_a | mask_b);
        grown_.clear();
    }

    void let_go(const ContactPair& pair, int32_t body, WorkerMask workers)
    {
        const WorkerMask left = sets_[body] & ~workers;
        // A joint without a worker that has both its bodies is no joint.
        for (const ConstraintLink& link : graph_.links(body))
            if (link.joints > 0 && (sets_[link.other] & left) == 0)
                return;
        if (left != 0)
            change(pair, body, left);
    }

    void change(const ContactPair& now, int32_t body, WorkerMask mask)
    {
        if (sets_[body] == mask)
            return;
        sets_.set(body, mask);
        changed_.push_back(body);
        push_contacts(body, now);
    }

    void push_contacts(int32_t body, const ContactPair& after)
    {
        for (const ConstraintLink& link : graph_.links(body))
        {
            const ContactPair pair{std::min(body, link.other), std::max(body, link.other)};
            if (link.is_contact() && after < pair)
                contacts_.push(pair);
        }
    }

    // What has come apart above is shared again: there must be no step in which nobody solves a constraint.
    void cover()
    {
        for (size_t i = 0; i < changed_.size(); ++i)
        {
            const int32_t body = changed_[i];
            for (const ConstraintLink& link : graph_.links(body))
            {
                const WorkerMask a = sets_[body], b = sets_[link.other];
                if ((a & b) != 0)
                    continue;
                if (loads_.of_all(a) <= loads_.of_all(b))
                    sets_.activate(a, link.other);
                else
                    sets_.activate(b, body);
            }
        }
    }

    const DistributeDef& def_;
    const std::vector<bool>& is_asleep_;
    const Loads& loads_;
    const ConstraintGraph& graph_;
    WorkerSets& sets_;
    std::priority_queue<ContactPair, std::vector<ContactPair>, std::greater<>> contacts_;
    std::vector<int32_t> changed_;
    std::vector<int32_t> grown_;
};

} // namespace

void balance_load(std::span<const ContactPair> met, std::span<const int32_t> looked_at, const DistributeDef& def,
                  const std::vector<bool>& is_asleep, const Loads& loads, const ConstraintGraph& graph,
                  WorkerSets& sets)
{
    BalancePass(def, is_asleep, loads, graph, sets).run(met, looked_at);
}

} // namespace moraine::distribute
