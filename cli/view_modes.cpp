#include "cli/view_modes.h"

#include "scene/description.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace moraine::cli
{

namespace
{

using json = nlohmann::json;

constexpr float steps = 999; // that the largest displacement of a mode is told in

void add(json& out, Vec3 v, float scale)
{
    for (int c = 0; c < 3; ++c)
        out.push_back(int(std::lround(v[c] * scale)));
}

// Each mode by itself, so that the vertex that moves most has a length of `steps`.
json describe_shape(const ResponseModel& model, size_t mode)
{
    float largest = 1e-30f;
    for (size_t v = 0; v < model.vertices.size(); ++v)
        largest = std::max(largest, length(model.shapes[v * model.mode_count() + mode]));
    json out = json::array();
    for (size_t v = 0; v < model.vertices.size(); ++v)
        add(out, model.shapes[v * model.mode_count() + mode], steps / largest);
    return out;
}

// Vertices from the centre of mass, as the page has its bodies. Tenths of a millimetre are enough to look at.
json describe_model(const World& world, BodyId body, const std::string& name, const ResponseModel& model)
{
    const Pose pose = world.pose(body);
    const Vec3 origin = inverse_rotate(pose.rotation, relative(pose.position, world.center_of_mass(body)));
    json out{{"body", body.index}, {"name", name}, {"steps", steps}, {"unit", 1e-4}};
    out["vertices"] = json::array();
    for (Vec3 v : model.vertices)
        add(out["vertices"], v + origin, 1e4f);
    out["triangles"] = json::array();
    for (const auto& triangle : model.triangles)
        for (uint32_t corner : triangle)
            out["triangles"].push_back(corner);
    for (size_t mode = 0; mode < model.mode_count(); ++mode)
    {
        out["hertz"].push_back(double(model.frequencies[mode]) / (2 * std::numbers::pi));
        out["shapes"].push_back(describe_shape(model, mode));
    }
    return out;
}

} // namespace

std::optional<std::string> describe_mode_shapes(const std::string& name)
{
    const Result<SceneDescription> description = load_scene(name, {});
    if (!description ||
        std::ranges::none_of(description->bodies, [](const SceneBody& b) { return b.response.has_value(); }))
        return {};
    Result<Scene> scene = Scene::create(*description);
    if (!scene)
        return {};
    json models = json::array();
    for (size_t i = 0; i < scene->bodies().size(); ++i)
    {
        const BodyId body = scene->bodies()[i];
        if (const ResponseDef response = scene->world().response(body); response.model)
            models.push_back(
                describe_model(scene->world(), body, scene->description().bodies[i].def.name, *response.model));
    }
    return json{{"models", std::move(models)}}.dump();
}

} // namespace moraine::cli
