#include "cli/mode_input.h"

#include "response/mesh_file.h"
#include "scene/obj_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace moraine::cli
{

namespace
{

std::string extension_of(const std::string& path)
{
    std::string extension = std::filesystem::path(path).extension().string();
    for (char& c : extension)
        c = char(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

// "1x0.5x2", as many as wanted, all positive.
std::optional<std::vector<float>> sizes(const std::string& text, size_t count)
{
    std::vector<float> out;
    const char* at = text.c_str();
    while (true)
    {
        char* end = nullptr;
        out.push_back(std::strtof(at, &end));
        if (end == at || !(out.back() > 0) || !std::isfinite(out.back()))
            return std::nullopt;
        at = end;
        if (*at != 'x')
            break;
        ++at;
    }
    return *at == '\0' && out.size() == count ? std::optional(out) : std::nullopt;
}

Result<Surface> primitive(const std::string& text)
{
    const size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon), rest = text.substr(colon + 1);
    const Error bad{text + ": write box:XxYxZ, plate:XxYxZ, sphere:RADIUS or cylinder:RADIUSxLENGTH, in metres"};
    if (kind == "box" || kind == "plate")
    {
        const auto s = sizes(rest, 3);
        return s ? Result<Surface>(make_box_surface({(*s)[0], (*s)[1], (*s)[2]})) : bad;
    }
    if (kind == "sphere")
    {
        const auto s = sizes(rest, 1);
        return s ? Result<Surface>(make_sphere_surface((*s)[0], 16)) : bad;
    }
    if (kind == "cylinder")
    {
        const auto s = sizes(rest, 2);
        return s ? Result<Surface>(make_cylinder_surface((*s)[0], (*s)[1], 48)) : bad;
    }
    return bad;
}

Result<Surface> read_surface(const std::string& what)
{
    if (extension_of(what) != ".obj")
        return load_surface(what);
    const Result<ObjMesh> mesh = read_obj(what);
    if (!mesh)
        return mesh.error();
    Surface surface{mesh->vertices, {}};
    for (size_t i = 0; i + 2 < mesh->indices.size(); i += 3)
        surface.triangles.push_back({mesh->indices[i], mesh->indices[i + 1], mesh->indices[i + 2]});
    return surface;
}

Status read_form(const ModeInput& input, ModelDefinition& definition)
{
    const std::string extension = extension_of(input.what);
    if (extension == ".node" || extension == ".ele" || extension == ".msh")
    {
        Result<TetMesh> tets = load_tets(input.what);
        if (!tets)
            return tets.error();
        definition.tets = std::move(*tets);
        for (DVec3& node : definition.tets.nodes)
            node = node * input.scale;
        return Ok{};
    }
    const bool is_primitive = input.what.find(':') != std::string::npos && !std::filesystem::exists(input.what);
    Result<Surface> surface = is_primitive ? primitive(input.what) : read_surface(input.what);
    if (!surface)
        return surface.error();
    definition.surface = std::move(*surface);
    for (Vec3& v : definition.surface.vertices)
        v = v * float(input.scale);
    return Ok{};
}

// bottom, top, ... or x<0.1, z>2, or box:x,y,z:x,y,z.
Result<FixedRegion> parse_region(const std::string& text, Vec3 lower, Vec3 upper)
{
    FixedRegion region;
    static constexpr const char* low_names[] = {"left", "bottom", "back"};
    static constexpr const char* high_names[] = {"right", "top", "front"};
    for (int a = 0; a < 3; ++a)
    {
        if (text == low_names[a])
            region.upper[a] = lower[a];
        if (text == high_names[a])
            region.lower[a] = upper[a];
        if (text == low_names[a] || text == high_names[a])
            return region;
    }
    Vec3 from, to;
    char axis = 0, sense = 0, extra = 0;
    float value = 0;
    if (std::sscanf(text.c_str(), "box:%f,%f,%f:%f,%f,%f%c", &from.x, &from.y, &from.z, &to.x, &to.y, &to.z, &extra) ==
        6)
        return FixedRegion{min(from, to), max(from, to)};
    if (std::sscanf(text.c_str(), "%c%c%f%c", &axis, &sense, &value, &extra) == 3 && axis >= 'x' && axis <= 'z' &&
        (sense == '<' || sense == '>') && std::isfinite(value))
    {
        (sense == '<' ? region.upper : region.lower)[axis - 'x'] = value;
        return region;
    }
    return Error{"--fix " + text +
                 ": write left, right, bottom, top, back, front, an axis as in \"y<0.1\", or "
                 "box:X,Y,Z:X,Y,Z"};
}

Result<ElasticMaterial> read_material(const ModeInput& input)
{
    const ElasticMaterial* preset = find_material(input.material);
    if (!preset)
        return Error{
            fmt::format("--material {}: not known; know {}", input.material, fmt::join(material_names(), ", "))};
    ElasticMaterial material = *preset;
    material.young = input.young.value_or(material.young);
    material.poisson = input.poisson.value_or(material.poisson);
    material.density = input.density.value_or(material.density);
    material.alpha0 = input.alpha0.value_or(material.alpha0);
    material.alpha1 = input.alpha1.value_or(material.alpha1);
    const std::string problem = check_material(material);
    if (!problem.empty())
        return Error{"material: " + problem};
    return material;
}

} // namespace

bool is_model_file(const std::string& path) { return extension_of(path) == ".modes"; }

Result<ModelDefinition> read_mode_input(const ModeInput& input)
{
    ModelDefinition definition = input.settings;
    const Result<ElasticMaterial> material = read_material(input);
    if (!material)
        return material.error();
    definition.material = *material;
    definition.keep_surface = input.surface == "input";
    const Status form = read_form(input, definition);
    if (!form)
        return form.error();
    std::vector<Vec3> points = definition.surface.vertices;
    for (const DVec3& node : definition.tets.nodes)
        points.push_back(Vec3(node));
    Vec3 lower, upper;
    bounding_box(points, lower, upper);
    for (const std::string& text : input.fixed)
    {
        const Result<FixedRegion> region = parse_region(text, lower, upper);
        if (!region)
            return region.error();
        definition.fixed.push_back(*region);
    }
    return definition;
}

void add_mode_input(CLI::App& command, ModeInput& input)
{
    command
        .add_option("WHAT", input.what,
                    "Surface (.obj, .stl, .gltf, .glb), tetrahedra (.node with .ele, .msh), box:XxYxZ, plate:XxYxZ, "
                    "sphere:RADIUS, cylinder:RADIUSxLENGTH, or a .modes file to look at")
        ->required()
        ->type_name("");
    command.add_option("--material", input.material, fmt::format("{}; wood", fmt::join(material_names(), ", ")))
        ->type_name("NAME");
    const auto number = [&](const char* name, std::optional<double>& value, const char* help) {
        command.add_option(name, value, help)->type_name("NUMBER");
    };
    number("--young", input.young, "Young's modulus, Pa");
    number("--poisson", input.poisson, "Poisson ratio, below 0.5");
    number("--density", input.density, "kg/m^3");
    number("--alpha0", input.alpha0, "Rayleigh damping by mass, 1/s");
    number("--alpha1", input.alpha1, "Rayleigh damping by stiffness, s");
    command
        .add_option(
            "--fix", input.fixed,
            "Hold what is there: left, right, bottom, top, back, front, \"y<0.1\" or box:X,Y,Z:X,Y,Z; may be repeated")
        ->allow_extra_args(false)
        ->type_name("WHERE");
    command.add_option("--scale", input.scale, "Metres in a unit of the file; 1")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("NUMBER");
    command.add_option("--modes", input.settings.mode_count, "How many; 20")
        ->check(CLI::Range(1, 500).description(""))
        ->type_name("N");
    command.add_option("--unknowns", input.settings.unknowns, "About how many, when no cell size is given; 12000")
        ->check(CLI::Range(100, 2'000'000).description(""))
        ->type_name("N");
    command.add_option("--cell-size", input.settings.cell_size, "Of the lattice, m")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("NUMBER");
    command.add_option("--surface", input.surface, "The model's surface: the given one, or that of the elements")
        ->check(CLI::IsMember({"input", "elements"}).description(""))
        ->type_name("input|elements");
    command
        .add_option("--duration", input.settings.amplitude_duration,
                    "A step of the simulation, for local amplitudes; 0.01 s")
        ->check(CLI::PositiveNumber.description(""))
        ->type_name("SECONDS");
}

} // namespace moraine::cli
