// Line plots as SVG, for the figures of the papers.
#pragma once

#include <moraine/result.h>

#include <string>
#include <vector>

namespace moraine::bench
{

struct PlotLine
{
    std::string name{};           // written into its panel
    std::vector<double> values{}; // at equal distances along the x axis
    double x_begin = 0;
};

struct Panel
{
    std::string title{};
    std::string y_label{};
    std::vector<PlotLine> lines{};
};

struct Plot
{
    std::string title{};
    std::string x_label{};
    double x_end = 1; // the lines go from 0 to here
    std::vector<Panel> panels{};
    std::vector<std::string> names{}; // of the lines of every panel, above them all: for names that are long
};

std::string to_svg(const Plot& plot);
Status save_svg(const Plot& plot, const std::string& path);

} // namespace moraine::bench
