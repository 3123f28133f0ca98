// The experiment of "Contact Graphs in Multibody Dynamics Simulation": what contact groups and seven speed-ups bring on
// 120 balls that fall on a plane with letters, and what they do to the motion.
#pragma once

#include "table.h"

#include <CLI/App.hpp>

namespace moraine::bench
{

struct DikuOptions
{
    std::vector<std::string> solvers{"direct", "pgs"};
    std::vector<std::string> combinations{"all"}; // all, single, none, or speed-ups joined by '+'
    double seconds = 10;
    bool brute_force = true;
    int rounds = 1;      // of each run; every step's best time counts
    bool resume = false; // what is in `out` already is not run again
    std::string out{};   // folder for the plots and the runs
    std::string csv{};
};

void add_diku_options(CLI::App& app, DikuOptions& options);
Result<Table> run_diku(const DikuOptions& options);

} // namespace moraine::bench
