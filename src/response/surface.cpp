#include "response/surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace moraine
{

namespace
{

using Edge = std::pair<uint32_t, uint32_t>;

Edge edge(uint32_t a, uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

struct EdgeHash
{
    size_t operator()(const Edge& e) const { return (size_t(e.first) << 32 | e.second) * 0x9e3779b97f4a7c15ull >> 7; }
};

double area_of(const Surface& s, const Triangle& t)
{
    const Vec3 a = s.vertices[t[0]];
    return 0.5 * double(length(cross(s.vertices[t[1]] - a, s.vertices[t[2]] - a)));
}

double volume_below(const Surface& s, const Triangle& t, Vec3 origin)
{
    return double(dot(s.vertices[t[0]] - origin, cross(s.vertices[t[1]] - origin, s.vertices[t[2]] - origin))) / 6;
}

uint32_t root(std::vector<uint32_t>& parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

} // namespace

Surface make_box_surface(Vec3 size, Vec3 center)
{
    Surface s;
    for (int i = 0; i < 8; ++i)
        s.vertices.push_back(center +
                             0.5f * Vec3{i & 1 ? size.x : -size.x, i & 2 ? size.y : -size.y, i & 4 ? size.z : -size.z});
    s.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return s;
}

// An octahedron whose faces are divided and blown up: 8 divisions² triangles, none much smaller than the others.
Surface make_sphere_surface(float radius, int divisions)
{
    Surface s;
    for (int octant = 0; octant < 8; ++octant)
    {
        const Vec3 x{octant & 1 ? -1.0f : 1.0f, 0, 0}, y{0, octant & 2 ? -1.0f : 1.0f, 0};
        const Vec3 z{0, 0, octant & 4 ? -1.0f : 1.0f};
        const bool is_mirrored = (octant & 1) ^ (octant >> 1 & 1) ^ (octant >> 2 & 1);
        const auto point = [&](int i, int j) {
            return radius * normalize(float(divisions - i - j) * x + float(i) * y + float(j) * z);
        };
        const auto add = [&](Vec3 a, Vec3 b, Vec3 c) {
            const uint32_t first = uint32_t(s.vertices.size());
            s.vertices.insert(s.vertices.end(), {a, is_mirrored ? c : b, is_mirrored ? b : c});
            s.triangles.push_back({first, first + 1, first + 2});
        };
        for (int i = 0; i < divisions; ++i)
            for (int j = 0; i + j < divisions; ++j)
            {
                add(point(i, j), point(i + 1, j), point(i, j + 1));
                if (i + j + 1 < divisions)
                    add(point(i + 1, j), point(i + 1, j + 1), point(i, j + 1));
            }
    }
    return weld(s, 1e-5f * radius);
}

Surface make_cylinder_surface(float radius, float length, int segments)
{
    Surface s;
    const float step = 2 * pi * radius / float(segments);
    const int rows = std::max(1, int(std::lround(length / step)));
    for (int r = 0; r <= rows; ++r)
        for (int k = 0; k < segments; ++k)
        {
            const float angle = 2 * pi * float(k) / float(segments);
            s.vertices.push_back(
                {radius * std::cos(angle), length * (float(r) / float(rows) - 0.5f), radius * std::sin(angle)});
        }
    const uint32_t bottom = uint32_t(s.vertices.size()), top = bottom + 1;
    s.vertices.push_back({0, -0.5f * length, 0});
    s.vertices.push_back({0, 0.5f * length, 0});
    const auto at = [&](int r, int k) { return uint32_t(r * segments + k % segments); };
    for (int k = 0; k < segments; ++k)
    {
        s.triangles.push_back({bottom, at(0, k), at(0, k + 1)});
        s.triangles.push_back({top, at(rows, k + 1), at(rows, k)});
        for (int r = 0; r < rows; ++r)
        {
            s.triangles.push_back({at(r, k), at(r + 1, k), at(r, k + 1)});
            s.triangles.push_back({at(r, k + 1), at(r + 1, k), at(r + 1, k + 1)});
        }
    }
    return s;
}

Surface weld(const Surface& surface, float tolerance)
{
    Surface out;
    std::vector<uint32_t> order(surface.vertices.size()), target(surface.vertices.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto cell = [&](Vec3 v) {
        return std::array<int64_t, 3>{std::llround(double(v.x) / double(tolerance)),
                                      std::llround(double(v.y) / double(tolerance)),
                                      std::llround(double(v.z) / double(tolerance))};
    };
    std::map<std::array<int64_t, 3>, uint32_t> known;
    for (const uint32_t i : order)
    {
        const auto [at, is_new] = known.try_emplace(cell(surface.vertices[i]), uint32_t(out.vertices.size()));
        if (is_new)
            out.vertices.push_back(surface.vertices[i]);
        target[i] = at->second;
    }
    std::vector<bool> is_used(out.vertices.size());
    for (const Triangle& t : surface.triangles)
    {
        const Triangle welded{target[t[0]], target[t[1]], target[t[2]]};
        if (welded[0] == welded[1] || welded[1] == welded[2] || welded[2] == welded[0])
            continue;
        if (!(area_of(out, welded) > 0))
            continue;
        out.triangles.push_back(welded);
        for (const uint32_t corner : welded)
            is_used[corner] = true;
    }
    // Vertices that no triangle uses would have no normal and no distance.
    std::vector<uint32_t> place(out.vertices.size());
    std::vector<Vec3> kept;
    for (size_t i = 0; i < out.vertices.size(); ++i)
        if (is_used[i])
        {
            place[i] = uint32_t(kept.size());
            kept.push_back(out.vertices[i]);
        }
    out.vertices = std::move(kept);
    for (Triangle& t : out.triangles)
        for (uint32_t& corner : t)
            corner = place[corner];
    return out;
}

Surface refine(Surface surface, float longest_edge)
{
    const float limit = longest_edge * longest_edge;
    for (bool has_split = true; has_split;)
    {
        has_split = false;
        std::unordered_map<Edge, uint32_t, EdgeHash> middles;
        // The middle of an edge that is too long, or no vertex.
        const auto middle = [&](uint32_t a, uint32_t b) {
            const Vec3 p = surface.vertices[a], q = surface.vertices[b];
            if (!(length_squared(p - q) > limit))
                return UINT32_MAX;
            const auto [at, is_new] = middles.try_emplace(edge(a, b), uint32_t(surface.vertices.size()));
            if (is_new)
                surface.vertices.push_back(0.5f * (p + q));
            return at->second;
        };
        std::vector<Triangle> next;
        next.reserve(surface.triangles.size() * 2);
        for (const Triangle& t : surface.triangles)
        {
            const uint32_t m[3] = {middle(t[0], t[1]), middle(t[1], t[2]), middle(t[2], t[0])};
            const int count = (m[0] != UINT32_MAX) + (m[1] != UINT32_MAX) + (m[2] != UINT32_MAX);
            has_split |= count > 0;
            if (count == 0)
                next.push_back(t);
            else if (count == 3)
                next.insert(next.end(), {Triangle{t[0], m[0], m[2]}, Triangle{m[0], t[1], m[1]},
                                         Triangle{m[2], m[1], t[2]}, Triangle{m[0], m[1], m[2]}});
            else
                for (int k = 0; k < 3; ++k)
                {
                    const uint32_t a = t[size_t(k)], b = t[size_t((k + 1) % 3)], c = t[size_t((k + 2) % 3)];
                    const uint32_t ab = m[k], bc = m[(k + 1) % 3];
                    if (count == 1 && ab != UINT32_MAX)
                        next.insert(next.end(), {Triangle{a, ab, c}, Triangle{ab, b, c}});
                    if (count == 2 && ab != UINT32_MAX && bc != UINT32_MAX)
                        next.insert(next.end(), {Triangle{ab, b, bc}, Triangle{a, ab, bc}, Triangle{a, bc, c}});
                }
        }
        surface.triangles = std::move(next);
    }
    return surface;
}

SurfaceReport inspect(const Surface& surface)
{
    SurfaceReport report;
    std::map<Edge, std::pair<int, int>> edges; // how many triangles run along it in each direction
    std::vector<uint32_t> parent(surface.vertices.size());
    std::iota(parent.begin(), parent.end(), 0u);
    for (const Triangle& t : surface.triangles)
        for (size_t k = 0; k < 3; ++k)
        {
            const uint32_t a = t[k], b = t[(k + 1) % 3];
            auto& count = edges[edge(a, b)];
            ++(a < b ? count.first : count.second);
            parent[root(parent, a)] = root(parent, b);
        }
    for (const auto& [key, count] : edges)
    {
        report.open_edges += count.first + count.second == 1;
        report.crowded_edges += count.first + count.second > 2;
        report.flipped_edges += count.first + count.second == 2 && count.first != 1;
    }
    struct Part
    {
        double volume = 0, area = 0;
        Vec3 origin{};
    };
    std::map<uint32_t, Part> parts;
    for (const Triangle& t : surface.triangles)
    {
        const auto [at, is_new] = parts.try_emplace(root(parent, t[0]));
        if (is_new)
            at->second.origin = surface.vertices[t[0]];
        at->second.volume += volume_below(surface, t, at->second.origin);
        at->second.area += area_of(surface, t);
    }
    report.parts = int(parts.size());
    for (const auto& [key, part] : parts)
    {
        report.volume += std::fabs(part.volume);
        report.area += part.area;
        // Compared with a sphere of this area, of which it would be less than a millionth.
        report.parts_without_volume += std::fabs(part.volume) < 1e-6 * std::pow(part.area, 1.5) / 10.6;
    }
    return report;
}

std::vector<Vec3> vertex_normals(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles)
{
    std::vector<Vec3> normals(vertices.size());
    for (const Triangle& t : triangles)
    {
        const Vec3 a = vertices[t[0]];
        const Vec3 n = cross(vertices[t[1]] - a, vertices[t[2]] - a); // weighs by area
        for (const uint32_t corner : t)
            normals[corner] += n;
    }
    for (Vec3& n : normals)
    {
        const float largest = max_component(abs(n)); // areas may be too small to be squared
        n = largest > 0 ? normalize(n / largest) : Vec3{0, 1, 0};
    }
    return normals;
}

double surface_area(const Surface& surface)
{
    double area = 0;
    for (const Triangle& t : surface.triangles)
        area += area_of(surface, t);
    return area;
}

float bounding_box(const std::vector<Vec3>& vertices, Vec3& lower, Vec3& upper)
{
    lower = upper = vertices.empty() ? Vec3{} : vertices.front();
    for (const Vec3& v : vertices)
        lower = min(lower, v), upper = max(upper, v);
    return length(upper - lower);
}

} // namespace moraine
