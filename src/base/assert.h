// Assertions for broken invariants and misuse inside the engine. Off in release builds.
#pragma once

#include <cassert>

#define MORAINE_ASSERT(condition) assert(condition)
