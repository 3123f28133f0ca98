#include "distribute/ownership.h"

#include <algorithm>
#include <array>

namespace moraine::distribute
{

namespace
{

// What the loads of two workers differ by is evened out by this share at a time: contacts come along with bodies, and how
// many is only known afterwards.
constexpr double share_at_a_time = 0.25;
// Borders are left alone while the loads of the two sides differ by less than this share.
constexpr double even_enough = 0.03;

bool is_uneven(double larger, double smaller) { return larger > (1 + even_enough) * smaller; }

} // namespace

Ownership::Ownership(std::vector<int> owners, int growth_depth)
    : owners_(std::move(owners)),
      growth_depth_(growth_depth)
{
    for (int owner : owners_)
        all_ |= owner < 0 ? 0 : mask_of(owner);
}

WorkerMask Ownership::workers_near(int32_t body, const ConstraintGraph& graph) const
{
    WorkerMask mask = mask_of(owner(body));
    for (const ConstraintLink& link : graph.links(body))
        mask |= mask_of(owner(link.other));
    return body < int32_t(grown_.size()) ? mask | grown_[size_t(body)] : mask;
}

void Ownership::grow_from(const ContactPair& root, const ConstraintGraph& graph)
{
    const WorkerMask workers = mask_of(owner(root.body_a)) | mask_of(owner(root.body_b));
    const auto add = [&](int32_t body) {
        if (grown_[size_t(body)] == 0)
            grown_bodies_.push_back(body);
        grown_[size_t(body)] |= workers;
    };
    for (int32_t end : {root.body_a, root.body_b})
    {
        add(end);
        graph.search(end, growth_depth_, [&](int32_t body, int) {
            add(body);
            return true;
        });
    }
    roots_.push_back(root);
}

void Ownership::grow(std::span<const int32_t> border, const ConstraintGraph& graph)
{
    if (growth_depth_ == 0) // interface bodies are all there is
        return;
    grown_.resize(owners_.size());
    for (int32_t body : grown_bodies_)
        grown_[size_t(body)] = 0;
    grown_bodies_.clear();
    const auto try_root = [&](const ContactPair& pair) {
        const WorkerMask workers = mask_of(owner(pair.body_a)) | mask_of(owner(pair.body_b));
        const auto is_grown = [&](int32_t body) { return (workers & ~grown_[size_t(body)]) == 0; };
        if (count_of(workers) == 2 && !is_grown(pair.body_a) && !is_grown(pair.body_b))
            grow_from(pair, graph);
    };
    const auto try_links = [&](int32_t body) {
        for (const ConstraintLink& link : graph.links(body))
            try_root({std::min(body, link.other), std::max(body, link.other)});
    };
    // What the overlap has grown from stays where it can, and else goes along with the border: bodies would come and go
    // with every contact and every gift if it were elsewhere each time.
    const std::vector<ContactPair> before = std::move(roots_);
    roots_.clear();
    for (const ContactPair& root : before)
    {
        const auto links = graph.links(root.body_a);
        if (std::any_of(links.begin(), links.end(), [&](const ConstraintLink& l) { return l.other == root.body_b; }))
            try_root(root);
    }
    for (const ContactPair& root : before)
        try_links(root.body_a), try_links(root.body_b);
    for (int32_t body : border)
        try_links(body);
}

void Ownership::give(int32_t body, int to)
{
    owners_[size_t(body)] = to;
    given_.push_back(body);
}

bool Ownership::is_lost(int32_t body, const ConstraintGraph& graph) const
{
    const auto links = graph.links(body);
    return std::none_of(links.begin(), links.end(),
                        [&](const ConstraintLink& link) { return owner(link.other) == owner(body); });
}

void Ownership::hand_over(std::span<const ContactPair> met, const ConstraintGraph& graph)
{
    for (const ContactPair& pair : met)
    {
        const int owner_a = owner(pair.body_a), owner_b = owner(pair.body_b);
        if (owner_a == owner_b)
            continue;
        if (is_lost(pair.body_a, graph))
            give(pair.body_a, owner_b);
        else if (is_lost(pair.body_b, graph))
            give(pair.body_b, owner_a);
    }
}

void Ownership::begin_worker(int worker, int from, std::span<const int32_t> bodies)
{
    all_ |= mask_of(worker);
    for (int32_t body : bodies)
        if (owner(body) == from)
            give(body, worker);
}

void Ownership::end_worker(int worker, int heir)
{
    all_ &= ~mask_of(worker);
    for (int32_t body = 0; body < int32_t(owners_.size()); ++body)
        if (owner(body) == worker)
            give(body, heir);
}

int Ownership::find_heir(int worker, std::span<const double> loads, const ConstraintGraph& graph) const
{
    std::array<int, max_workers> links{};
    for (int32_t body = 0; body < int32_t(owners_.size()); ++body)
        if (owner(body) == worker)
            for (const ConstraintLink& link : graph.links(body))
                ++links[size_t(owner(link.other))];
    int heir = -1;
    for_each_worker(all_ & ~mask_of(worker), [&](int w) {
        if (heir < 0 || links[size_t(w)] > links[size_t(heir)] ||
            (links[size_t(w)] == links[size_t(heir)] && loads[size_t(w)] < loads[size_t(heir)]))
            heir = w;
    });
    return heir;
}

void Ownership::update_sets(std::span<const int32_t> changed, std::span<const int32_t> reviewed,
                            const ConstraintGraph& graph, WorkerSets& sets)
{
    is_around_.resize(owners_.size());
    around_.clear();
    const auto note = [&](int32_t body, uint8_t how) {
        uint8_t& is = is_around_[size_t(body)];
        if (is == 0)
            around_.push_back(body);
        is = std::max(is, how);
    };
    const auto note_all_near = [&](int32_t root, int depth, uint8_t how) {
        note(root, how);
        graph.search(root, depth, [&](int32_t body, int) {
            note(body, how);
            return true;
        });
    };
    if (!changed.empty() || !given_.empty())
    {
        border_.assign(changed.begin(), changed.end());
        border_.insert(border_.end(), given_.begin(), given_.end());
        const std::span<const int32_t> overlap = sets.overlap();
        border_.insert(border_.end(), overlap.begin(), overlap.end());
        std::sort(border_.begin(), border_.end());
        border_.erase(std::unique(border_.begin(), border_.end()), border_.end());
        if (!given_.empty()) // roots have gone along, and others with them
            for (int32_t body : grown_bodies_)
                note(body, 2);
        grow(border_, graph);
        for (int32_t body : grown_bodies_)
            note(body, 1);
    }
    for (int32_t body : changed)
        note(body, 1);
    for (int32_t body : given_)
        note_all_near(body, growth_depth_ + 1, 2);
    for (int32_t body : reviewed)
        note(body, 2);
    std::sort(around_.begin(), around_.end());
    for (int32_t body : around_)
    {
        const WorkerMask mask = workers_near(body, graph);
        sets.set(body, is_around_[size_t(body)] == 2 ? mask : sets[body] | mask);
        is_around_[size_t(body)] = 0;
    }
}

void Ownership::find_gifts(std::span<const int32_t> overlap, std::span<const double> loads,
                           const std::vector<bool>& is_asleep, const ConstraintGraph& graph)
{
    gifts_.clear();
    for (int32_t body : overlap)
    {
        if (is_asleep[size_t(body)])
            continue;
        const int from = owner(body);
        WorkerMask around = 0;
        for (const ConstraintLink& link : graph.links(body))
            around |= mask_of(owner(link.other));
        if ((around & ~mask_of(from)) == 0) // the border is elsewhere
            continue;
        std::array<int32_t, max_workers> links{};
        for (const ConstraintLink& link : graph.links(body))
            ++links[size_t(owner(link.other))];
        Gift best;
        for_each_worker(around & ~mask_of(from), [&](int to) {
            const bool is_wanted = links[size_t(from)] == 0 || is_uneven(loads[size_t(from)], loads[size_t(to)]) ||
                                   (links[size_t(to)] > links[size_t(from)] &&
                                    loads[size_t(to)] <= loads[size_t(from)]);
            const int32_t gain = links[size_t(to)] - links[size_t(from)];
            if (is_wanted && (best.body < 0 || gain > best.gain))
                best = {body, to, gain};
        });
        if (best.body >= 0)
            gifts_.push_back(best);
    }
    // Those that make the border shorter come first.
    std::stable_sort(gifts_.begin(), gifts_.end(), [](const Gift& a, const Gift& b) { return a.gain > b.gain; });
}

void Ownership::even_out(std::span<const double> loads, const std::vector<bool>& is_asleep,
                         const ConstraintGraph& graph, WorkerSets& sets)
{
    find_gifts(sets.overlap(), loads, is_asleep, graph);
    double sum = 0, active = 0;
    for (int w = 0; w < sets.workers(); ++w)
        sum += loads[size_t(w)], active += sets.active(w);
    const double of_body = active > 0 && sum > 0 ? sum / active : 1;
    std::vector<double> expected(loads.begin(), loads.end());
    // What goes between two workers in one call ends where it would have gone far enough.
    const auto has_enough = [&](int from, int to) {
        const double before = loads[size_t(from)] - loads[size_t(to)];
        return expected[size_t(from)] - expected[size_t(to)] <= (1 - share_at_a_time) * before;
    };
    for (const Gift& gift : gifts_)
    {
        const int from = owner(gift.body);
        if (!is_lost(gift.body, graph) && has_enough(from, gift.to))
            continue;
        give(gift.body, gift.to);
        expected[size_t(from)] -= of_body;
        expected[size_t(gift.to)] += of_body;
    }
}

} // namespace moraine::distribute
