#include "cli/distributed_recording.h"

#include "cli/start_recording.h"

#include <algorithm>

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
      known_(std::make_shared<viewer::WorkerKnowledge>(workers))
{
    // Next to nothing, and what one wants to see.
    if (options_.record_details.empty())
        options_.record_details = {"worker"};
}

bool DistributedRecording::wants_contacts() const
{
    const auto& words = options_.record_details;
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "all" || word == "contacts" || word == "contact_count" || word == "contact_force";
    });
}

void DistributedRecording::add(const distribute::Shown& shown)
{
    distribute::follow(shown, scene_);
    known_->follow(shown, scene_);
    if (recorder_)
        return recorder_->add(scene_.world(), distribute::sum_up(shown.last), shown.state_hash);
    auto recorder = start_recording(options_, scene_, viewer::WorkerKnowledge::channels(known_),
                                    viewer::WorkerKnowledge::contacts_of(known_));
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
