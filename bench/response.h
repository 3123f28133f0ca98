// What distant collision response costs, for models as large as those of the paper, and what it costs when nothing is hit.
#pragma once

#include "table.h"

#include <CLI/App.hpp>

namespace moraine::bench
{

struct ResponseOptions
{
    int rounds = 20;         // impacts to each model
    std::string out{};       // folder for the plot of low_rider
    bool has_scenes = false; // runs the paper's scenes, too
    std::string csv{};
};

void add_response_options(CLI::App& app, ResponseOptions& options);
Result<Table> run_response(const ResponseOptions& options);

} // namespace moraine::bench
