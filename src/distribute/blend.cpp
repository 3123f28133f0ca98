#include "distribute/blend.h"

#include <algorithm>
#include <cmath>

namespace moraine::distribute
{

namespace
{

struct DQuat
{
    double x = 0, y = 0, z = 0, w = 0;
};

double dot(const DQuat& a, const Quat& b)
{
    return a.x * double(b.x) + a.y * double(b.y) + a.z * double(b.z) + a.w * double(b.w);
}

} // namespace

BodyState blend(std::span<const BodyState> copies, std::span<const float> weights)
{
    const BodyState& first = copies.front();
    if (std::all_of(copies.begin(), copies.end(), [&](const BodyState& s) { return s == first; }))
        return first;
    DVec3 position{}, linear{}, angular{};
    DQuat q;
    for (size_t i = 0; i < copies.size(); ++i)
    {
        const BodyState& s = copies[i];
        const double w = double(weights[i]);
        position = position + s.pose.position * w;
        linear = linear + DVec3(s.linear) * w;
        angular = angular + DVec3(s.angular) * w;
        // q and -q are the same rotation: the sum must not cancel.
        const double wq = dot(q, s.pose.rotation) < 0 ? -w : w;
        const Quat r = s.pose.rotation;
        q = {q.x + wq * double(r.x), q.y + wq * double(r.y), q.z + wq * double(r.z), q.w + wq * double(r.w)};
    }
    const double size = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(size > 1e-6)) // copies that are half a turn apart have no mean
        return first;
    return {{position, {float(q.x / size), float(q.y / size), float(q.z / size), float(q.w / size)}},
            Vec3(linear),
            Vec3(angular)};
}

} // namespace moraine::distribute
