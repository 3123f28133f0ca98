#include "plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace moraine::bench
{

namespace
{

// Of a panel; they stand two in a row, under the title and the names of the lines.
constexpr double width = 460, height = 280, left = 62, right = 14, top = 34, bottom = 40;
constexpr double title_height = 30, name_height = 16, letter_width = 6.5;
constexpr size_t panels_in_row = 2;
constexpr const char* colors[] = {"#1f6fb4", "#d1495b", "#3a9d5d", "#b8860b",
                                  "#7a5ba8", "#444444", "#17a2a8", "#e07bb0"};

std::string escaped(const std::string& text)
{
    std::string out;
    for (char c : text)
        out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

// 1, 2 or 5 times a power of ten, so that there are about five marks.
double mark_distance(double range)
{
    const double rough = range / 5, power = std::pow(10, std::floor(std::log10(rough)));
    const double share = rough / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

struct Frame
{
    double x0, y0, x_end, y_end;

    double x(double value) const { return x0 + left + value / x_end * (width - left - right); }
    double y(double value) const { return y0 + height - bottom - value / y_end * (height - top - bottom); }
};

void draw_axes(const Plot& plot, const Panel& panel, const Frame& f, std::string& out)
{
    const auto add = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
    };
    const double middle = f.x0 + 0.5 * width;
    add("<text x='{:.1f}' y='{:.1f}' text-anchor='middle' font-weight='bold'>{}</text>\n", middle, f.y0 + 20,
        escaped(panel.title));
    add("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", middle, f.y0 + height - 6,
        escaped(plot.x_label));
    add("<text transform='translate({:.1f},{:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n", f.x0 + 13,
        f.y0 + 0.5 * height, escaped(panel.y_label));
    for (double v = 0; v <= f.y_end * 1.0001; v += mark_distance(f.y_end))
        add("<path d='M{:.1f} {:.1f}H{:.1f}' stroke='#ddd'/><text x='{:.1f}' y='{:.1f}' "
            "text-anchor='end'>{:.4g}</text>\n",
            f.x(0), f.y(v), f.x(f.x_end), f.x(0) - 5, f.y(v) + 4, v);
    for (double v = 0; v <= f.x_end * 1.0001; v += mark_distance(f.x_end))
        add("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:.4g}</text>\n", f.x(v), f.y(0) + 15, v);
    add("<path d='M{:.1f} {:.1f}V{:.1f}H{:.1f}' fill='none' stroke='#444'/>\n", f.x(0), f.y(f.y_end), f.y(0),
        f.x(f.x_end));
}

void draw_line(const PlotLine& line, const Frame& f, size_t number, std::string& out)
{
    // More points than pixels are only bytes: the largest of each pixel's values is drawn.
    const size_t count = line.values.size(), most = 400;
    const size_t stride = std::max<size_t>(1, (count + most - 1) / most);
    out += "<path fill='none' stroke-width='1.3' stroke='" + std::string(colors[number % std::size(colors)]) + "' d='";
    for (size_t i = 0; i < count; i += stride)
    {
        const double value = *std::max_element(line.values.begin() + std::ptrdiff_t(i),
                                               line.values.begin() + std::ptrdiff_t(std::min(i + stride, count)));
        fmt::format_to(
            std::back_inserter(out), "{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L',
            f.x(line.x_begin + (f.x_end - line.x_begin) * double(i) / double(std::max<size_t>(count - 1, 1))),
            f.y(value));
    }
    out += "'/>\n";
    if (!line.name.empty())
        fmt::format_to(std::back_inserter(out), "<text x='{:.1f}' y='{:.1f}' fill='{}'>{}</text>\n", f.x(0) + 8,
                       f.y0 + top + 12 + 15 * double(number), colors[number % std::size(colors)], escaped(line.name));
}

void draw_panel(const Plot& plot, const Panel& panel, double x0, double y0, std::string& out)
{
    double largest = 0;
    for (const PlotLine& line : panel.lines)
        for (double v : line.values)
            largest = std::max(largest, v);
    const Frame frame{x0, y0, plot.x_end, largest > 0 ? 1.05 * largest : 1};
    draw_axes(plot, panel, frame, out);
    for (size_t i = 0; i < panel.lines.size(); ++i)
        draw_line(panel.lines[i], frame, i, out);
}

// Above the panels, as many in a row as there is room for.
struct NameGrid
{
    size_t in_row = 1;
    double name_width = 0;

    NameGrid(const Plot& plot, double plot_width)
    {
        for (const std::string& name : plot.names)
            name_width = std::max(name_width, 24 + letter_width * double(name.size()) + 12);
        if (name_width > 0)
            in_row = std::max<size_t>(1, size_t((plot_width - left) / name_width));
    }
    size_t rows(size_t names) const { return (names + in_row - 1) / in_row; }
};

void draw_names(const Plot& plot, const NameGrid& grid, std::string& out)
{
    for (size_t i = 0; i < plot.names.size(); ++i)
    {
        const double x = left + grid.name_width * double(i % grid.in_row);
        const double y = title_height + name_height * double(i / grid.in_row);
        fmt::format_to(std::back_inserter(out),
                       "<path d='M{0:.1f} {1:.1f}h18' stroke-width='3' stroke='{2}'/>"
                       "<text x='{3:.1f}' y='{4:.1f}'>{5}</text>\n",
                       x, y + 0.3 * name_height, colors[i % std::size(colors)], x + 24, y + 0.55 * name_height,
                       escaped(plot.names[i]));
    }
}

} // namespace

std::string to_svg(const Plot& plot)
{
    const size_t columns = std::min(plot.panels.size(), panels_in_row);
    const NameGrid names(plot, width * double(columns));
    const double head = title_height + name_height * double(names.rows(plot.names.size()));
    const size_t rows = (plot.panels.size() + panels_in_row - 1) / panels_in_row;
    std::string out = fmt::format("<svg xmlns='http://www.w3.org/2000/svg' width='{0:.0f}' height='{1:.0f}' "
                                  "viewBox='0 0 {0:.0f} {1:.0f}' font-family='sans-serif' font-size='11'>\n"
                                  "<rect width='100%' height='100%' fill='white'/>\n"
                                  "<text x='{2:.1f}' y='20' font-size='14' font-weight='bold'>{3}</text>\n",
                                  width * double(columns), head + height * double(rows), left, escaped(plot.title));
    draw_names(plot, names, out);
    for (size_t i = 0; i < plot.panels.size(); ++i)
        draw_panel(plot, plot.panels[i], width * double(i % panels_in_row), head + height * double(i / panels_in_row),
                   out);
    return out + "</svg>\n";
}

Status save_svg(const Plot& plot, const std::string& path)
{
    std::ofstream file(path, std::ios::trunc);
    file << to_svg(plot);
    file.close();
    if (!file)
        return Error{path + ": cannot write the plot: check the folder and the free space"};
    return Ok{};
}

} // namespace moraine::bench
