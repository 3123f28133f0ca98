// METIS, where this build has it.
#pragma once

#include "scene/description.h"

#include <span>

namespace moraine::distribute
{

bool metis_is_there();
// Few joints and near neighbours between parts of equal weight. `parts` gets the worker of each of `bodies`.
Status partition_with_metis(const SceneDescription& scene, std::span<const int> bodies, int workers,
                            std::vector<int>& parts);

} // namespace moraine::distribute
