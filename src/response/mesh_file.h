// Surfaces and tetrahedra from files. A file is read whole and nothing in it is trusted.
#pragma once

#include "response/tet_mesh.h"

#include <string_view>

namespace moraine
{

Result<Surface> read_stl(std::string_view bytes, const std::string& name); // text or binary

// .gltf or .glb: triangles of the scene's meshes, where its nodes place them. `folder` is where a .gltf may have a .bin.
Result<Surface> read_gltf(std::string_view bytes, const std::string& name, const std::string& folder);

Result<TetMesh> read_tetgen(std::string_view nodes, std::string_view elements, const std::string& name);
Result<TetMesh> read_msh(std::string_view bytes, const std::string& name); // Gmsh, text, format 2 or 4

Result<std::string> read_whole_file(const std::string& path);

// By their names: .stl, .gltf, .glb.
Result<Surface> load_surface(const std::string& path);
// .node or .ele (both must be there), .msh.
Result<TetMesh> load_tets(const std::string& path);

} // namespace moraine
