// Keeps the way back to the last good state of a run, at next to no cost: a copy of the state now and then, and the
// steps from there played again when they are needed. The engine is deterministic, so they arrive at the same state.
#pragma once

#include "scene/description.h"

#include <chrono>
#include <vector>

namespace moraine::cli
{

class Rescue
{
public:
    // Before each step.
    void observe(const World& world);
    // After a step that broke something: saves the state from before it, and leaves the scene as it is now.
    Status save_last_good(Scene& scene, const std::string& path) const;

private:
    using Clock = std::chrono::steady_clock;

    std::vector<uint8_t> state_;
    Clock::time_point next_{};
};

} // namespace moraine::cli
