// The first division of a scene among workers: which worker has which body, before anything is shared.
#pragma once

#include "distribute/balance.h"
#include "scene/description.h"

namespace moraine::distribute
{

// By body; -1 for static and kinematic ones, which every worker has. `touching` says what a cut between bodies costs, besides
// the joints of the scene.
Result<std::vector<int>> make_partition(const SceneDescription& scene, const DistributeDef& def, int workers,
                                        std::span<const ContactPair> touching = {});

bool has_metis();

} // namespace moraine::distribute
