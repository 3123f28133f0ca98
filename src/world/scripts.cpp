// Kinematic bodies that follow a script or were told where to be.
#include "world/activity.h"
#include "world/step.h"

#include <cmath>

namespace moraine
{

namespace
{

Pose pose_at(const SineMotion& m, const Pose& origin, double t)
{
    const float s = float(std::sin(2 * 3.14159265358979323846 * t / double(m.period) + double(m.phase)));
    return {origin.position + DVec3(m.translation * s),
            normalize(rotation_from_vector(m.rotation * s) * origin.rotation)};
}

Pose between(const Pose& a, const Pose& b, double f)
{
    const Vec3 turn = rotation_vector(b.rotation * conjugate(a.rotation));
    return {a.position + (b.position - a.position) * f, normalize(rotation_from_vector(turn * float(f)) * a.rotation)};
}

Pose pose_at(const KeyFrameMotion& m, const Pose& origin, double t)
{
    if (m.frames.empty())
        return origin;
    const double last = double(m.frames.back().time);
    if (m.loops && last > 0)
        t = std::fmod(t, last);
    if (t <= double(m.frames.front().time))
        return m.frames.front().pose;
    for (size_t i = 1; i < m.frames.size(); ++i)
    {
        const KeyFrame& a = m.frames[i - 1];
        const KeyFrame& b = m.frames[i];
        if (t < double(b.time))
            return between(a.pose, b.pose, (t - double(a.time)) / double(b.time - a.time));
    }
    return m.frames.back().pose;
}

Pose pose_at(std::monostate, const Pose& origin, double) { return origin; }

// The velocity that takes the body to `target` in this step.
void drive_to(WorldData& world, int32_t body, const Pose& target, float dt)
{
    const int32_t index = world.bodies[body].mover;
    Mover& mover = world.movers[index];
    const DVec3 center = apply(target, world.bodies.infos[size_t(body)].center);
    MoverVelocity& v = world.movers.velocities[size_t(index)];
    v.linear = relative(center, mover.pose.position) * (1 / dt);
    v.spin = rotation_vector(target.rotation * conjugate(mover.pose.rotation)) * (1 / dt);
    set_kinematic_awake(world, index, length_squared(v.linear) + length_squared(v.spin) > 0);
}

} // namespace

Step begin_step(WorldData& world, float dt)
{
    Step s;
    s.dt = dt;
    world.step_dt = dt;
    world.arena.reset();
    clear(world.events);
    for (const auto& [body, script] : world.scripts)
    {
        const double t = world.time + double(dt) - script.start_time;
        const auto place = [&, &origin = script.origin](const auto& motion) { return pose_at(motion, origin, t); };
        const Pose target = std::visit(place, script.motion);
        drive_to(world, body, target, dt);
    }
    for (const auto& [body, target] : world.targets)
        drive_to(world, body, target, dt);
    return s;
}

} // namespace moraine
