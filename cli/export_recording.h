// A recording in other forms.
#pragma once

#include "record/recording.h"

#include <optional>

namespace moraine::cli
{

struct RecordingExport
{
    std::string file{};
    std::string output{};
    std::string table = "poses"; // of a .csv: poses, numbers, events
    std::optional<double> frames_per_second{};
    int width = 1280, height = 720;
    // Of pictures: one of the viewer's ways to colour, and what is drawn besides bodies.
    std::string color = "body";
    std::vector<std::string> overlays{};
};

// The form follows from the output's ending: .csv, .glb, .html, .mp4, .png (one for each frame).
Status export_recording(const RecordingExport& options);

Result<std::string> to_csv(Recording& recording, const std::string& table, size_t stride);
Result<std::string> to_glb(Recording& recording, size_t stride);
Status export_pictures(const Recording& recording, const RecordingExport& options, size_t stride);

} // namespace moraine::cli
