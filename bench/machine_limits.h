// What this machine can do at most, beside what the contact kernel asks of it.
#pragma once

#include "table.h"

namespace moraine::bench
{

Result<Table> measure_limits();

} // namespace moraine::bench
