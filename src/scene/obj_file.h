// Triangles from Wavefront .obj files: only positions and faces; no other file is opened, whatever it asks for.
#pragma once

#include <moraine/math.h>
#include <moraine/result.h>
#include <moraine/shapes.h>

#include <string>
#include <vector>

namespace moraine
{

struct ObjMesh
{
    std::vector<Vec3> vertices;
    std::vector<uint32_t> indices; // three for each triangle
};

enum class ObjFaces
{
    triangulated,
    first_three_corners // of each face, as the reference implementation reads them
};

Result<ObjMesh> read_obj(const std::string& path, ObjFaces faces = ObjFaces::triangulated);

// Mass properties of the solid inside the triangles. A volume of zero gives mass zero.
MassProperties solid_mass_properties(const ObjMesh& mesh, double density);

} // namespace moraine
