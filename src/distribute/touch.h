// Do two bodies that no world holds together touch?
#pragma once

#include "distribute/messages.h"
#include "scene/description.h"

namespace moraine::distribute
{

// As near as contacts are made, and as they will come in the next step.
bool may_touch(const SceneDescription& scene, const BoundaryBody& a, const BoundaryBody& b, float dt);
// By filters and joints: do they collide at all?
bool can_collide(const SceneDescription& scene, std::span<const std::vector<int32_t>> joints_of, int32_t a, int32_t b);

} // namespace moraine::distribute
