#include "cli/glb.h"

#include <algorithm>

namespace moraine::cli
{

using nlohmann::json;

namespace
{

constexpr int type_float = 5126, type_uint = 5125;

} // namespace

Glb::Glb()
{
    json_ = {{"asset", {{"version", "2.0"}, {"generator", "moraine"}}},
             {"scene", 0},
             {"scenes", {{{"nodes", json::array()}}}},
             {"buffers", json::array()}};
    for (const char* key : {"nodes", "meshes", "materials", "accessors", "bufferViews"})
        json_[key] = json::array();
}

int Glb::add(const char* key, json value)
{
    json_[key].push_back(std::move(value));
    return int(json_[key].size()) - 1;
}

int Glb::add_accessor(std::span<const float> values, const char* type, int components, bool with_bounds)
{
    json accessor{{"bufferView", add_view(values.data(), values.size_bytes())},
                  {"componentType", type_float},
                  {"count", values.size() / size_t(components)},
                  {"type", type}};
    if (with_bounds)
    {
        json lower = json::array(), upper = json::array();
        for (int c = 0; c < components; ++c)
        {
            float low = values[size_t(c)], high = low;
            for (size_t i = size_t(c); i < values.size(); i += size_t(components))
                low = std::min(low, values[i]), high = std::max(high, values[i]);
            lower.push_back(low), upper.push_back(high);
        }
        accessor["min"] = lower, accessor["max"] = upper;
    }
    return add("accessors", std::move(accessor));
}

int Glb::add_indices(std::span<const uint32_t> values)
{
    return add("accessors", {{"bufferView", add_view(values.data(), values.size_bytes())},
                             {"componentType", type_uint},
                             {"count", values.size()},
                             {"type", "SCALAR"}});
}

// Head, JSON, bytes: each padded to four.
std::string Glb::finish()
{
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    json_["buffers"].push_back({{"byteLength", bytes_.size()}});
    for (const char* key : {"nodes", "meshes", "materials", "accessors", "bufferViews"})
        if (json_[key].empty()) // the format knows no empty lists
            json_.erase(key);
    std::string text = json_.dump(-1, ' ', false, json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string out;
    const auto put = [&](uint32_t word) { out.append(reinterpret_cast<const char*>(&word), 4); };
    put(0x46546c67), put(2), put(uint32_t(28 + text.size() + bytes_.size()));
    put(uint32_t(text.size())), put(0x4e4f534a);
    out += text;
    put(uint32_t(bytes_.size())), put(0x004e4942);
    return out + bytes_;
}

int Glb::add_view(const void* data, size_t size)
{
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    const json view{{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", size}};
    bytes_.append(static_cast<const char*>(data), size);
    return add("bufferViews", view);
}

} // namespace moraine::cli
