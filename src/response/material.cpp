// Materials by name: handbook values; damping such that things ring about as long as they do in a room.
#include "response/precompute.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

struct Preset
{
    const char* name;
    ElasticMaterial material;
};

constexpr Preset presets[] = {
    {"aluminium", {70e9, 0.33, 2700, 5, 1e-7}}, {"brick", {15e9, 0.20, 1900, 30, 1e-6}},
    {"ceramic", {72e9, 0.19, 2700, 6, 1e-7}},   {"concrete", {30e9, 0.20, 2400, 25, 2e-6}},
    {"glass", {65e9, 0.23, 2500, 5, 1e-7}},     {"hardwood", {12e9, 0.35, 750, 40, 2e-6}},
    {"plastic", {2.4e9, 0.37, 1200, 45, 5e-6}}, {"plywood", {8e9, 0.30, 600, 50, 4e-6}},
    {"rubber", {0.05e9, 0.48, 1100, 80, 1e-4}}, {"soil", {0.05e9, 0.35, 1800, 60, 1e-4}},
    {"steel", {200e9, 0.29, 7850, 5, 3e-8}},    {"stone", {50e9, 0.25, 2650, 20, 1e-6}},
    {"wood", {11e9, 0.30, 700, 45, 3e-6}},
};

} // namespace

const ElasticMaterial* find_material(const std::string& name)
{
    for (const Preset& preset : presets)
        if (name == preset.name)
            return &preset.material;
    return nullptr;
}

std::vector<std::string> material_names()
{
    std::vector<std::string> names;
    for (const Preset& preset : presets)
        names.push_back(preset.name);
    return names;
}

std::string check_material(const ElasticMaterial& m)
{
    if (!(m.young > 0) || !std::isfinite(m.young))
        return "Young's modulus must be positive";
    if (!(m.poisson > -1 && m.poisson < 0.5))
        return "the Poisson ratio must be above -1 and below 0.5; 0.49 is nearly incompressible";
    if (!(m.density > 0) || !std::isfinite(m.density))
        return "the density must be positive";
    if (!(m.alpha0 >= 0) || !(m.alpha1 >= 0) || !std::isfinite(m.alpha0 + m.alpha1))
        return "damping must not be negative";
    return "";
}

} // namespace moraine
