// Scripted events: the same at the same time in every worker that has the body.
#include "distribute/worker.h"

namespace moraine::distribute
{

void Worker::play_events(float dt)
{
    const double from = played_until_, to = world_.time() + double(dt);
    for (const SceneEvent& event : shared_.scene().events)
        if (double(event.time) >= from && double(event.time) < to)
            play(event.action);
    played_until_ = to;
}

void Worker::play(const SceneAction& action)
{
    const auto at = [&](int body) { return local_[size_t(body)]; };
    if (const auto* impulse = std::get_if<ImpulseAction>(&action))
    {
        if (world_.is_valid(at(impulse->body)))
            world_.apply_impulse(at(impulse->body), impulse->impulse,
                                 moraine::apply(world_.pose(at(impulse->body)), impulse->point));
    }
    else if (const auto* velocity = std::get_if<VelocityAction>(&action))
    {
        world_.set_linear_velocity(at(velocity->body), velocity->linear);
        world_.set_angular_velocity(at(velocity->body), velocity->angular);
    }
    else if (const auto* magnet = std::get_if<MagnetAction>(&action))
        world_.set_magnet(at(magnet->body), magnet->is_on);
    else if (const auto* motion = std::get_if<MotionAction>(&action))
        world_.set_motion(at(motion->body), motion->motion);
    else if (const auto* joint = std::get_if<JointAction>(&action))
        world_.set_joint_kind(joints_[size_t(joint->joint)], joint->kind);
    else if (const auto* gravity = std::get_if<GravityAction>(&action))
        world_.set_gravity(gravity->gravity);
}

} // namespace moraine::distribute
