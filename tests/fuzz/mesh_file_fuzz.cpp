// Files with surfaces and tetrahedra are read or refused. The first byte says as what the rest is read.
#include "response/mesh_file.h"

using namespace moraine;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    const size_t half = rest.size() / 2;
    switch (data[0] % 4)
    {
    case 0: (void)read_stl(rest, "fuzz.stl"); break;
    case 1: (void)read_gltf(rest, "fuzz.gltf", "/nowhere"); break;
    case 2: (void)read_msh(rest, "fuzz.msh"); break;
    default: (void)read_tetgen(rest.substr(0, half), rest.substr(half), "fuzz.node"); break;
    }
    return 0;
}
