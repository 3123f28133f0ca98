// Does merging change what happens? Towers that are hit and struck, with it and without, over seeds and speeds.
#pragma once

#include "table.h"

namespace CLI // NOLINT(readability-identifier-naming)
{
class App;
} // namespace CLI

namespace moraine::bench
{

struct FidelityOptions
{
    int seeds = 5;
    bool has_many_blows = false; // eighty instead of sixteen
    std::string solver = "substep";
    std::string csv{};
};

void add_fidelity_options(CLI::App& app, FidelityOptions& options);
Result<Table> run_fidelity(const FidelityOptions& options);

} // namespace moraine::bench
