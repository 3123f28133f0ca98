#include "cli/mode_shapes.h"

#include "cli/glb.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace moraine::cli
{

namespace
{

using nlohmann::json;

constexpr float shown_size = 0.15f; // of the largest displacement, as part of the body
constexpr int frames = 32;
constexpr float loop_seconds = 12; // each mode swings a whole number of times in it

std::vector<float> flat(const std::vector<Vec3>& values)
{
    std::vector<float> out;
    for (const Vec3& v : values)
        out.insert(out.end(), {v.x, v.y, v.z});
    return out;
}

struct Layout
{
    Vec3 size{};
    float scale = 1;
    int columns = 1;

    Vec3 place(size_t mode) const
    {
        return {1.4f * size.x * float(int(mode) % columns), 0, 1.4f * size.z * float(int(mode) / columns)};
    }
};

Layout layout_of(const ResponseModel& model)
{
    Layout layout;
    Vec3 lower = model.vertices.front(), upper = lower;
    for (const Vec3& v : model.vertices)
        lower = min(lower, v), upper = max(upper, v);
    layout.size = max(upper - lower, Vec3{1e-6f, 1e-6f, 1e-6f});
    layout.columns = std::max(1, int(std::ceil(std::sqrt(float(model.mode_count())))));
    return layout;
}

} // namespace

std::string mode_shapes_glb(const ResponseModel& model)
{
    Glb glb;
    const Layout layout = layout_of(model);
    const int positions = glb.add_accessor(flat(model.vertices), "VEC3", 3, true);
    std::vector<uint32_t> corners;
    for (const auto& triangle : model.triangles)
        corners.insert(corners.end(), triangle.begin(), triangle.end());
    const int indices = glb.add_indices(corners);
    const int material = glb.add(
        "materials",
        {{"pbrMetallicRoughness", {{"metallicFactor", 0}, {"roughnessFactor", 0.8}}}, {"doubleSided", true}});
    json samplers = json::array(), channels = json::array();
    for (size_t mode = 0; mode < model.mode_count(); ++mode)
    {
        float largest = 1e-30f;
        for (uint32_t v = 0; v < model.vertices.size(); ++v)
            largest = std::max(largest, length(model.shapes_of(v)[mode]));
        std::vector<Vec3> shape, color;
        for (uint32_t v = 0; v < model.vertices.size(); ++v)
        {
            const Vec3 u = model.shapes_of(v)[mode] / largest;
            shape.push_back(shown_size * max_component(layout.size) * u);
            color.push_back(abs(u) * 0.9f + Vec3{0.1f, 0.1f, 0.1f});
        }
        const json target{{"POSITION", glb.add_accessor(flat(shape), "VEC3", 3, true)}};
        const json primitive{
            {"attributes", {{"POSITION", positions}, {"COLOR_0", glb.add_accessor(flat(color), "VEC3", 3, false)}}},
            {"indices", indices},
            {"material", material},
            {"targets", {target}}};
        const int mesh = glb.add("meshes", {{"primitives", {primitive}}, {"weights", {0.0}}});
        const Vec3 at = layout.place(mode);
        const std::string name = fmt::format("mode {}, {:.4g} Hz", mode + 1, model.frequencies[mode] / (2 * pi));
        const int node = glb.add("nodes", {{"name", name}, {"mesh", mesh}, {"translation", {at.x, at.y, at.z}}});
        glb.at("scenes")[0]["nodes"].push_back(node);

        std::vector<float> times, weights;
        const int swings = std::min(int(mode) + 4, 24);
        for (int k = 0; k <= frames * swings; ++k)
        {
            times.push_back(loop_seconds * float(k) / float(frames * swings));
            weights.push_back(std::sin(2 * pi * float(k) / float(frames)));
        }
        samplers.push_back({{"input", glb.add_accessor(times, "SCALAR", 1, true)},
                            {"output", glb.add_accessor(weights, "SCALAR", 1, false)},
                            {"interpolation", "LINEAR"}});
        channels.push_back({{"sampler", mode}, {"target", {{"node", node}, {"path", "weights"}}}});
    }
    glb.at("animations") = {{{"name", "modes"}, {"samplers", samplers}, {"channels", channels}}};
    return glb.finish();
}

} // namespace moraine::cli
