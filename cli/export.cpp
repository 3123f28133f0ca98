// moraine export: a scene as a JSON file, a recording as a page, a table, an animation or a film.
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/export_recording.h"
#include "cli/recording_file.h"
#include "cli/run_options.h"
#include "scene/json.h"
#include "viewer/channels.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

namespace moraine::cli
{

namespace
{

constexpr const char* examples = R"(Examples:
  moraine export ferry -o ferry.json
  moraine export pile_5000 --param count=100 > pile.json
  moraine export run.mrec -o run.html     a page that anybody can open
  moraine export run.mrec -o run.glb --fps 30
  moraine export run.mrec -o run.csv --table numbers
  moraine export run.mrec -o run.mp4 --color collection)";

struct ExportOptions
{
    RunOptions scene{};
    RecordingExport recording{}; // its output is the scene's too
};

// What any recording may have.
std::vector<std::string> known_colors()
{
    std::vector<std::string> names = viewer::color_names(viewer::world_channels());
    names.emplace_back("worker");
    return names;
}

int export_command(ExportOptions options)
{
    const std::string& what = options.scene.words.front();
    if (std::filesystem::path(what).extension() == ".mrec")
    {
        options.recording.file = what;
        const Status done = export_recording(options.recording);
        return done ? exit_done : fail(exit_bad_input, done.error().message);
    }
    const auto scene = load_with_options(options.scene);
    if (!scene)
        return fail(exit_bad_input, scene.error().message);
    for (const std::string& warning : scene->warnings)
        warn(warning);
    std::string text = moraine::to_json(*scene);
    if (text.empty() || text.back() != '\n')
        text += '\n';
    const Status written = write_file(options.recording.output, text);
    return written ? exit_done : fail(exit_bad_input, written.error().message);
}

} // namespace

Command add_export(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("export",
                                           "Write a scene as JSON, a recording as HTML, CSV, glTF, PNG or MP4");
    command->footer(examples);
    auto options = std::make_shared<ExportOptions>();
    command
        ->add_option("SCENE", options->scene.words, "Built-in name, .json scene, importable file, or .mrec recording")
        ->required()
        ->type_name("");
    command->add_option("--param", options->scene.parameters, "Set a parameter of the scene; may be repeated")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    RecordingExport& recording = options->recording;
    command->add_option("-o,--output", recording.output, "Where to; a scene goes to the standard output when left out")
        ->type_name("FILE");
    command->add_option("--table", recording.table, "Of a .csv: poses, numbers or events")
        ->check(CLI::IsMember({"poses", "numbers", "events"}).description(""))
        ->type_name("NAME");
    command->add_option("--fps", recording.frames_per_second, "Frames in a second; 30 for .glb, .mp4 and .png")
        ->check(CLI::Range(0.01, 1000.0).description(""))
        ->type_name("N");
    command->add_option("--width", recording.width, "Of pictures")->check(CLI::Range(16, 7680))->type_name("N");
    command->add_option("--height", recording.height, "Of pictures")->check(CLI::Range(16, 4320))->type_name("N");
    command
        ->add_option("--color", recording.color,
                     "Of pictures: what the colours tell: body, collection, sleeping, speed, or what the recording has "
                     "by --record-details")
        ->check(CLI::IsMember(known_colors()).description(""))
        ->type_name("WHAT");
    command->add_option("--overlay", recording.overlays, "Of pictures: what is drawn on top, of what the recording has")
        ->delimiter(',')
        ->type_name("WHAT,…");
    return [options] { return export_command(*options); };
}

} // namespace moraine::cli
