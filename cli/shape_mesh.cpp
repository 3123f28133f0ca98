#include "cli/shape_mesh.h"

#include "record/visuals.h"

#include <fmt/core.h>

#include <cmath>

namespace moraine::cli
{

namespace
{

constexpr int around = 24, half_rings = 6;
constexpr float ground_half_size = 100; // a half-space has no end

void add_flat(ShapeMesh& mesh, std::initializer_list<Vec3> loop, Vec3 normal)
{
    const uint32_t first = uint32_t(mesh.vertices.size());
    for (Vec3 v : loop)
        mesh.vertices.push_back(v), mesh.normals.push_back(normal);
    for (uint32_t i = 1; i + 1 < uint32_t(loop.size()); ++i)
        mesh.indices.insert(mesh.indices.end(), {first, first + i, first + i + 1});
}

// A ring of quads between two circles about y.
void add_band(ShapeMesh& mesh, float r0, float y0, Vec3 n0, float r1, float y1, Vec3 n1)
{
    const uint32_t first = uint32_t(mesh.vertices.size());
    for (int i = 0; i <= around; ++i)
    {
        const float a = 2 * pi * float(i) / float(around), c = std::cos(a), s = std::sin(a);
        mesh.vertices.push_back({r0 * c, y0, -r0 * s});
        mesh.normals.push_back({n0.x * c, n0.y, -n0.x * s});
        mesh.vertices.push_back({r1 * c, y1, -r1 * s});
        mesh.normals.push_back({n1.x * c, n1.y, -n1.x * s});
    }
    for (uint32_t i = 0; i < uint32_t(around); ++i)
    {
        const uint32_t a = first + 2 * i;
        mesh.indices.insert(mesh.indices.end(), {a, a + 2, a + 1, a + 1, a + 2, a + 3});
    }
}

// Two half balls, `half_length` up and down; together a ball, or the ends of a capsule.
void add_caps(ShapeMesh& mesh, float radius, float half_length)
{
    for (int ring = -half_rings; ring < half_rings; ++ring)
    {
        const float a = 0.5f * pi * float(ring) / half_rings, b = 0.5f * pi * float(ring + 1) / half_rings;
        const float shift = ring < 0 ? -half_length : half_length;
        add_band(mesh, radius * std::cos(a), radius * std::sin(a) + shift, {std::cos(a), std::sin(a), 0},
                 radius * std::cos(b), radius * std::sin(b) + shift, {std::cos(b), std::sin(b), 0});
    }
}

void add_box(ShapeMesh& mesh, Vec3 h)
{
    for (int axis = 0; axis < 3; ++axis)
        for (float side : {-1.0f, 1.0f})
        {
            const int j = (axis + 1) % 3, k = (axis + 2) % 3;
            const auto corner = [&](float a, float b) {
                Vec3 v{};
                v[axis] = side * h[axis], v[j] = a * side * h[j], v[k] = b * h[k];
                return v;
            };
            Vec3 normal{};
            normal[axis] = side;
            add_flat(mesh, {corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)}, normal);
        }
}

} // namespace

ShapeMesh shape_mesh(const Geometry& geometry)
{
    ShapeMesh mesh;
    if (const auto* sphere = std::get_if<Sphere>(&geometry))
        add_caps(mesh, sphere->radius, 0);
    else if (const auto* capsule = std::get_if<Capsule>(&geometry))
    {
        add_caps(mesh, capsule->radius, capsule->half_length);
        add_band(mesh, capsule->radius, -capsule->half_length, {1, 0, 0}, capsule->radius, capsule->half_length,
                 {1, 0, 0});
    }
    else if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
    {
        const float r = cylinder->radius, h = cylinder->half_length;
        add_band(mesh, r, -h, {1, 0, 0}, r, h, {1, 0, 0});
        add_band(mesh, r, h, {0, 1, 0}, 0, h, {0, 1, 0});
        add_band(mesh, 0, -h, {0, -1, 0}, r, -h, {0, -1, 0});
    }
    else if (const auto* box = std::get_if<Box>(&geometry))
        add_box(mesh, box->half_extents);
    else if (std::holds_alternative<HalfSpace>(geometry))
    {
        const float s = ground_half_size;
        add_flat(mesh, {{-s, 0, s}, {s, 0, s}, {s, 0, -s}, {-s, 0, -s}}, {0, 1, 0});
    }
    else
    {
        const TriangleList list = triangles_of(geometry);
        for (size_t i = 0; i + 2 < list.indices.size(); i += 3)
        {
            const Vec3 a = list.vertices[list.indices[i]], b = list.vertices[list.indices[i + 1]],
                       c = list.vertices[list.indices[i + 2]];
            add_flat(mesh, {a, b, c}, normalize(cross(b - a, c - a)));
        }
    }
    return mesh;
}

std::string mesh_key(const Geometry& geometry)
{
    if (const auto* sphere = std::get_if<Sphere>(&geometry))
        return fmt::format("sphere {}", sphere->radius);
    if (const auto* capsule = std::get_if<Capsule>(&geometry))
        return fmt::format("capsule {} {}", capsule->radius, capsule->half_length);
    if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
        return fmt::format("cylinder {} {}", cylinder->radius, cylinder->half_length);
    if (const auto* box = std::get_if<Box>(&geometry))
        return fmt::format("box {} {} {}", box->half_extents.x, box->half_extents.y, box->half_extents.z);
    if (const auto* mesh = std::get_if<MeshRef>(&geometry))
        return fmt::format("mesh {}", static_cast<const void*>(mesh->get()));
    if (const auto* hull = std::get_if<HullRef>(&geometry))
        return fmt::format("hull {}", static_cast<const void*>(hull->get()));
    return fmt::format("kind {}", geometry.index());
}

} // namespace moraine::cli
