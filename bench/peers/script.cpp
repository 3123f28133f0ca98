#include "peers/script.h"

#include <algorithm>
#include <cmath>

namespace moraine::bench
{

namespace
{

Pose pose_at(const SineMotion& motion, const Pose& start, double time)
{
    const double angle = 2 * double(pi) * time / double(motion.period) + double(motion.phase);
    const float s = float(std::sin(angle));
    return {start.position + DVec3(motion.translation * s), rotation_from_vector(motion.rotation * s) * start.rotation};
}

Pose pose_at(const KeyFrameMotion& motion, const Pose& start, double time)
{
    const auto& frames = motion.frames;
    if (frames.empty())
        return start;
    const double end = double(frames.back().time);
    if (motion.loops && end > 0)
        time = std::fmod(time, end);
    if (time <= double(frames.front().time))
        return frames.front().pose;
    if (time >= end)
        return frames.back().pose;
    const auto after = [](double t, const KeyFrame& frame) { return t < double(frame.time); };
    const auto next = std::upper_bound(frames.begin(), frames.end(), time, after);
    const KeyFrame &a = *(next - 1), &b = *next;
    const double share = (time - double(a.time)) / double(b.time - a.time);
    const Vec3 turn = rotation_vector(b.pose.rotation * conjugate(a.pose.rotation));
    return {a.pose.position + (b.pose.position - a.pose.position) * share,
            rotation_from_vector(turn * float(share)) * a.pose.rotation};
}

} // namespace

Pose scripted_pose(const Motion& motion, const Pose& start, double time)
{
    if (const auto* sine = std::get_if<SineMotion>(&motion))
        return pose_at(*sine, start, time);
    if (const auto* frames = std::get_if<KeyFrameMotion>(&motion))
        return pose_at(*frames, start, time);
    return start;
}

bool can_touch(const Filter& a, const Filter& b)
{
    if (a.group != 0 && a.group == b.group)
        return a.group > 0;
    return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

} // namespace moraine::bench
