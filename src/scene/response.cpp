#include "scene/response.h"

#include "response/precompute.h"
#include "response/surface.h"

#include <algorithm>

namespace moraine
{

namespace
{

void add_part(const Surface& part, const Transform& pose, Surface& out)
{
    const uint32_t first = uint32_t(out.vertices.size());
    for (Vec3 v : part.vertices)
        out.vertices.push_back(apply(pose, v));
    for (Triangle t : part.triangles)
        out.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

// False: shapes of this kind have no inside that could vibrate.
bool add_shape(const ShapeDef& shape, Surface& out)
{
    if (const auto* box = std::get_if<Box>(&shape.geometry))
        add_part(make_box_surface(2 * box->half_extents), shape.pose, out);
    else if (const auto* sphere = std::get_if<Sphere>(&shape.geometry))
        add_part(make_sphere_surface(sphere->radius, 3), shape.pose, out);
    else if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry))
        add_part(make_cylinder_surface(cylinder->radius, 2 * cylinder->half_length, 24), shape.pose, out);
    else if (const auto* mesh = std::get_if<MeshRef>(&shape.geometry))
    {
        const auto points = vertices(**mesh);
        const auto corners = indices(**mesh);
        Surface part{{points.begin(), points.end()}, {}};
        for (size_t i = 0; i + 2 < corners.size(); i += 3)
            part.triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
        add_part(part, shape.pose, out);
    }
    else
        return false;
    return true;
}

Result<ResponseModel> make_model(const SceneBody& body)
{
    const SceneResponse& r = *body.response;
    if (!r.file.empty())
        return load_response_model(r.file);
    ModelDefinition definition{.keep_surface = false,
                               .material = r.material,
                               .cell_size = double(r.cell_size),
                               .unknowns = r.unknowns,
                               .mode_count = r.modes};
    for (const ShapeDef& shape : body.def.shapes)
        if (!add_shape(shape, definition.surface))
            return Error{"a model is made from boxes, spheres, cylinders and closed meshes only: use those, or make it "
                         "with `moraine modes` and give its file"};
    for (const FixedBox& box : r.fixed)
        definition.fixed.push_back({box.lower, box.upper});
    return make_response_model(definition);
}

// Section 5.1 of the paper: a finite slab stands for ground that goes on for ever, so one amplitude serves all of its top.
void level_amplitude(ResponseModel& model)
{
    const std::vector<Vec3> normals = vertex_normals(model.vertices, model.triangles);
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < normals.size(); ++i)
        if (normals[i].y > 0.9f)
        {
            sum += double(model.amplitude[i]);
            ++count;
        }
    if (count > 0)
        std::ranges::fill(model.amplitude, float(sum / count));
}

} // namespace

Result<ResponseDef> make_response(const SceneBody& body)
{
    Result<ResponseModel> model = make_model(body);
    if (!model)
        return model.error();
    if (body.response->mean_amplitude)
        level_amplitude(*model);
    ResponseDef def{.model = std::make_shared<const ResponseModel>(std::move(*model)),
                    .attenuation = body.response->attenuation,
                    .blend = body.response->blend};
    if (def.blend > 0 && body.response->geodesics)
    {
        auto geodesics = make_geodesics(*def.model);
        if (!geodesics)
            return geodesics.error();
        def.geodesics = std::move(*geodesics);
    }
    return def;
}

Status give_response(const SceneBody& body, World& world, BodyId id)
{
    if (!body.response || !world.settings().response.is_on)
        return Ok{};
    const Result<ResponseDef> def = make_response(body);
    return def ? world.set_response(id, *def) : Status(def.error());
}

} // namespace moraine
