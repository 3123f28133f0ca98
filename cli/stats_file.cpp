#include "cli/stats_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

namespace moraine::cli
{

namespace
{

constexpr const char* columns =
    "step,time,ms,movers_awake,bodies_merged,bodies_asleep,collections,merges,unmerges,edges,groups,contacts_solved,"
    "contacts_internal,penetration_max,penetration_mean,kinetic_energy,potential_energy";

} // namespace

Result<StatsFile> StatsFile::create(const std::string& path)
{
    StatsFile stats;
    stats.path_ = path;
    stats.file_.reset(std::fopen(path.c_str(), "w"));
    if (!stats.file_)
        return Error{fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
    fmt::print(stats.file_.get(), "{}", columns);
    for (int i = 0; i < int(Phase::count); ++i)
        fmt::print(stats.file_.get(), ",ms_{}", phase_name(Phase(i)));
    fmt::print(stats.file_.get(), "\n");
    return stats;
}

void StatsFile::add(const World& world, const StepReport& report, float milliseconds)
{
    const double penetration_mean = report.contacts_solved > 0 ? report.penetration_sum / double(report.contacts_solved)
                                                               : 0;
    std::FILE* file = file_.get();
    fmt::print(file, "{},{:.6f},{:.5f},{},{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.9g},{:.9g}", world.step_count(),
               world.time(), milliseconds, report.movers_awake, report.bodies_merged, report.bodies_asleep,
               report.collections, report.merges, report.unmerges, report.edges, report.groups, report.contacts_solved,
               report.contacts_internal, report.penetration_max, penetration_mean, world.kinetic_energy(),
               world.potential_energy());
    for (float ms : report.phase_ms)
        fmt::print(file, ",{:.5f}", ms);
    fmt::print(file, "\n");
}

Status StatsFile::close()
{
    std::FILE* file = file_.release();
    const bool had_error = std::ferror(file) != 0;
    if (std::fclose(file) != 0 || had_error)
        return Error{fmt::format("{}: could not be written completely: is the disk full?", path_)};
    return Ok{};
}

} // namespace moraine::cli
