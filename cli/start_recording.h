// The recording of a run: where it came from, and what it shows besides the bodies.
#pragma once

#include "cli/run_options.h"
#include "record/recording.h"
#include "viewer/channels.h"

namespace moraine::cli
{

Result<Recorder> start_recording(const RunOptions& options, const Scene& scene, std::vector<viewer::Channel> channels);

} // namespace moraine::cli
