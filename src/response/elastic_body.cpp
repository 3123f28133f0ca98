#include "response/elastic_body.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

struct Work
{
    const ModelDefinition& definition;
    ElasticBody out{};
    std::vector<int> node_of{}; // of each vertex, where the surface is the outer faces
};

std::string check(const ModelDefinition& d)
{
    const std::string problem = check_material(d.material);
    if (!problem.empty())
        return problem;
    if (d.mode_count < 1 || d.mode_count > 500)
        return "the number of modes must be between 1 and 500";
    if (!(d.cell_size >= 0) || !std::isfinite(d.cell_size))
        return "the cell size must be positive";
    if (d.unknowns < 100 || d.unknowns > 2'000'000)
        return "the number of unknowns must be between 100 and 2 000 000";
    if (!(d.amplitude_duration > 0) || !std::isfinite(d.amplitude_duration))
        return "the duration must be positive";
    for (const Vec3& v : d.surface.vertices)
        if (!is_finite(v))
            return "a vertex is not finite";
    for (const Triangle& t : d.surface.triangles)
        for (const uint32_t corner : t)
            if (corner >= d.surface.vertices.size())
                return "a triangle refers to a vertex that does not exist";
    if (d.surface.triangles.empty() && d.tets.tets.empty())
        return "there is neither a surface nor a mesh";
    return "";
}

void inspect_surface(Work& work)
{
    Vec3 lower, upper;
    const float diagonal = bounding_box(work.definition.surface.vertices, lower, upper);
    work.out.surface = weld(work.definition.surface, std::max(1e-6f * diagonal, 1e-30f));
    const SurfaceReport report = inspect(work.out.surface);
    auto& notes = work.out.notes;
    const auto note = [&](int count, const char* what) {
        if (count > 0)
            notes.push_back(std::to_string(count) + what);
    };
    note(int(work.definition.surface.triangles.size() - work.out.surface.triangles.size()),
         " triangles without area were left out");
    note(report.open_edges, " open edges: holes are closed as rays along the other axes see them");
    note(report.crowded_edges, " edges with more than two triangles: overlapping parts count as one solid");
    note(report.flipped_edges, " edges whose triangles disagree which side is outside: ways in and out are counted");
    note(report.parts_without_volume, " parts enclose no volume: they move with what is nearest");
}

int unknowns_of(const TetMesh& mesh) { return int(to_quadratic(mesh).nodes.size()) * 3; }

// Cells so small that there are about as many unknowns as asked for.
Status choose_lattice(Work& work)
{
    const ModelDefinition& d = work.definition;
    const SurfaceReport report = inspect(work.out.surface);
    Vec3 lower, upper;
    const double diagonal = double(bounding_box(work.out.surface.vertices, lower, upper));
    double cell = d.cell_size;
    const bool is_given = cell > 0;
    if (!is_given)
        cell = std::clamp(std::cbrt(std::max(report.volume, 1e-4 * std::pow(diagonal, 3)) * 24 / d.unknowns),
                          1e-3 * diagonal, 0.5 * diagonal);
    for (int round = 0;; ++round)
    {
        Result<Lattice> lattice = build_lattice(work.out.surface, cell);
        if (!lattice)
            return lattice.error();
        work.out.lattice = std::move(*lattice);
        work.out.cell_size = cell;
        if (is_given || round == 6)
            break;
        const double ratio = double(unknowns_of(work.out.lattice.mesh)) / d.unknowns;
        if (ratio > 0.7 && ratio < 1.15)
            break;
        cell *= std::clamp(std::pow(ratio, 0.45), 0.4, 2.5);
    }
    if (work.out.lattice.parts > 1)
        work.out.notes.push_back(std::to_string(work.out.lattice.parts) +
                                 " parts do not hang together: only the largest vibrates");
    const double solid = volume(work.out.lattice.mesh);
    if (report.open_edges + report.crowded_edges + report.flipped_edges == 0 && report.parts == 1 &&
        std::fabs(solid - report.volume) > 0.1 * report.volume)
        work.out.notes.push_back("the cells see a volume of " + number(solid) + " m^3 where the surface encloses " +
                                 number(report.volume) + "; use smaller cells");
    return Ok{};
}

Status make_mesh(Work& work)
{
    const ModelDefinition& d = work.definition;
    if (!d.tets.tets.empty())
    {
        TetMesh tets = d.tets;
        const Status oriented = orient(tets, "the mesh");
        if (!oriented)
            return oriented;
        const int parts = keep_largest_part(tets);
        if (parts > 1)
            work.out.notes.push_back(std::to_string(parts) + " parts do not hang together: only the largest vibrates");
        work.out.mesh = to_quadratic(tets);
        work.out.surface = boundary(work.out.mesh, work.node_of);
        work.out.cell_size = std::cbrt(6 * volume(tets) / double(tets.tets.size()));
        return Ok{};
    }
    inspect_surface(work);
    if (work.out.surface.triangles.empty())
        return Error{"no triangle has an area"};
    const Status chosen = choose_lattice(work);
    if (!chosen)
        return chosen;
    work.out.mesh = to_quadratic(work.out.lattice.mesh);
    if (d.keep_surface)
        work.out.surface = refine(std::move(work.out.surface), float(work.out.cell_size));
    else
        work.out.surface = boundary(work.out.mesh, work.node_of);
    return Ok{};
}

std::vector<bool> held_nodes(const Work& work)
{
    std::vector<bool> held(work.out.mesh.nodes.size());
    Vec3 lower, upper;
    const float slack = 1e-5f * bounding_box(work.out.surface.vertices, lower, upper);
    for (size_t i = 0; i < held.size(); ++i)
    {
        const Vec3 p = Vec3(work.out.mesh.nodes[i]);
        for (const FixedRegion& region : work.definition.fixed)
        {
            bool is_inside = true;
            for (int a = 0; a < 3; ++a)
                is_inside &= p[a] >= region.lower[a] - slack && p[a] <= region.upper[a] + slack;
            if (is_inside)
                held[i] = true;
        }
    }
    return held;
}

Carriers carriers_of(const Work& work, uint32_t vertex)
{
    if (!work.node_of.empty())
        return {{work.node_of[vertex]}, {1.0}};
    const Embedding at = embed(work.out.lattice, work.out.surface.vertices[vertex]);
    return {work.out.mesh.tets[size_t(at.tet)], quadratic_shape(at.weights)};
}

} // namespace

void add_box(Surface& surface, Vec3 size, Vec3 center)
{
    const uint32_t first = uint32_t(surface.vertices.size());
    const Surface box = make_box_surface(size, center);
    surface.vertices.insert(surface.vertices.end(), box.vertices.begin(), box.vertices.end());
    for (const Triangle& t : box.triangles)
        surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

Result<ElasticBody> build_elastic_body(const ModelDefinition& definition, const PrecomputeProgress& progress)
{
    const std::string problem = check(definition);
    if (!problem.empty())
        return Error{problem};
    Work work{definition};
    if (progress)
        progress("meshing");
    const Status meshed = make_mesh(work);
    if (!meshed)
        return meshed.error();
    const std::vector<bool> held = held_nodes(work);
    const auto held_count = std::count(held.begin(), held.end(), true);
    if (!definition.fixed.empty() && held_count < 3)
        return Error{"the fixed region holds nothing of the body; move it to where the body is"};
    work.out.is_held = held_count > 0;
    if (progress)
        progress("assembling");
    work.out.system = assemble(work.out.mesh, definition.material, held);
    for (uint32_t v = 0; v < work.out.surface.vertices.size(); ++v)
        work.out.carriers.push_back(carriers_of(work, v));
    return std::move(work.out);
}

Eigen::Vector3d displacement(const ElasticBody& body, const Carriers& carriers,
                             const Eigen::Ref<const Eigen::VectorXd>& unknowns)
{
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (size_t k = 0; k < 10; ++k)
    {
        const int place = body.system.place[size_t(carriers.nodes[k])];
        if (place >= 0 && carriers.weights[k] != 0)
            sum += carriers.weights[k] * unknowns.segment<3>(3 * place);
    }
    return sum;
}

void add_force(const ElasticBody& body, const Carriers& carriers, const Eigen::Vector3d& force,
               Eigen::Ref<Eigen::VectorXd> forces)
{
    for (size_t k = 0; k < 10; ++k)
    {
        const int place = body.system.place[size_t(carriers.nodes[k])];
        if (place >= 0 && carriers.weights[k] != 0)
            forces.segment<3>(3 * place) += carriers.weights[k] * force;
    }
}

} // namespace moraine
