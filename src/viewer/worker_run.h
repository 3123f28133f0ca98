// A scene whose steps several workers take, step by step as somebody watches, and what they alone know: who has which
// body, and where bodies touch.
#pragma once

#include "distribute/run.h"
#include "viewer/simulation.h"

#include <condition_variable>
#include <thread>

namespace moraine::viewer
{

class WorkerKnowledge
{
public:
    explicit WorkerKnowledge(int workers) : workers_(workers) {}
    void follow(const distribute::Shown& shown, const Scene& scene);

    // The worker of each body as its colour; a shared one has those of all that have it, mixed as their copies are
    // blended. Then what contacts tell.
    static std::vector<Channel> channels(const std::shared_ptr<WorkerKnowledge>& known);
    static ContactsOf contacts_of(const std::shared_ptr<WorkerKnowledge>& known);

private:
    int workers_;
    std::vector<float> colors_; // by the index of the body's handle
    std::vector<ContactInfo> contacts_;
};

class WorkerRun : public Stepper
{
public:
    // Before the first step; `scene` stands where the workers begin.
    static Result<std::unique_ptr<Stepper>> create(Scene& scene, int workers, std::shared_ptr<WorkerKnowledge> known);
    WorkerRun(std::shared_ptr<const SceneDescription> scene, int workers, std::shared_ptr<WorkerKnowledge> known);
    ~WorkerRun() override;
    Result<StepReport> step(Scene& scene) override;
    uint64_t state_hash() const override { return shown_.state_hash; }

private:
    void show(const distribute::Shown& shown);
    Status wait_for_shown(Scene& scene);

    std::shared_ptr<WorkerKnowledge> known_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopping_ = false, has_ended_ = false;
    int allowed_ = 0; // steps that may be taken
    bool is_shown_ = false;
    distribute::Shown shown_;
    std::string problem_;
    std::thread thread_; // rank 0; last, so that all else is there before it runs
};

} // namespace moraine::viewer
