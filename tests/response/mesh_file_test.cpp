// Files with surfaces and tetrahedra: good ones are read, cut ones refused at any byte.
#include "response/mesh_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace moraine;
using testing::HasSubstr;

namespace
{

const Surface box = make_box_surface({1, 2, 3});

std::string binary_stl(const Surface& s)
{
    std::string out(80, 'x');
    const auto put = [&](const auto& value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
    put(uint32_t(s.triangles.size()));
    for (const Triangle& t : s.triangles)
    {
        put(Vec3{});
        for (const uint32_t corner : t)
            put(s.vertices[corner]);
        put(uint16_t(0));
    }
    return out;
}

std::string text_stl(const Surface& s)
{
    std::string out = "solid box\n";
    for (const Triangle& t : s.triangles)
    {
        out += "facet normal 0 0 0\nouter loop\n";
        for (const uint32_t corner : t)
        {
            const Vec3 v = s.vertices[corner];
            out += "vertex " + std::to_string(v.x) + " " + std::to_string(v.y) + " " + std::to_string(v.z) + "\n";
        }
        out += "endloop\nendfacet\n";
    }
    return out + "endsolid\n";
}

// One buffer with positions and 16-bit indices; the node doubles it and moves it by 5.
std::string glb(const Surface& s, const std::string& uri = "")
{
    std::string bytes;
    const auto put = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (const Vec3& v : s.vertices)
        put(v);
    const size_t split = bytes.size();
    for (const Triangle& t : s.triangles)
        for (const uint32_t corner : t)
            put(uint16_t(corner));
    std::string text = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
 "nodes":[{"children":[1],"translation":[5,0,0]},{"mesh":0,"scale":[2,2,2]}],
 "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
 "accessors":[{"bufferView":0,"componentType":5126,"count":)" +
                       std::to_string(s.vertices.size()) + R"(,"type":"VEC3"},
  {"bufferView":1,"componentType":5123,"count":)" +
                       std::to_string(3 * s.triangles.size()) + R"(,"type":"SCALAR"}],
 "bufferViews":[{"buffer":0,"byteLength":)" +
                       std::to_string(split) + R"(},{"buffer":0,"byteOffset":)" + std::to_string(split) +
                       R"(,"byteLength":)" + std::to_string(bytes.size() - split) + R"(}],
 "buffers":[{"byteLength":)" +
                       std::to_string(bytes.size()) + (uri.empty() ? "" : ",\"uri\":\"" + uri + "\"") + "}]}";
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string out;
    const auto word = [&](uint32_t value) { out.append(reinterpret_cast<const char*>(&value), 4); };
    word(0x46546c67), word(2), word(uint32_t(28 + text.size() + bytes.size()));
    word(uint32_t(text.size())), word(0x4e4f534a);
    out += text;
    word(uint32_t(bytes.size())), word(0x004e4942);
    return out + bytes;
}

constexpr const char* msh2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
9 1 1 1
$EndNodes
$Elements
3
1 2 2 0 1 1 2 3
2 4 2 0 1 1 2 3 4
3 4 2 0 1 2 3 4 9
$EndElements
)";

constexpr const char* msh4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Nodes
2 5 1 9
2 1 0 3
1
2
3
0 0 0
1 0 0
0 1 0
3 1 0 2
4
9
0 0 1
1 1 1
$EndNodes
$Elements
2 3 1 3
2 1 2 1
1 1 2 3
3 1 4 2
2 1 2 3 4
3 2 3 4 9
$EndElements
)";

} // namespace

TEST(MeshFile, StlIsReadInBothForms)
{
    for (const std::string& bytes : {binary_stl(box), text_stl(box)})
    {
        const auto read = read_stl(bytes, "box.stl");
        ASSERT_TRUE(read) << read.error().message;
        const Surface mended = weld(*read, 1e-5f);
        EXPECT_EQ(mended.vertices.size(), 8u);
        EXPECT_NEAR(inspect(mended).volume, 6, 1e-4);
        EXPECT_EQ(inspect(mended).open_edges, 0);
    }
}

TEST(MeshFile, GltfIsReadWhereItsNodesPlaceIt)
{
    const auto read = read_gltf(glb(box), "box.glb", "");
    ASSERT_TRUE(read) << read.error().message;
    Vec3 lower, upper;
    bounding_box(read->vertices, lower, upper);
    EXPECT_EQ(lower, (Vec3{4, -2, -3}));
    EXPECT_EQ(upper, (Vec3{6, 2, 3}));
    EXPECT_NEAR(inspect(*read).volume, 48, 1e-3);
}

TEST(MeshFile, GltfOpensNoFileElsewhere)
{
    for (const std::string uri : {"/etc/passwd", "../secret.bin", "file:secret", "a%2fb"})
    {
        const auto read = read_gltf(glb(box, uri), "box.glb", "/tmp");
        ASSERT_FALSE(read);
        EXPECT_THAT(read.error().message, HasSubstr("only files beside it")) << uri;
    }
}

TEST(MeshFile, CutOffAnywhereIsAnErrorAndNeverACrash)
{
    const std::string stl = binary_stl(box), model = glb(box), text = text_stl(box);
    for (size_t size = 0; size < stl.size(); ++size)
        EXPECT_FALSE(read_stl(std::string_view(stl).substr(0, size), "cut.stl")) << size;
    for (size_t size = 0; size < model.size(); ++size)
        EXPECT_FALSE(read_gltf(std::string_view(model).substr(0, size), "cut.glb", "")) << size;
    for (size_t size = 0; size < text.size(); ++size)
        (void)read_stl(std::string_view(text).substr(0, size), "cut.stl"); // may end after a triangle
    for (const std::string whole : {msh2, msh4})
        for (size_t size = 0; size < whole.size(); ++size)
            (void)read_msh(std::string_view(whole).substr(0, size), "cut.msh");
}

TEST(MeshFile, GmshIsReadInBothVersions)
{
    for (const char* text : {msh2, msh4})
    {
        auto read = read_msh(text, "two.msh");
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->tets.size(), 2u);
        ASSERT_TRUE(orient(*read, "two.msh"));
        EXPECT_NEAR(volume(*read), 1.0 / 6 + 1.0 / 3, 1e-12);
    }
    EXPECT_FALSE(read_msh("$MeshFormat\n2.2 1 8\n", "binary.msh"));
    EXPECT_FALSE(read_msh("hello", "no.msh"));
}

TEST(MeshFile, TetgenCountsFromZeroOrOne)
{
    const auto from_one = read_tetgen("# nodes\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1 4 0\n1 1 2 3 4\n",
                                      "a");
    ASSERT_TRUE(from_one) << from_one.error().message;
    EXPECT_EQ(from_one->tets[0], (std::array<int, 4>{0, 1, 2, 3}));
    const auto from_zero = read_tetgen("4 3 1 1\n0 0 0 0 7 1\n1 1 0 0 7 1\n2 0 1 0 7 1\n3 0 0 1 7 1\n",
                                       "1 4 1\n0 0 1 2 3 5\n", "a");
    ASSERT_TRUE(from_zero) << from_zero.error().message;
    EXPECT_EQ(from_zero->nodes[3], (DVec3{0, 0, 1}));
    EXPECT_FALSE(read_tetgen("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1 4 0\n1 1 2 3 5\n", "a"));
    EXPECT_FALSE(read_tetgen("4000000000 3 0 0\n1 0 0 0\n", "", "a"));
    EXPECT_FALSE(read_tetgen("4 3 0 0\n1 0 0 nan\n", "", "a"));
}
