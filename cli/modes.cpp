// moraine modes: vibration models from form and material.
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/mode_input.h"
#include "cli/mode_shapes.h"
#include "cli/recording_file.h"
#include "response/fit_attenuation.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <memory>

namespace moraine::cli
{

namespace
{

constexpr const char* examples = R"(Examples:
  moraine modes table.obj --material wood --fix bottom -o table.modes
  moraine modes box:1.6x0.04x0.8 --material hardwood -o board.modes --glb board.glb
  moraine modes plate:1x1x0.01 --young 70e9 --poisson 0.33 --density 2700 -o sheet.modes
  moraine modes beam.msh --material steel --fix "x<0.001" --modes 10 -o beam.modes
  moraine modes scaffold.glb --material steel -o scaffold.modes --fit-attenuation fit.svg
  moraine modes table.modes --html table.html     a page with the mode shapes
  moraine modes table.modes                       what is in a model)";

struct ModesOptions
{
    ModeInput input{};
    std::string output{}, glb{}, page{}, fit{};
    FitOptions fitting{};
    bool use_cache = true;
    bool json = false;
};

// A line on the terminal that says what is being done; silent elsewhere.
class Stage
{
public:
    ~Stage() { show(""); }
    void show(const std::string& text)
    {
        if (is_terminal_)
            fmt::print(stderr, "\r\033[K{}", text);
        std::fflush(stderr);
    }

private:
    bool is_terminal_ = isatty(STDERR_FILENO) == 1;
};

double damping_ratio(const ResponseModel& model, size_t mode)
{
    const double w = double(model.frequencies[mode]);
    return 0.5 * (model.material.alpha0 / w + model.material.alpha1 * w);
}

double hertz(const ResponseModel& model, size_t mode) { return double(model.frequencies[mode]) / (2 * double(pi)); }

void print_table(const Precomputed& made, double seconds)
{
    const ResponseModel& model = made.model;
    fmt::print("{:>4}  {:>12}  {:>10}\n", "mode", "frequency Hz", "damping %");
    for (size_t i = 0; i < model.mode_count(); ++i)
        fmt::print("{:>4}  {:>12.5g}  {:>10.3g}\n", i + 1, hertz(model, i), 100 * damping_ratio(model, i));
    fmt::print("\n{} vertices, {} triangles, {:.4g} kg, {}\n", model.vertices.size(), model.triangles.size(),
               model.mass, model.has_fixed_boundary ? "held" : "free: six rigid modes left out");
    if (made.unknowns > 0)
        fmt::print("{} tetrahedra, {} unknowns, cells of {:.3g} m, {:.2f} s\n", made.tets, made.unknowns,
                   made.cell_size, seconds);
    if (made.is_cached)
        fmt::print("made before: taken from the cache\n");
    const Attenuation& a = model.attenuation;
    fmt::print("attenuation: alpha {:.4g}, beta {:.4g}, reference distance {:.4g} m, scale {:.4g}\n", a.alpha, a.beta,
               a.reference_distance, a.scale);
}

void print_json(const Precomputed& made, double seconds)
{
    const ResponseModel& model = made.model;
    auto frequencies = nlohmann::ordered_json::array();
    for (size_t i = 0; i < model.mode_count(); ++i)
        frequencies.push_back(hertz(model, i));
    const Attenuation& a = model.attenuation;
    const nlohmann::ordered_json out{
        {"frequencies_hz", frequencies},
        {"vertices", model.vertices.size()},
        {"triangles", model.triangles.size()},
        {"mass", model.mass},
        {"has_fixed_boundary", model.has_fixed_boundary},
        {"tetrahedra", made.tets},
        {"unknowns", made.unknowns},
        {"cell_size", made.cell_size},
        {"rigid_largest_hz", made.rigid_largest / (2 * double(pi))},
        {"is_cached", made.is_cached},
        {"seconds", seconds},
        {"attenuation",
         {{"alpha", a.alpha}, {"beta", a.beta}, {"reference_distance", a.reference_distance}, {"scale", a.scale}}},
        {"notes", made.notes}};
    fmt::print("{}\n", out.dump());
}

Status fit(const ModesOptions& options, const ModelDefinition& definition, ResponseModel& model)
{
    Stage stage;
    auto samples = measure_attenuation(definition, options.fitting, [&](double done) {
        stage.show(fmt::format("fitting the attenuation  {:.0f}%", 100 * done));
    });
    if (!samples)
        return samples.error();
    const AttenuationFit found = fit_attenuation(std::move(*samples));
    if (found.samples.size() < 4)
        return Error{"too few points for a fit; ask for more with --fit-impacts"};
    model.attenuation = found.attenuation;
    return write_file(options.fit, attenuation_svg(found));
}

Result<Precomputed> make(const ModesOptions& options)
{
    if (is_model_file(options.input.what))
    {
        Result<ResponseModel> model = load_response_model(options.input.what);
        if (!model)
            return model.error();
        if (!options.fit.empty())
            return Error{options.input.what + ": a fit needs the form and the material, not a model made from them"};
        return Precomputed{.model = std::move(*model)};
    }
    const Result<ModelDefinition> definition = read_mode_input(options.input);
    if (!definition)
        return definition.error();
    Stage stage;
    const auto progress = [&](const char* what) { stage.show(fmt::format("{}: {}", options.input.what, what)); };
    Result<Precomputed> made = options.use_cache ? precompute_cached(*definition, progress)
                                                 : precompute(*definition, progress);
    if (!made)
        return Error{options.input.what + ": " + made.error().message};
    if (!options.fit.empty())
    {
        const Status fitted = fit(options, *definition, made->model);
        if (!fitted)
            return fitted.error();
    }
    return made;
}

int modes_command(const ModesOptions& options)
{
    const auto start = std::chrono::steady_clock::now();
    const Result<Precomputed> made = make(options);
    if (!made)
        return fail(exit_bad_input, made.error().message);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    for (const std::string& note : made->notes)
        warn(options.input.what + ": " + note);
    if (!options.output.empty())
        if (const Status saved = save_response_model(made->model, options.output); !saved)
            return fail(exit_bad_input, saved.error().message);
    if (!options.glb.empty())
        if (const Status saved = write_file(options.glb, mode_shapes_glb(made->model)); !saved)
            return fail(exit_bad_input, saved.error().message);
    if (!options.page.empty())
        if (const Status saved = write_file(options.page, mode_shapes_page(made->model)); !saved)
            return fail(exit_bad_input, saved.error().message);
    if (options.json)
        print_json(*made, seconds.count());
    else
        print_table(*made, seconds.count());
    return exit_done;
}

} // namespace

Command add_modes(CLI::App& app)
{
    CLI::App* command = app.add_subcommand("modes", "Make a vibration model of a body from its form and material");
    command->footer(examples);
    auto options = std::make_shared<ModesOptions>();
    add_mode_input(*command, options->input);
    command->add_option("-o,--output", options->output, "Save the model")->type_name("FILE.modes");
    command->add_option("--glb", options->glb, "Save the mode shapes as an animation to look at")
        ->type_name("FILE.glb");
    command->add_option("--html", options->page, "Save a page that shows the mode shapes")->type_name("FILE.html");
    command
        ->add_option("--fit-attenuation", options->fit,
                     "Find how waves die away in a transient simulation, keep it in the model and plot it")
        ->type_name("FILE.svg");
    command->add_option("--fit-impacts", options->fitting.impacts, "Hits to simulate for it; 8")
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("N");
    command->add_flag("!--no-cache", options->use_cache, "Make it anew, even if it was made before");
    command->add_flag("--json", options->json, "Print one JSON object instead of the table");
    return [options] { return modes_command(*options); };
}

} // namespace moraine::cli
