// The XML scenes of the reference implementation of adaptive merging: plain bodies, springs, magnets, a factory.
#pragma once

#include "scene/description.h"

namespace moraine
{

// Parameters: factory (seconds between clones; 0 is off), factory_spread (metres), factory_seed.
Result<SceneDescription> load_reference_scene(const std::string& path, const SceneParameters& parameters = {});

} // namespace moraine
