// What it brings not to ask the narrow phase where nothing, or little, has moved: a pile that has come to rest (it sleeps) is
// run on, awake, from one snapshot with and without.
#pragma once

#include "table.h"

#include <CLI/App.hpp>

namespace moraine::bench
{

struct CoherenceOptions
{
    std::string scene = "pile_5000";
    double settle = 60; // seconds
    double calm = 10;   // and this without sleeping, seconds
    double seconds = 5; // of the comparison
    int rounds = 3;     // the best counts
    bool settles_without = false;
    std::string from{}; // a snapshot to start from instead of settling
    std::string csv{};
};

void add_coherence_options(CLI::App& app, CoherenceOptions& options);
Result<Table> compare_coherence(const CoherenceOptions& options);

} // namespace moraine::bench
