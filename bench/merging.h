// What merging brings: every scene with sleeping alone and with merging on top, side by side in one run.
#pragma once

#include "table.h"

#include <CLI/App.hpp>

namespace moraine::bench
{

struct MergingOptions
{
    std::vector<std::string> scenes{}; // of the list; all when empty. NAME:KEY=VALUE is a scene of your own
    std::vector<std::string> solvers{"pgs", "substep"};
    std::string reference{}; // folder with the XML scenes of the reference implementation, instead of our own
    int rounds = 1;
    int steps = 0;     // 0: as long as the scene's own window needs
    std::string out{}; // folder for the plots
    std::string csv{};
};

void add_merging_options(CLI::App& app, MergingOptions& options);
Result<Table> run_merging(const MergingOptions& options);

} // namespace moraine::bench
