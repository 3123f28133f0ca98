#include "graph/timers.h"

#include <algorithm>

namespace moraine
{

namespace
{

// World time is a sum of steps: a tick that is due at 1 s must not miss the step that ends at 0.9999999 s.
constexpr double leeway = 1e-6;
constexpr int most_ticks = 1000; // of one timer in one step; what is left comes in the next ones

void find_next_due(Timers& timers)
{
    timers.next_due = std::numeric_limits<double>::infinity();
    for (uint32_t i = 0; i < timers.ids.capacity(); ++i)
        if (timers.ids.is_alive(i))
            timers.next_due = std::min(timers.next_due, timers.timers[i].due());
}

} // namespace

int32_t create_timer(const TimerDef& def, double now, Timers& timers)
{
    const uint32_t index = timers.ids.create();
    if (index == timers.timers.size())
        timers.timers.emplace_back();
    timers.timers[index] = {def, now + (def.delay < 0 ? def.interval : def.delay), 0};
    timers.next_due = std::min(timers.next_due, timers.timers[index].due());
    return int32_t(index);
}

void destroy_timer(int32_t timer, Timers& timers)
{
    timers.ids.destroy(uint32_t(timer));
    find_next_due(timers);
}

void tick(double now, Timers& timers, std::vector<TimerEvent>& ticks)
{
    if (timers.next_due > now + leeway)
        return;
    const size_t first = ticks.size();
    for (uint32_t i = 0; i < timers.ids.capacity(); ++i)
    {
        if (!timers.ids.is_alive(i))
            continue;
        Timer& timer = timers.timers[i];
        const TimerId id = timers.id(int32_t(i));
        for (int n = 0; n < most_ticks && timer.due() <= now + leeway; ++n)
        {
            const double due = timer.due();
            ticks.push_back({id, ++timer.ticks, due});
            if (timer.def.repeats)
                continue;
            timers.ids.destroy(i);
            break;
        }
    }
    const auto is_earlier = [](const TimerEvent& a, const TimerEvent& b) {
        return a.time != b.time ? a.time < b.time : a.timer.index < b.timer.index;
    };
    std::sort(ticks.begin() + std::ptrdiff_t(first), ticks.end(), is_earlier);
    find_next_due(timers);
}

} // namespace moraine
