#include "record/frame.h"

namespace moraine
{

const char* event_name(EventKind kind)
{
    constexpr const char* names[] = {"touch_began", "touch_ended", "trigger_entered", "trigger_left", "hit",
                                     "fell_asleep", "woke",        "joint_broken",    "frozen",       "merged",
                                     "unmerged"};
    static_assert(std::size(names) == size_t(EventKind::count));
    return kind < EventKind::count ? names[size_t(kind)] : "unknown";
}

std::vector<std::string> stat_names()
{
    std::vector<std::string> names{"ms",
                                   "movers_awake",
                                   "bodies_merged",
                                   "bodies_asleep",
                                   "collections",
                                   "merges",
                                   "unmerges",
                                   "edges",
                                   "groups",
                                   "contacts_solved",
                                   "contacts_internal",
                                   "penetration_max",
                                   "kinetic_energy",
                                   "potential_energy"};
    for (int i = 0; i < int(Phase::count); ++i)
        names.push_back(std::string("ms_") + phase_name(Phase(i)));
    return names;
}

void gather_stats(const World& world, const StepReport& report, std::vector<float>& stats)
{
    stats = {report.total_ms,
             float(report.movers_awake),
             float(report.bodies_merged),
             float(report.bodies_asleep),
             float(report.collections),
             float(report.merges),
             float(report.unmerges),
             float(report.edges),
             float(report.groups),
             float(report.contacts_solved),
             float(report.contacts_internal),
             report.penetration_max,
             float(world.kinetic_energy()),
             float(world.potential_energy())};
    stats.insert(stats.end(), report.phase_ms.begin(), report.phase_ms.end());
}

void gather_events(const World& world, std::vector<FrameEvent>& events)
{
    events.clear();
    const Events& now = world.events();
    const auto add_pairs = [&](EventKind kind, const std::vector<ContactEvent>& pairs) {
        for (const ContactEvent& pair : pairs)
            events.push_back({kind, pair.body_a.index, pair.body_b.index, 0});
    };
    add_pairs(EventKind::touch_began, now.touch_began);
    add_pairs(EventKind::touch_ended, now.touch_ended);
    add_pairs(EventKind::trigger_entered, now.trigger_entered);
    add_pairs(EventKind::trigger_left, now.trigger_left);
    for (const HitEvent& hit : now.hits)
        events.push_back({EventKind::hit, hit.body_a.index, hit.body_b.index, hit.impulse});
    for (const SleepEvent& sleep : now.sleeps)
        events.push_back({sleep.is_awake ? EventKind::woke : EventKind::fell_asleep, sleep.body.index, 0, 0});
    for (const MergeEvent& merge : now.merges)
        events.push_back(
            {merge.is_merged ? EventKind::merged : EventKind::unmerged, merge.body_a.index, merge.body_b.index, 0});
    for (const JointEvent& joint : now.joints_broken)
        events.push_back({EventKind::joint_broken, joint.joint.index, 0, 0});
    for (BodyId body : now.frozen)
        events.push_back({EventKind::frozen, body.index, 0, 0});
}

} // namespace moraine
