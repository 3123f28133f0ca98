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

struct Events
{
    std::vector<ContactEvent> touch_began;
    std::vector<ContactEvent> touch_ended;
    std::vector<ContactEvent> trigger_entered; // body_a is the trigger
    std::vector<ContactEvent> trigger_left;
    std::vector<HitEvent> hits;
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
    int edges = 0;             // awake
    int contacts_solved = 0;   // contact points in the solve
    int contacts_internal = 0; // contact points inside collections
    int groups = 0;
    float penetration_max = 0; // metres, over solved contacts
    double penetration_sum = 0;
    bool has_error = false; // see Events::frozen
    std::array<float, size_t(Phase::count)> phase_ms{};
    float total_ms = 0;
};

} // namespace moraine
