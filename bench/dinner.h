// Dinner twice: by the fast response and by a reference that steps the table's elements in time. Section 5.2 of
// distant-collision-response-2020.
#pragma once

#include "table.h"

#include <moraine/result.h>

#include <CLI/App.hpp>

#include <string>

namespace moraine::bench
{

struct DinnerOptions
{
    double cell_size = 0.2; // of the reference's table
    double seconds = 0.12;  // from the impact on, before the pot comes down again
    double dt = 1e-5;       // of the reference
    double height = 0.5;    // that the pot falls from
    double x = 0, z = 0;    // where it falls
    std::string kick{};     // of the fast response; empty: as the scene has it
    int modes = 0;          // of the fast response; 0: as the scene has it
    int repeats = 5;
    double moved = 5e-4; // rises above this count as a jump, metres
    std::string out{};   // folder for the plot
    std::string csv{};
};

void add_dinner_options(CLI::App& app, DinnerOptions& options);
Result<Table> run_dinner(const DinnerOptions& options);

// Spearman's: 1 where both lists have the same order. Equal values share their ranks.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

} // namespace moraine::bench
