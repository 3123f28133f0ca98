// Table 2 and figures 8 and 10 to 14 of "Distributed Simulation of Large Multi-body Systems".
#pragma once

#include "table.h"

#include <CLI/App.hpp>

namespace moraine::bench
{

struct DistributedOptions
{
    std::vector<std::string> scenes{"bowl", "building", "chain_net", "four_way_bridge", "two_way_bridge"};
    std::vector<int> workers{1, 2, 3, 4, 5, 6, 7, 8};
    int steps = 600;
    int warmup = 200;
    int rounds = 1;
    int iterations = 0;
    std::string out{};
    std::string csv{};
};

void add_distributed_options(CLI::App& app, DistributedOptions& options);
Result<Table> run_distributed(const DistributedOptions& options);

} // namespace moraine::bench
