// The mode shapes of a scene's response models, for the page.
#pragma once

#include <optional>
#include <string>

namespace moraine::cli
{

// JSON; nothing where no body of the scene has a model. Models come from the cache of models or are made.
std::optional<std::string> describe_mode_shapes(const std::string& scene);

} // namespace moraine::cli
