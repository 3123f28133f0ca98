// What `moraine run` was asked to do.
#pragma once

#include "scene/description.h"

#include <CLI/App.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace moraine::cli
{

// Steps first <= step < end, counted from the start of the scene.
struct Window
{
    uint64_t first = 0;
    uint64_t end = std::numeric_limits<uint64_t>::max();

    bool contains(uint64_t step) const { return first <= step && step < end; }
};

struct RunOptions
{
    std::vector<std::string> words{}; // the scene, and parameters written without their flag
    std::vector<std::string> parameters{};
    std::optional<int> steps{};
    std::optional<double> seconds{};
    std::optional<float> dt{};
    std::optional<int> threads{};
    std::optional<int> iterations{};
    std::optional<int> substeps{};
    std::optional<SolverKind> solver{};
    std::optional<bool> merging{};
    std::vector<std::string> merge{};
    std::optional<bool> response{};
    std::optional<bool> sleeping{};
    std::optional<bool> graph{};
    std::string window{};
    std::string stats{};
    std::string record{};
    std::vector<std::string> record_details{}; // names of overlays and channels
    std::string audio{};
    std::string snapshot{};
    std::string from{};
    std::string graph_out{};
    bool json = false;

    // Distributed runs.
    std::optional<int> workers{};
    bool distributed = false;
    std::optional<int> growth_depth{};
    std::optional<int> search_depth{};
    std::optional<PartitionKind> partition{};
    std::string partition_file{};
    std::optional<LoadKind> load{};
    std::optional<BlendWeights> weights{};
    std::optional<Detection> detection{};
    std::optional<Balance> balance{};
    std::vector<SolverKind> worker_solvers{};
    std::optional<Border> border{};
    std::optional<int> first_workers{};
    std::optional<float> grow_above{};
    std::optional<float> shrink_below{};
    std::string checkpoint{};
    std::optional<int> checkpoint_every{};
    bool resume = false;
    std::optional<double> max_hours{};
};

void add_scene_options(CLI::App& command, RunOptions& options); // which scene, with what
void add_record_options(CLI::App& command, RunOptions& options);
void add_run_options(CLI::App& command, RunOptions& options);

Result<SceneParameters> scene_parameters(const RunOptions& options);
void apply_overrides(const RunOptions& options, SceneDescription& scene);
// The scene that the options name, with what they override.
Result<SceneDescription> load_with_options(const RunOptions& options);

Result<SceneParameters> parse_parameters(const std::vector<std::string>& words);
Result<Window> parse_window(const std::string& text);

// Steps of this run. A scene without a length of its own runs 600.
Result<uint64_t> step_count(const RunOptions& options, const SceneDescription& scene);

} // namespace moraine::cli
