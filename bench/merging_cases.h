// The scenes that merging is measured on, with the window that counts and the speed-up that the paper reports.
#pragma once

#include "table.h"

namespace moraine::bench
{

struct Window
{
    int begin = 0;
    int end = 0; // 0: the scene's own length
};

struct MergingCase
{
    std::string scene{};   // NAME or NAME:KEY=VALUE, or a file
    std::string name{};    // in table and plots; empty: as the scene
    Window window{};       // steps; the others are run but not counted
    int iterations = 10;   // of pgs; 0: the scene's own
    float sleep_speed = 0; // m/s; 0: the scene's own
    double paper = 0;      // speed-up in the paper; 0: none reported
    double bar = 0;        // speed-up wanted here
    std::string figure{};  // of the paper
    std::string solver{};  // only this one; empty: any
    const std::string& shown() const { return name.empty() ? scene : name; }
};

Result<std::vector<MergingCase>> chosen_cases(const std::vector<std::string>& names);
// Every XML scene of the folder. Notes say what the reference implementation measured, or that there are none.
Result<std::vector<MergingCase>> reference_cases(const std::string& folder, Table& table);

} // namespace moraine::bench
