// All state of a world. What is above the line persists and is all that a snapshot holds; what is below is scratch.
#pragma once

#include "base/arena.h"
#include "base/tasks.h"
#include "dynamics/colouring.h"
#include "dynamics/joints.h"
#include "graph/bodies.h"
#include "graph/collide.h"
#include "graph/contact_graph.h"
#include "graph/find_pairs.h"
#include "graph/movers.h"
#include "graph/timers.h"
#include "merge/collections.h"
#include "respond/responses.h"

#include <moraine/defs.h>
#include <moraine/events.h>

#include <map>
#include <memory>

namespace moraine
{

// A scripted or commanded motion of a kinematic body.
struct Script
{
    Motion motion{};
    Pose origin{}; // of the body's frame when the script was set
    double start_time = 0;
};

// Movers that fell asleep together and wake together.
struct SleepGroup
{
    std::vector<int32_t> movers;

    void reset() { movers.clear(); }
    template <class A>
    void archive(A& a)
    {
        a(movers);
    }
};

// Two bodies that began to touch while they approached fast: reported once their contact has an impulse.
struct PendingHit
{
    int32_t body_a = none, body_b = none;
    float speed = 0; // of approach, m/s
};

enum class QueuedKind : uint32_t
{
    proximity_began,
    proximity_ended,
    touch_began,
    touch_ended,
    trigger_entered,
    trigger_left
};

// An event that the user has not been told of yet.
struct QueuedEvent
{
    ContactEvent event{};
    QueuedKind kind = QueuedKind::touch_began;
    uint32_t padding = 0;
};

// See founding.h.
struct FoundingStart
{
    float inv_mass = 0; // of the frame
    int32_t frame = none, other = none;

    auto operator<=>(const FoundingStart&) const = default;
};
struct FoundingScratch
{
    std::vector<int32_t> frame_of, set, asked;
    std::vector<FoundingStart> starts;
};

struct WorldData
{
    WorldDef settings;
    double time = 0;
    float step_dt = 1.0f / 60; // of the last step
    uint64_t step_count = 0;
    Bodies bodies;
    Movers movers;
    ContactGraph graph;
    Joints joints;
    Colouring colouring;
    Collections collections;
    Responses responses; // its scratch is not kept
    Pool<SleepGroup> sleep_groups;
    std::map<int32_t, Script> scripts;  // by body
    std::map<int32_t, Pose> targets;    // of kinematic bodies after the next step: of the body's frame
    std::vector<int32_t> wake_requests; // movers
    bool has_sleepy = false;            // some mover has been quiet for long enough to sleep
    int dynamic_count = 0;              // bodies
    int asleep_count = 0;               // bodies
    Timers timers;
    std::vector<QueuedEvent> event_queue; // in the order in which they were noticed
    std::vector<SleepEvent> pending_sleeps;
    std::vector<PendingHit> pending_hits;

    // ---- scratch ----
    std::unique_ptr<Tasks> tasks;
    Arena arena;
    PairSearch pair_search;
    CollideReport collide_report;
    BitSet merge_marks;               // by place in the list of awake edges
    std::vector<int32_t> merge_edges; // to be merged, or to be cut
    std::vector<int32_t> merge_joints;
    FoundingScratch founding;
    std::vector<JoinedGroup> joined; // in this step
    Events events;
    std::vector<MergeEvent> pending_merges;
    std::string last_error;
};

} // namespace moraine
