// Rows of text as a table for people and as CSV for everything else.
#pragma once

#include <moraine/result.h>

#include <string>
#include <vector>

namespace moraine::bench
{

struct Table
{
    std::vector<std::string> columns{};
    std::vector<std::vector<std::string>> rows{};
    std::vector<std::string> notes{};
};

// Columns aligned, numbers to the right, a line between different values of the first column.
std::string to_text(const Table& table);
std::string to_csv(const Table& table);
Status save_csv(const Table& table, const std::string& path);

} // namespace moraine::bench
