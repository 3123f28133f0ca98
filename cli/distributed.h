// moraine run with workers: threads of this process, or ranks of an MPI job.
#pragma once

#include "cli/run_options.h"

namespace moraine::cli
{

void add_distributed_options(CLI::App& command, RunOptions& options);
void apply_distributed_overrides(const RunOptions& options, SceneDescription& scene);

bool is_distributed(const RunOptions& options);
int run_distributed(const RunOptions& options);

} // namespace moraine::cli
