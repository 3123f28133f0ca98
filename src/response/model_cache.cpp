// Models that were made before, by what they were made from.
#include "base/hash.h"
#include "response/precompute.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace moraine
{

namespace
{

constexpr uint32_t method_version = 1; // of meshing and elements: raise it when the same input gives another model

std::filesystem::path cache_folder()
{
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::filesystem::path(value ? value : "");
    };
    if (std::getenv("MORAINE_CACHE"))
        return variable("MORAINE_CACHE");
    if (!variable("XDG_CACHE_HOME").empty())
        return variable("XDG_CACHE_HOME") / "moraine";
    return variable("HOME").empty() ? std::filesystem::path() : variable("HOME") / ".cache" / "moraine";
}

void add(Hash& hash, Vec3 v)
{
    hash.add(v.x);
    hash.add(v.y);
    hash.add(v.z);
}

} // namespace

uint64_t content_hash(const ModelDefinition& d)
{
    Hash hash;
    hash.add(method_version);
    hash.add(d.surface.vertices.size());
    for (const Vec3& v : d.surface.vertices)
        add(hash, v);
    for (const Triangle& t : d.surface.triangles)
        for (const uint32_t corner : t)
            hash.add(corner);
    hash.add(d.tets.nodes.size());
    for (const DVec3& node : d.tets.nodes)
        for (const double x : {node.x, node.y, node.z})
            hash.add(x);
    for (const auto& tet : d.tets.tets)
        for (const int node : tet)
            hash.add(node);
    hash.add(d.keep_surface);
    for (const double x :
         {d.material.young, d.material.poisson, d.material.density, d.material.alpha0, d.material.alpha1, d.cell_size})
        hash.add(x);
    hash.add(d.fixed.size());
    for (const FixedRegion& region : d.fixed)
    {
        add(hash, region.lower);
        add(hash, region.upper);
    }
    hash.add(d.unknowns);
    hash.add(d.mode_count);
    hash.add(d.amplitude_duration);
    for (const float x :
         {d.attenuation.alpha, d.attenuation.beta, d.attenuation.reference_distance, d.attenuation.scale})
        hash.add(x);
    return hash.value();
}

Result<Precomputed> precompute_cached(const ModelDefinition& definition, const PrecomputeProgress& progress)
{
    const std::filesystem::path folder = cache_folder();
    if (folder.empty())
        return precompute(definition, progress);
    char name[32];
    std::snprintf(name, sizeof name, "%016llx.modes", static_cast<unsigned long long>(content_hash(definition)));
    const std::string path = (folder / name).string();
    // Workers in one process ask for the same model at the same time: one makes it, the others read it.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    if (Result<ResponseModel> known = load_response_model(path))
        return Precomputed{.model = std::move(*known), .is_cached = true};
    Result<Precomputed> made = precompute(definition, progress);
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    if (made)
        (void)save_response_model(made->model, path); // a cache that cannot be written is no reason to fail
    return made;
}

} // namespace moraine
