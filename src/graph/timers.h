// Timers: nodes of the contact graph without a body. They tick in the world's time, however long the steps are.
#pragma once

#include "base/id_pool.h"

#include <moraine/defs.h>
#include <moraine/events.h>

#include <limits>
#include <vector>

namespace moraine
{

struct Timer
{
    TimerDef def{};
    double start = 0;   // of the first tick
    uint64_t ticks = 0; // so far

    // From the start, not from the last tick: rounding does not add up.
    double due() const { return start + double(ticks) * def.interval; }
};

struct Timers
{
    IdPool ids;
    std::vector<Timer> timers;
    double next_due = std::numeric_limits<double>::infinity(); // of all: most steps look at nothing else

    TimerId id(int32_t index) const { return {uint32_t(index), ids.generation(uint32_t(index))}; }
    bool is_valid(TimerId timer) const { return ids.is_valid(timer.index, timer.generation); }

    template <class Archive>
    void archive(Archive& a)
    {
        a(ids);
        a(timers);
        a(next_due);
    }
};

int32_t create_timer(const TimerDef& def, double now, Timers& timers);
void destroy_timer(int32_t timer, Timers& timers);

// Ticks that are due by `now`, in the order of time and then of timers. Timers that do not repeat go.
void tick(double now, Timers& timers, std::vector<TimerEvent>& ticks);

} // namespace moraine
