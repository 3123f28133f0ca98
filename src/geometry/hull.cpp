#include "geometry/hull.h"

#include "geometry/hull_builder.h"

#include <algorithm>

namespace moraine
{

namespace
{

DVec3 cross(DVec3 a, DVec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

// Normals by Newell's sum over the loop, which is the best plane also where four corners are not quite in one.
bool find_planes(Hull& hull)
{
    for (HullFace& face : hull.faces)
    {
        const DVec3 origin = hull.corners[hull.loops[face.first]];
        DVec3 area{};
        double offset = 0;
        for (int i = 1; i + 1 < face.count; ++i)
            area += cross(DVec3(hull.corners[hull.loops[face.first + i]]) - origin,
                          DVec3(hull.corners[hull.loops[face.first + i + 1]]) - origin);
        const double size = length(area);
        if (!(size > 0))
            return false;
        face.normal = normalize(Vec3(area * (1.0 / size)));
        for (int i = 0; i < face.count; ++i)
            offset += dot(DVec3(face.normal), DVec3(hull.corners[hull.loops[face.first + i]]));
        face.offset = float(offset / face.count);
    }
    return true;
}

// Each edge must belong to two faces that run along it in opposite directions.
bool find_edges(Hull& hull)
{
    constexpr uint8_t no_face = 255;
    std::vector<uint8_t> face_of(size_t(max_hull_corners) * max_hull_corners, no_face);
    const auto slot = [&](int from, int to) -> uint8_t& {
        return face_of[size_t(from) * max_hull_corners + size_t(to)];
    };
    hull.edges.clear();
    for (size_t f = 0; f < hull.faces.size(); ++f)
        for (int i = 0; i < hull.faces[f].count; ++i)
        {
            const int from = loop_corner(hull, hull.faces[f], i), to = loop_corner(hull, hull.faces[f], i + 1);
            if (slot(from, to) != no_face)
                return false;
            slot(from, to) = uint8_t(f);
        }
    for (size_t f = 0; f < hull.faces.size(); ++f)
        for (int i = 0; i < hull.faces[f].count; ++i)
        {
            const int from = loop_corner(hull, hull.faces[f], i), to = loop_corner(hull, hull.faces[f], i + 1);
            const uint8_t other = slot(to, from);
            if (other == no_face || other == uint8_t(f))
                return false;
            if (from < to)
                hull.edges.push_back({uint8_t(from), uint8_t(to), uint8_t(f), other});
        }
    // Euler
    return hull.corners.size() + hull.faces.size() == hull.edges.size() + 2;
}

void find_neighbours(Hull& hull)
{
    std::vector<std::vector<uint8_t>> lists(hull.corners.size());
    for (const HullEdge& edge : hull.edges)
    {
        lists[edge.corner_a].push_back(edge.corner_b);
        lists[edge.corner_b].push_back(edge.corner_a);
    }
    hull.neighbours.clear();
    hull.neighbour_first.assign(1, 0);
    for (const std::vector<uint8_t>& list : lists)
    {
        hull.neighbours.insert(hull.neighbours.end(), list.begin(), list.end());
        hull.neighbour_first.push_back(uint16_t(hull.neighbours.size()));
    }
}

void find_lanes(Hull& hull)
{
    const size_t block_count = (hull.corners.size() + Hull::lane_count - 1) / Hull::lane_count;
    hull.lanes.assign(block_count * 3 * Hull::lane_count, 0.0f);
    for (size_t i = 0; i < block_count * Hull::lane_count; ++i)
    {
        // The first corner fills up the last block: it can tie with itself but never win from there.
        const Vec3 corner = hull.corners[i < hull.corners.size() ? i : 0];
        float* block = &hull.lanes[i / Hull::lane_count * 3 * Hull::lane_count + i % Hull::lane_count];
        block[0] = corner.x;
        block[Hull::lane_count] = corner.y;
        block[2 * Hull::lane_count] = corner.z;
    }
}

// Volume integrals as a sum of tetrahedra from one point to each triangle of the surface. For one with corners
// 0, a, b, c and det = a . (b x c):  volume = det / 6,  first moment = det / 24 (a + b + c),
// second moment = det / 120 (a a^T + b b^T + c c^T + s s^T) with s = a + b + c.
struct VolumeSums
{
    double volume = 0;
    DVec3 first{};
    double second[3][3]{};

    void add(DVec3 a, DVec3 b, DVec3 c)
    {
        const double det = dot(a, cross(b, c));
        const DVec3 s = a + b + c;
        volume += det / 6;
        first += s * (det / 24);
        for (const DVec3& v : {a, b, c, s})
        {
            const double values[3] = {v.x, v.y, v.z};
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    second[i][j] += det / 120 * values[i] * values[j];
        }
    }
};

void find_measures(Hull& hull)
{
    hull.bounds = {};
    for (const Vec3& corner : hull.corners)
        hull.bounds = merge(hull.bounds, {corner, corner});
    const DVec3 origin = (DVec3(hull.bounds.lower) + DVec3(hull.bounds.upper)) * 0.5;
    const auto at = [&](int corner) { return DVec3(hull.corners[corner]) - origin; };
    VolumeSums sums;
    for (const HullFace& face : hull.faces)
        for (int i = 1; i + 1 < face.count; ++i)
            sums.add(at(loop_corner(hull, face, 0)), at(loop_corner(hull, face, i)),
                     at(loop_corner(hull, face, i + 1)));

    hull.volume = float(sums.volume);
    const DVec3 shift = sums.first * (1.0 / sums.volume);
    const double d[3] = {shift.x, shift.y, shift.z};
    double c[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c[i][j] = sums.second[i][j] - sums.volume * d[i] * d[j];
    hull.unit_inertia = {{float(c[1][1] + c[2][2]), float(-c[0][1]), float(-c[0][2])},
                         {float(-c[0][1]), float(c[0][0] + c[2][2]), float(-c[1][2])},
                         {float(-c[0][2]), float(-c[1][2]), float(c[0][0] + c[1][1])}};
    hull.center = Vec3(origin + shift);
    double inner = std::numeric_limits<double>::infinity();
    for (const HullFace& face : hull.faces)
        inner = std::min(inner, face.offset - dot(DVec3(face.normal), origin + shift));
    hull.inner_radius = float(inner);
}

// What a broken construction would not survive: all corners (and, unless some had to be left out, all points) behind all
// faces, and the numbers in range.
bool is_sound(const Hull& hull, std::span<const Vec3> points, const HullTriangles& triangles)
{
    if (!(hull.volume > 1e-37f && hull.volume < 1e37f && hull.inner_radius > 0 && is_finite(hull.center)))
        return false;
    const Mat3& inertia = hull.unit_inertia;
    if (!(std::min({inertia.x.x, inertia.y.y, inertia.z.z}) > 0 &&
          std::isfinite(inertia.x.x + inertia.y.y + inertia.z.z)))
        return false;
    const double tolerance = 2 * triangles.tolerance.flat + 2 * triangles.tolerance.weld;
    const std::span<const Vec3> tested = triangles.holds_all_points ? points : std::span<const Vec3>(hull.corners);
    for (const HullFace& face : hull.faces)
    {
        const DVec3 normal = face.normal;
        for (const Vec3& point : tested)
            if (!(dot(normal, point) - face.offset <= tolerance))
                return false;
    }
    return true;
}

} // namespace

Result<HullRef> make_hull(std::span<const Vec3> points)
{
    const Result<HullTriangles> triangles = find_hull_triangles(points);
    if (!triangles)
        return triangles.error();
    for (const FaceMerging merging : {FaceMerging::flat, FaceMerging::noise, FaceMerging::none})
    {
        const auto hull = std::make_shared<Hull>();
        if (!join_faces(points, *triangles, merging, *hull) || !find_planes(*hull) || !find_edges(*hull))
            continue;
        find_neighbours(*hull);
        find_lanes(*hull);
        find_measures(*hull);
        if (is_sound(*hull, points, *triangles))
            return HullRef(hull);
    }
    return Error{"hull could not be built: its points are numerically degenerate; simplify or scale them"};
}

std::span<const Vec3> corners(const Hull& hull) { return hull.corners; }

std::vector<std::vector<uint32_t>> faces(const Hull& hull)
{
    std::vector<std::vector<uint32_t>> out;
    for (const HullFace& face : hull.faces)
        out.emplace_back(hull.loops.begin() + face.first, hull.loops.begin() + face.first + face.count);
    return out;
}

// All corners, eight at a time: up to 128 that beats climbing along edges, which jumps about in memory, and it cannot
// get stuck on a side that is not quite flat. The lowest index wins ties.
int support_corner(const Hull& hull, Vec3 direction)
{
    constexpr int lanes = Hull::lane_count;
    float best[lanes];
    int32_t block_of[lanes] = {};
    for (int i = 0; i < lanes; ++i)
        best[i] = -std::numeric_limits<float>::infinity();
    const int block_count = int(hull.lanes.size()) / (3 * lanes);
    for (int block = 0; block < block_count; ++block)
    {
        const float* corner = &hull.lanes[size_t(block) * 3 * lanes];
        for (int i = 0; i < lanes; ++i)
        {
            const float height = corner[i] * direction.x + corner[i + lanes] * direction.y +
                                 corner[i + 2 * lanes] * direction.z;
            const bool is_better = height > best[i];
            best[i] = is_better ? height : best[i];
            block_of[i] = is_better ? block : block_of[i];
        }
    }
    int winner = block_of[0] * lanes;
    float height = best[0];
    for (int i = 1; i < lanes; ++i)
    {
        const int corner = block_of[i] * lanes + i;
        if (best[i] > height || (best[i] == height && corner < winner))
        {
            height = best[i];
            winner = corner;
        }
    }
    return winner < int(hull.corners.size()) ? winner : 0;
}

} // namespace moraine
