// Surfaces and shapes that the tests of this folder share.
#pragma once

#include "collide/gjk.h"
#include "collide/narrow_phase.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "geometry/shape.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace moraine::surface_test
{

// xorshift: the same numbers on every machine.
class Random
{
public:
    explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
    float uniform(float lower, float upper)
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return lower + (upper - lower) * float(state_ >> 40) / float(1 << 24);
    }
    Vec3 point(float reach) { return {uniform(-reach, reach), uniform(-reach, reach), uniform(-reach, reach)}; }
    Vec3 direction() { return normalize(point(1)); }
    Quat rotation() { return normalize(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}); }
    Transform pose(float reach) { return {point(reach), rotation()}; }

private:
    uint64_t state_;
};

// A shape only points to its hull or mesh: they are kept here until the tests are over.
inline Shape shape_of(const Geometry& geometry)
{
    static std::vector<Geometry> kept;
    if (std::holds_alternative<HullRef>(geometry) || std::holds_alternative<MeshRef>(geometry) ||
        std::holds_alternative<HeightFieldRef>(geometry))
        kept.push_back(geometry);
    ShapeDef def;
    def.geometry = geometry;
    return make_shape(def, {});
}

// A grid of n x n quads over [-half, half]², corners shifted sideways at random, height from a function.
inline MeshRef make_grid(int n, float half, float jitter, const std::function<float(float, float)>& height)
{
    Random random(7);
    std::vector<Vec3> vertices;
    std::vector<uint32_t> indices;
    const float step = 2 * half / float(n);
    for (int row = 0; row <= n; ++row)
        for (int column = 0; column <= n; ++column)
        {
            const bool is_inside = row > 0 && column > 0 && row < n && column < n;
            const float shift = is_inside ? jitter * step : 0;
            const float x = -half + step * float(column) + random.uniform(-shift, shift);
            const float z = -half + step * float(row) + random.uniform(-shift, shift);
            vertices.push_back({x, height(x, z), z});
        }
    const uint32_t stride = uint32_t(n + 1);
    for (uint32_t row = 0; row < uint32_t(n); ++row)
        for (uint32_t column = 0; column < uint32_t(n); ++column)
        {
            const uint32_t a = row * stride + column, b = a + 1, c = a + stride, d = c + 1;
            for (const uint32_t i : {a, c, b, b, c, d})
                indices.push_back(i);
        }
    auto mesh = make_mesh(vertices, indices);
    EXPECT_TRUE(mesh.has_value());
    return *mesh;
}

inline MeshRef make_flat_grid(int n, float half, float jitter = 0.3f)
{
    return make_grid(n, half, jitter, [](float, float) { return 0.0f; });
}

// A cube as a mesh, each side cut into n x n quads.
inline MeshRef make_cube_mesh(float half, int n)
{
    std::vector<Vec3> vertices;
    std::vector<uint32_t> indices;
    for (int axis = 0; axis < 3; ++axis)
        for (const float sign : {-1.0f, 1.0f})
        {
            const uint32_t first = uint32_t(vertices.size());
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            for (int i = 0; i <= n; ++i)
                for (int j = 0; j <= n; ++j)
                {
                    Vec3 p{};
                    p[axis] = sign * half;
                    p[u] = -half + 2 * half * float(i) / float(n);
                    p[v] = -half + 2 * half * float(j) / float(n);
                    vertices.push_back(p);
                }
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                {
                    const uint32_t a = first + uint32_t(i * (n + 1) + j), b = a + 1, c = a + uint32_t(n) + 1, d = c + 1;
                    if (sign > 0)
                        indices.insert(indices.end(), {a, c, b, b, c, d});
                    else
                        indices.insert(indices.end(), {a, b, c, b, d, c});
                }
        }
    auto mesh = make_mesh(vertices, indices);
    EXPECT_TRUE(mesh.has_value());
    return *mesh;
}

inline HullRef make_random_hull(Random& random, float radius)
{
    std::vector<Vec3> points;
    for (int i = 0; i < 14; ++i)
        points.push_back(random.direction() * (radius * random.uniform(0.7f, 1.0f)));
    auto hull = make_hull(points);
    EXPECT_TRUE(hull.has_value());
    return *hull;
}

} // namespace moraine::surface_test
