// Visits the triangles of a height field near a segment.
#pragma once

#include "geometry/mesh.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

// The part of a segment that is inside a box, as fractions of it; empty when lower > upper.
struct Span
{
    double lower = 0;
    double upper = 1;
};

inline Span clip_span(Span span, double origin, double translation, double lower, double upper)
{
    if (translation == 0)
        return origin < lower || origin > upper ? Span{1, 0} : span;
    const double a = (lower - origin) / translation, b = (upper - origin) / translation;
    return {std::max(span.lower, std::min(a, b)), std::min(span.upper, std::max(a, b))};
}

inline Span clip_segment(Vec3 origin, Vec3 translation, const Aabb& box)
{
    Span span;
    for (int i = 0; i < 3; ++i)
        span = clip_span(span, origin[i], translation[i], box.lower[i], box.upper[i]);
    return span;
}

// As Bvh::cast: visit(triangle, max_fraction) for each that the segment, widened by `extents`, may touch, and returns
// the new largest fraction of interest. Goes strip by strip along the axis on which the segment makes most way.
template <class Visit>
void cast_at_triangles(const HeightField& field, Vec3 origin, Vec3 translation, Vec3 extents, Visit&& visit)
{
    const Vec3 half = 0.5f * field.spacing * Vec3{float(field.columns - 1), 0, float(field.rows - 1)};
    const float slack = 1e-5f * (field.spacing + max_component(half));
    const Vec3 wide = extents + Vec3{slack, slack, slack};
    const Aabb box{field.bounds.lower - wide, field.bounds.upper + wide};
    const Span whole = clip_segment(origin, translation, box);
    if (whole.lower > whole.upper)
        return;

    const int axis = std::fabs(translation.x) >= std::fabs(translation.z) ? 0 : 2;
    const int other = 2 - axis;
    const int cells[3] = {field.columns - 1, 0, field.rows - 1};
    const auto cell_at = [&](int i, double v) {
        return std::clamp(int(std::floor((v + half[i]) / field.spacing)), 0, cells[i] - 1);
    };
    const double from = origin[axis] + whole.lower * translation[axis];
    const double to = origin[axis] + whole.upper * translation[axis];
    const int direction = translation[axis] < 0 ? -1 : 1;
    const int last = cell_at(axis, to + direction * wide[axis]);
    float max_fraction = 1;
    for (int strip = cell_at(axis, from - direction * wide[axis]); direction * (last - strip) >= 0; strip += direction)
    {
        const double start = double(strip) * field.spacing - half[axis];
        const Span span = clip_span(whole, origin[axis], translation[axis], start - wide[axis],
                                    start + field.spacing + wide[axis]);
        if (span.lower > span.upper)
            continue;
        if (span.lower > max_fraction)
            return;
        const double a = origin[other] + span.lower * translation[other];
        const double b = origin[other] + span.upper * translation[other];
        const int first_cell = cell_at(other, std::min(a, b) - wide[other]);
        const int last_cell = cell_at(other, std::max(a, b) + wide[other]);
        for (int cell = first_cell; cell <= last_cell; ++cell)
        {
            const int row = axis == 0 ? cell : strip, column = axis == 0 ? strip : cell;
            const int32_t index = 2 * (row * cells[0] + column);
            max_fraction = visit(index, max_fraction);
            max_fraction = visit(index + 1, max_fraction);
        }
    }
}

} // namespace moraine
