// One line of numbers for each step, for spreadsheets and plots.
#pragma once

#include <moraine/world.h>

#include <cstdio>
#include <memory>
#include <string>

namespace moraine::cli
{

class StatsFile
{
public:
    static Result<StatsFile> create(const std::string& path);
    void add(const World& world, const StepReport& report, float milliseconds);
    Status close();

private:
    struct Close
    {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

} // namespace moraine::cli
