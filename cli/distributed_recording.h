// A distributed run as one recording, made on rank 0.
#pragma once

#include "cli/run_options.h"
#include "record/recording.h"
#include "viewer/worker_run.h"

namespace moraine::cli
{

class DistributedRecording
{
public:
    // Nothing where no recording is asked for.
    static Result<std::unique_ptr<DistributedRecording>> create(const RunOptions& options,
                                                                const SceneDescription& scene, int workers);
    DistributedRecording(Scene scene, const RunOptions& options, int workers);

    void add(const distribute::Shown& shown); // the first begins the file
    bool wants_contacts() const;              // of workers, in every step
    bool has_failed() const { return !problem_.empty(); }
    Status close();

private:
    Scene scene_;
    RunOptions options_;
    std::shared_ptr<viewer::WorkerKnowledge> known_;
    std::optional<Recorder> recorder_;
    std::string problem_;
};

} // namespace moraine::cli
