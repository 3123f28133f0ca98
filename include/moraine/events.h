// What happened in a step.
#pragma once

#include <moraine/ids.h>
#include <moraine/math.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace moraine
{

struct ContactEvent
{
    BodyId body_a{};
    BodyId body_b{};
    double time = 0; // of the world, when it was noticed
};

struct HitEvent
{
    BodyId body_a{};
    BodyId body_b{};
    DVec3 point{};
    Vec3 normal{};     // from A to B
    float impulse = 0; // N s along the normal in this step
    float speed = 0;   // of approach, m/s
};

// A body with a response model was hit, or shaken by one it touches. Sound can be made from these.
struct ImpactEvent
{
    BodyId body{};
    BodyId other{};
    Vec3 point{};     // in the body's frame
    Vec3 impulse{};   // N s on the body, in its frame
    float energy = 0; // J that may be spent on other contacts of the body
};

struct SleepEvent
{
    BodyId body{};
    bool is_awake = false;
};

// The two bodies became one with each other, or no longer are: a merged edge was made or cut.
struct MergeEvent
{
    BodyId body_a{};
    BodyId body_b{};
    bool is_merged = false;
};

struct JointEvent
{
    JointId joint{};
};

struct TimerEvent
{
    TimerId timer{};
    uint64_t tick = 0; // 1 is the first
    double time = 0;   // when it was due: several may fall into one step
};

// Which of them are reported is up to the two bodies: see EventMask. What persists is reported in every step, of sleeping
// bodies too. An end means that the two came apart, that one of them was removed, or that a filter or rule was changed.
struct Events
{
    std::vector<ContactEvent> proximity_began; // their boxes, grown by a margin, overlap
    std::vector<ContactEvent> proximity_persists;
    std::vector<ContactEvent> proximity_ended;
    std::vector<ContactEvent> touch_began;
    std::vector<ContactEvent> touch_persists;
    std::vector<ContactEvent> touch_ended;
    std::vector<ContactEvent> trigger_entered; // body_a is the trigger
    std::vector<ContactEvent> trigger_persists;
    std::vector<ContactEvent> trigger_left;
    std::vector<TimerEvent> ticks;
    std::vector<HitEvent> hits;
    std::vector<ImpactEvent> impacts; // in the solve of this step; they are felt elsewhere in the next one
    std::vector<SleepEvent> sleeps;
    std::vector<MergeEvent> merges;
    std::vector<JointEvent> joints_broken;
    std::vector<BodyId> frozen; // their state turned non-finite: they stand still from now on
};

enum class Phase : uint8_t
{
    find_pairs,
    update_contact_graph,
    collide,
    group_contacts,
    order_contacts,
    wake,
    probe_collections,
    unmerge,
    respond,
    solve,
    integrate,
    merge,
    sleep,
    publish_events,
    count
};

const char* phase_name(Phase phase);

struct StepReport
{
    int bodies_dynamic = 0;
    int movers_awake = 0;
    int bodies_merged = 0;
    int bodies_asleep = 0;
    int collections = 0;
    int merges = 0;
    int unmerges = 0;
    int edges = 0;              // awake
    int edges_touching = 0;     // awake, with contact points when the narrow phase came to them
    int edges_tested = 0;       // of those: the narrow phase ran in full
    int edges_followed = 0;     // of those: moved little, the points followed
    int edges_unchanged = 0;    // of those: not moved at all, nothing was done
    int groups_warped = 0;      // contact groups that were rolled back and stepped again
    int warp_steps = 0;         // small steps that took
    int contacts_solved = 0;    // contact points in the solve
    int contacts_internal = 0;  // contact points inside collections
    int groups = 0;             // of the direct solver
    int variables = 0;          // of the direct solver: rows of all groups
    int variables_largest = 0;  // of its largest group
    int impacts = 0;            // that other contacts of the body felt in this step
    int kicks = 0;              // contact points that were shaken
    double response_energy = 0; // J that the impacts had lost
    double response_work = 0;   // J that the kicks did
    float penetration_max = 0;  // metres, over solved contacts
    double penetration_sum = 0;
    bool has_error = false; // see Events::frozen
    std::array<float, size_t(Phase::count)> phase_ms{};
    float total_ms = 0;
};

} // namespace moraine
