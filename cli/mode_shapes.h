// Mode shapes to look at.
#pragma once

#include <moraine/response.h>

namespace moraine::cli
{

// A glTF animation: all modes side by side, each swinging once in its own number of seconds, colours as in the paper (red,
// green and blue are motion along x, y and z).
std::string mode_shapes_glb(const ResponseModel& model);

// A page with one mode at a time, to turn round and zoom.
std::string mode_shapes_page(const ResponseModel& model);

} // namespace moraine::cli
