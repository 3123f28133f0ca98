// moraine validate: is this scene file all right, and what is in it?
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "scene/description.h"

#include <filesystem>
#include <memory>

namespace moraine::cli
{

namespace
{

constexpr const char* examples = R"(Examples:
  moraine validate my_scene.json)";

int validate_command(const std::string& path)
{
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem))
        return fail(exit_bad_input, fmt::format("{}: no such file", path));
    const auto description = load_scene(path);
    if (!description)
        return fail(exit_bad_input, description.error().message);
    // A world is built from it, so that what only the engine can see (a degenerate hull, say) is found as well.
    const auto scene = Scene::create(*description);
    if (!scene)
        return fail(exit_bad_input, scene.error().message);

    for (const std::string& warning : description->warnings)
        warn(warning);
    fmt::print("{}: valid: {} bodies, {} joints, {} events, {} warnings\n", path, description->bodies.size(),
               description->joints.size(), description->events.size(), description->warnings.size());
    return exit_done;
}

} // namespace

Command add_validate(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("validate", "Check a scene file and say what is wrong with it");
    command->footer(examples);
    auto path = std::make_shared<std::string>();
    command->add_option("FILE", *path, "A .json scene or an importable file")->required()->type_name("");
    return [path] { return validate_command(*path); };
}

} // namespace moraine::cli
