#include "collide/narrow_phase.h"

#include <cmath>

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

// Twice the area of the four corners' hull, seen along the normal: the largest of the three pairs of diagonals.
float spread_of(const LocalPoint* p, Vec3 normal)
{
    const auto cross_of = [&](int a, int b, int c, int d) {
        return std::fabs(dot(normal, cross(p[b].position - p[a].position, p[d].position - p[c].position)));
    };
    return std::fmax(cross_of(0, 1, 2, 3), std::fmax(cross_of(0, 2, 1, 3), cross_of(0, 3, 1, 2)));
}

float lowest_of(const LocalPoint* points, int count)
{
    float lowest = points[0].separation;
    for (int i = 1; i < count; ++i)
        lowest = std::fmin(lowest, points[i].separation);
    return lowest;
}

// Puts the points of the last step in place of the ones chosen in `out`, if all are still there and as good but for a
// little.
void choose_last(const LocalPoint* points, int count, float size, const PointKeys& last, LocalManifold& out)
{
    constexpr float enough_spread = 0.8f;
    constexpr float enough_depth = 1e-3f; // of the size
    if (last.count != LocalManifold::capacity || out.count != LocalManifold::capacity)
        return;
    LocalPoint found[LocalManifold::capacity];
    for (int k = 0; k < last.count; ++k)
    {
        int i = 0;
        while (i < count && points[i].key != last.keys[k])
            ++i;
        if (i == count)
            return;
        found[k] = points[i];
    }
    if (lowest_of(found, last.count) > lowest_of(points, count) + enough_depth * size ||
        spread_of(found, out.normal) < enough_spread * spread_of(out.points, out.normal))
        return;
    for (int k = 0; k < last.count; ++k)
        out.points[k] = found[k];
}

} // namespace

void reduce_points(const LocalPoint* points, int count, Vec3 normal, const PointKeys& last, LocalManifold& out)
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
    choose_last(points, count, std::sqrt(furthest), last, out);
}

} // namespace moraine
