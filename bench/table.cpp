#include "table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace moraine::bench
{

namespace
{

bool is_number(const std::string& cell)
{
    return cell == "-" || (!cell.empty() && cell.find_first_not_of("0123456789.+-e") == std::string::npos);
}

std::string csv_cell(const std::string& cell)
{
    if (cell.find_first_of(",\"\n") == std::string::npos)
        return cell;
    std::string quoted = "\"";
    for (char c : cell)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

} // namespace

std::string to_text(const Table& table)
{
    std::vector<size_t> widths;
    std::vector<bool> is_right;
    for (size_t i = 0; i < table.columns.size(); ++i)
    {
        size_t width = table.columns[i].size();
        for (const auto& row : table.rows)
            width = std::max(width, row[i].size());
        widths.push_back(width);
        is_right.push_back(
            std::all_of(table.rows.begin(), table.rows.end(), [i](const auto& row) { return is_number(row[i]); }));
    }
    std::string text;
    const auto add_row = [&](const std::vector<std::string>& row) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i)
            line += is_right[i] ? fmt::format("{:>{}}  ", row[i], widths[i])
                                : fmt::format("{:<{}}  ", row[i], widths[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    };
    add_row(table.columns);
    std::string group;
    for (const auto& row : table.rows)
    {
        if (row.front() != group)
            text += '\n';
        group = row.front();
        add_row(row);
    }
    if (!table.notes.empty())
        text += '\n';
    for (const std::string& note : table.notes)
        text += note + '\n';
    return text;
}

std::string to_csv(const Table& table)
{
    std::string text;
    const auto add_row = [&](const std::vector<std::string>& row) {
        for (size_t i = 0; i < row.size(); ++i)
            text += (i > 0 ? "," : "") + csv_cell(row[i] == "-" ? "" : row[i]);
        text += '\n';
    };
    add_row(table.columns);
    for (const auto& row : table.rows)
        add_row(row);
    return text;
}

Status save_csv(const Table& table, const std::string& path)
{
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr)
        return Error{fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
    const std::string text = to_csv(table);
    const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !is_written)
        return Error{fmt::format("{}: could not be written completely: is the disk full?", path)};
    return Ok{};
}

} // namespace moraine::bench
