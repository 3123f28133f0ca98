#include "response/precompute.h"

#include "response/amplitude.h"
#include "response/eigenmodes.h"
#include "response/elastic_body.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

// Of the lowest bending mode, if this were a beam as long as the body and as thick as its volume has surface.
double guess_frequency(const ElasticBody& body, const ElasticMaterial& material)
{
    Vec3 lower, upper;
    const double diagonal = double(bounding_box(body.surface.vertices, lower, upper));
    const double volume = body.system.total_mass / material.density;
    const double thickness = std::min(2 * volume / std::max(surface_area(body.surface), 1e-300), diagonal);
    const double speed = std::sqrt(material.young / material.density);
    return 3 * speed * thickness / (diagonal * diagonal);
}

void store_shapes(const ElasticBody& body, const Eigenmodes& modes, ResponseModel& model)
{
    model.vertices = body.surface.vertices;
    model.triangles = body.surface.triangles;
    for (Eigen::Index j = 0; j < modes.values.size(); ++j)
        model.frequencies.push_back(float(std::sqrt(modes.values[j])));
    model.shapes.reserve(model.vertices.size() * model.mode_count());
    for (uint32_t v = 0; v < model.vertices.size(); ++v)
        for (Eigen::Index j = 0; j < modes.values.size(); ++j)
        {
            const Eigen::Vector3d shape = displacement(body, v, modes.vectors.col(j));
            model.shapes.push_back({float(shape.x()), float(shape.y()), float(shape.z())});
        }
}

} // namespace

Result<Precomputed> precompute(const ModelDefinition& definition, const PrecomputeProgress& progress)
{
    Result<ElasticBody> body = build_elastic_body(definition, progress);
    if (!body)
        return body.error();
    if (progress)
        progress("finding modes");
    const Result<Eigenmodes> modes = find_eigenmodes(body->system, definition.mode_count, !body->is_held,
                                                     guess_frequency(*body, definition.material));
    if (!modes)
        return modes.error();
    if (progress)
        progress("storing");
    Precomputed out;
    ResponseModel& model = out.model;
    model.material = definition.material;
    model.has_fixed_boundary = body->is_held;
    model.mass = float(body->system.total_mass);
    model.amplitude_duration = definition.amplitude_duration;
    model.attenuation = definition.attenuation;
    store_shapes(*body, *modes, model);
    find_amplitudes(model);
    out.notes = body->notes;
    out.unknowns = int(body->system.size());
    out.tets = int(body->mesh.tets.size());
    out.cell_size = body->cell_size;
    out.rigid_largest = modes->rigid_largest;
    const std::string wrong = check_response_model(model);
    if (!wrong.empty())
        return Error{"the model that came out cannot be right: " + wrong + "; use other cells"};
    return out;
}

} // namespace moraine
