#include "cli/distributed_recording.h"

#include "cli/start_recording.h"

namespace moraine::cli
{

Result<std::unique_ptr<DistributedRecording>> DistributedRecording::create(const RunOptions& options,
                                                                           const SceneDescription& scene, int workers)
{
    if (options.record.empty())
        return std::unique_ptr<DistributedRecording>();
    auto followed = Scene::create(scene);
    if (!followed)
        return followed.error();
    return std::make_unique<DistributedRecording>(std::move(*followed), options, workers);
}

DistributedRecording::DistributedRecording(Scene scene, const RunOptions& options, int workers)
    : scene_(std::move(scene)),
      options_(options),
      colors_(std::make_shared<viewer::WorkerColors>(workers))
{
    // Next to nothing, and what one wants to see.
    if (options_.record_details.empty())
        options_.record_details = {"worker"};
}

void DistributedRecording::add(const distribute::Shown& shown)
{
    distribute::follow(shown, scene_);
    colors_->follow(shown, scene_);
    if (recorder_)
        return recorder_->add(scene_.world(), distribute::sum_up(shown.last), shown.state_hash);
    auto recorder = start_recording(options_, scene_, {viewer::WorkerColors::channel(colors_)});
    if (recorder)
        recorder_ = std::move(*recorder);
    else
        problem_ = recorder.error().message;
}

Status DistributedRecording::close()
{
    if (has_failed())
        return Error{problem_};
    return recorder_ ? recorder_->close() : Ok{};
}

} // namespace moraine::cli
