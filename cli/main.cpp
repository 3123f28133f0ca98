// moraine: look at scenes, run them, look at what there is, check and convert scene files.
#include "cli/commands.h"
#include "cli/exit_code.h"

#include <moraine/version.h>

#include <CLI/CLI.hpp>

#include <exception>
#include <new>
#include <utility>
#include <vector>

using namespace moraine;
using namespace moraine::cli;

namespace
{

constexpr const char* examples = R"(Examples:
  moraine view wagon
  moraine list
  moraine run ferry --seconds 20
  moraine run scene.json --steps 600 --json
  moraine modes table.obj --material wood -o table.modes
  moraine run --help)";

int parse_and_run(int argc, char** argv)
{
    CLI::App app("Rigid bodies for large scenes that ride on moving things.", "moraine");
    app.set_version_flag("--version", std::string("moraine ") + version(), "Print the version");
    app.set_help_flag("-h,--help", "Print this help");
    app.require_subcommand(1);
    app.footer(examples);

    std::vector<std::pair<CLI::App*, Command>> commands;
    for (auto add : {add_view, add_run, add_list, add_replay, add_report, add_export, add_validate, add_modes})
    {
        Command command = add(app);
        commands.emplace_back(app.get_subcommands({}).back(), std::move(command));
    }

    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::Success& answer) // --help and --version
    {
        return app.exit(answer);
    }
    catch (const CLI::ParseError& error)
    {
        const auto chosen = app.get_subcommands();
        if (chosen.empty() && argc > 1 && argv[1][0] != '-')
            return fail_alike(exit_bad_input, fmt::format("{}: no such command; see moraine --help", argv[1]));
        const std::string name = chosen.empty() ? "moraine" : "moraine " + chosen.front()->get_name();
        return fail_alike(exit_bad_input, fmt::format("{}; see {} --help", error.what(), name));
    }

    for (auto& [sub, command] : commands)
        if (sub->parsed())
            return command();
    return exit_bad_input;
}

} // namespace

int main(int argc, char** argv)
{
    // Nothing that a file or a flag says may end in an abort.
    try
    {
        return parse_and_run(argc, argv);
    }
    catch (const std::bad_alloc&)
    {
        return fail(exit_bad_input, "out of memory: the scene is too large for this machine");
    }
    catch (const std::exception& error)
    {
        return fail(exit_bad_input, error.what());
    }
}
