#include "merging_cases.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace moraine::bench
{

namespace
{

const MergingCase cases[] = {
    // Table of the paper: ratios of its section 8.1.
    // There the truck keeps moving and the wagon hits the bookcase once; a truck that stops twice, the first time hard, is ours.
    {.scene = "wagon", .paper = 4, .bar = 5, .figure = "figure_5"},
    {.scene = "wagon:stops=1"},
    {.scene = "ship_crane", .paper = 6, .bar = 8},
    {.scene = "dominoes", .window = {120, 3000}},
    {.scene = "dominoes_platforms", .window = {120, 1500}, .paper = 2.5, .bar = 4},
    // A cube every 32 steps, as in figure 8: 1395 after 45 000. The scene by itself is quicker with them.
    {.scene = "funnel:every=32", .window = {43000, 44600}, .paper = 3.5, .bar = 5, .figure = "figure_8"},
    {.scene = "funnel", .window = {5380, 5980}},
    {.scene = "messy_stack", .figure = "figure_11"},
    {.scene = "tower_platform", .window = {1200, 2400}, .paper = 8, .bar = 30},
    {.scene = "tower_platform", .window = {1200, 2400}, .iterations = 30, .paper = 21, .bar = 60, .solver = "pgs"},
    {.scene = "tower_projectile", .iterations = 30, .figure = "figure_12"},
    {.scene = "ferry", .window = {600, 900}, .bar = 50},
    {.scene = "ferry:stacks=2000", .window = {700, 900}, .bar = 200},
    // Nothing rests: merging may cost a twentieth.
    {.scene = "pile_5000", .window = {0, 120}, .bar = 0.95},
    // And when it comes to rest in its pit, where bodies are wedged in.
    {.scene = "pile_5000:count=1000", .window = {0, 1500}},
    {.scene = "spinner"},
    {.scene = "see_saw"},
    {.scene = "impulse_tower"},
    {.scene = "dumpster"},
    {.scene = "magnet"},
    {.scene = "boat"},
    {.scene = "braking_truck"},
    {.scene = "lift"},
    {.scene = "turntable"},
    {.scene = "conveyor"},
    {.scene = "gripper"},
    {.scene = "rope_bridge_with_crates"},
};

// Table 1 of the paper. At ours nearly all of these scenes are asleep after a few seconds, and there is nothing to compare.
constexpr float paper_sleep_speed = 1e-5f;

// The reference implementation, built and run on a machine like ours: milliseconds, bodies and contacts in the solve.
struct ReferenceFigure
{
    std::string_view scene;
    Window window; // steps of ours that correspond
    int iterations;
    std::string_view parameters;
    std::string_view measured;
};

const ReferenceFigure reference_figures[] = {
    {"tower25platform", {1000, 1500}, 10, "", "steps 1000 to 1500: 8.8 ms -> 4.6 ms, 100 bodies, 960 contacts"},
    {"tower25platform", {2000, 2500}, 30, "", "settled: 16.0 ms, 3562 contacts -> 1.71 ms, 2 bodies, 0 contacts"},
    {"tower25platform_collision", {200, 700}, 30, "", "impact: 14.8 ms -> 11.1 ms, 213 bodies, 1807 contacts"},
    {"dominosPlatforms", {0, 1500}, 10, "", "cascade: 1.53 ms, 405 contacts -> 0.88 ms, 26 bodies, 89 contacts"},
    {"cargoShip", {0, 1500}, 10, "", "crane at work: 7.8 ms, 2000 contacts -> 3.05 ms, 39 bodies, 171 contacts"},
    {"chariot", {0, 1500}, 10, "", "after the impact: 1.69 ms, 460 contacts -> 1.15 ms, 46 bodies, 186 contacts"},
    {"funnel",
     {3500, 4500},
     10,
     ":factory=0.16",
     "last 1000: 65.7 ms, 4746 contacts -> 36.8 ms, 719 bodies, 2773 contacts"},
    {"denseTower25", {1000, 1500}, 30, "", "asleep: 3.08 ms, 727 contacts -> 0.010 ms, 1 body, 0 contacts"},
    {"spinner", {0, 1500}, 10, "", "0.13 ms, 33 contacts -> 0.19 ms, 7 bodies, 33 contacts (comes and goes)"},
};

} // namespace

Result<std::vector<MergingCase>> chosen_cases(const std::vector<std::string>& names)
{
    if (names.empty())
        return std::vector<MergingCase>(std::begin(cases), std::end(cases));
    std::vector<MergingCase> chosen;
    for (const std::string& name : names)
    {
        const size_t before = chosen.size();
        std::copy_if(std::begin(cases), std::end(cases), std::back_inserter(chosen),
                     [&](const MergingCase& c) { return c.scene == name; });
        if (chosen.size() == before) // not of the list: any scene, from its first step to its last
            chosen.push_back({.scene = name});
    }
    return chosen;
}

Result<std::vector<MergingCase>> reference_cases(const std::string& folder, Table& table)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".xml")
            files.push_back(entry.path());
    if (error || files.empty())
        table.notes.push_back(fmt::format("no XML scenes in {}: nothing was measured; give their folder", folder));
    std::sort(files.begin(), files.end());
    std::vector<MergingCase> chosen;
    for (const std::filesystem::path& file : files)
    {
        const std::string name = file.stem().string();
        const size_t before = chosen.size();
        for (const ReferenceFigure& figure : reference_figures)
            if (figure.scene == name)
            {
                chosen.push_back({.scene = file.string() + std::string(figure.parameters),
                                  .name = name,
                                  .window = figure.window,
                                  .iterations = figure.iterations,
                                  .sleep_speed = paper_sleep_speed});
                table.notes.push_back(fmt::format("{}: there {}", name, figure.measured));
            }
        if (chosen.size() == before)
            chosen.push_back({.scene = file.string(),
                              .name = name,
                              .window = {0, 1500},
                              .iterations = 0,
                              .sleep_speed = paper_sleep_speed});
    }
    return chosen;
}

} // namespace moraine::bench
