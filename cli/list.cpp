// moraine list: the built-in scenes and what can be set in them.
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "scene/catalogue.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace moraine::cli
{

namespace
{

constexpr const char* examples = R"(Examples:
  moraine list
  moraine list ferry
  moraine list --json)";

struct ListOptions
{
    std::string scene{}; // only this one, with its parameters
    bool json = false;
};

void print_scene(const CatalogueEntry& entry)
{
    fmt::print("{}\n  {}\n", entry.name, entry.description);
    for (const CatalogueParameter& parameter : entry.parameters)
        fmt::print("  --param {}={:<10} {}, {} to {}\n", parameter.name, parameter.value, parameter.description,
                   parameter.lower, parameter.upper);
}

void print_table()
{
    size_t width = 0;
    for (const CatalogueEntry& entry : catalogue())
        width = std::max(width, entry.name.size());
    for (std::string_view family : catalogue_families())
    {
        fmt::print("{}\n", family);
        for (const CatalogueEntry& entry : catalogue())
            if (entry.family == family)
                fmt::print("  {:<{}}  {}\n", entry.name, width, entry.description);
    }
    fmt::print("\nmoraine list SCENE shows a scene's parameters, moraine run SCENE runs it.\n");
}

void print_json()
{
    auto scenes = nlohmann::ordered_json::array();
    for (const CatalogueEntry& entry : catalogue())
    {
        auto parameters = nlohmann::ordered_json::array();
        for (const CatalogueParameter& parameter : entry.parameters)
            parameters.push_back({{"name", parameter.name},
                                  {"description", parameter.description},
                                  {"value", parameter.value},
                                  {"lower", parameter.lower},
                                  {"upper", parameter.upper},
                                  {"is_whole", parameter.is_whole}});
        scenes.push_back({{"name", entry.name},
                          {"family", entry.family},
                          {"description", entry.description},
                          {"parameters", parameters}});
    }
    fmt::print("{}\n", scenes.dump(2));
}

int list_command(const ListOptions& options)
{
    if (options.json)
        print_json();
    else if (options.scene.empty())
        print_table();
    else if (const CatalogueEntry* entry = find_catalogue_entry(options.scene))
        print_scene(*entry);
    else
        return fail(exit_bad_input, fmt::format("{}: no built-in scene of that name; see moraine list", options.scene));
    return exit_done;
}

} // namespace

Command add_list(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("list", "Show the built-in scenes and their parameters");
    command->footer(examples);
    auto options = std::make_shared<ListOptions>();
    command->add_option("SCENE", options->scene, "Show this scene's parameters")->type_name("");
    command->add_flag("--json", options->json, "Print all scenes with their parameters as JSON");
    return [options] { return list_command(*options); };
}

} // namespace moraine::cli
