// From form and material to a response model, kept on disk so that the same question is answered once.
#pragma once

#include "response/tet_mesh.h"

#include <moraine/response.h>

#include <functional>
#include <limits>

namespace moraine
{

// Nodes in this box are held. Sides may be infinite.
struct FixedRegion
{
    Vec3 lower{-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
               -std::numeric_limits<float>::infinity()};
    Vec3 upper{std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(),
               std::numeric_limits<float>::infinity()};
};

struct ModelDefinition
{
    Surface surface{}; // parts may overlap
    TetMesh tets{};    // a mesh made elsewhere, instead of the surface
    // The model's surface: the given one, its edges split where they are longer than a cell; else the outer faces of the
    // elements, which hang together even where the given surface is a heap of boxes.
    bool keep_surface = true;
    ElasticMaterial material{};
    std::vector<FixedRegion> fixed{};
    double cell_size = 0; // 0: so small that there are about `unknowns`
    int unknowns = 12'000;
    int mode_count = 20;
    float amplitude_duration = 0.01f; // a step of the simulation
    Attenuation attenuation{};
};

// Adds a box to a surface of overlapping parts.
void add_box(Surface& surface, Vec3 size, Vec3 center);

struct Precomputed
{
    ResponseModel model{};
    std::vector<std::string> notes{}; // what was mended, and what is to be doubted
    int unknowns = 0, tets = 0;       // 0 where the model came from the cache
    double cell_size = 0;
    double rigid_largest = 0; // rad/s
    bool is_cached = false;
};

using PrecomputeProgress = std::function<void(const char* stage)>;

Result<Precomputed> precompute(const ModelDefinition& definition, const PrecomputeProgress& progress = {});

// The same, from the folder of models where it was made before: $MORAINE_CACHE, or moraine in $XDG_CACHE_HOME or
// ~/.cache. Without such a folder it is made each time.
Result<Precomputed> precompute_cached(const ModelDefinition& definition, const PrecomputeProgress& progress = {});
uint64_t content_hash(const ModelDefinition& definition);

inline Result<ResponseModel> make_response_model(const ModelDefinition& definition)
{
    auto made = precompute_cached(definition);
    if (!made)
        return made.error();
    return std::move(made->model);
}

// Presets by name: wood, hardwood, plywood, steel, aluminium, concrete, stone, glass, brick, ceramic, plastic, rubber,
// soil; null for others.
const ElasticMaterial* find_material(const std::string& name);
std::vector<std::string> material_names();

// Empty when it makes sense.
std::string check_material(const ElasticMaterial& material);

} // namespace moraine
