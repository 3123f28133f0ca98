// What the scenes of distant collision response show, in figures.
#pragma once

#include <moraine/result.h>

#include <string>
#include <vector>

namespace moraine::bench
{

// A sentence for each scene.
Result<std::vector<std::string>> describe_response_scenes();

} // namespace moraine::bench
