// Where the memory of a world is.
#pragma once

#include "base/count_archive.h"
#include "world/world_data.h"

namespace moraine
{

struct MemoryPart
{
    const char* name = "";
    MemoryUse use{};
};

std::vector<MemoryPart> memory_parts(const WorldData& world);

} // namespace moraine
