// The first division of a scene among workers: which worker has which body, before anything is shared.
#pragma once

#include "scene/description.h"

namespace moraine::distribute
{

// By body; -1 for static and kinematic ones, which every worker has.
Result<std::vector<int>> make_partition(const SceneDescription& scene, const DistributeDef& def, int workers);

bool has_metis();

} // namespace moraine::distribute
