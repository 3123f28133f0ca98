#include "support/paths.h"

#include <cstdlib>

namespace moraine::test
{

std::string command_path()
{
    const char* path = std::getenv("MORAINE_BINARY");
    return path != nullptr ? path : MORAINE_CLI;
}

std::string source_folder() { return MORAINE_SOURCE_FOLDER; }

std::string reference_scenes_folder() { return MORAINE_REFERENCE_SCENES; }

} // namespace moraine::test
