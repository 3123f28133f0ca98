// One line on a terminal that says how a long run is getting on; silent anywhere else.
#pragma once

#include <moraine/events.h>

#include <chrono>
#include <cstdint>

namespace moraine::cli
{

class Progress
{
public:
    explicit Progress(uint64_t steps);
    ~Progress() { clear(); }
    void update(uint64_t steps_done, const StepReport& report);
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    uint64_t steps_ = 0;
    bool is_terminal_ = false;
    bool is_shown_ = false;
    Clock::time_point start_{};
    Clock::time_point next_{};
};

} // namespace moraine::cli
