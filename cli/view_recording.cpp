#include "cli/view_recording.h"

#include "cli/start_recording.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace moraine::cli
{

namespace
{

// run.mrec, run-2.mrec, run-3.mrec, …: nobody has asked for these names, so none is written over.
std::string next_free_name(const std::string& first)
{
    const std::filesystem::path path = first;
    for (int number = 2;; ++number)
    {
        std::filesystem::path next = path;
        next.replace_filename(fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string()));
        std::error_code ignored;
        if (!std::filesystem::exists(next, ignored))
            return next.string();
    }
}

} // namespace

ViewRecording::ViewRecording(const RunOptions& options, Channels channels, viewer::ContactsOf contacts_of)
    : options_(options),
      channels_(std::move(channels)),
      contacts_of_(std::move(contacts_of)),
      first_name_(options.record)
{
    if (options_.workers && !options_.record.empty() && options_.record_details.empty())
        options_.record_details = {"worker"};
}

Status ViewRecording::check(const Scene& scene) const
{
    if (const Status fine = check_record_details(options_, scene, channels_()); !fine || options_.record.empty())
        return fine;
    std::error_code ignored;
    const bool was_there = std::filesystem::exists(options_.record, ignored);
    std::FILE* file = std::fopen(options_.record.c_str(), "ab");
    if (file == nullptr)
        return Error{fmt::format("--record {}: cannot be written: {}", options_.record, std::strerror(errno))};
    std::fclose(file);
    if (!was_there)
        std::filesystem::remove(options_.record, ignored);
    return Ok{};
}

void ViewRecording::before_step(const Scene& scene, const viewer::SceneChoice& choice)
{
    if (recorder_ || has_failed_)
        return;
    RunOptions options = options_;
    options.parameters.clear();
    for (const auto& [name, value] : choice.parameters)
        options.parameters.push_back(name + "=" + value);
    auto recorder = start_recording(options, scene, channels_(), contacts_of_);
    if (recorder)
        recorder_ = std::move(*recorder);
    else
        fail(recorder.error().message);
}

void ViewRecording::after_step(const Scene& scene, const StepReport& report, std::optional<uint64_t> state_hash)
{
    if (!recorder_)
        return;
    recorder_->add(scene.world(), report, state_hash);
    if (recorder_->has_failed())
        close();
}

void ViewRecording::after_step_back(const Scene& scene)
{
    if (recorder_)
        recorder_->go_back(scene.world());
    if (recorder_ && recorder_->has_failed())
        close();
}

void ViewRecording::before_reload()
{
    if (!recorder_)
        return;
    close();
    options_.record = next_free_name(first_name_);
}

void ViewRecording::close()
{
    if (!recorder_)
        return;
    const Status closed = recorder_->close();
    if (closed)
        written_.push_back(fmt::format("{}: {} frames, {:.1f} MB", options_.record, recorder_->frame_count(),
                                       double(recorder_->bytes_written()) * 1e-6));
    else
        fail(closed.error().message);
    recorder_.reset();
}

// No second try: what is missing would be missing in the middle.
void ViewRecording::fail(const std::string& problem)
{
    problem_ = problem;
    has_failed_ = true;
}

} // namespace moraine::cli
