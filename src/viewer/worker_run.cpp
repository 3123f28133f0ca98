#include "viewer/worker_run.h"

#include <limits>

namespace moraine::viewer
{

void WorkerKnowledge::follow(const distribute::Shown& shown, const Scene& scene)
{
    colors_.assign(size_t(scene.world().data().bodies.capacity()), 0);
    std::vector<ColorShare> shares;
    for (size_t body = 0; body < shown.masks.size(); ++body)
    {
        shares.clear();
        distribute::for_each_worker(shown.masks[body], [&](int worker) {
            const std::vector<float>& weights = shown.weights[body];
            const size_t number = shares.size();
            const float equal = 1 / float(distribute::count_of(shown.masks[body]));
            shares.push_back({category_color(uint32_t(worker)), number < weights.size() ? weights[number] : equal});
        });
        if (const BodyId id = scene.bodies()[body]; id)
            colors_[id.index] = float(mixed_color(shares));
    }
    contacts_ = distribute::contacts_of(shown, scene);
}

std::vector<Channel> WorkerKnowledge::channels(const std::shared_ptr<WorkerKnowledge>& known)
{
    constexpr int named = 8; // more would hide the picture
    Channel worker{.name = "worker", .label = "worker", .kind = ChannelKind::color};
    for (int i = 0; i < std::min(known->workers_, named); ++i)
        worker.legend.push_back({category_color(uint32_t(i)), (i == 0 ? "worker " : "") + std::to_string(i)});
    worker.values_of = [known](const World&, std::vector<float>& values) { values = known->colors_; };
    std::vector<Channel> all = contact_channels(contacts_of(known));
    all.insert(all.begin(), std::move(worker));
    return all;
}

ContactsOf WorkerKnowledge::contacts_of(const std::shared_ptr<WorkerKnowledge>& known)
{
    return [known](const World&) { return known->contacts_; };
}

Result<std::unique_ptr<Stepper>> WorkerRun::create(Scene& scene, int workers, std::shared_ptr<WorkerKnowledge> known)
{
    auto description = std::make_shared<const SceneDescription>(scene.description());
    auto run = std::make_unique<WorkerRun>(std::move(description), workers, std::move(known));
    if (const Status begun = run->wait_for_shown(scene); !begun)
        return begun.error();
    return std::unique_ptr<Stepper>(std::move(run));
}

WorkerRun::WorkerRun(std::shared_ptr<const SceneDescription> scene, int workers, std::shared_ptr<WorkerKnowledge> known)
    : known_(std::move(known)),
      thread_([this, scene = std::move(scene), workers] {
          const distribute::RunSettings settings{.steps = std::numeric_limits<uint64_t>::max(),
                                                 .observe =
                                                     [this](const distribute::ServerStep&, uint64_t) {
                                                         const std::lock_guard lock(mutex_);
                                                         return distribute::Decision{.stops = is_stopping_};
                                                     },
                                                 .show = [this](const distribute::Shown& shown) { show(shown); },
                                                 .shows_contacts = true};
          const auto result = distribute::run_workers(scene, settings, workers);
          const std::lock_guard lock(mutex_);
          problem_ = result ? "the workers have stopped" : result.error().message;
          has_ended_ = true;
          changed_.notify_all();
      })
{}

WorkerRun::~WorkerRun()
{
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

// On rank 0: all workers wait until another step is wanted.
void WorkerRun::show(const distribute::Shown& shown)
{
    std::unique_lock lock(mutex_);
    shown_ = shown;
    is_shown_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return allowed_ > 0 || is_stopping_; });
    --allowed_;
}

Status WorkerRun::wait_for_shown(Scene& scene)
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_shown_ || has_ended_; });
    if (!is_shown_)
        return Error{problem_};
    is_shown_ = false;
    distribute::follow(shown_, scene);
    known_->follow(shown_, scene);
    return Ok{};
}

Result<StepReport> WorkerRun::step(Scene& scene)
{
    {
        const std::lock_guard lock(mutex_);
        ++allowed_;
        changed_.notify_all();
    }
    if (const Status shown = wait_for_shown(scene); !shown)
        return shown.error();
    return distribute::sum_up(shown_.last);
}

} // namespace moraine::viewer
