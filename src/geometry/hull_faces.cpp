// From triangles to polygons: neighbouring triangles that lie in one plane become one face, and corners that no longer
// separate three faces go away.
#include "geometry/hull_builder.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr int32_t none = -1;
// Sides that lean less than about 0.6 degrees against each other may be one side.
constexpr double parallel_cosine = 0.99995;

DVec3 cross(DVec3 a, DVec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
DVec3 unit(DVec3 a) { return length(a) > 0 ? a * (1.0 / length(a)) : DVec3{}; }

struct InnerEdge
{
    int32_t triangle_a, triangle_b;
    double cosine;
};

class FaceJoiner
{
public:
    FaceJoiner(std::span<const Vec3> points, const HullTriangles& input, FaceMerging merging);

    bool run(Hull& hull);

private:
    void link_triangles();
    void merge_patches();
    bool try_merge(int32_t a, int32_t b);
    bool is_flat(int32_t a, int32_t b) const;
    bool find_loop(int32_t a, int32_t b, std::vector<int32_t>& loop) const;
    bool is_in(int32_t triangle, int32_t a, int32_t b) const { return patch_[triangle] == a || patch_[triangle] == b; }
    std::vector<int> count_faces_of_corners() const;
    void drop_straight_corners(const std::vector<int>& face_counts);
    bool write(Hull& hull) const;

    std::span<const Vec3> points_;
    const HullTriangles& input_;
    FaceMerging merging_;
    std::vector<DVec3> positions_;
    std::vector<std::array<int32_t, 3>> across_; // the triangle beyond edge i
    std::vector<int32_t> patch_;                 // of each triangle
    std::vector<DVec3> area_;                    // of each patch, twice, along its normal
    std::vector<std::vector<int32_t>> loops_;    // of each patch; empty for those that were merged into another
    std::vector<bool> is_kept_;                  // of each corner
};

FaceJoiner::FaceJoiner(std::span<const Vec3> points, const HullTriangles& input, FaceMerging merging)
    : points_(points),
      input_(input),
      merging_(merging)
{
    // Relative to one of the points: far from the origin nothing else is precise.
    for (const int32_t point : input.points)
        positions_.push_back(DVec3(points[point]) - DVec3(points[input.points[0]]));
    for (size_t i = 0; i < input.triangles.size(); ++i)
    {
        const auto [a, b, c] = input.triangles[i];
        patch_.push_back(int32_t(i));
        area_.push_back(cross(positions_[b] - positions_[a], positions_[c] - positions_[a]));
    }
    is_kept_.assign(positions_.size(), true);
}

void FaceJoiner::link_triangles()
{
    const size_t count = positions_.size();
    std::vector<int32_t> triangle_of_edge(count * count, none);
    for (size_t i = 0; i < input_.triangles.size(); ++i)
        for (int edge = 0; edge < 3; ++edge)
        {
            const auto& t = input_.triangles[i];
            triangle_of_edge[size_t(t[edge]) * count + size_t(t[(edge + 1) % 3])] = int32_t(i);
        }
    across_.resize(input_.triangles.size());
    for (size_t i = 0; i < input_.triangles.size(); ++i)
        for (int edge = 0; edge < 3; ++edge)
        {
            const auto& t = input_.triangles[i];
            across_[i][edge] = triangle_of_edge[size_t(t[(edge + 1) % 3]) * count + size_t(t[edge])];
        }
}

// Are all corners of both patches in one plane? Up to rounding whatever their normals, as those of slivers mean little;
// or more loosely if the patches face the same way.
bool FaceJoiner::is_flat(int32_t a, int32_t b) const
{
    const DVec3 normal = unit(area_[a] + area_[b]);
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (size_t i = 0; i < patch_.size(); ++i)
    {
        if (!is_in(int32_t(i), a, b))
            continue;
        for (const int32_t corner : input_.triangles[i])
        {
            const double height = dot(normal, positions_[corner]);
            lowest = std::min(lowest, height);
            highest = std::max(highest, height);
        }
    }
    const double spread = highest - lowest;
    if (spread <= 10 * input_.tolerance.noise)
        return true;
    const bool is_parallel = dot(unit(area_[a]), unit(area_[b])) > parallel_cosine;
    return merging_ == FaceMerging::flat && is_parallel && spread <= input_.tolerance.flat;
}

// The outline of two patches together; false if it is not a single loop without repeated corners.
bool FaceJoiner::find_loop(int32_t a, int32_t b, std::vector<int32_t>& loop) const
{
    std::vector<int32_t> next(positions_.size(), none);
    int32_t first = none;
    size_t count = 0;
    for (size_t i = 0; i < patch_.size(); ++i)
    {
        if (!is_in(int32_t(i), a, b))
            continue;
        for (int edge = 0; edge < 3; ++edge)
        {
            if (is_in(across_[i][edge], a, b))
                continue;
            const int32_t from = input_.triangles[i][edge];
            if (next[from] != none)
                return false;
            next[from] = input_.triangles[i][(edge + 1) % 3];
            first = first == none ? from : std::min(first, from);
            ++count;
        }
    }
    loop.clear();
    for (int32_t corner = first; corner != none && (loop.empty() || corner != first); corner = next[corner])
        loop.push_back(corner);
    return loop.size() == count && count >= 3;
}

bool FaceJoiner::try_merge(int32_t a, int32_t b)
{
    std::vector<int32_t> loop;
    if (!is_flat(a, b) || !find_loop(a, b, loop))
        return false;
    std::replace(patch_.begin(), patch_.end(), b, a);
    area_[a] += area_[b];
    return true;
}

void FaceJoiner::merge_patches()
{
    for (bool has_merged = true; has_merged;)
    {
        has_merged = false;
        std::vector<InnerEdge> edges;
        for (int32_t i = 0; i < int32_t(patch_.size()); ++i)
            for (const int32_t other : across_[i])
                if (i < other && patch_[i] != patch_[other])
                    edges.push_back({i, other, dot(unit(area_[patch_[i]]), unit(area_[patch_[other]]))});
        // The flattest first, so that slivers do not pull two real sides together.
        std::stable_sort(edges.begin(), edges.end(),
                         [](const InnerEdge& a, const InnerEdge& b) { return a.cosine > b.cosine; });
        for (const InnerEdge& edge : edges)
        {
            const auto [a, b] = std::minmax(patch_[edge.triangle_a], patch_[edge.triangle_b]);
            if (a != b && try_merge(a, b))
                has_merged = true;
        }
    }
}

std::vector<int> FaceJoiner::count_faces_of_corners() const
{
    std::vector<int> counts(positions_.size(), 0);
    for (const std::vector<int32_t>& loop : loops_)
        for (const int32_t corner : loop)
            ++counts[corner];
    return counts;
}

// A corner of only two faces lies on the line between them, as far as the faces are flat.
void FaceJoiner::drop_straight_corners(const std::vector<int>& face_counts)
{
    const double tolerance = merging_ == FaceMerging::flat ? input_.tolerance.flat : input_.tolerance.weld;
    for (const std::vector<int32_t>& loop : loops_)
    {
        const size_t count = loop.size();
        for (size_t i = 0; i < count; ++i)
        {
            if (face_counts[loop[i]] > 2)
                continue;
            size_t before = 1, after = 1;
            while (before < count && face_counts[loop[(i + count - before) % count]] <= 2)
                ++before;
            while (after < count && face_counts[loop[(i + after) % count]] <= 2)
                ++after;
            if (before + after > count)
                continue;
            const DVec3 from = positions_[loop[(i + count - before) % count]];
            const DVec3 along = positions_[loop[(i + after) % count]] - from;
            const double off_line = length(cross(along, positions_[loop[i]] - from)) / length(along);
            if (off_line <= tolerance)
                is_kept_[loop[i]] = false;
        }
    }
}

bool FaceJoiner::run(Hull& hull)
{
    link_triangles();
    for (const auto& neighbours : across_)
        for (const int32_t other : neighbours)
            if (other == none)
                return false;
    if (merging_ != FaceMerging::none)
        merge_patches();

    loops_.resize(patch_.size());
    for (size_t i = 0; i < patch_.size(); ++i)
        if (patch_[i] == int32_t(i) && !find_loop(int32_t(i), int32_t(i), loops_[i]))
            return false;
    const std::vector<int> face_counts = count_faces_of_corners();
    for (size_t i = 0; i < face_counts.size(); ++i)
        is_kept_[i] = face_counts[i] > 0;
    if (merging_ != FaceMerging::none)
        drop_straight_corners(face_counts);
    return write(hull);
}

bool FaceJoiner::write(Hull& hull) const
{
    hull.loops.clear();
    hull.faces.clear();
    hull.corners.clear();
    std::vector<int32_t> numbers(positions_.size(), none);
    for (size_t i = 0; i < positions_.size(); ++i)
    {
        if (!is_kept_[i])
            continue;
        numbers[i] = int32_t(hull.corners.size());
        hull.corners.push_back(points_[input_.points[i]]);
    }
    for (const std::vector<int32_t>& loop : loops_)
    {
        if (loop.empty())
            continue;
        HullFace face;
        face.first = uint16_t(hull.loops.size());
        for (const int32_t corner : loop)
            if (numbers[corner] != none)
                hull.loops.push_back(uint8_t(numbers[corner]));
        face.count = uint16_t(hull.loops.size() - face.first);
        if (face.count < 3 || hull.faces.size() == size_t(max_hull_faces))
            return false;
        hull.faces.push_back(face);
    }
    return hull.corners.size() >= 4;
}

} // namespace

bool join_faces(std::span<const Vec3> points, const HullTriangles& triangles, FaceMerging merging, Hull& hull)
{
    return FaceJoiner(points, triangles, merging).run(hull);
}

} // namespace moraine
