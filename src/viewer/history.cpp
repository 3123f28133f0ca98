#include "viewer/history.h"

#include <algorithm>

namespace moraine::viewer
{

namespace
{

constexpr size_t memory_limit = size_t(256) << 20;
constexpr size_t deeds_limit = 100'000;

// Small worlds are copied often, so that a step back is quick; large ones more rarely, so that copying costs little.
uint64_t steps_between(size_t copy_size) { return 15 + copy_size / 100'000; }

} // namespace

void History::clear()
{
    copies_.clear();
    deeds_.clear();
    bytes_ = 0;
}

void History::before_step(const World& world, const std::map<uint32_t, JointId>& drags)
{
    const uint64_t step = world.step_count();
    if (!copies_.empty() && step < copies_.back().step + steps_between(copies_.back().state.size()))
        return;
    copies_.push_back({step, world.snapshot(), drags, next_deed_});
    bytes_ += copies_.back().state.size();
    while (bytes_ > memory_limit && copies_.size() > 1)
    {
        bytes_ -= copies_.front().state.size();
        copies_.pop_front();
    }
    while (!deeds_.empty() && deeds_.front().step < copies_.front().step)
        deeds_.pop_front();
}

void History::note(const World& world, const Command& command)
{
    deeds_.push_back({next_deed_++, world.step_count(), command});
    if (deeds_.size() > deeds_limit)
        clear();
}

bool History::go_back(World& world, uint64_t step, std::map<uint32_t, JointId>& drags,
                      const std::function<void(const Command&)>& act, const std::function<void()>& advance)
{
    const auto after = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) { return copy.step > step; });
    if (after == copies_.begin())
        return false;
    const Copy& copy = *(after - 1);
    if (!world.restore(copy.state))
        return false;
    drags = copy.drags;
    while (!deeds_.empty() && deeds_.back().step >= step)
        deeds_.pop_back();
    const std::deque<Deed> deeds = deeds_;
    for (auto deed = deeds.begin(); world.step_count() < step;)
    {
        for (; deed != deeds.end() && deed->step <= world.step_count(); ++deed)
            if (deed->number >= copy.next_deed)
                act(deed->command);
        advance();
    }
    for (auto later = after; later != copies_.end(); ++later)
        bytes_ -= later->state.size();
    copies_.erase(after, copies_.end());
    return true;
}

} // namespace moraine::viewer
