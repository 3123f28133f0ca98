#include "collide/narrow_phase.h"

namespace moraine
{
namespace
{

// The deepest point; among points nearly as deep the one with the lowest key, so that a face lying flat does not
// change its mind from step to step.
int choose_deepest(const LocalPoint* points, int count)
{
    float lowest = points[0].separation, highest = lowest;
    for (int i = 1; i < count; ++i)
    {
        lowest = points[i].separation < lowest ? points[i].separation : lowest;
        highest = points[i].separation > highest ? points[i].separation : highest;
    }
    const float slack = lowest + 0.1f * (highest - lowest);
    int best = -1;
    for (int i = 0; i < count; ++i)
        if (points[i].separation <= slack && (best < 0 || points[i].key < points[best].key))
            best = i;
    return best;
}

} // namespace

void reduce_points(const LocalPoint* points, int count, Vec3 normal, LocalManifold& out)
{
    out.normal = normal;
    if (count <= LocalManifold::capacity)
    {
        out.count = count;
        for (int i = 0; i < count; ++i)
            out.points[i] = points[i];
        return;
    }

    const int first = choose_deepest(points, count);
    const Vec3 origin = points[first].position;

    // The one furthest from the first, seen along the normal.
    int second = first;
    float furthest = 0;
    for (int i = 0; i < count; ++i)
    {
        const Vec3 d = points[i].position - origin;
        const float along = dot(d, normal);
        const float squared = dot(d, d) - along * along;
        if (squared > furthest)
        {
            furthest = squared;
            second = i;
        }
    }
    out.count = 1;
    out.points[0] = points[first];
    if (second == first)
        return;
    out.points[out.count++] = points[second];

    // And the two that span the largest areas on either side of the line between them. Points within a hundredth of
    // the line add nothing.
    const Vec3 side = cross(normal, points[second].position - origin);
    const float least = 0.01f * furthest;
    int left = -1, right = -1;
    float left_area = least, right_area = -least;
    for (int i = 0; i < count; ++i)
    {
        const float area = dot(side, points[i].position - origin);
        if (area > left_area)
        {
            left_area = area;
            left = i;
        }
        if (area < right_area)
        {
            right_area = area;
            right = i;
        }
    }
    if (left >= 0)
        out.points[out.count++] = points[left];
    if (right >= 0)
        out.points[out.count++] = points[right];
}

} // namespace moraine
