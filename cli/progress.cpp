#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace moraine::cli
{

using namespace std::chrono_literals;

namespace
{

std::string duration_text(double seconds)
{
    if (seconds < 100)
        return fmt::format("{:.0f} s", seconds);
    const long minutes = long(seconds / 60);
    return minutes < 100 ? fmt::format("{} min", minutes) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

} // namespace

Progress::Progress(uint64_t steps)
    : steps_(steps),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(start_ + 500ms)
{}

void Progress::update(uint64_t steps_done, const StepReport& report)
{
    if (!is_terminal_ || steps_done == 0)
        return;
    const auto now = Clock::now();
    if (now < next_)
        return;
    next_ = now + 200ms;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const double rate = double(steps_done) / elapsed;
    const std::string rate_text = rate < 100 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate);
    fmt::print(stderr, "\r\033[K{} / {} steps  {:.0f}%  {} steps/s  {} awake movers  {} contacts  {} left", steps_done,
               steps_, 100.0 * double(steps_done) / double(steps_), rate_text, report.movers_awake,
               report.contacts_solved, duration_text(double(steps_ - steps_done) / rate));
    std::fflush(stderr);
    is_shown_ = true;
}

void Progress::clear()
{
    if (!is_shown_)
        return;
    fmt::print(stderr, "\r\033[K");
    is_shown_ = false;
}

} // namespace moraine::cli
