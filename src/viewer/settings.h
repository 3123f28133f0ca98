// The settings of a world that a page can change, with their ranges.
#pragma once

#include <moraine/defs.h>

#include <span>
#include <string_view>

namespace moraine::viewer
{

struct Setting
{
    std::string_view name;
    double lower = 0, upper = 1, step = 0; // step 1: whole numbers; upper 1, lower 0, step 1: a switch
    bool restarts = false;                 // only from the beginning of the scene
    double (*value)(const WorldDef&) = nullptr;
    void (*set)(WorldDef&, double) = nullptr;
};

std::span<const Setting> settings();
const Setting* find_setting(std::string_view name);

} // namespace moraine::viewer
