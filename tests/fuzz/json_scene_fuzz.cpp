// Whatever a JSON scene holds, reading it gives a scene or an error, and what was read can be written, read again and run.
#include "scene/description.h"
#include "scene/json.h"

#include <cstdlib>
#include <string>

using namespace moraine;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    auto scene = parse_json_scene(std::string(reinterpret_cast<const char*>(data), size));
    if (!scene || scene->bodies.size() > 200)
        return 0;
    if (!parse_json_scene(to_json(*scene)))
        std::abort();
    auto running = Scene::create(*scene);
    for (int i = 0; running && i < 3; ++i)
        running->step();
    return 0;
}
