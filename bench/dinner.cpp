#include "dinner.h"

#include "plot.h"
#include "response/reference.h"
#include "scene/description.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

namespace moraine::bench
{

namespace
{

constexpr double gravity = 9.81;

struct Guest // a dish, in both runs
{
    std::string name{};
    int body = 0; // in the scene
    ReferenceDish dish{};
    double reference = 0, fast = 0, off = 0; // rises, means of all drops
    std::vector<double> references{};        // of each drop
};

struct Dinner
{
    SceneDescription scene{};
    ModelDefinition table{};
    double top = 0;
    std::vector<Guest> guests{};
    size_t pot = 0; // of the guests
};

// Upright cylinders on one axis, of one density.
Result<ReferenceDish> make_dish(const SceneBody& body)
{
    double volume = 0, moment = 0;
    ReferenceDish dish{.mass = double(body.def.mass)};
    double lowest = 1e300;
    for (const ShapeDef& shape : body.def.shapes)
    {
        const auto* cylinder = std::get_if<Cylinder>(&shape.geometry);
        if (!cylinder)
            return Error{body.def.name + ": the reference knows dishes made of cylinders only"};
        const double v = std::pow(double(cylinder->radius), 2) * double(cylinder->half_length);
        volume += v;
        moment += v * double(shape.pose.position.y);
        const double bottom = double(shape.pose.position.y - cylinder->half_length);
        if (bottom < lowest)
            lowest = bottom, dish.foot_radius = double(cylinder->radius);
    }
    const double center = moment / volume;
    dish.inertia_axis = dish.inertia_across = 0;
    for (const ShapeDef& shape : body.def.shapes)
    {
        const auto& cylinder = std::get<Cylinder>(shape.geometry);
        const double r = double(cylinder.radius), h = 2 * double(cylinder.half_length);
        const double m = dish.mass * r * r * 0.5 * h / volume, d = double(shape.pose.position.y) - center;
        dish.inertia_axis += 0.5 * m * r * r;
        dish.inertia_across += m * ((3 * r * r + h * h) / 12 + d * d);
    }
    dish.foot_depth = center - lowest;
    dish.center = {body.def.position.x, body.def.position.y + center, body.def.position.z};
    return dish;
}

Status read_table(const SceneBody& body, Dinner& dinner, double cell_size)
{
    const SceneResponse& response = *body.response;
    dinner.table = {.keep_surface = false, .material = response.material, .cell_size = cell_size};
    for (const ShapeDef& shape : body.def.shapes)
    {
        const auto* box = std::get_if<Box>(&shape.geometry);
        if (!box)
            return Error{"the reference knows tables made of boxes only"};
        add_box(dinner.table.surface, 2 * box->half_extents, shape.pose.position);
        dinner.top = std::max(dinner.top, double(shape.pose.position.y + box->half_extents.y));
    }
    for (const FixedBox& box : response.fixed)
        dinner.table.fixed.push_back({box.lower, box.upper});
    return Ok{};
}

Result<Dinner> set_the_table(const DinnerOptions& options)
{
    Result<SceneDescription> scene = load_scene("dinner", {{"height", fmt::format("{}", options.height)}});
    if (!scene)
        return scene.error();
    Dinner dinner{.scene = std::move(*scene)};
    if (!options.kick.empty())
        dinner.scene.world.response.kick = options.kick == "thrown" ? ResponseKick::thrown : ResponseKick::displacement;
    for (size_t i = 0; i < dinner.scene.bodies.size(); ++i)
    {
        SceneBody& body = dinner.scene.bodies[i];
        if (body.response)
        {
            if (options.modes > 0)
                body.response->modes = options.modes;
            const Status read = read_table(body, dinner, options.cell_size);
            if (!read)
                return read.error();
        }
        if (body.def.type != BodyType::dynamic_)
            continue;
        const Result<ReferenceDish> dish = make_dish(body);
        if (!dish)
            return dish.error();
        dinner.guests.push_back({body.def.name, int(i), *dish});
    }
    std::ranges::stable_sort(dinner.guests, {}, &Guest::name);
    const auto highest = std::ranges::max_element(dinner.guests, {}, [](const Guest& g) { return g.dish.center.y; });
    if (highest == dinner.guests.end() || dinner.table.surface.triangles.empty())
        return Error{"dinner: the scene has no table with a response or nothing on it"};
    dinner.pot = size_t(highest - dinner.guests.begin());
    return dinner;
}

// Where the pot falls the nth time. What jumps and bounces in a heap of dishes depends on hairs, so both runs are repeated
// with the pot a centimetre aside and their means compared.
DVec3 aside(const DinnerOptions& options, int repeat)
{
    const double angle = 2.4 * repeat, distance = repeat == 0 ? 0 : 0.01;
    return {options.x + distance * std::cos(angle), 0, options.z + distance * std::sin(angle)};
}

// How far each dish comes above where it stood before the pot arrived.
Result<std::vector<double>> run_fast(const Dinner& dinner, const DinnerOptions& options, bool with_response, int repeat)
{
    auto description = std::make_shared<SceneDescription>(dinner.scene);
    description->bodies[size_t(dinner.guests[dinner.pot].body)].def.position += aside(options, repeat);
    description->world.response.is_on = with_response;
    Result<Scene> scene = Scene::create(description, description->world);
    if (!scene)
        return scene.error();
    const double fall = std::sqrt(2 * options.height / gravity), dt = double(description->dt);
    const int before = int(0.8 * fall / dt), steps = int((fall + options.seconds) / dt);
    std::vector<double> rest, highest;
    for (int i = 0; i < steps; ++i)
    {
        scene->step();
        std::vector<double> heights;
        for (const Guest& guest : dinner.guests)
            heights.push_back(scene->world().center_of_mass(scene->bodies()[size_t(guest.body)]).y);
        if (i <= before)
            rest = highest = heights;
        for (size_t k = 0; k < heights.size(); ++k)
            highest[k] = std::max(highest[k], heights[k]);
    }
    for (size_t k = 0; k < rest.size(); ++k)
        highest[k] -= rest[k];
    return highest;
}

Status run_reference(Dinner& dinner, const DinnerOptions& options, int repeat, Table& table)
{
    ReferenceOptions reference{.dt = options.dt, .seconds = options.seconds};
    std::vector<ReferenceDish> dishes;
    for (const Guest& guest : dinner.guests)
        dishes.push_back(guest.dish);
    // Not from where it falls: it arrives when the others have settled.
    ReferenceDish& pot = dishes[dinner.pot];
    pot.is_falling = true;
    const double speed = std::sqrt(2 * gravity * options.height), before = reference.settle;
    pot.velocity = {0, gravity * before - speed, 0};
    pot.center += aside(options, repeat);
    pot.center.y = dinner.top + pot.foot_depth + speed * before - 0.5 * gravity * before * before;
    const auto start = std::chrono::steady_clock::now();
    int shown = -1;
    const auto progress = [&](double done) {
        if (int(20 * done) != shown)
            fmt::print(stderr, "reference: {} %\n", 5 * (shown = int(20 * done)));
    };
    const Result<ReferenceOutcome> outcome = simulate_reference(dinner.table, dinner.top, dishes, reference, progress);
    if (!outcome)
        return outcome.error();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    table.notes.push_back(fmt::format("reference: {} unknowns, {} steps of {} s, {:.0f} s of computing",
                                      outcome->unknowns, outcome->steps, options.dt, seconds.count()));
    for (size_t i = 0; i < dinner.guests.size(); ++i)
    {
        dinner.guests[i].reference += outcome->rises[i] / options.repeats;
        dinner.guests[i].references.push_back(outcome->rises[i]);
    }
    return Ok{};
}

std::vector<double> ranks(const std::vector<double>& values)
{
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
    std::vector<double> out(values.size());
    for (size_t i = 0; i < order.size();)
    {
        size_t end = i;
        while (end < order.size() && values[order[end]] == values[order[i]])
            ++end;
        for (size_t k = i; k < end; ++k)
            out[order[k]] = 0.5 * double(i + end - 1);
        i = end;
    }
    return out;
}

// How well single drops of the reference agree with each other: no other method can be asked for more.
std::string repeatability(const Dinner& dinner)
{
    const size_t drops = dinner.guests[0].references.size();
    double sum = 0, least = 1;
    int pairs = 0;
    for (size_t a = 0; a < drops; ++a)
        for (size_t b = a + 1; b < drops; ++b, ++pairs)
        {
            std::vector<double> rises[2];
            for (size_t i = 0; i < dinner.guests.size(); ++i)
            {
                if (i == dinner.pot)
                    continue;
                rises[0].push_back(dinner.guests[i].references[a]);
                rises[1].push_back(dinner.guests[i].references[b]);
            }
            const double found = rank_correlation(rises[0], rises[1]);
            sum += found;
            least = std::min(least, found);
        }
    return pairs == 0
               ? "one drop"
               : fmt::format("single drops of the reference with each other: {:.2f} on the mean, {:.2f} at least",
                             sum / pairs, least);
}

void compare(const Dinner& dinner, const DinnerOptions& options, Table& table)
{
    table.columns = {"dish", "from the pot m", "reference mm", "fast mm", "response off mm", "moves"};
    std::vector<double> reference, fast;
    int agree = 0, total = 0, moved = 0;
    for (size_t i = 0; i < dinner.guests.size(); ++i)
    {
        const Guest& guest = dinner.guests[i];
        if (i == dinner.pot)
            continue;
        const DVec3 away = guest.dish.center - dinner.guests[dinner.pot].dish.center;
        const bool in_reference = guest.reference > options.moved, in_fast = guest.fast > options.moved;
        agree += in_reference == in_fast;
        moved += in_reference;
        ++total;
        reference.push_back(guest.reference);
        fast.push_back(guest.fast);
        table.rows.push_back({guest.name, fmt::format("{:.2f}", std::hypot(away.x, away.z)),
                              fmt::format("{:.2f}", 1000 * guest.reference), fmt::format("{:.2f}", 1000 * guest.fast),
                              fmt::format("{:.2f}", 1000 * guest.off),
                              in_reference && in_fast ? "both"
                              : in_reference          ? "reference only"
                              : in_fast               ? "fast only"
                                                      : "neither"});
    }
    table.notes.push_back(
        fmt::format("{} of {} dishes agree whether they rise by more than {:.2g} mm ({} in the reference)", agree,
                    total, 1000 * options.moved, moved));
    table.notes.push_back(fmt::format("rank correlation of the rises: {:.3f}", rank_correlation(reference, fast)));
    table.notes.push_back(repeatability(dinner));
}

Status draw(const Dinner& dinner, const std::string& folder)
{
    std::vector<const Guest*> guests;
    for (size_t i = 0; i < dinner.guests.size(); ++i)
        if (i != dinner.pot)
            guests.push_back(&dinner.guests[i]);
    std::sort(guests.begin(), guests.end(), [](const Guest* a, const Guest* b) { return a->reference < b->reference; });
    Panel panel{.title = "How high dishes jump", .y_label = "millimetres"};
    panel.lines = {{"reference", {}}, {"fast response", {}}, {"response off", {}}};
    for (const Guest* guest : guests)
    {
        panel.lines[0].values.push_back(1000 * guest->reference);
        panel.lines[1].values.push_back(1000 * guest->fast);
        panel.lines[2].values.push_back(1000 * guest->off);
    }
    Plot plot{
        .title = "Dinner", .x_label = "dishes, by the reference", .x_end = double(guests.size()), .panels = {panel}};
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    return save_svg(plot, (std::filesystem::path(folder) / "dinner.svg").string());
}

} // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b)
{
    const std::vector<double> x = ranks(a), y = ranks(b);
    const double mean = 0.5 * double(x.size() - 1);
    double xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < x.size(); ++i)
    {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

void add_dinner_options(CLI::App& app, DinnerOptions& options)
{
    app.add_option("--cell-size", options.cell_size, "Of the reference's table, metres; 0.2");
    app.add_option("--seconds", options.seconds, "From the impact on; 0.12, before the pot comes down again");
    app.add_option("--dt", options.dt, "Step of the reference; 1e-5");
    app.add_option("--repeats", options.repeats, "With the pot a centimetre aside; rises are means; 5")
        ->check(CLI::Range(1, 100).description(""));
    app.add_option("--height", options.height, "That the pot falls from; 0.5");
    app.add_option("--x", options.x, "Where it falls, from the middle of the table; 0");
    app.add_option("--z", options.z, "Where it falls, across; 0");
    app.add_option("--kick", options.kick, "Of the fast response; as the scene has it")
        ->check(CLI::IsMember({"displacement", "thrown"}));
    app.add_option("--modes", options.modes, "Of the fast response; as the scene has it")->check(CLI::Range(1, 500));
    app.add_option("--moved", options.moved, "What counts as a jump, metres; 0.0005");
    app.add_option("--out", options.out, "Folder for the plot")->type_name("FOLDER");
    app.add_option("--csv", options.csv, "Save the table")->type_name("FILE");
}

Result<Table> run_dinner(const DinnerOptions& options)
{
    Result<Dinner> dinner = set_the_table(options);
    if (!dinner)
        return dinner.error();
    Table table;
    for (int repeat = 0; repeat < options.repeats; ++repeat)
    {
        const auto fast = run_fast(*dinner, options, true, repeat), off = run_fast(*dinner, options, false, repeat);
        if (!fast || !off)
            return fast ? off.error() : fast.error();
        for (size_t i = 0; i < dinner->guests.size(); ++i)
        {
            dinner->guests[i].fast += (*fast)[i] / options.repeats;
            dinner->guests[i].off += (*off)[i] / options.repeats;
        }
        const Status done = run_reference(*dinner, options, repeat, table);
        if (!done)
            return done.error();
    }
    compare(*dinner, options, table);
    if (!options.out.empty())
        if (const Status drawn = draw(*dinner, options.out); !drawn)
            return drawn.error();
    return table;
}

} // namespace moraine::bench
