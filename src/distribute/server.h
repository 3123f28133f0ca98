// The main server: knows who has which body and who touches whom, and nothing of the bodies that one worker has alone.
#pragma once

#include "distribute/ownership.h"
#include "distribute/worker.h"

namespace moraine::distribute
{

// What a step was like for all.
struct ServerStep
{
    std::vector<WorkerStep> workers{};
    int overlap = 0;        // bodies that more than one worker has
    int active = 0;         // workers that own something
    int begun = 0;          // workers that have begun
    int ended = 0;          // workers that have ended
    int moved = 0;          // activations and deactivations
    double residual = 0;    // metres: the farthest that a copy was from the blended state
    double imbalance = 1;   // largest load over the mean
    double server_ms = 0;   // processor time
    double critical_ms = 0; // the slowest worker and the server, one after the other
    uint64_t bytes = 0;
    uint64_t messages = 0;
    bool asks_to_stop = false; // a rank was told to
};

class Server
{
public:
    Server(const SharedScene& shared, int workers);

    // The first partition with its overlap: by where bodies are in the scene, or where they are now.
    Status begin(std::span<const BodyCopy> bodies = {});
    void remember(Shakes shakes) { shakes_ = std::move(shakes); } // of a checkpoint: still to be felt
    const Shakes& shakes() const { return shakes_; }              // that were told with the last commands
    std::span<const WorkerMask> masks() const { return masks_; }
    int known_owner(int32_t body) const; // -1: nobody has all its neighbours for sure

    // Algorithm 1, lines 7 to 20 but for the steps of the workers: takes what they report and says what they do next; they blend by themselves.
    std::vector<Command> decide(std::vector<Report>& reports, float dt);

    Bytes save() const;
    Status restore(const Bytes& bytes);

    const ServerStep& last() const { return last_; }
    const WorkerSets& sets() const { return sets_; }
    std::span<const float> weights(int32_t body) const { return weights_[size_t(body)]; } // of a body that is shared

private:
    template <class A>
    void archive(A& a);
    void mark_dirty(int32_t body);
    void update_graph(const std::vector<Report>& reports);
    void note_sleepers(const std::vector<Report>& reports);
    void find_central_meetings(std::vector<Report>& reports, float dt);
    void drop_strays();
    void follow_owners(std::span<const double> loads);
    void change_workers(std::span<const double> loads, const std::vector<Report>& reports,
                        std::vector<Command>& commands);
    WorkerMask active() const;
    std::vector<WorkerSets::Change> tell_changes(std::vector<Command>& commands);
    void tell_owners(std::vector<Command>& commands);
    void update_weights(std::vector<Command>& commands);
    void tell_shakes(const std::vector<Report>& reports, std::vector<Command>& commands);
    void see_gaps(const std::vector<Report>& reports, float dt);
    void see_gap(int worker, const Gap& gap);
    void look_again(std::span<const WorkerSets::Change> changes);
    double way_left(int a, int b);
    void limit_way(int a, int b, double most);
    void plan_meetings(const std::vector<Report>& reports, float dt, std::vector<Command>& commands);
    bool has_looked(int worker, int other) const { return (meets_[size_t(worker)] & mask_of(other)) != 0; }
    std::vector<double> measure_loads(const std::vector<Report>& reports);

    const SharedScene& shared_;
    int workers_;
    ConstraintGraph graph_;
    WorkerSets sets_;
    Ownership ownership_;
    std::vector<WorkerMask> masks_; // as they were in the beginning
    std::vector<ContactPair> met_;
    std::vector<int32_t> asleep_;             // overlap bodies at rest in all workers
    std::vector<bool> is_asleep_;             // the same, by body
    std::vector<std::vector<float>> weights_; // by body; only of overlap bodies
    std::vector<float> new_weights_;
    std::vector<WorkerMask> held_; // by body, as the workers know it
    // What the weights and the balance of a body follow from has changed.
    std::vector<uint8_t> is_dirty_;
    std::vector<int32_t> dirty_;
    int steps_since_change_ = 0;
    std::vector<double> settled_loads_;             // with which there was nothing to give in the last step that tried
    static constexpr uint64_t balance_interval = 4; // steps
    uint64_t balance_interval_ = balance_interval;
    double balanced_ = 1e9;           // the least imbalance of late
    int idle_gifts_ = 0;              // how often something was given and it did not become less
    std::vector<double> smooth_time_; // by worker
    std::vector<double> tested_;      // by worker: the share of pairs whose contacts are sought anew, of late
    std::vector<double> travelled_;   // by worker, metres: no point of it has gone further
    // What two workers know of each other, in metres.
    struct Outlook
    {
        Sight sight{};         // of the look that they are told to take
        double free_until = 0; // travelled together: by then nothing of one can have met something of the other
        float gap = 0;         // as just seen
        float horizon = reach; // how far they look at all
        int32_t quick = 0;     // so many looks are quick ones before
    };
    std::vector<Outlook> outlooks_; // by two workers, the lower one first
    Outlook& outlook_of(int a, int b) { return outlooks_[size_t(a * workers_ + b)]; }
    std::vector<WorkerMask> meets_; // by worker: who looked for contacts with it after the last step
    uint64_t step_ = 0;
    uint64_t changed_workers_ = 0; // the step in which one began or ended last
    int divided_ = -1;             // the worker that was asked for half of what it owns, for one that begins
    Shakes shakes_{};
    ServerStep last_{};
};

} // namespace moraine::distribute
