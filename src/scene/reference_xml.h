// The XML scenes of the reference implementation of adaptive merging: plain bodies, springs, magnets, a factory.
#pragma once

#include "scene/description.h"

namespace moraine
{

// What needs a key press in their program is a parameter here, 0 for not at all:
//   factory         seconds between clones of the unpinned parts, which are taken out of the scene
//   factory_spread  metres to each side of the parts' mean position (5)
//   factory_seed    (1)
//   magnet          the time at which magnets are switched on, seconds
//   spinner         how often the spinners have been turned on before the start
Result<SceneDescription> load_reference_scene(const std::string& path, const SceneParameters& parameters = {});

} // namespace moraine
