// A vibration model by itself as a scene, to look at.
#pragma once

#include "scene/description.h"

namespace moraine
{

Result<SceneDescription> load_model_scene(const std::string& path);

} // namespace moraine
