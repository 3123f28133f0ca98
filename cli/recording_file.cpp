#include "cli/recording_file.h"

#include "cli/exit_code.h"

#include <cerrno>
#include <cstring>

namespace moraine::cli
{

Result<Recording> open_recording(const std::string& path)
{
    auto recording = Recording::open(path);
    if (recording && !recording->warning().empty())
        warn(recording->warning());
    return recording;
}

Result<std::string> read_file(const std::string& path)
{
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr)
        return Error{fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
    std::string bytes;
    char part[1 << 16];
    for (size_t size; (size = std::fread(part, 1, sizeof part, file)) > 0;)
        bytes.append(part, size);
    std::fclose(file);
    return bytes;
}

Status write_file(const std::string& path, std::string_view bytes)
{
    std::FILE* file = path.empty() || path == "-" ? stdout : std::fopen(path.c_str(), "wb");
    if (file == nullptr)
        return Error{fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
    const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    const bool is_flushed = file == stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
    if (!is_written || !is_flushed)
        return Error{fmt::format("{}: could not be written completely: is the disk full?", path)};
    return Ok{};
}

} // namespace moraine::cli
