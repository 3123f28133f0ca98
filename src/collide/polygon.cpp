#include "collide/polygon.h"

#include "collide/narrow_phase.h"

#include <utility>

namespace moraine
{
namespace
{

struct ClipPoint
{
    Vec3 position;
    uint16_t corner; // key of the point
    uint8_t edge;    // key of the edge that leaves it: below 128 a corner of the incident face, else a clip plane
};

constexpr int clip_capacity = 2 * Polygon::capacity + 2;

struct ClipBuffer
{
    Scratch<ClipPoint, clip_capacity> points;
    int count = 0;
};

ClipPoint cut(const ClipPoint& p, const ClipPoint& q, float dp, float dq, int plane)
{
    const float f = dp / (dp - dq);
    const uint16_t key = uint16_t((plane + 1) << 8 | p.edge);
    return {p.position + (q.position - p.position) * f, key, dp <= 0 ? uint8_t(128 + plane) : p.edge};
}

// Keeps what is below the plane. An edge (two points) has no way back from its end to its start.
bool clip(const ClipBuffer& in, Vec3 plane_normal, float offset, int plane, ClipBuffer& out)
{
    float distance[clip_capacity];
    bool is_all_inside = true;
    for (int i = 0; i < in.count; ++i)
    {
        distance[i] = dot(plane_normal, in.points[i].position) - offset;
        is_all_inside &= distance[i] <= 0;
    }
    if (is_all_inside)
        return false;
    out.count = 0;
    const int edge_count = in.count > 2 ? in.count : in.count - 1;
    for (int i = 0; i < in.count; ++i)
    {
        const int j = i + 1 == in.count ? 0 : i + 1;
        if (distance[i] <= 0)
            out.points[out.count++] = in.points[i];
        if (i < edge_count && (distance[i] <= 0) != (distance[j] <= 0))
            out.points[out.count++] = cut(in.points[i], in.points[j], distance[i], distance[j], plane);
    }
    return true;
}

} // namespace

bool clip_to_face(const Polygon& reference, const Polygon& incident, Vec3 normal, bool is_on_b, float margin,
                  float twin_distance, const PointKeys& last, LocalManifold& out)
{
    ClipBuffer buffers[2];
    ClipBuffer* now = &buffers[0];
    ClipBuffer* next = &buffers[1];
    now->count = incident.count;
    for (int i = 0; i < incident.count; ++i)
        now->points[i] = {incident.points[i], incident.ids[i], incident.ids[i]};

    for (int i = 0; i < reference.count && now->count > 0; ++i)
    {
        const Vec3 p = reference.points[i];
        const Vec3 q = reference.points[i + 1 == reference.count ? 0 : i + 1];
        const Vec3 side = cross(q - p, reference.normal);
        if (clip(*now, side, dot(side, p), i, *next))
            std::swap(now, next);
    }

    // Heights above the reference face, measured along the contact normal.
    const float lean = dot(reference.normal, normal);
    const float scale = 1 / std::fabs(lean);
    const Vec3 base = reference.points[0];
    const uint32_t faces = (is_on_b ? contact_key::flipped : 0u) | (reference.key & 0xff) << 16;
    Scratch<LocalPoint, clip_capacity> found;
    int count = 0;
    for (int i = 0; i < now->count; ++i)
    {
        const ClipPoint& p = now->points[i];
        const float separation = dot(reference.normal, p.position - base) * scale;
        if (separation > margin)
            continue;
        // From the incident surface back to half way: against the normal if the incident feature is on B.
        const Vec3 half = normal * (0.5f * separation);
        found[count++] = {is_on_b ? p.position + half : p.position - half, separation, faces | p.corner};
    }
    if (count == 0)
        return false;
    count = drop_idle_corners(found, count, normal, twin_distance, last);
    reduce_points(found, count, normal, last, out);
    return true;
}

void keep_deepest(const LocalPoint& point, float tolerance, LocalManifold& out)
{
    int shallowest = 0;
    for (int i = 0; i < out.count; ++i)
    {
        if (out.points[i].separation < point.separation + tolerance)
            return;
        if (out.points[i].separation > out.points[shallowest].separation)
            shallowest = i;
    }
    out.points[out.count < LocalManifold::capacity ? out.count++ : shallowest] = point;
}

} // namespace moraine
