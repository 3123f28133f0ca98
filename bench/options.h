// What the benchmark was asked to do.
#pragma once

#include "measure.h"
#include "table.h"

#include <CLI/App.hpp>

#include <optional>
#include <string>
#include <vector>

namespace moraine::bench
{

struct Options
{
    std::vector<std::string> scenes{}; // NAME or NAME:KEY=VALUE:KEY=VALUE
    std::vector<std::string> engines{};
    std::vector<std::string> parameters{}; // for all scenes
    std::vector<int> threads{1};
    std::vector<int> counts{1000, 3000, 10000, 30000, 100000}; // growth
    double limit_seconds = 120;                                // growth
    int steps = 300;
    int warmup = 300;
    int rounds = 3;
    std::optional<bool> sleeping{};
    std::optional<SolverKind> solver{};
    std::string csv{};
    bool list = false;
};

// Each kind of measurement takes those that mean something to it.
void add_common_options(CLI::App& app, Options& options);
void add_threads_and_rounds(CLI::App& app, Options& options);
void add_growth_options(CLI::App& app, Options& options);

Result<std::vector<PeerKind>> chosen_engines(const Options& options);

// `extra` are parameters on top of those that the options and the scene's own text give.
Result<SceneDescription> load_bench_scene(const std::string& text, const Options& options,
                                          const SceneParameters& extra = {});

// As asked, or by default off, but on for the scenes that are about bodies at rest.
bool wants_sleep(const std::string& scene_text, const Options& options);

Result<Table> compare(const Options& options);
Result<Table> compare_memory(const Options& options);
Result<Table> list_memory_parts(const Options& options);
Result<Table> compare_growth(const Options& options);

// What every kind of table says about a case that was not measured.
void note_failure(const Case& c, const Measurement& measurement, Table& table);

} // namespace moraine::bench
