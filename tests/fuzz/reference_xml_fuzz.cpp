// Whatever an XML scene holds, importing it gives a scene or an error.
#include "scene/reference_xml.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace moraine;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const std::string path = "/tmp/reference_xml_fuzz." + std::to_string(getpid()) + ".xml";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr)
        std::abort();
    std::fwrite(data, 1, size, file);
    std::fclose(file);
    auto scene = load_reference_scene(path);
    std::remove(path.c_str());
    return 0;
}
