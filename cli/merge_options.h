// `--merge KEY=VALUE`: the members of MergeDef by the names they have in scene files.
#pragma once

#include <moraine/defs.h>
#include <moraine/result.h>

#include <string>

namespace moraine::cli
{

Status set_merge_option(const std::string& word, MergeDef& def);

} // namespace moraine::cli
