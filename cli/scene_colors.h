// The colours that a scene gives its bodies, for whoever draws them.
#pragma once

#include "record/recording.h"
#include "scene/description.h"

namespace moraine::cli
{

// Bodies that a scene creates later have none of their own.
ColorOf scene_colors(const Scene& scene);

// What a recording says about where it came from.
RecordInfo record_info(const Scene& scene, const std::vector<std::string>& parameters);

} // namespace moraine::cli
