#include "viewer/settings.h"

#include "scene/format.h"

#include <algorithm>
#include <cmath>

namespace moraine::viewer
{

namespace
{

// Where a slider should reach. What has no line here reaches ten times as far as its default.
struct Reach
{
    std::string_view name;
    double lower, upper, step;
};
constexpr Reach reaches[] = {
    {"gravity", -30, 30, 0.01},
    {"dt", 1.0 / 1000, 1.0 / 20, 1e-5},
    {"threads", 0, 16, 1},
    {"substeps", 1, 32, 1},
    {"iterations", 1, 200, 1},
    {"erp", 0, 1, 0.01},
    {"cfm", 0, 0.01, 1e-5},
    {"slop", 0, 0.05, 0.001},
    {"contact_hertz", 5, 240, 1},
    {"contact_damping_ratio", 0, 20, 0.1},
    {"push_speed", 0, 20, 0.1},
    {"restitution_threshold", 0, 10, 0.1},
    {"sleep_speed", 0, 1, 0.01},
    {"sleep_delay", 0, 5, 0.1},
    {"sleep_energy", 0, 10, 0.01},
    {"hit_speed", 0, 20, 0.1},
    {"warp_depth", 0.001, 0.2, 0.001},
    {"warp_steps", 1, 64, 1},
    {"merge_speed", 0, 0.2, 0.001},
    {"merge_steps", 1, 60, 1},
    {"merge_rest", 0, 0.1, 0.001},
    {"response_threshold", 0, 10, 0.01},
    {"response_wake_speed", 0, 1, 0.001},
    {"workers_growth_depth", 0, 20, 1},
    {"workers_search_depth", 0, 20, 1},
};

// By how the name begins, the longest first.
constexpr std::pair<std::string_view, std::string_view> families[] = {
    {"merg", "merging"},
    {"response", "response"},
    {"workers", "workers"},
    {"sleep", "sleeping"},
    {"warp", "contact graph"},
    {"time_warp", "contact graph"},
    {"coherence", "contact graph"},
    {"proximity", "contact graph"},
    {"event", "contact graph"},
    {"hit", "contact graph"},
    {"contact_groups", "contact graph"},
    {"caching", "contact graph"},
    {"tweaking", "contact graph"},
    {"reduction", "contact graph"},
    {"zeroing", "contact graph"},
    {"damping", "contact graph"},
    {"subgrouping", "contact graph"},
    {"fixation", "contact graph"},
    {"gravity", "world"},
    {"dt", "world"},
    {"threads", "world"},
    {"continuous", "world"},
    {"gyroscopic", "world"},
};

std::string_view family_of(std::string_view name)
{
    for (const auto& [begin, family] : families)
        if (name.starts_with(begin))
            return family;
    return "solver";
}

bool needs_restart(std::string_view name)
{
    return name == "solver" || name == "merging" || name == "dt" || name.starts_with("workers_");
}

// Sees every member of the world's definition by its name in scene files.
template <class See>
struct Visitor
{
    See see;
    std::string prefix{};

    template <class T>
    void operator()(std::string_view name, T& member, Range range = Range::any)
    {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
            see(prefix + std::string(name), member, range);
        else if constexpr (std::is_same_v<T, Vec3>) // gravity: along the axis that scenes use
            see(prefix + std::string(name), member.y, range);
    }
};

template <class See>
void see_all(SceneDescription& scene, See&& see)
{
    see(std::string("dt"), scene.dt, Range::positive);
    Visitor<See&> visitor{see};
    describe(visitor, scene.world);
    visitor("slop", scene.world.slop, Range::not_negative);
    visitor.prefix = "merge_";
    describe(visitor, scene.world.merge);
    visitor.prefix = "response_";
    describe(visitor, scene.world.response);
    visitor.prefix = "workers_";
    describe(visitor, scene.distribute);
}

template <class T>
Setting setting_of(const std::string& name, const T& member, Range range)
{
    Setting s{.name = name, .family = std::string(family_of(name)), .value = double(member)};
    s.restarts = needs_restart(name);
    s.is_switch = std::is_same_v<T, bool>;
    s.step = std::is_integral_v<T> || std::is_enum_v<T> ? 1 : 0;
    if constexpr (std::is_enum_v<T>)
    {
        for (const auto& choice : enum_names<T>)
            s.choices.emplace_back(choice.name);
        s.upper = double(s.choices.size() - 1);
    }
    else if constexpr (!std::is_same_v<T, bool>)
    {
        s.lower = range == Range::whole_positive ? 1 : 0;
        s.upper = 10 * std::max(std::fabs(s.value), s.step > 0 ? 1.0 : 1e-3);
        for (const Reach& reach : reaches)
            if (reach.name == name)
                s.lower = reach.lower, s.upper = reach.upper, s.step = reach.step;
    }
    return s;
}

const std::vector<Setting>& default_settings()
{
    static const std::vector<Setting> all = [] {
        std::vector<Setting> made;
        SceneDescription plain;
        see_all(plain, [&](const std::string& name, auto& member, Range range) {
            made.push_back(setting_of(name, member, range));
        });
        return made;
    }();
    return all;
}

} // namespace

std::vector<Setting> settings_of(const SceneDescription& scene)
{
    std::vector<Setting> all = default_settings();
    SceneDescription copy;
    copy.dt = scene.dt;
    copy.world = scene.world;
    copy.distribute = scene.distribute;
    size_t i = 0;
    see_all(copy, [&](const std::string&, auto& member, Range) {
        Setting& s = all[i++];
        s.value = double(member);
        // A scene may ask for more than a slider would offer.
        s.lower = std::min(s.lower, s.value);
        s.upper = std::max(s.upper, s.value);
    });
    return all;
}

bool set_setting(std::string_view wanted, double value, SceneDescription& scene)
{
    const std::vector<Setting> all = settings_of(scene);
    size_t i = 0;
    bool is_found = false;
    see_all(scene, [&](const std::string& name, auto& member, Range) {
        const Setting& s = all[i++];
        if (name != wanted)
            return;
        const double inside = std::clamp(value, s.lower, s.upper);
        member = std::remove_reference_t<decltype(member)>(s.step == 1 ? std::round(inside) : inside);
        is_found = true;
    });
    return is_found;
}

} // namespace moraine::viewer
