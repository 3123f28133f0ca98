// Shapes as triangles, for files that know nothing else.
#pragma once

#include <moraine/shapes.h>

#include <string>

namespace moraine::cli
{

struct ShapeMesh
{
    std::vector<Vec3> vertices{}, normals{};
    std::vector<uint32_t> indices{};
};

ShapeMesh shape_mesh(const Geometry& geometry);
std::string mesh_key(const Geometry& geometry); // the same for equal meshes

} // namespace moraine::cli
