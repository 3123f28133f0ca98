// Recordings and other files, as commands read and write them.
#pragma once

#include "record/recording.h"

namespace moraine::cli
{

// Warns where the recording breaks off.
Result<Recording> open_recording(const std::string& path);
Result<std::string> read_file(const std::string& path);
Status write_file(const std::string& path, std::string_view bytes); // "-" or nothing: the standard output

} // namespace moraine::cli
