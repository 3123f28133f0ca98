// A recording as pictures or a film: drawn by a headless Chromium, put together by ffmpeg, where they are installed.
#include "cli/export_recording.h"
#include "cli/recording_file.h"
#include "viewer/channels.h"
#include "viewer/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace moraine::cli
{

namespace
{

namespace fs = std::filesystem;

constexpr size_t frames_at_once = 40; // drawn by one browser, which holds them all in memory

std::string find_program(std::initializer_list<const char*> names)
{
    const char* path = std::getenv("PATH");
    std::string_view left = path != nullptr ? path : "";
    while (!left.empty())
    {
        const size_t end = std::min(left.find(':'), left.size());
        for (const char* name : names)
        {
            const std::string candidate = std::string(left.substr(0, end)) + "/" + name;
            if (access(candidate.c_str(), X_OK) == 0)
                return candidate;
        }
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return {};
}

std::string quoted(const std::string& text)
{
    std::string out = "'";
    for (char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string from_base64(std::string_view text)
{
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<int, 256> value{};
    value.fill(-1);
    for (size_t i = 0; i < digits.size(); ++i)
        value[uint8_t(digits[i])] = int(i);
    std::string out;
    uint32_t word = 0;
    int bits = 0;
    for (char c : text)
    {
        if (value[uint8_t(c)] < 0)
            continue;
        word = word << 6 | uint32_t(value[uint8_t(c)]);
        bits += 6;
        if (bits >= 8)
            bits -= 8, out += char(word >> bits & 255);
    }
    return out;
}

class WorkFolder
{
public:
    WorkFolder()
    {
        std::string pattern = (fs::temp_directory_path() / "moraine_XXXXXX").string();
        path = mkdtemp(pattern.data()) != nullptr ? pattern : "";
    }
    ~WorkFolder()
    {
        std::error_code ignored;
        if (!path.empty())
            fs::remove_all(path, ignored);
    }
    std::string path{};
};

// The page writes one line for each picture: frame:NUMBER:BASE64.
Result<size_t> take_pictures(std::FILE* from, const std::string& folder, size_t first_number)
{
    char* line = nullptr;
    size_t room = 0, count = 0;
    Status status = Ok{};
    while (status && getline(&line, &room, from) > 0)
    {
        const std::string_view text = line;
        constexpr std::string_view mark = "frame:";
        const size_t at = text.find(mark);
        const size_t colon = text.find(':', at + mark.size());
        if (at > 8 || colon == std::string_view::npos) // no mark is far beyond 8
            continue;
        const std::string name = fmt::format("{}/frame_{:05}.png", folder, first_number + count);
        status = write_file(name, from_base64(text.substr(colon + 1)));
        ++count;
    }
    std::free(line);
    if (!status)
        return status.error();
    return count;
}

Status draw(const std::string& browser, const Recording& recording, const RecordingExport& options, size_t stride,
            const std::string& page, const std::string& folder)
{
    const std::string unsafe = geteuid() == 0 ? " --no-sandbox" : "";
    size_t number = 0;
    for (size_t first = 0; first < recording.frame_count(); first += frames_at_once * stride)
    {
        const size_t last = std::min(first + (frames_at_once - 1) * stride, recording.frame_count() - 1);
        const std::string address = fmt::format("file://{}#export={},{},{},{},{}&color={}&overlays={}", page, first,
                                                last, stride, options.width, options.height, options.color,
                                                fmt::join(options.overlays, ","));
        const std::string command = fmt::format(
            "{}{} --headless --disable-extensions --use-gl=angle --use-angle=swiftshader "
            "--enable-unsafe-swiftshader --ignore-gpu-blocklist --virtual-time-budget=100000000 "
            "--window-size={},{} --user-data-dir={}/browser --dump-dom {} 2>/dev/null",
            quoted(browser), unsafe, options.width, options.height, quoted(folder), quoted(address));
        std::FILE* pipe = popen(command.c_str(), "r");
        if (pipe == nullptr)
            return Error{browser + ": cannot be started"};
        const auto taken = take_pictures(pipe, folder, number);
        const int result = pclose(pipe);
        if (!taken)
            return taken.error();
        if (result != 0 || *taken != (last - first) / stride + 1)
            return Error{fmt::format("{}: gave {} of {} pictures; does it work with --headless here?", browser, *taken,
                                     (last - first) / stride + 1)};
        number += *taken;
    }
    return Ok{};
}

Status make_film(const std::string& ffmpeg, const std::string& folder, double rate, const std::string& output)
{
    const std::string command = fmt::format("{} -y -loglevel error -framerate {:.6f} -i {}/frame_%05d.png -c:v libx264 "
                                            "-pix_fmt yuv420p -crf 20 -movflags +faststart {} 1>&2",
                                            quoted(ffmpeg), rate, quoted(folder), quoted(output));
    if (std::system(command.c_str()) != 0)
        return Error{output + ": ffmpeg could not make the film, see above"};
    return Ok{};
}

// run.png becomes run_00000.png, run_00001.png, …
Status move_pictures(const std::string& folder, const std::string& output)
{
    const fs::path target(output);
    std::error_code error;
    for (size_t i = 0;; ++i)
    {
        const fs::path from = fmt::format("{}/frame_{:05}.png", folder, i);
        if (!fs::exists(from))
            return Ok{};
        const fs::path to = target.parent_path() / fmt::format("{}_{:05}.png", target.stem().string(), i);
        fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
        if (error)
            return Error{to.string() + ": cannot be written: " + error.message()};
    }
}

// What is asked for must be in the recording.
Status check_details(const Recording& recording, const RecordingExport& options)
{
    std::vector<std::string> colors = viewer::color_names({}), overlays;
    const auto json = nlohmann::json::parse(recording.info().details, nullptr, false);
    if (json.is_object())
    {
        for (const auto& channel : json.value("channels", nlohmann::json::array()))
            colors.push_back(channel.value("name", ""));
        for (const auto& overlay : json.value("overlays", nlohmann::json::array()))
            overlays.push_back(overlay.is_string() ? overlay.get<std::string>() : "");
    }
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!has(colors, options.color))
        return Error{fmt::format("--color {}: the recording can be coloured by {}; more with run --record-details",
                                 options.color, fmt::join(colors, ", "))};
    for (const std::string& name : options.overlays)
        if (!has(overlays, name))
            return Error{fmt::format("--overlay {}: the recording has {}; more with run --record-details", name,
                                     overlays.empty() ? "none" : fmt::format("{}", fmt::join(overlays, ", ")))};
    return Ok{};
}

} // namespace

Status export_pictures(const Recording& recording, const RecordingExport& options, size_t stride)
{
    if (Status status = check_details(recording, options); !status)
        return status;
    const bool is_film = fs::path(options.output).extension() == ".mp4";
    const std::string browser = find_program({"chromium", "chromium-browser", "google-chrome"});
    const std::string ffmpeg = is_film ? find_program({"ffmpeg"}) : "";
    if (browser.empty())
        return Error{options.output +
                     ": pictures are drawn by Chromium, which is not installed; on Debian: apt install "
                     "chromium"};
    if (is_film && ffmpeg.empty())
        return Error{options.output +
                     ": films are made by ffmpeg, which is not installed; on Debian: apt install ffmpeg"};
    if (!viewer::has_pages())
        return Error{"this program was built without its page: install npm and build again"};
    const WorkFolder work;
    if (work.path.empty())
        return Error{"no temporary folder can be made"};
    const auto bytes = read_file(options.file);
    if (!bytes)
        return bytes.error();
    const std::string page = work.path + "/page.html";
    if (Status status = write_file(page, viewer::page_with_recording(*bytes)); !status)
        return status;
    if (Status status = draw(browser, recording, options, stride, page, work.path); !status)
        return status;
    const double dt = recording.info().dt > 0 ? recording.info().dt : 1.0 / 60;
    return is_film ? make_film(ffmpeg, work.path, 1 / (dt * double(stride)), options.output)
                   : move_pictures(work.path, options.output);
}

} // namespace moraine::cli
