// What is simulated while a page looks on, as recordings: one for each time the scene begins.
#pragma once

#include "cli/run_options.h"
#include "record/recording.h"
#include "viewer/simulation.h"

namespace moraine::cli
{

class ViewRecording : public viewer::Witness
{
public:
    using Channels = std::function<std::vector<viewer::Channel>()>;
    ViewRecording(const RunOptions& options, Channels channels, viewer::ContactsOf contacts_of = {});

    // Whether all that is asked for can be written, before anything is; a file that exists is left as it is.
    Status check(const Scene& scene) const;

    // The first step begins the file: who only looked has written over nothing.
    void before_step(const Scene& scene, const viewer::SceneChoice& choice) override;
    void after_step(const Scene& scene, const StepReport& report, std::optional<uint64_t> state_hash) override;
    void after_step_back(const Scene& scene) override;
    void before_reload() override;
    std::string name() const override { return options_.record; }

    std::string take_problem() { return std::exchange(problem_, {}); } // what has gone wrong since it was last asked
    bool has_failed() const { return has_failed_; }
    void close();
    const std::vector<std::string>& written() const { return written_; } // a line for each file

private:
    void fail(const std::string& problem);

    RunOptions options_;
    Channels channels_;
    viewer::ContactsOf contacts_of_;
    std::string first_name_;
    std::optional<Recorder> recorder_;
    std::string problem_;
    bool has_failed_ = false;
    std::vector<std::string> written_;
};

} // namespace moraine::cli
