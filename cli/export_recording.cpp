#include "cli/export_recording.h"

#include "cli/recording_file.h"
#include "viewer/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace moraine::cli
{

namespace
{

void add_poses(const Recording& recording, std::string& out)
{
    const ViewState& state = recording.state();
    for (int32_t i = 0; i < int32_t(state.bodies.size()); ++i)
    {
        if (!state.has_body(i))
            continue;
        const Pose pose = state.pose(i);
        const Quat q = pose.rotation;
        const ViewMover& mover = state.movers[size_t(state.bodies[size_t(i)].mover)];
        out += fmt::format("{},{:.6f},{},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f},{},{}\n",
                           recording.frame().step, recording.frame().time, i, pose.position.x, pose.position.y,
                           pose.position.z, q.x, q.y, q.z, q.w, int(mover.is_awake),
                           state.bodies[size_t(i)].collection);
    }
}

void add_numbers(const Recording& recording, std::string& out)
{
    out += fmt::format("{},{:.6f},{:016x}", recording.frame().step, recording.frame().time,
                       recording.frame().state_hash);
    for (float value : recording.frame().stats)
        out += fmt::format(",{:.7g}", value);
    out += '\n';
}

void add_events(const Recording& recording, std::string& out)
{
    for (const FrameEvent& event : recording.frame().events)
        out += fmt::format("{},{:.6f},{},{},{},{:.6g}\n", recording.frame().step, recording.frame().time,
                           event_name(event.kind), event.a, event.b, event.value);
}

size_t stride_of(const Recording& recording, const RecordingExport& options, double usual)
{
    const double dt = recording.info().dt > 0 ? recording.info().dt : 1.0 / 60;
    const double wanted = options.frames_per_second.value_or(usual);
    return wanted <= 0 ? 1 : size_t(std::max(1.0, std::round(1 / (wanted * dt))));
}

Status write_html(const RecordingExport& options)
{
    if (!viewer::has_pages())
        return Error{"this program was built without its page: install npm and build again"};
    const auto bytes = read_file(options.file);
    if (!bytes)
        return bytes.error();
    return write_file(options.output, viewer::page_with_recording(*bytes));
}

} // namespace

Result<std::string> to_csv(Recording& recording, const std::string& table, size_t stride)
{
    std::string out;
    if (table == "poses")
        out = "step,time,body,x,y,z,qx,qy,qz,qw,awake,collection\n";
    else if (table == "numbers")
    {
        out = "step,time,state_hash";
        for (const std::string& name : recording.info().stat_names)
            out += "," + name;
        out += '\n';
    }
    else
        out = "step,time,event,a,b,value\n";
    for (size_t frame = 0; frame < recording.frame_count(); frame += table == "events" ? 1 : stride)
    {
        if (Status status = recording.seek(frame); !status)
            return status.error();
        if (table == "poses")
            add_poses(recording, out);
        else if (table == "numbers")
            add_numbers(recording, out);
        else
            add_events(recording, out);
    }
    return out;
}

Status export_recording(const RecordingExport& options)
{
    auto recording = open_recording(options.file);
    if (!recording)
        return recording.error();
    const std::string ending = std::filesystem::path(options.output).extension().string();
    if (ending == ".html")
        return write_html(options);
    if (ending == ".mp4" || ending == ".png")
        return export_pictures(*recording, options, stride_of(*recording, options, 30));
    if (ending != ".csv" && ending != ".glb")
        return Error{fmt::format("-o {}: a recording becomes .html, .csv, .glb, .mp4 or .png, by the name's ending",
                                 options.output.empty() ? "FILE" : options.output)};
    const auto bytes = ending == ".csv" ? to_csv(*recording, options.table, stride_of(*recording, options, 0))
                                        : to_glb(*recording, stride_of(*recording, options, 30));
    if (!bytes)
        return bytes.error();
    return write_file(options.output, *bytes);
}

} // namespace moraine::cli
