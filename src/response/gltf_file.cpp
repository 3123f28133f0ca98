// Triangles from glTF 2.0: positions and indices only. A buffer comes with the file or from a plain name beside it; no other
// file is opened, whatever it asks for.
#include "response/mesh_file.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <filesystem>

namespace moraine
{

namespace
{

using nlohmann::json;

constexpr uint32_t glb_magic = 0x46546c67, json_chunk = 0x4e4f534a, binary_chunk = 0x004e4942;
constexpr int type_byte = 5121, type_short = 5123, type_int = 5125, type_float = 5126, mode_triangles = 4;
constexpr int deepest = 64;

struct Matrix // columns, and the translation
{
    Mat3 linear{};
    Vec3 translation{};
};

Vec3 apply(const Matrix& m, Vec3 p) { return m.linear * p + m.translation; }
Matrix operator*(const Matrix& a, const Matrix& b) { return {a.linear * b.linear, apply(a, b.translation)}; }

std::string decode_base64(std::string_view text)
{
    std::string out;
    uint32_t bits = 0;
    int count = 0;
    for (const char c : text)
    {
        const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (value < 0)
            continue;
        bits = bits << 6 | uint32_t(value);
        if ((count += 6) >= 8)
            out.push_back(char(bits >> (count -= 8) & 255));
    }
    return out;
}

// Throws json exceptions where the file is not as it should be, and runtime_error with the reason in other cases.
class Reader
{
public:
    Reader(std::string_view bytes, std::string folder) : folder_(std::move(folder))
    {
        uint32_t word = 0;
        std::memcpy(&word, bytes.data(), std::min<size_t>(bytes.size(), 4));
        if (word != glb_magic)
        {
            root_ = json::parse(bytes);
            return;
        }
        for (size_t at = 12; at + 8 <= bytes.size();)
        {
            uint32_t size = 0, kind = 0;
            std::memcpy(&size, bytes.data() + at, 4);
            std::memcpy(&kind, bytes.data() + at + 4, 4);
            if (size > bytes.size() - at - 8)
                throw std::runtime_error("is cut off");
            if (kind == json_chunk)
                root_ = json::parse(bytes.substr(at + 8, size));
            if (kind == binary_chunk)
                chunk_ = std::string(bytes.substr(at + 8, size));
            at += 8 + size;
        }
    }

    Surface read()
    {
        const json& scenes = root_.at("scenes");
        const size_t scene = root_.value("scene", size_t(0));
        for (const json& node : scenes.at(scene).at("nodes"))
            add_node(node.get<size_t>(), {}, 0);
        return std::move(surface_);
    }

private:
    static Vec3 vector(const json& list) { return {list.at(0), list.at(1), list.at(2)}; }

    static Matrix local_matrix(const json& node)
    {
        if (node.contains("matrix"))
        {
            const json& m = node.at("matrix");
            const auto column = [&](size_t c) { return Vec3{m.at(4 * c), m.at(4 * c + 1), m.at(4 * c + 2)}; };
            return {{column(0), column(1), column(2)}, column(3)};
        }
        Matrix out;
        if (node.contains("rotation"))
        {
            const json& r = node.at("rotation");
            out.linear = to_matrix(normalize(Quat{r.at(0), r.at(1), r.at(2), r.at(3)}));
        }
        if (node.contains("scale"))
            out.linear = out.linear * diagonal(vector(node.at("scale")));
        if (node.contains("translation"))
            out.translation = vector(node.at("translation"));
        return out;
    }

    void add_node(size_t index, const Matrix& parent, int depth)
    {
        if (depth > deepest || ++node_count_ > 100'000)
            throw std::runtime_error("has nodes inside each other without end");
        const json& node = root_.at("nodes").at(index);
        const Matrix place = parent * local_matrix(node);
        if (node.contains("mesh"))
            for (const json& primitive : root_.at("meshes").at(node.at("mesh").get<size_t>()).at("primitives"))
                if (primitive.value("mode", mode_triangles) == mode_triangles)
                    add_primitive(primitive, place);
        if (node.contains("children"))
            for (const json& child : node.at("children"))
                add_node(child.get<size_t>(), place, depth + 1);
    }

    void add_primitive(const json& primitive, const Matrix& place)
    {
        if (primitive.contains("extensions") && primitive.at("extensions").contains("KHR_draco_mesh_compression"))
            throw std::runtime_error("is compressed; export it without compression");
        const uint32_t first = uint32_t(surface_.vertices.size());
        const auto positions = numbers<float>(primitive.at("attributes").at("POSITION").get<size_t>(), 3);
        for (size_t i = 0; i + 2 < positions.size(); i += 3)
            surface_.vertices.push_back(apply(place, {positions[i], positions[i + 1], positions[i + 2]}));
        const uint32_t count = uint32_t(positions.size() / 3);
        std::vector<uint32_t> indices;
        if (primitive.contains("indices"))
            indices = numbers<uint32_t>(primitive.at("indices").get<size_t>(), 1);
        else
            for (uint32_t i = 0; i < count; ++i)
                indices.push_back(i);
        const bool is_mirrored = determinant(place.linear) < 0;
        for (size_t i = 0; i + 2 < indices.size(); i += 3)
        {
            Triangle t{first + indices[i], first + indices[i + 1], first + indices[i + 2]};
            if (std::max({indices[i], indices[i + 1], indices[i + 2]}) >= count)
                throw std::runtime_error("refers to a vertex that does not exist");
            if (is_mirrored)
                std::swap(t[1], t[2]);
            surface_.triangles.push_back(t);
        }
    }

    template <class T>
    std::vector<T> numbers(size_t accessor_index, size_t components)
    {
        const json& accessor = root_.at("accessors").at(accessor_index);
        if (accessor.contains("sparse") || !accessor.contains("bufferView"))
            throw std::runtime_error("has sparse data, which is not read; export it plainly");
        const json& view = root_.at("bufferViews").at(accessor.at("bufferView").get<size_t>());
        const std::string& buffer = buffer_at(view.at("buffer").get<size_t>());
        const int type = accessor.at("componentType");
        const size_t width = type == type_byte ? 1 : type == type_short ? 2 : 4;
        if (std::is_same_v<T, float> != (type == type_float) ||
            (type != type_byte && type != type_short && type != type_int && type != type_float))
            throw std::runtime_error("has numbers of a kind that is not read here");
        const size_t count = accessor.at("count"), stride = view.value("byteStride", width * components);
        const size_t begin = view.value("byteOffset", size_t(0)) + accessor.value("byteOffset", size_t(0));
        if (begin > buffer.size() || stride > buffer.size() || count > buffer.size() || stride < width * components ||
            (count > 0 && (count - 1) * stride + width * components > buffer.size() - begin))
            throw std::runtime_error("refers to bytes behind the end of its buffer; it is cut off");
        std::vector<T> out;
        out.reserve(count * components);
        for (size_t i = 0; i < count; ++i)
            for (size_t c = 0; c < components; ++c)
            {
                T value{};
                std::memcpy(&value, buffer.data() + begin + i * stride + c * width, width); // little-endian
                out.push_back(value);
            }
        return out;
    }

    const std::string& buffer_at(size_t index)
    {
        if (buffers_.size() <= index)
            buffers_.resize(root_.at("buffers").size());
        std::string& buffer = buffers_.at(index);
        if (!buffer.empty())
            return buffer;
        const json& entry = root_.at("buffers").at(index);
        if (!entry.contains("uri"))
            return chunk_;
        const std::string uri = entry.at("uri");
        if (uri.starts_with("data:"))
            buffer = decode_base64(std::string_view(uri).substr(std::min(uri.find(',') + 1, uri.size())));
        else if (uri.find_first_of("/\\:%") != std::string::npos || uri.starts_with('.'))
            throw std::runtime_error("wants the file '" + uri + "', but only files beside it are opened");
        else
        {
            Result<std::string> bytes = read_whole_file((std::filesystem::path(folder_) / uri).string());
            if (!bytes)
                throw std::runtime_error("needs " + bytes.error().message);
            buffer = std::move(*bytes);
        }
        return buffer;
    }

    json root_;
    std::string chunk_, folder_;
    std::vector<std::string> buffers_;
    Surface surface_;
    int node_count_ = 0;
};

} // namespace

Result<Surface> read_gltf(std::string_view bytes, const std::string& name, const std::string& folder)
{
    try
    {
        Surface surface = Reader(bytes, folder).read();
        if (surface.triangles.empty())
            return Error{name + ": has no triangles; export it again"};
        for (const Vec3& v : surface.vertices)
            if (!is_finite(v))
                return Error{name + ": a vertex is not finite; export it again"};
        return surface;
    }
    catch (const json::exception&)
    {
        return Error{name + ": is not a valid glTF 2.0 file; export it again"};
    }
    catch (const std::runtime_error& problem)
    {
        return Error{name + ": " + problem.what()};
    }
}

} // namespace moraine
