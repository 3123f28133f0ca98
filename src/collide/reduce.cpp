#include "collide/narrow_phase.h"

#include <algorithm>
#include <cmath>

namespace moraine
{
namespace
{

constexpr float little = 0.005f; // of the size of a polygon, and of its square

float squared_size_of(const LocalPoint* points, int count)
{
    float squared = 0;
    for (int i = 1; i < count; ++i)
        squared = std::fmax(squared, length_squared(points[i].position - points[0].position));
    return squared;
}

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
    const float slack = lowest +
                        std::fmin(0.1f * (highest - lowest), little * std::sqrt(squared_size_of(points, count)));
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

// Twice the area of the triangle that the corner adds to its polygon.
float corner_area(const LocalPoint& before, const LocalPoint& corner, const LocalPoint& after, Vec3 normal)
{
    return std::fabs(dot(normal, cross(corner.position - before.position, after.position - corner.position)));
}

bool has(const PointKeys& keys, uint32_t key)
{
    for (int i = 0; i < keys.count; ++i)
        if (keys.keys[i] == key)
            return true;
    return false;
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

int drop(LocalPoint* points, int count, int i)
{
    std::copy(points + i + 1, points + count, points + i);
    return count - 1;
}

// Of two corners in nearly the same place one, or the place would carry twice: the one of the last step, or the deeper one.
// Two that were there both may stay a little closer.
int drop_twins(LocalPoint* points, int count, float distance, const PointKeys& last)
{
    for (int i = 0; i < count && count > 1;)
    {
        const int j = i + 1 == count ? 0 : i + 1;
        const bool was_i = has(last, points[i].key), was_j = has(last, points[j].key);
        const float limit = was_i && was_j ? 0.5f * distance : distance;
        const float depth = points[i].separation - points[j].separation;
        const bool are_twins = length_squared(points[i].position - points[j].position) < limit * limit &&
                               std::fabs(depth) < 0.2f * limit;
        if (!are_twins)
        {
            ++i;
            continue;
        }
        const bool drops_j = was_i != was_j ? was_i : depth <= 0;
        count = drop(points, count, drops_j ? j : i);
    }
    return count;
}

// Corners on (nearly) straight sides, where lines cross at a small angle and move far when a shape moves a little.
int drop_straight(LocalPoint* points, int count, Vec3 normal, const PointKeys& last)
{
    if (count <= LocalManifold::capacity)
        return count;
    const float squared_size = squared_size_of(points, count);
    // One of the deepest must stay.
    const float deep = lowest_of(points, count) + little * std::sqrt(squared_size);
    int deep_count = int(
        std::count_if(points, points + count, [&](const LocalPoint& p) { return p.separation <= deep; }));
    while (count > LocalManifold::capacity)
    {
        // The flattest; those of the last step go after all others.
        int flattest = -1;
        float least = 0;
        bool is_known = true;
        for (int i = 0; i < count; ++i)
        {
            const float area = corner_area(points[i == 0 ? count - 1 : i - 1], points[i],
                                           points[i + 1 == count ? 0 : i + 1], normal);
            if (!(area < little * squared_size) || (points[i].separation <= deep && deep_count == 1))
                continue;
            const bool was_there = has(last, points[i].key);
            if (flattest >= 0 && (was_there != is_known ? was_there : area >= least))
                continue;
            flattest = i;
            least = area;
            is_known = was_there;
        }
        if (flattest < 0)
            break;
        deep_count -= points[flattest].separation <= deep;
        count = drop(points, count, flattest);
    }
    return count;
}

} // namespace

int drop_idle_corners(LocalPoint* points, int count, Vec3 normal, float twin_distance, const PointKeys& last)
{
    count = drop_twins(points, count, twin_distance, last);
    return drop_straight(points, count, normal, last);
}

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
