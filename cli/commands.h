// The commands: each adds itself to the command line and runs when it was chosen.
#pragma once

#include <CLI/App.hpp>

#include <functional>

namespace moraine::cli
{

using Command = std::function<int()>;

Command add_list(CLI::App& app);
Command add_run(CLI::App& app);
Command add_view(CLI::App& app);
Command add_replay(CLI::App& app);
Command add_report(CLI::App& app);
Command add_validate(CLI::App& app);
Command add_export(CLI::App& app);
Command add_modes(CLI::App& app);

} // namespace moraine::cli
