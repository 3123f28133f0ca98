#include "cli/summary.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace moraine::cli
{

namespace
{

using Json = nlohmann::ordered_json;

// Seven digits are all that was measured; the rest is noise from float to double.
double rounded(double value) { return std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr); }

Json milliseconds_json(const Statistics& statistics)
{
    const Percentiles ms = statistics.milliseconds();
    Json phases = Json::object();
    for (int i = 0; i < int(Phase::count); ++i)
        phases[phase_name(Phase(i))] = rounded(statistics.phase_mean(Phase(i)));
    return {{"mean", rounded(ms.mean)},
            {"p50", rounded(ms.p50)},
            {"p99", rounded(ms.p99)},
            {"max", rounded(ms.max)},
            {"phases", phases}};
}

// The three phases that cost most, as "collide 0.41, solve 0.30, ...".
std::string dearest_phases(const Statistics& statistics)
{
    std::vector<std::pair<double, const char*>> phases;
    for (int i = 0; i < int(Phase::count); ++i)
        phases.emplace_back(statistics.phase_mean(Phase(i)), phase_name(Phase(i)));
    std::stable_sort(phases.begin(), phases.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (size_t i = 0; i < 3 && phases[i].first > 0; ++i)
        text += fmt::format("{}{} {:.3g}", i == 0 ? "" : ", ", phases[i].second, phases[i].first);
    return text;
}

// Metres in the unit that reads best.
std::string length_text(double metres)
{
    return metres < 1 ? fmt::format("{:.3g} mm", metres * 1000) : fmt::format("{:.3g} m", metres);
}

} // namespace

std::string to_json(const Summary& s)
{
    const Statistics& t = s.statistics;
    Json json;
    json["scene"] = s.scene;
    json["steps"] = s.steps;
    json["first_step"] = s.first_step;
    json["dt"] = rounded(double(s.dt));
    json["threads"] = s.threads;
    json["state_hash"] = fmt::format("{:016x}", s.state_hash);
    if (s.is_interrupted)
        json["interrupted"] = true;
    json["bodies"] = {{"total", s.bodies},
                      {"dynamic", s.bodies_dynamic},
                      {"movers_mean", rounded(t.movers_mean())},
                      {"merged_mean", rounded(t.merged_mean())},
                      {"asleep_mean", rounded(t.asleep_mean())}};
    json["contacts"] = {{"solved_mean", rounded(t.solved_mean())}, {"internal_mean", rounded(t.internal_mean())}};
    json["graph"] = {{"touching_mean", rounded(t.touching_mean())}, {"tested_mean", rounded(t.tested_mean())},
                     {"followed_mean", rounded(t.followed_mean())}, {"unchanged_mean", rounded(t.unchanged_mean())},
                     {"groups_warped", t.groups_warped()},          {"warp_steps", t.warp_steps()}};
    json["merging"] = {{"merges", t.merges()}, {"unmerges", t.unmerges()}, {"collections_end", t.last().collections}};
    json["ms_per_step"] = milliseconds_json(t);
    json["quality"] = {{"penetration_max", rounded(t.penetration_max())},
                       {"penetration_mean", rounded(t.penetration_mean())},
                       {"joint_error_max", rounded(t.joint_error_max())},
                       {"energy_start", rounded(s.energy_start)},
                       {"energy_end", rounded(s.energy_end)},
                       {"carrier_drift_max", rounded(s.carrier_drift_max)}};
    if (!s.distributed_json.empty())
        json["distributed"] = Json::parse(s.distributed_json);
    // Names from files may hold anything: broken characters are replaced, never a reason to fail.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const Summary& s)
{
    const Statistics& t = s.statistics;
    const uint64_t run = s.steps - s.first_step;
    const Percentiles ms = t.milliseconds();
    std::string text;
    const auto line = [&text]<class... Args>(const char* label, fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text), "  {:<12}", label);
        fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
        text += '\n';
    };

    const double simulated = double(run) * double(s.dt);
    const double speed = s.wall_seconds > 0 ? simulated / s.wall_seconds : 0;
    text += fmt::format("{}{}\n", s.scene, s.is_interrupted ? " (interrupted)" : "");
    line("run", "{} steps of {:.4g} ms: {:.4g} s simulated in {:.3g} s, {} times real time", run, double(s.dt) * 1000,
         simulated, s.wall_seconds, speed < 100 ? fmt::format("{:.3g}", speed) : fmt::format("{:.0f}", speed));
    if (s.first_step > 0)
        line("reached", "step {}, {:.4g} s", s.steps, s.time);
    line("bodies", "{} ({} dynamic), {} joints", s.bodies, s.bodies_dynamic, s.joints);
    if (t.steps() > 0)
    {
        line("step", "{:.3g} ms mean, {:.3g} median, {:.3g} p99, {:.3g} max, {} thread{}", ms.mean, ms.p50, ms.p99,
             ms.max, s.threads, s.threads == 1 ? "" : "s");
        line("phases", "{} ms", dearest_phases(t));
        line("on average",
             "{:.0f} movers awake, {:.0f} bodies merged, {:.0f} asleep, {:.0f} contacts solved, {:.0f} internal",
             t.movers_mean(), t.merged_mean(), t.asleep_mean(), t.solved_mean(), t.internal_mean());
        line("merging", "{} merges, {} unmerges, {} collections at the end", t.merges(), t.unmerges(),
             t.last().collections);
        line("penetration", "{} max, {} mean", length_text(t.penetration_max()), length_text(t.penetration_mean()));
        if (s.joints > 0)
            line("joints", "{} largest gap", length_text(t.joint_error_max()));
        if (s.riders > 0)
            line("drift", "{} largest, of {} bodies on what carries them", length_text(s.carrier_drift_max), s.riders);
        line("energy", "{:.6g} J to {:.6g} J", s.energy_start, s.energy_end);
    }
    text += s.distributed_text;
    line("state", "{:016x}", s.state_hash);
    return text;
}

} // namespace moraine::cli
