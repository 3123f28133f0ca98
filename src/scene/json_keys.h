// The keys of each kind of object that is more than its description: kinds, references, files.
#pragma once

#include "scene/json_groups.h"

namespace moraine
{

const std::vector<std::string>& scene_keys();
const std::vector<std::string>& material_keys();
const std::vector<std::string>& contents_keys();
const std::vector<std::string>& body_keys();
const std::vector<std::string>& frame_keys();
const std::vector<std::string>& shape_keys(size_t kind);      // by index into geometry_names
const std::vector<std::string>& joint_keys(size_t kind);      // by index into joint_names
const std::vector<std::string>& joint_kind_keys(size_t kind); // the settings alone
const std::vector<std::string>& action_keys(size_t kind);     // by index into action_names
const std::vector<std::string>& group_keys(size_t kind);      // by index into layout_names

} // namespace moraine
