#include "response/mesh_file.h"

#include <cstring>
#include <filesystem>
#include <fstream>

namespace moraine
{

namespace
{

constexpr std::uintmax_t size_limit = 512u << 20;
constexpr size_t stl_head = 84, stl_triangle = 50;

std::string extension_of(const std::string& path)
{
    std::string extension = std::filesystem::path(path).extension().string();
    for (char& c : extension)
        c = char(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

Result<Surface> finished(Surface surface, const std::string& name)
{
    if (surface.triangles.empty())
        return Error{name + ": has no triangles; export it again"};
    for (size_t i = 0; i < surface.vertices.size(); ++i)
        if (!is_finite(surface.vertices[i]))
            return Error{name + ": vertex " + std::to_string(i + 1) + " is not finite; export it again"};
    return surface;
}

void add_triangle(Surface& surface, const std::array<Vec3, 3>& corners)
{
    const uint32_t first = uint32_t(surface.vertices.size());
    surface.vertices.insert(surface.vertices.end(), corners.begin(), corners.end());
    surface.triangles.push_back({first, first + 1, first + 2});
}

Result<Surface> read_binary_stl(std::string_view bytes, uint32_t count, const std::string& name)
{
    Surface surface;
    for (size_t i = 0; i < count; ++i)
    {
        std::array<Vec3, 3> corners;
        for (size_t k = 0; k < 3; ++k) // after the normal
            std::memcpy(&corners[k], bytes.data() + stl_head + i * stl_triangle + 12 * (k + 1), 12);
        add_triangle(surface, corners);
    }
    return finished(std::move(surface), name);
}

Result<Surface> read_text_stl(std::string_view bytes, const std::string& name)
{
    Surface surface;
    std::array<Vec3, 3> corners;
    size_t known = 0;
    const std::string text(bytes); // with an end, for strtof
    for (size_t at = text.find("vertex"); at != std::string::npos; at = text.find("vertex", at))
    {
        const char* next = text.c_str() + (at += 6);
        for (int a = 0; a < 3; ++a)
        {
            char* end = nullptr;
            corners[known][a] = std::strtof(next, &end);
            if (end == next)
                return Error{name + ": vertex " + std::to_string(surface.vertices.size() + known + 1) +
                             " has no three numbers; export it again"};
            next = end;
        }
        if (++known == 3)
        {
            add_triangle(surface, corners);
            known = 0;
        }
    }
    if (known != 0)
        return Error{name + ": ends within a triangle; export it again"};
    return finished(std::move(surface), name);
}

} // namespace

// Binary files may begin with "solid" too; their size tells them apart.
Result<Surface> read_stl(std::string_view bytes, const std::string& name)
{
    uint32_t count = 0;
    if (bytes.size() >= stl_head)
        std::memcpy(&count, bytes.data() + 80, 4);
    if (bytes.size() >= stl_head && bytes.size() == stl_head + stl_triangle * size_t(count))
        return read_binary_stl(bytes, count, name);
    if (bytes.starts_with("solid"))
        return read_text_stl(bytes, name);
    return Error{name + ": is not an .stl file, or is cut off; export it again"};
}

Result<std::string> read_whole_file(const std::string& path)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    std::ifstream in(path, std::ios::binary);
    if (error || !in)
        return Error{path + ": cannot be read; check that the file exists"};
    if (size > size_limit)
        return Error{path + ": is larger than 512 MB; use a smaller mesh"};
    std::string bytes(size, '\0');
    in.read(bytes.data(), std::streamsize(size));
    if (!in)
        return Error{path + ": cannot be read to its end"};
    return bytes;
}

Result<Surface> load_surface(const std::string& path)
{
    const std::string extension = extension_of(path);
    if (extension != ".stl" && extension != ".gltf" && extension != ".glb")
        return Error{path + ": surfaces are read from .obj, .stl, .gltf and .glb files"};
    const Result<std::string> bytes = read_whole_file(path);
    if (!bytes)
        return bytes.error();
    if (extension == ".stl")
        return read_stl(*bytes, path);
    return read_gltf(*bytes, path, std::filesystem::path(path).parent_path().string());
}

Result<TetMesh> load_tets(const std::string& path)
{
    const std::string extension = extension_of(path);
    if (extension == ".msh")
    {
        const Result<std::string> bytes = read_whole_file(path);
        return bytes ? read_msh(*bytes, path) : Result<TetMesh>(bytes.error());
    }
    if (extension != ".node" && extension != ".ele")
        return Error{path + ": tetrahedra are read from .node with .ele and from .msh files"};
    std::filesystem::path nodes = path, elements = path;
    const Result<std::string> node_bytes = read_whole_file(nodes.replace_extension(".node").string());
    const Result<std::string> element_bytes = read_whole_file(elements.replace_extension(".ele").string());
    if (!node_bytes || !element_bytes)
        return node_bytes ? element_bytes.error() : node_bytes.error();
    return read_tetgen(*node_bytes, *element_bytes, path);
}

} // namespace moraine
