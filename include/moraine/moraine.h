// Everything a user of the library needs.
#pragma once

#include <moraine/defs.h>
#include <moraine/events.h>
#include <moraine/graph.h>
#include <moraine/ids.h>
#include <moraine/math.h>
#include <moraine/result.h>
#include <moraine/shapes.h>
#include <moraine/version.h>
#include <moraine/world.h>
