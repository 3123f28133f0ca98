#pragma once

#define MORAINE_VERSION_MAJOR 0
#define MORAINE_VERSION_MINOR 1
#define MORAINE_VERSION_PATCH 0
#define MORAINE_VERSION "0.1.0"

namespace moraine
{
// The version of the library that is linked, which may differ from the headers' MORAINE_VERSION.
const char* version();
} // namespace moraine
