// What a recording says about where it came from.
#pragma once

#include "record/recording.h"
#include "scene/description.h"

namespace moraine::cli
{

RecordInfo record_info(const Scene& scene, const std::vector<std::string>& parameters);

} // namespace moraine::cli
