#include "cli/rescue.h"

namespace moraine::cli
{

using namespace std::chrono_literals;

void Rescue::observe(const World& world)
{
    const auto start = Clock::now();
    if (!state_.empty() && start < next_)
        return;
    state_ = world.snapshot();
    // At most one percent of the time goes into copies, however large the world is.
    const auto end = Clock::now();
    next_ = end + std::max<Clock::duration>(2s, 100 * (end - start));
}

Status Rescue::save_last_good(Scene& scene, const std::string& path) const
{
    World& world = scene.world();
    const uint64_t failed_step = world.step_count();
    const std::vector<uint8_t> now = world.snapshot();
    Status status = world.restore(state_);
    if (!status)
        return status;
    while (world.step_count() + 1 < failed_step)
        scene.step();
    status = world.save_snapshot(path);
    const Status back = world.restore(now);
    return back ? status : back;
}

} // namespace moraine::cli
