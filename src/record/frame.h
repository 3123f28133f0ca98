// What a recording holds for each step besides the poses.
#pragma once

#include <moraine/world.h>

#include <array>
#include <string_view>
#include <vector>

namespace moraine
{

enum class EventKind : uint8_t
{
    touch_began,
    touch_ended,
    trigger_entered,
    trigger_left,
    hit, // value: impulse, N s
    fell_asleep,
    woke,
    joint_broken, // a: index of the joint
    frozen,
    merged,
    unmerged,
    count
};

const char* event_name(EventKind kind);

struct FrameEvent
{
    EventKind kind = EventKind::hit;
    uint32_t a = 0, b = 0; // indices of the bodies' handles
    float value = 0;

    friend bool operator==(const FrameEvent&, const FrameEvent&) = default;
};

// The numbers of a step, by name, so that a new one does not make a new format.
std::vector<std::string> stat_names();
void gather_stats(const World& world, const StepReport& report, std::vector<float>& stats);
void gather_events(const World& world, std::vector<FrameEvent>& events);

struct Frame
{
    uint64_t step = 0;
    double time = 0;
    uint64_t state_hash = 0;
    std::vector<float> stats{};
    std::vector<FrameEvent> events{};
};

} // namespace moraine
