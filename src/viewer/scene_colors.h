// The colours that a scene gives its bodies.
#pragma once

#include "record/view_state.h"
#include "scene/description.h"

namespace moraine::viewer
{

// Bodies that come later have none of their own.
ColorOf scene_colors(const Scene& scene);

} // namespace moraine::viewer
