#include "geometry/mesh.h"
#include "random.h"

#include <gtest/gtest.h>

namespace moraine::test
{
namespace
{

// Two triangles that share the edge along z; the second is bent down by `degrees` (negative: up).
Result<MeshRef> roof(float degrees, bool shares_vertices)
{
    const float c = std::cos(radians(degrees)), s = std::sin(radians(degrees));
    const std::vector<Vec3> vertices{{0, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {c, -s, 0}, {0, 0, 0}, {0, 0, 1}};
    const std::vector<uint32_t> shared{0, 2, 1, 0, 1, 3}, repeated{0, 2, 1, 4, 5, 3};
    return make_mesh(vertices, shares_vertices ? shared : repeated);
}

TEST(Mesh, OnlyConvexAndOpenEdgesAreSharp)
{
    for (const bool shares_vertices : {true, false})
    {
        for (const float degrees : {30.0f, 3.0f})
        {
            const MeshRef mesh = roof(degrees, shares_vertices).value();
            EXPECT_EQ(triangle_at(*mesh, 0).sharp_edges, 7);
            EXPECT_EQ(triangle_at(*mesh, 1).sharp_edges, 7);
        }
        for (const float degrees : {0.0f, 0.5f, -0.5f, -30.0f})
        {
            const MeshRef mesh = roof(degrees, shares_vertices).value();
            EXPECT_GT(triangle_at(*mesh, 0).normal.y, 0.5f);
            EXPECT_EQ(triangle_at(*mesh, 0).sharp_edges, 7 & ~4); // the edge from corner 2 to corner 0
            EXPECT_EQ(triangle_at(*mesh, 1).sharp_edges, 7 & ~1);
        }
    }
}

TEST(Mesh, TrianglesWithoutAreaAreDropped)
{
    const std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 0}};
    const std::vector<uint32_t> indices{0, 2, 1, 0, 0, 1, 0, 1, 3};
    const MeshRef mesh = make_mesh(vertices, indices).value();
    EXPECT_EQ(mesh->indices.size(), 3u);
    EXPECT_EQ(mesh->tree.leaf_count(), 1);
    EXPECT_FALSE(make_mesh(vertices, std::vector<uint32_t>{0, 0, 1}));
}

TEST(Mesh, BadInputIsAnErrorThatSaysWhere)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<Vec3> good{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    const auto message = [](std::span<const Vec3> vertices, const std::vector<uint32_t>& indices) {
        const Result<MeshRef> mesh = make_mesh(vertices, indices);
        return mesh ? std::string() : mesh.error().message;
    };
    EXPECT_NE(message({}, {}).find("empty"), std::string::npos);
    EXPECT_NE(message(good, {0, 1}).find("multiple of three"), std::string::npos);
    EXPECT_NE(message(good, {0, 1, 3}).find("vertex 3"), std::string::npos);
    EXPECT_NE(message(std::vector<Vec3>{{0, 0, 0}, {1, nan, 0}, {0, 0, 1}}, {0, 1, 2}).find("vertex 1"),
              std::string::npos);
}

TEST(Mesh, QueryFindsEachTriangleWhoseBoxOverlaps)
{
    Random random(1);
    std::vector<Vec3> vertices(300);
    for (Vec3& v : vertices)
        v = random.vector(-5, 5);
    std::vector<uint32_t> indices(600);
    for (uint32_t& i : indices)
        i = uint32_t(random.below(300));
    const MeshRef mesh = make_mesh(vertices, indices).value();
    for (int round = 0; round < 100; ++round)
    {
        const Aabb box = random.box(5, 3);
        std::vector<bool> found(mesh->indices.size() / 3);
        query_triangles(*mesh, box, [&](int32_t index) { found[size_t(index)] = true; });
        for (int32_t i = 0; i < int32_t(found.size()); ++i)
        {
            const Triangle t = triangle_at(*mesh, i);
            const Aabb bounds{min(min(t.corners[0], t.corners[1]), t.corners[2]),
                              max(max(t.corners[0], t.corners[1]), t.corners[2])};
            ASSERT_EQ(found[size_t(i)], overlaps(bounds, box));
        }
    }
}

HeightFieldRef bumpy_field(int columns, int rows, float spacing)
{
    Random random(2);
    std::vector<float> heights(size_t(columns) * size_t(rows));
    for (float& h : heights)
        h = random.between(-1, 1);
    return make_height_field(heights, columns, rows, spacing).value();
}

TEST(HeightField, TrianglesFaceUpAndTileTheField)
{
    const HeightFieldRef field = bumpy_field(7, 5, 0.3f);
    float area = 0;
    for (int32_t i = 0; i < 2 * 6 * 4; ++i)
    {
        const Triangle t = triangle_at(*field, i);
        EXPECT_GT(t.normal.y, 0);
        area += 0.5f * cross(t.corners[1] - t.corners[0], t.corners[2] - t.corners[0]).y;
        for (const Vec3& corner : t.corners)
            EXPECT_TRUE(contains(enlarge(field->bounds, 1e-5f), corner));
    }
    EXPECT_NEAR(area, 6 * 0.3f * 4 * 0.3f, 1e-4f);
    EXPECT_EQ(vertex_at(*field, 3, 2).x, 0);
    EXPECT_EQ(vertex_at(*field, 3, 2).z, 0);
}

TEST(HeightField, QueryFindsEachTriangleWhoseBoxOverlaps)
{
    const HeightFieldRef field = bumpy_field(20, 30, 0.7f);
    Random random(3);
    for (int round = 0; round < 300; ++round)
    {
        const Aabb box = round == 0 ? Aabb{{-1e30f, -1e30f, -1e30f}, {1e30f, 1e30f, 1e30f}} : random.box(10, 4);
        std::vector<bool> found(field->sharp_edges.size());
        query_triangles(*field, box, [&](int32_t index) { found[size_t(index)] = true; });
        for (int32_t i = 0; i < int32_t(found.size()); ++i)
        {
            const Triangle t = triangle_at(*field, i);
            const Aabb bounds{min(min(t.corners[0], t.corners[1]), t.corners[2]),
                              max(max(t.corners[0], t.corners[1]), t.corners[2])};
            ASSERT_TRUE(found[size_t(i)] || !overlaps(bounds, box));
            ASSERT_TRUE(!found[size_t(i)] || overlaps(enlarge(bounds, 1e-3f), box));
        }
    }
}

// The same surface as a mesh must have the same seams.
TEST(HeightField, SharpEdgesAreThoseOfTheSameMesh)
{
    const HeightFieldRef field = bumpy_field(9, 8, 1);
    std::vector<Vec3> vertices;
    std::vector<uint32_t> indices;
    for (int32_t i = 0; i < int32_t(field->sharp_edges.size()); ++i)
        for (const Vec3& corner : triangle_at(*field, i).corners)
        {
            indices.push_back(uint32_t(vertices.size()));
            vertices.push_back(corner);
        }
    const MeshRef mesh = make_mesh(vertices, indices).value();
    ASSERT_EQ(mesh->sharp_edges.size(), field->sharp_edges.size());
    EXPECT_EQ(mesh->sharp_edges, field->sharp_edges);
}

TEST(HeightField, BadInputIsAnError)
{
    const std::vector<float> heights(4, 0.0f);
    EXPECT_TRUE(make_height_field(heights, 2, 2, 1));
    EXPECT_FALSE(make_height_field(heights, 4, 1, 1));
    EXPECT_FALSE(make_height_field(heights, 3, 2, 1));
    EXPECT_FALSE(make_height_field(heights, -2, -2, 1));
    EXPECT_FALSE(make_height_field(heights, 2, 2, 0));
    EXPECT_FALSE(make_height_field(std::vector<float>{0, 0, 0, std::nanf("")}, 2, 2, 1));
    EXPECT_FALSE(make_height_field(heights, 2000000000, 2000000000, 1));
}

} // namespace
} // namespace moraine::test
