#include "record/pose_codec.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

// What lies further away than this, or is no number, is drawn at the edge.
constexpr double position_limit = 1e12;

int64_t whole(double value, double scale)
{
    const double scaled = std::clamp(value, -position_limit, position_limit) * scale;
    return std::isfinite(scaled) ? std::llround(scaled) : 0;
}

} // namespace

int rotation_bits(float radius)
{
    // Turned by an angle of up to 2 · |dq| ≤ 2 · quantum, a point at `radius` moves by up to 2 · quantum · radius.
    const float quantum = 2e-5f / std::max(radius, 1e-6f);
    const int bits = int(std::ceil(-std::log2(quantum)));
    return std::clamp(bits, rotation_bits_min, rotation_bits_max);
}

WholePose to_whole(const Pose& pose, int bits, const WholePose& before)
{
    WholePose out;
    out.bits = bits;
    const double coordinates[3] = {pose.position.x, pose.position.y, pose.position.z};
    for (int i = 0; i < 3; ++i)
        out.position[i] = whole(coordinates[i], 1 / position_quantum);
    const double components[4] = {double(pose.rotation.x), double(pose.rotation.y), double(pose.rotation.z),
                                  double(pose.rotation.w)};
    double along = 0;
    for (int i = 0; i < 4; ++i)
        along += components[i] * double(before.rotation[i]);
    const double sign = along < 0 ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        out.rotation[i] = whole(sign * components[i], std::ldexp(1.0, bits));
    return out;
}

Pose to_pose(const WholePose& whole)
{
    double squared = 0;
    for (int64_t r : whole.rotation)
        squared += double(r) * double(r);
    const double scale = squared > 0 ? 1 / std::sqrt(squared) : 0;
    const auto part = [&](int i) { return float(double(whole.rotation[i]) * scale); };
    const auto coordinate = [&](int i) { return double(whole.position[i]) * position_quantum; };
    return {{coordinate(0), coordinate(1), coordinate(2)},
            squared > 0 ? Quat{part(0), part(1), part(2), part(3)} : Quat{}};
}

void write_whole(ByteWriter& out, const WholePose& pose)
{
    out.raw(uint8_t(pose.bits));
    for (int64_t p : pose.position)
        out.signed_varint(p);
    for (int64_t r : pose.rotation)
        out.signed_varint(r);
}

WholePose read_whole(ByteReader& in)
{
    WholePose pose;
    pose.bits = std::clamp(int(in.raw<uint8_t>()), rotation_bits_min, rotation_bits_max);
    for (int64_t& p : pose.position)
        p = in.signed_varint();
    for (int64_t& r : pose.rotation)
        r = in.signed_varint();
    return pose;
}

} // namespace moraine
