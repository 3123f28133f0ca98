#include "distribute/mirror.h"

#include "world/activity.h"

#include <algorithm>

namespace moraine::distribute
{

void follow(const Shown& shown, Scene& scene)
{
    WorldData& world = scene.world().data();
    world.events = {};
    world.step_count = shown.step;
    world.time = shown.time;
    world.step_dt = scene.description().dt;
    for (const BodyCopy& copy : shown.bodies)
    {
        const BodyId id = scene.bodies()[size_t(copy.body)];
        if (!scene.world().is_valid(id))
            continue;
        const int32_t body = int32_t(id.index);
        set_body_state(world, body, copy.state);
        const bool is_asleep = scene.world().type(id) == BodyType::dynamic_ && copy.is_asleep != 0;
        if (is_asleep == !scene.world().is_awake(id))
            continue;
        const int32_t mover = world.bodies[body].mover;
        if (is_asleep)
            put_to_sleep(world, {&mover, 1});
        else
            wake_mover(world, mover);
    }
}

std::vector<ContactInfo> contacts_of(const Shown& shown, const Scene& scene)
{
    std::vector<ContactInfo> contacts;
    contacts.reserve(shown.contacts.size());
    for (const ShownContact& c : shown.contacts)
        contacts.push_back(
            {scene.bodies()[size_t(c.a)], scene.bodies()[size_t(c.b)], c.point, c.normal, c.separation, c.impulse});
    return contacts;
}

StepReport sum_up(const ServerStep& step)
{
    StepReport r;
    for (const WorkerStep& s : step.workers)
    {
        r.movers_awake += s.movers;
        r.bodies_merged += s.merged;
        r.bodies_asleep += s.asleep;
        r.merges += s.merges;
        r.unmerges += s.unmerges;
        r.contacts_solved += s.contacts;
        r.bodies_dynamic += s.bodies;
        r.penetration_max = std::max(r.penetration_max, s.penetration_max);
        r.penetration_sum += double(s.penetration_sum);
        r.has_error |= s.frozen > 0;
    }
    r.total_ms = float(step.critical_ms);
    return r;
}

} // namespace moraine::distribute
