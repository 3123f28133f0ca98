#include "viewer/settings.h"

#include <algorithm>

namespace moraine::viewer
{

namespace
{

template <auto Member>
double value_of(const WorldDef& def)
{
    return double(def.*Member);
}

template <auto Member>
void set(WorldDef& def, double value)
{
    using T = std::remove_reference_t<decltype(def.*Member)>;
    if constexpr (std::is_same_v<T, bool>)
        def.*Member = value >= 0.5;
    else
        def.*Member = T(value);
}

template <auto Member>
constexpr Setting setting(std::string_view name, double lower, double upper, double step, bool restarts = false)
{
    return {name, lower, upper, step, restarts, value_of<Member>, set<Member>};
}

constexpr Setting all[] = {
    {"gravity", -30, 30, 0.01, false, [](const WorldDef& d) { return -double(d.gravity.y); },
     [](WorldDef& d, double v) { d.gravity.y = -float(v); }},
    {"solver", 0, 2, 1, true, [](const WorldDef& d) { return double(d.solver); },
     [](WorldDef& d, double v) { d.solver = SolverKind(int(v)); }},
    setting<&WorldDef::merging>("merging", 0, 1, 1, true),
    {"merge_speed", 0, 0.2, 0.001, false, [](const WorldDef& d) { return double(d.merge.speed); },
     [](WorldDef& d, double v) { d.merge.speed = float(v); }},
    {"merge_steps", 1, 60, 1, false, [](const WorldDef& d) { return double(d.merge.steps); },
     [](WorldDef& d, double v) { d.merge.steps = int(v); }},
    {"merge_rest", 0, 0.1, 0.001, false, [](const WorldDef& d) { return double(d.merge.rest); },
     [](WorldDef& d, double v) { d.merge.rest = float(v); }},
    setting<&WorldDef::sleeping>("sleeping", 0, 1, 1),
    setting<&WorldDef::threads>("threads", 0, 16, 1),
    setting<&WorldDef::substeps>("substeps", 1, 32, 1),
    setting<&WorldDef::iterations>("iterations", 1, 200, 1),
    setting<&WorldDef::contact_hertz>("contact_hertz", 5, 240, 1),
    setting<&WorldDef::contact_damping_ratio>("contact_damping_ratio", 0, 20, 0.1),
    setting<&WorldDef::push_speed>("push_speed", 0, 20, 0.1),
    setting<&WorldDef::restitution_threshold>("restitution_threshold", 0, 10, 0.1),
    setting<&WorldDef::erp>("erp", 0, 1, 0.01),
    setting<&WorldDef::slop>("slop", 0, 0.05, 0.001),
    setting<&WorldDef::sleep_speed>("sleep_speed", 0, 1, 0.01),
    setting<&WorldDef::sleep_delay>("sleep_delay", 0, 5, 0.1),
    setting<&WorldDef::continuous>("continuous", 0, 1, 1),
    setting<&WorldDef::gyroscopic>("gyroscopic", 0, 1, 1),
};

} // namespace

std::span<const Setting> settings() { return all; }

const Setting* find_setting(std::string_view name)
{
    const auto* found = std::find_if(std::begin(all), std::end(all), [&](const Setting& s) { return s.name == name; });
    return found == std::end(all) ? nullptr : found;
}

} // namespace moraine::viewer
