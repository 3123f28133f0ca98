// moraine export: a built-in or imported scene as a JSON scene file, to look at or to change.
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/run_options.h"
#include "scene/json.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace moraine::cli
{

namespace
{

constexpr const char* examples = R"(Examples:
  moraine export ferry -o ferry.json
  moraine export pile_5000 --param count=100 > pile.json)";

struct ExportOptions
{
    RunOptions scene{};
    std::string output{};
};

int write(const std::string& text, const std::string& path)
{
    std::FILE* file = path.empty() || path == "-" ? stdout : std::fopen(path.c_str(), "w");
    if (file == nullptr)
        return fail(exit_bad_input, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool is_flushed = file == stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
    if (!is_written || !is_flushed)
        return fail(exit_bad_input, fmt::format("{}: could not be written completely: is the disk full?", path));
    return exit_done;
}

int export_command(const ExportOptions& options)
{
    const auto scene = load_with_options(options.scene);
    if (!scene)
        return fail(exit_bad_input, scene.error().message);
    for (const std::string& warning : scene->warnings)
        warn(warning);
    std::string text = moraine::to_json(*scene);
    if (text.empty() || text.back() != '\n')
        text += '\n';
    return write(text, options.output);
}

} // namespace

Command add_export(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("export", "Write a built-in or imported scene as a JSON scene");
    command->footer(examples);
    auto options = std::make_shared<ExportOptions>();
    command->add_option("SCENE", options->scene.words, "Built-in name, .json scene or importable file")
        ->required()
        ->type_name("");
    command->add_option("--param", options->scene.parameters, "Set a parameter of the scene; may be repeated")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    command->add_option("-o,--output", options->output, "Where to; the standard output when left out")
        ->type_name("FILE.json");
    return [options] { return export_command(*options); };
}

} // namespace moraine::cli
