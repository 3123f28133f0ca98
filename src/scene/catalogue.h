// The built-in scenes, shared by tests, bench and command line.
#pragma once

#include "scene/description.h"

#include <span>
#include <string_view>

namespace moraine
{

struct CatalogueParameter
{
    std::string_view name;
    double value = 0; // when it is not given
    double lower = 0;
    double upper = 0;
    bool is_whole = true;
    std::string_view description;
};

// The values of an entry's parameters, in the entry's order.
class ParameterValues
{
public:
    ParameterValues(std::span<const CatalogueParameter> parameters, std::vector<double> values);
    double at(std::string_view name) const;
    int count(std::string_view name) const { return int(at(name)); }
    float number(std::string_view name) const { return float(at(name)); }

private:
    std::span<const CatalogueParameter> parameters_;
    std::vector<double> values_;
};

struct CatalogueEntry
{
    std::string_view name;
    std::string_view description; // one line
    std::span<const CatalogueParameter> parameters;
    SceneDescription (*build)(const ParameterValues& values);
    std::string_view family{}; // what it is listed under; the catalogue fills it in
};

std::span<const CatalogueEntry> catalogue();        // sorted by name
std::vector<std::string_view> catalogue_families(); // in the order they are shown
const CatalogueEntry* find_catalogue_entry(std::string_view name);
Result<SceneDescription> build_catalogue_scene(const CatalogueEntry& entry, const SceneParameters& parameters = {});

} // namespace moraine
