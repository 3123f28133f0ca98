#include "distribute/worker_sets.h"

#include <algorithm>

namespace moraine::distribute
{

WorkerSets::WorkerSets(std::vector<WorkerMask> masks, int workers) : masks_(std::move(masks)), active_(size_t(workers))
{
    for (WorkerMask mask : masks_)
    {
        for_each_worker(mask, [&](int w) { ++active_[size_t(w)]; });
        overlap_count_ += count_of(mask) > 1;
    }
}

void WorkerSets::set(int32_t body, WorkerMask mask)
{
    const WorkerMask before = masks_[size_t(body)];
    if (before == mask)
        return;
    changes_.push_back({body, before});
    for_each_worker(before & ~mask, [&](int w) { --active_[size_t(w)]; });
    for_each_worker(mask & ~before, [&](int w) { ++active_[size_t(w)]; });
    overlap_count_ += int(count_of(mask) > 1) - int(count_of(before) > 1);
    is_overlap_stale_ |= (count_of(mask) > 1) != (count_of(before) > 1);
    masks_[size_t(body)] = mask;
}

std::vector<WorkerSets::Change> WorkerSets::take_changes()
{
    // The first of several changes of a body knows what it was.
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.body < b.body; });
    std::vector<Change> changes;
    for (const Change& c : changes_)
        if (changes.empty() || changes.back().body != c.body)
            changes.push_back(c);
    // Only a body in the changes can have become or ceased to be one of several workers.
    if (is_overlap_stale_ && !overlap_.empty())
    {
        std::erase_if(overlap_, [&](int32_t b) { return !is_overlap(b); });
        const auto middle = int64_t(overlap_.size());
        for (const Change& c : changes)
            if (is_overlap(c.body) && !std::binary_search(overlap_.begin(), overlap_.begin() + middle, c.body))
                overlap_.push_back(c.body);
        std::inplace_merge(overlap_.begin(), overlap_.begin() + middle, overlap_.end());
        is_overlap_stale_ = false;
    }
    changes_.clear();
    std::erase_if(changes, [&](const Change& c) { return masks_[size_t(c.body)] == c.before; });
    return changes;
}

std::span<const int32_t> WorkerSets::overlap()
{
    if (is_overlap_stale_)
    {
        overlap_.clear();
        for (int32_t b = 0; b < bodies(); ++b)
            if (is_overlap(b))
                overlap_.push_back(b);
        is_overlap_stale_ = false;
    }
    return overlap_;
}

} // namespace moraine::distribute
