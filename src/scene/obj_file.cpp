#include "scene/obj_file.h"

#include <tiny_obj_loader.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace moraine
{

namespace
{

constexpr std::uintmax_t size_limit = 512u << 20;

DVec3 cross(DVec3 a, DVec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

} // namespace

Result<ObjMesh> read_obj(const std::string& path, ObjFaces faces)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    std::ifstream stream(path);
    if (error || !stream)
        return Error{path + ": cannot be read; check that the file exists"};
    if (size > size_limit)
        return Error{path + ": is larger than 512 MB; use a smaller mesh"};

    tinyobj::attrib_t attributes;
    std::vector<tinyobj::shape_t> shapes;
    std::vector<tinyobj::material_t> materials;
    std::string warning, message;
    const bool is_triangulated = faces == ObjFaces::triangulated;
    if (!tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &message, &stream, nullptr, is_triangulated))
        return Error{path + ": is not a valid .obj file; export it again"};

    ObjMesh mesh;
    for (size_t i = 0; i + 2 < attributes.vertices.size(); i += 3)
    {
        const Vec3 v{attributes.vertices[i], attributes.vertices[i + 1], attributes.vertices[i + 2]};
        if (!is_finite(v))
            return Error{path + ": vertex " + std::to_string(i / 3 + 1) + " is not finite; export it again"};
        mesh.vertices.push_back(v);
    }
    for (const tinyobj::shape_t& shape : shapes)
    {
        size_t corner = 0;
        for (const auto count : shape.mesh.num_face_vertices)
        {
            for (size_t k = 0; k < 3 && count >= 3; ++k)
            {
                const int index = shape.mesh.indices[corner + k].vertex_index;
                if (index < 0 || size_t(index) >= mesh.vertices.size())
                    return Error{path + ": a face refers to a vertex that does not exist; export it again"};
                mesh.indices.push_back(uint32_t(index));
            }
            corner += count;
        }
    }
    if (mesh.indices.empty())
        return Error{path + ": has no faces; a mesh needs at least one triangle"};
    return mesh;
}

// Sums over the tetrahedra from the origin to each triangle, with sign: those outside the solid cancel.
MassProperties solid_mass_properties(const ObjMesh& mesh, double density)
{
    double volume = 0, products[3][3] = {};
    DVec3 moment{};
    for (size_t i = 0; i + 2 < mesh.indices.size(); i += 3)
    {
        const DVec3 corners[] = {mesh.vertices[mesh.indices[i]], mesh.vertices[mesh.indices[i + 1]],
                                 mesh.vertices[mesh.indices[i + 2]]};
        const double v = dot(corners[0], cross(corners[1], corners[2])) / 6;
        const DVec3 sum = corners[0] + corners[1] + corners[2];
        volume += v;
        moment += sum * (v / 4);
        // The integral of x_r x_c over a tetrahedron with one corner in the origin is V/20 (Σ p_r p_c + s_r s_c).
        const double s[] = {sum.x, sum.y, sum.z};
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
            {
                double p = s[r] * s[c];
                for (const DVec3& corner : corners)
                {
                    const double q[] = {corner.x, corner.y, corner.z};
                    p += q[r] * q[c];
                }
                products[r][c] += v / 20 * p;
            }
    }
    MassProperties result;
    if (!(std::fabs(volume) > 1e-30))
        return result;
    const double sign = volume < 0 ? -1 : 1; // faces that look inwards
    const DVec3 center = moment * (1 / volume);
    const double m[] = {center.x, center.y, center.z};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            products[r][c] = sign * density * (products[r][c] - volume * m[r] * m[c]);
    const double trace = products[0][0] + products[1][1] + products[2][2];
    const auto entry = [&](int r, int c) { return float((r == c ? trace : 0) - products[r][c]); };
    result.mass = float(sign * density * volume);
    result.center = Vec3(center);
    result.inertia = {{entry(0, 0), entry(1, 0), entry(2, 0)},
                      {entry(0, 1), entry(1, 1), entry(2, 1)},
                      {entry(0, 2), entry(1, 2), entry(2, 2)}};
    return result;
}

} // namespace moraine
