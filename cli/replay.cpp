// moraine replay: a recording in the browser.
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/recording_file.h"
#include "cli/serve.h"
#include "viewer/page.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace moraine::cli
{

namespace
{

using namespace moraine::viewer;

constexpr const char* examples = R"(Examples:
  moraine run ferry --seconds 10 --record ferry.mrec
  moraine replay ferry.mrec)";

struct ReplayOptions
{
    std::string file{};
    ServeOptions serve{};
};

int replay_command(const ReplayOptions& options)
{
    const auto recording = open_recording(options.file);
    if (!recording)
        return fail(exit_bad_input, recording.error().message);
    const auto bytes = read_file(options.file);
    if (!bytes)
        return fail(exit_bad_input, bytes.error().message);
    const auto page = std::make_shared<const std::string>(replay_page());
    const auto file = std::make_shared<const std::string>(*bytes);

    Broadcast broadcast;
    CommandQueue commands;
    Server server(broadcast, commands, [&](std::string_view path) -> std::optional<Document> {
        if (path == "/" || path == "/index.html")
            return Document{"text/html; charset=utf-8", page};
        if (path == "/recording.mrec")
            return Document{"application/octet-stream", file};
        return std::nullopt;
    });
    const Status started = start_serving(
        server, options.serve,
        fmt::format("{} ({} frames of {})", options.file, recording->frame_count(), recording->info().scene));
    if (!started)
        return fail(exit_bad_input, started.error().message);
    while (!is_stop_asked())
        commands.take(0.2);
    server.stop();
    return exit_done;
}

} // namespace

Command add_replay(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("replay", "Show a recording in the browser, with a scrub bar");
    command->footer(examples);
    auto options = std::make_shared<ReplayOptions>();
    command->add_option("FILE", options->file, "What moraine run or view --record wrote")->required()->type_name("");
    add_serve_options(*command, options->serve);
    return [options] { return replay_command(*options); };
}

} // namespace moraine::cli
