// What moraine modes is given: a form, a material, where it is held, and how fine to compute.
#pragma once

#include "response/precompute.h"

#include <CLI/App.hpp>

#include <optional>

namespace moraine::cli
{

struct ModeInput
{
    std::string what{}; // a file or KIND:SIZES
    std::string material = "wood";
    std::optional<double> young{}, poisson{}, density{}, alpha0{}, alpha1{};
    std::vector<std::string> fixed{};
    std::string surface = "input";
    double scale = 1;
    ModelDefinition settings{}; // cell size, unknowns, modes, duration
};

void add_mode_input(CLI::App& command, ModeInput& input);
bool is_model_file(const std::string& path);
Result<ModelDefinition> read_mode_input(const ModeInput& input);

} // namespace moraine::cli
