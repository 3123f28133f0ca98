// The recording of a run: where it came from, and what it shows besides the bodies.
#pragma once

#include "cli/run_options.h"
#include "record/recording.h"
#include "viewer/channels.h"

namespace moraine::cli
{

// Whether --record-details makes sense for this scene.
Status check_record_details(const RunOptions& options, const Scene& scene, std::vector<viewer::Channel> channels);
Result<Recorder> start_recording(const RunOptions& options, const Scene& scene, std::vector<viewer::Channel> channels,
                                 viewer::ContactsOf contacts_of = {});

} // namespace moraine::cli
