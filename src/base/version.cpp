#include <moraine/version.h>

namespace moraine
{
const char* version() { return MORAINE_VERSION; }
} // namespace moraine
