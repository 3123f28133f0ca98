#include "scene/catalogue.h"

#include "scene/catalogue_scenes.h"
#include "scene/nearest.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace moraine
{

namespace
{

struct Family
{
    std::string_view name;
    std::span<const CatalogueEntry> (*scenes)();
};
// In the order they are shown.
constexpr Family families[] = {
    {"carriers", carrier_scenes},
    {"carriers", rider_scenes},
    {"carriers", port_scenes},
    {"carriers", handling_scenes},
    {"swings", swing_scenes},
    {"merging", merging_scenes},
    {"stacks", stack_scenes},
    {"piles", pile_scenes},
    {"joints", joint_scenes},
    {"distributed", distributed_scenes},
    {"contact graph", graph_scenes},
    {"response", response_scenes},
    {"response", large_response_scenes},
    {"all at once", demo_scenes},
};

std::vector<CatalogueEntry> gather_entries()
{
    std::vector<CatalogueEntry> entries;
    for (const Family& family : families)
        for (CatalogueEntry entry : family.scenes())
        {
            entry.family = family.name;
            entries.push_back(entry);
        }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
}

std::string shown(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return std::string(text, end);
}

Result<double> parse_parameter(const CatalogueParameter& parameter, const std::string& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
    const std::string name(parameter.name);
    if (!is_number || (parameter.is_whole && value != std::floor(value)))
        return Error{"parameter " + name + " is \"" + text + "\"; give " +
                     (parameter.is_whole ? "a whole number" : "a number") + " such as " + shown(parameter.value)};
    if (value < parameter.lower || value > parameter.upper)
        return Error{"parameter " + name + " is " + text + "; give " + shown(parameter.lower) + " to " +
                     shown(parameter.upper)};
    return value;
}

} // namespace

ParameterValues::ParameterValues(std::span<const CatalogueParameter> parameters, std::vector<double> values)
    : parameters_(parameters),
      values_(std::move(values))
{}

double ParameterValues::at(std::string_view name) const
{
    for (size_t i = 0; i < parameters_.size(); ++i)
        if (parameters_[i].name == name)
            return values_[i];
    return 0;
}

std::span<const CatalogueEntry> catalogue()
{
    static const std::vector<CatalogueEntry> entries = gather_entries();
    return entries;
}

std::vector<std::string_view> catalogue_families()
{
    std::vector<std::string_view> names;
    for (const Family& family : families)
        if (names.empty() || names.back() != family.name) // several files, one family
            names.push_back(family.name);
    return names;
}

const CatalogueEntry* find_catalogue_entry(std::string_view name)
{
    for (const CatalogueEntry& entry : catalogue())
        if (entry.name == name)
            return &entry;
    return nullptr;
}

Result<SceneDescription> build_catalogue_scene(const CatalogueEntry& entry, const SceneParameters& parameters)
{
    const std::string prefix = "scene " + std::string(entry.name) + ": ";
    std::vector<double> values;
    std::vector<std::string> names;
    for (const CatalogueParameter& parameter : entry.parameters)
    {
        values.push_back(parameter.value);
        names.emplace_back(parameter.name);
    }
    for (const auto& [name, text] : parameters)
    {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end() && names.empty())
            return Error{prefix + "it has no parameters; leave out --param " + name};
        if (found == names.end())
        {
            std::string known;
            for (const std::string& other : names)
                known += (known.empty() ? "" : ", ") + other;
            return Error{prefix + "unknown parameter \"" + name + "\"; it has " + known};
        }
        const size_t index = size_t(found - names.begin());
        Result<double> value = parse_parameter(entry.parameters[index], text);
        if (!value)
            return Error{prefix + value.error().message};
        values[index] = *value;
    }
    SceneDescription scene = entry.build(ParameterValues(entry.parameters, std::move(values)));
    scene.name = entry.name;
    scene.description = entry.description;
    return scene;
}

} // namespace moraine
