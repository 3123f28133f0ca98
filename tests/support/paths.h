#pragma once

#include <string>

namespace moraine::test
{

// Where things are outside the test, as the build knows it. Only paths.cpp is compiled with these, so that a compiler
// cache can share everything else between folders.

// The command; empty where it is not built. MORAINE_BINARY in the environment names another one, an installed one say.
std::string command_path();

// The top of the source tree.
std::string source_folder();

// The reference scenes, which are not ours to ship; empty where they are absent.
std::string reference_scenes_folder();

} // namespace moraine::test
