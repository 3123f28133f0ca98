// The settings of a world that a page can change, with their ranges: all that a scene file can set.
#pragma once

#include "scene/description.h"

#include <string>
#include <string_view>
#include <vector>

namespace moraine::viewer
{

struct Setting
{
    std::string name{};
    std::string family{};
    double value = 0;
    double lower = 0, upper = 1, step = 0;
    bool is_switch = false;
    bool restarts = false;              // only from the beginning of the scene
    std::vector<std::string> choices{}; // value i is choice i
};

std::vector<Setting> settings_of(const SceneDescription& scene);

// Within its range; false where no setting has this name.
bool set_setting(std::string_view name, double value, SceneDescription& scene);

} // namespace moraine::viewer
