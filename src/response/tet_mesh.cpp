#include "response/tet_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace moraine
{

namespace
{

// Faces of a right-handed tetrahedron, counter-clockwise from outside.
constexpr std::array<std::array<int, 3>, 4> tet_faces{{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};

uint64_t edge_key(int a, int b) { return uint64_t(uint32_t(std::min(a, b))) << 32 | uint32_t(std::max(a, b)); }

DVec3 cross(DVec3 a, DVec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

double signed_volume(const TetMesh& mesh, const std::array<int, 4>& t)
{
    const auto at = [&](int k) { return mesh.nodes[size_t(t[size_t(k)])]; };
    return dot(at(1) - at(0), cross(at(2) - at(0), at(3) - at(0))) / 6;
}

struct FaceUse
{
    std::array<int, 3> key{}; // corners, ascending
    int tet = 0, face = 0;
};

std::vector<FaceUse> sorted_faces(size_t tet_count, auto corner_of)
{
    std::vector<FaceUse> faces;
    faces.reserve(tet_count * 4);
    for (size_t t = 0; t < tet_count; ++t)
        for (int f = 0; f < 4; ++f)
        {
            FaceUse use{{}, int(t), f};
            for (size_t k = 0; k < 3; ++k)
                use.key[k] = corner_of(t, tet_faces[size_t(f)][k]);
            std::sort(use.key.begin(), use.key.end());
            faces.push_back(use);
        }
    std::sort(faces.begin(), faces.end(),
              [](const FaceUse& a, const FaceUse& b) { return a.key != b.key ? a.key < b.key : a.tet < b.tet; });
    return faces;
}

int root(std::vector<int>& parent, int i)
{
    while (parent[size_t(i)] != i)
        i = parent[size_t(i)] = parent[size_t(parent[size_t(i)])];
    return i;
}

// Drops nodes that no tetrahedron uses.
void compact(TetMesh& mesh)
{
    std::vector<int> place(mesh.nodes.size(), -1);
    std::vector<DVec3> nodes;
    for (auto& tet : mesh.tets)
        for (int& node : tet)
        {
            int& to = place[size_t(node)];
            if (to < 0)
            {
                to = int(nodes.size());
                nodes.push_back(mesh.nodes[size_t(node)]);
            }
            node = to;
        }
    mesh.nodes = std::move(nodes);
}

} // namespace

QuadraticMesh to_quadratic(const TetMesh& mesh)
{
    QuadraticMesh out{mesh.nodes, {}, mesh.fill};
    std::unordered_map<uint64_t, int> middles;
    middles.reserve(mesh.tets.size() * 2);
    for (const auto& tet : mesh.tets)
    {
        std::array<int, 10> q{tet[0], tet[1], tet[2], tet[3]};
        for (size_t e = 0; e < 6; ++e)
        {
            const int a = tet[size_t(tet_edges[e][0])], b = tet[size_t(tet_edges[e][1])];
            const auto [at, is_new] = middles.try_emplace(edge_key(a, b), int(out.nodes.size()));
            if (is_new)
                out.nodes.push_back((mesh.nodes[size_t(a)] + mesh.nodes[size_t(b)]) * 0.5);
            q[4 + e] = at->second;
        }
        out.tets.push_back(q);
    }
    return out;
}

std::array<double, 10> quadratic_shape(const std::array<double, 4>& w)
{
    std::array<double, 10> n{};
    for (size_t i = 0; i < 4; ++i)
        n[i] = w[i] * (2 * w[i] - 1);
    for (size_t e = 0; e < 6; ++e)
        n[4 + e] = 4 * w[size_t(tet_edges[e][0])] * w[size_t(tet_edges[e][1])];
    return n;
}

int keep_largest_part(TetMesh& mesh)
{
    std::vector<int> parent(mesh.tets.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto faces = sorted_faces(mesh.tets.size(), [&](size_t t, int k) { return mesh.tets[t][size_t(k)]; });
    for (size_t i = 1; i < faces.size(); ++i)
        if (faces[i].key == faces[i - 1].key)
            parent[size_t(root(parent, faces[i].tet))] = root(parent, faces[i - 1].tet);
    std::map<int, double> volumes;
    for (size_t t = 0; t < mesh.tets.size(); ++t)
        volumes[root(parent, int(t))] += std::fabs(signed_volume(mesh, mesh.tets[t])) *
                                         (mesh.fill.empty() ? 1.0 : double(mesh.fill[t]));
    if (volumes.size() > 1)
    {
        const int largest = std::max_element(volumes.begin(), volumes.end(), [](const auto& a, const auto& b) {
                                return a.second < b.second;
                            })->first;
        TetMesh kept{mesh.nodes, {}, {}, {}};
        for (size_t t = 0; t < mesh.tets.size(); ++t)
            if (root(parent, int(t)) == largest)
            {
                kept.tets.push_back(mesh.tets[t]);
                if (!mesh.fill.empty())
                    kept.fill.push_back(mesh.fill[t]);
                if (!mesh.labels.empty())
                    kept.labels.push_back(mesh.labels[t]);
            }
        mesh = std::move(kept);
    }
    compact(mesh);
    double sum = 0;
    for (const auto& [part, size] : volumes)
        sum += size;
    return int(std::count_if(volumes.begin(), volumes.end(), [&](const auto& v) { return v.second > 1e-3 * sum; }));
}

double volume(const TetMesh& mesh)
{
    double sum = 0;
    for (size_t t = 0; t < mesh.tets.size(); ++t)
        sum += signed_volume(mesh, mesh.tets[t]) * (mesh.fill.empty() ? 1.0 : double(mesh.fill[t]));
    return sum;
}

Status orient(TetMesh& mesh, const std::string& name)
{
    for (size_t t = 0; t < mesh.tets.size(); ++t)
    {
        auto& tet = mesh.tets[t];
        double v = signed_volume(mesh, tet);
        double longest = 0;
        for (const auto& [a, b] : tet_edges)
            longest = std::max(longest,
                               length(mesh.nodes[size_t(tet[size_t(a)])] - mesh.nodes[size_t(tet[size_t(b)])]));
        if (!(std::fabs(v) > 1e-9 * longest * longest * longest))
            return Error{name + ": tetrahedron " + std::to_string(t + 1) + " has no volume; mesh the body again"};
        if (v < 0)
            std::swap(tet[2], tet[3]);
    }
    return Ok{};
}

Surface boundary(const QuadraticMesh& mesh, std::vector<int>& nodes)
{
    const auto faces = sorted_faces(mesh.tets.size(), [&](size_t t, int k) { return mesh.tets[t][size_t(k)]; });
    std::vector<FaceUse> outer;
    for (size_t i = 0; i < faces.size();)
    {
        size_t end = i + 1;
        while (end < faces.size() && faces[end].key == faces[i].key)
            ++end;
        if (end - i == 1)
            outer.push_back(faces[i]);
        i = end;
    }
    std::sort(outer.begin(), outer.end(),
              [](const FaceUse& a, const FaceUse& b) { return a.tet != b.tet ? a.tet < b.tet : a.face < b.face; });
    Surface surface;
    std::vector<uint32_t> place(mesh.nodes.size(), UINT32_MAX);
    const auto vertex = [&](int node) {
        uint32_t& to = place[size_t(node)];
        if (to == UINT32_MAX)
        {
            to = uint32_t(nodes.size());
            nodes.push_back(node);
            surface.vertices.push_back(Vec3(mesh.nodes[size_t(node)]));
        }
        return to;
    };
    const auto middle_of = [](int a, int b) {
        for (size_t e = 0; e < 6; ++e)
            if (edge_key(tet_edges[e][0], tet_edges[e][1]) == edge_key(a, b))
                return 4 + e;
        return size_t(0);
    };
    nodes.clear();
    for (const FaceUse& use : outer)
    {
        const auto& tet = mesh.tets[size_t(use.tet)];
        const auto& f = tet_faces[size_t(use.face)];
        uint32_t corner[3], middle[3];
        for (size_t k = 0; k < 3; ++k)
        {
            corner[k] = vertex(tet[size_t(f[k])]);
            middle[k] = vertex(tet[middle_of(f[k], f[(k + 1) % 3])]);
        }
        for (size_t k = 0; k < 3; ++k)
            surface.triangles.push_back({corner[k], middle[k], middle[(k + 2) % 3]});
        surface.triangles.push_back({middle[0], middle[1], middle[2]});
    }
    return surface;
}

} // namespace moraine
