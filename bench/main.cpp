// moraine-bench: Moraine beside other engines on the same scenes.
#include "coherence.h"
#include "diku.h"
#include "dinner.h"
#include "distributed.h"
#include "fidelity.h"
#include "machine_limits.h"
#include "merging.h"
#include "options.h"
#include "response.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <exception>

using namespace moraine;
using namespace moraine::bench;

namespace
{

constexpr int exit_bad_input = 2;

constexpr const char* examples = R"(Examples:
  moraine-bench
  moraine-bench --scenes ferry,tower:springs=1 --engines moraine,box3d --threads 1,2 --csv ferry.csv
  moraine-bench memory --scenes pile_5000
  moraine-bench parts --scenes ferry
  moraine-bench growth --scenes resting --counts 1000,10000,100000 --rounds 1
  moraine-bench diku --solvers direct --combinations single --out figures
  moraine-bench dinner --out figures
  moraine-bench merging --scenes wagon,ferry --rounds 3 --out figures
  moraine-bench fidelity --many --seeds 20
  moraine-bench coherence --seconds 5
  moraine-bench distributed --workers 1,2,4,8 --out figures
  moraine-bench response --rounds 100 --out figures)";

int fail(const std::string& message)
{
    fmt::print(stderr, "moraine-bench: {}\n", message);
    return exit_bad_input;
}

int print_engines()
{
    for (const PeerKind& kind : peer_kinds())
        fmt::print("{:<20}{}\n", kind.name, kind.version);
    return 0;
}

int finish(const Result<Table>& table, const std::string& csv)
{
    if (!table)
        return fail(table.error().message);
    fmt::print("{}", to_text(*table));
    if (csv.empty())
        return 0;
    const Status saved = save_csv(*table, csv);
    return saved ? 0 : fail(saved.error().message);
}

int parse_and_run(int argc, char** argv)
{
    CLI::App app("Time, penetration, drift and joint gaps of Moraine and other engines on the same scenes.",
                 "moraine-bench");
    app.footer(examples);
    Options options;
    Options memory_options{.warmup = 600};
    Options growth_options{.steps = 100};
    app.add_flag("--list", options.list, "Show the engines in this build");
    add_common_options(app, options);
    add_threads_and_rounds(app, options);

    CLI::App* memory = app.add_subcommand("memory", "Resident memory a body after settling");
    add_common_options(*memory, memory_options);
    CLI::App* parts = app.add_subcommand("parts", "Where Moraine's memory is: bytes a body, a contact, a collection");
    add_common_options(*parts, memory_options);
    CLI::App* growth = app.add_subcommand("growth", "Step time against the number of bodies");
    add_common_options(*growth, growth_options);
    add_threads_and_rounds(*growth, growth_options);
    add_growth_options(*growth, growth_options);

    CLI::App* diku = app.add_subcommand("diku",
                                        "Contact groups and seven speed-ups, as in the paper on contact graphs");
    DikuOptions diku_options;
    add_diku_options(*diku, diku_options);
    CLI::App* dinner = app.add_subcommand("dinner", "Distant response against elements stepped in time");
    DinnerOptions dinner_options;
    add_dinner_options(*dinner, dinner_options);
    CLI::App* merging = app.add_subcommand("merging", "Sleeping alone against merging and sleeping, scene by scene");
    MergingOptions merging_options;
    add_merging_options(*merging, merging_options);
    CLI::App* fidelity = app.add_subcommand(
        "fidelity", "Towers that are hit, with merging and without: does it change what happens?");
    FidelityOptions fidelity_options;
    add_fidelity_options(*fidelity, fidelity_options);
    CLI::App* distributed = app.add_subcommand(
        "distributed", "Workers: speed-up, critical path, balance and fidelity, as in the paper");
    DistributedOptions distributed_options;
    add_distributed_options(*distributed, distributed_options);

    CLI::App* coherence = app.add_subcommand("coherence", "A settled pile with and without skipping the narrow phase");
    CoherenceOptions coherence_options;
    add_coherence_options(*coherence, coherence_options);

    CLI::App* limits = app.add_subcommand("limits",
                                          "Bandwidth and peak of this machine, beside what contacts ask of it");

    CLI::App* response = app.add_subcommand("response", "What an impact costs with distant collision response");
    ResponseOptions response_options;
    add_response_options(*response, response_options);

    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::Success& answer)
    {
        return app.exit(answer);
    }
    catch (const CLI::ParseError& error)
    {
        return fail(fmt::format("{}; see moraine-bench --help", error.what()));
    }
    if (options.list)
        return print_engines();
    if (memory->parsed())
        return finish(compare_memory(memory_options), memory_options.csv);
    if (parts->parsed())
        return finish(list_memory_parts(memory_options), memory_options.csv);
    if (growth->parsed())
        return finish(compare_growth(growth_options), growth_options.csv);
    if (diku->parsed())
        return finish(run_diku(diku_options), diku_options.csv);
    if (dinner->parsed())
        return finish(run_dinner(dinner_options), dinner_options.csv);
    if (merging->parsed())
        return finish(run_merging(merging_options), merging_options.csv);
    if (fidelity->parsed())
        return finish(run_fidelity(fidelity_options), fidelity_options.csv);
    if (coherence->parsed())
        return finish(compare_coherence(coherence_options), coherence_options.csv);
    if (distributed->parsed())
        return finish(run_distributed(distributed_options), distributed_options.csv);
    if (limits->parsed())
        return finish(measure_limits(), {});
    if (response->parsed())
        return finish(run_response(response_options), response_options.csv);
    return finish(compare(options), options.csv);
}

} // namespace

int main(int argc, char** argv)
{
    try
    {
        return parse_and_run(argc, argv);
    }
    catch (const std::exception& error)
    {
        return fail(error.what());
    }
}
