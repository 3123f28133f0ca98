// A small picture of a scene, to choose it by.
#pragma once

#include "scene/description.h"

namespace moraine::viewer
{

std::string thumbnail_svg(const SceneDescription& scene);

} // namespace moraine::viewer
