// A worker: a world that holds the bodies that are active in it, and no others but the fixed ones.
#pragma once

#include "distribute/messages.h"
#include "distribute/overlap.h"
#include "distribute/restless.h"
#include "distribute/touch.h"
#include "scene/description.h"
#include "scene/response.h"
#include "world/body_forces.h"

#include <map>

namespace moraine::distribute
{

// What all ranks know before the first step.
struct SharedScene
{
    explicit SharedScene(std::shared_ptr<const SceneDescription> description);

    std::shared_ptr<const SceneDescription> description;
    std::vector<std::vector<int32_t>> joints_of; // by body
    std::vector<JointPair> joint_pairs;          // joints between two dynamic bodies

    const SceneDescription& scene() const { return *description; }
    bool is_dynamic(int32_t body) const;
};

class Worker
{
public:
    Worker(const SharedScene& shared, const WorldDef& settings, int index, int workers);

    // Fixed bodies and those of `masks` that this worker has, in the order of the scene, so that a single worker builds
    // the very world that a run without workers has.
    Status build(std::span<const WorkerMask> masks, std::span<const int> owners);

    // As a checkpoint of another number of workers left them.
    void place(std::span<const BodyCopy> copies, std::span<const RingingBody> ringing, uint64_t step, double time);

    void apply(const Command& command, Transport& transport);
    void step(float dt, Transport& transport);
    void blend_copies(Transport& transport); // after the step, once the main server has told weights
    Report report(float dt, Transport& transport);

    std::vector<BodyCopy> owned() const; // of the bodies that no lower worker has, and of fixed ones: only worker 0's
    double energy() const;               // of the same
    std::vector<RingingBody> ringing_of(std::span<const BodyCopy> copies) const;
    // After a step: those that this worker speaks for. All workers together tell each of them once.
    std::vector<ShownContact> contacts() const;
    const World& world() const { return world_; }

    Bytes save() const; // all of it, so that it goes on bit for bit
    Status restore(const Bytes& bytes);

private:
    bool has(int32_t body) const { return bool(local_[size_t(body)]); }
    WorkerMask mask(int32_t body) const;
    BodyCopy copy_of(int32_t body) const;
    BoundaryBody boundary_of(int32_t body) const;
    Status create(int32_t body, const BodyDef& def);
    void create_joints(int32_t body);
    void activate(const BodyCopy& copy);
    void deactivate(int32_t body);
    void set_mask(int32_t body, WorkerMask mask);
    void set_held(int32_t body, WorkerMask held);
    void set_weights(const Command& command);
    void count_copies(size_t body);
    BodyState blend_of(size_t body, bool& is_calm);
    float take_blended();
    void exchange_copies(const Command& command, Transport& transport);
    int speaker_of(int32_t body, int32_t other) const;
    int contact_speaker(int32_t a, int32_t b) const;
    void collect_pushes(const Command& command, std::vector<std::vector<Push>>& pushes);
    BodyForce smooth(const CarriedForce& now, size_t& next);
    WorkerMask listeners_of(int32_t global, const Command& command) const;
    void find_listeners(const Command& command);
    void tell(int32_t body, WorkerMask lacking, const BodyForce& force);
    void exchange_pushes(const std::vector<std::vector<Push>>& pushes, Transport& transport);
    class Sharing;
    Status give_response(int32_t body, BodyId id);
    StepReport step_world(float dt, Transport& transport);
    Shakes take_shakes();
    void feel(const Shakes& shakes);
    float weight_of(size_t body) const;
    void set_ringing(std::span<const RingingBody> ringing);
    void play_events(float dt);
    void play(const SceneAction& action);
    void note_touches(const std::vector<ContactEvent>& events, std::vector<ContactPair>& pairs) const;
    void find_meetings(float dt, Transport& transport, Report& report);
    void foresee(float dt, std::vector<ContactPair>& met);
    bool will_touch(const BoundaryBody& own, int32_t other, float dt) const;
    std::vector<BoundaryBody> near_boxes(std::vector<Aabb> boxes, int worker);
    bool has_moved(size_t body, const Sight& sight, int worker) const;
    bool have_few_moved(const Sight& sight, int worker) const;
    std::vector<BoundaryBody> moved_since(const Sight& sight, int worker) const;
    float meet(std::span<const BoundaryBody> others, const Sight& sight, float dt, std::vector<ContactPair>& met);
    std::vector<BoundaryBody> answer(const Look& look, int worker, float dt, std::vector<ContactPair>& met);
    std::vector<int32_t> half_of_owned() const;
    float joint_error() const;

    const SharedScene& shared_;
    int index_;
    int workers_;
    World world_;
    std::vector<BodyId> local_;     // by body of the scene; empty: not here
    std::vector<int32_t> global_;   // by body of the world
    std::vector<WorkerMask> masks_; // by body of the world
    std::vector<int32_t> owners_;   // by body of the world
    std::vector<uint8_t> is_held_;  // by body of the world
    // By body of the world, of shared ones: how much each worker's copy counts, lowest first.
    std::vector<std::vector<float>> weights_;
    std::vector<WorkerMask> counting_; // by body of the world: whose copies make its state
    std::vector<JointId> joints_;      // by joint of the scene
    std::vector<int32_t> overlap_;     // bodies of the scene, sorted
    std::vector<int32_t> asleep_;      // of these: all copies that count are at rest, and this worker says so
    std::vector<uint32_t> seen_;       // by body of the world: the search that came here last
    uint32_t search_ = 0;
    WorkerMask meets_ = ~WorkerMask(0); // with these contacts are looked for
    std::vector<Sight> sights_;         // by worker: how far it is looked
    Restless restless_;
    std::map<int32_t, ResponseDef> responses_; // by body of the scene, of those that were here
    uint32_t divides_ = 0;                     // the next report says half of what it owns
    WorkerMask sharers_ = 0;                   // who shares energies for kicks in the next step
    float ahead_ = 0;                          // metres: as far as anything here may come in a step
    double played_until_ = 0;
    WorkerStep last_{};
    std::vector<CarriedForce> carried_;      // in the last step, in the order of edges
    std::vector<CarriedForce> next_carried_; // as they are found
    // Memory of one call.
    std::vector<WorkerMask> listeners_; // by body of the world: who is to be told what acts on it
    std::vector<int32_t> first_told_;   // by body of the world that has listeners: its place in told_
    std::vector<Told> told_;
    std::vector<std::vector<BodyCopy>> copies_; // by worker
    std::vector<size_t> next_copies_;           // by worker: which one is next
    std::vector<const BodyCopy*> counted_;
    std::vector<BodyState> blended_states_;
    std::vector<float> blended_weights_;
};

} // namespace moraine::distribute
