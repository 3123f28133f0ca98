// Channels as the page is told of them.
#pragma once

#include "viewer/channels.h"

#include <nlohmann/json.hpp>

namespace moraine::viewer
{

nlohmann::json describe_channels(std::span<const Channel> channels);

} // namespace moraine::viewer
