// Files: reading, including, and the way in from outside.
#include "scene/json.h"

#include "scene/json_keys.h"
#include "scene/json_reader.h"

#include <fstream>
#include <sstream>

namespace moraine
{

namespace
{

namespace fs = std::filesystem;

constexpr std::uintmax_t file_size_limit = 1u << 30;

std::string read_text_file(const fs::path& path, const std::string& shown_name)
{
    std::error_code error;
    if (!fs::exists(path, error))
        throw SceneFileError(shown_name + ": no such file; check the path");
    if (!fs::is_regular_file(path, error))
        throw SceneFileError(shown_name + ": is not a file; give a .json scene");
    if (fs::file_size(path, error) > file_size_limit)
        throw SceneFileError(shown_name + ": is larger than 1 GB; use groups instead of single bodies");
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream)
        throw SceneFileError(shown_name + ": cannot be read; check its permissions");
    return text.str();
}

Result<SceneDescription> finish(SceneReader& reader, const std::string& name)
{
    SceneDescription scene = reader.take();
    if (Status status = validate_scene(scene); !status)
        return Error{name + ": " + status.error().message};
    return scene;
}

} // namespace

void SceneReader::read_file(const fs::path& path, const std::string& shown_name)
{
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    for (const fs::path& open : including_)
        if (open == canonical)
            throw SceneFileError(shown_name + ": includes itself, directly or through other files; remove one include");
    if (!included_.insert(canonical).second)
        return;
    including_.push_back(canonical);
    read_text(shown_name, read_text_file(path, shown_name), path.parent_path());
    including_.pop_back();
}

void SceneReader::read_text(const std::string& name, std::string text, const fs::path& folder)
{
    const JsonDocument document = parse_document(name, std::move(text));
    const JsonNode root(document);
    root.expect_keys(scene_keys());
    read_scene(root, folder);
}

void SceneReader::read_scene(const JsonNode& node, const fs::path& folder)
{
    current_folder_ = folder;
    read_includes(node, folder);
    current_folder_ = folder;

    // Settings of this file go before those of the files it includes.
    if (const auto child = node.find("name"))
        read(*child, scene_.name);
    if (const auto child = node.find("description"))
        read(*child, scene_.description);
    if (const auto child = node.find("dt"))
        read(*child, scene_.dt, Range::positive);
    if (scene_.dt < 1e-6f || scene_.dt > 1)
        node.at("dt").fail("is " + node.at("dt").shown() + "; give seconds between 1e-6 and 1");
    if (const auto child = node.find("steps"))
        read(*child, scene_.steps, Range::not_negative);
    if (const auto child = node.find("world"))
        read(*child, scene_.world);
    if (const auto child = node.find("distribute"))
        read(*child, scene_.distribute);

    if (const auto materials = node.find("materials"))
    {
        materials->expect_object();
        for (const auto& [name, value] : materials->value().items())
            read_material(materials->at(name), name);
    }
    if (const auto prefabs = node.find("prefabs"))
    {
        prefabs->expect_object();
        for (const auto& [name, value] : prefabs->value().items())
        {
            const JsonNode prefab = prefabs->at(name);
            prefab.expect_keys(contents_keys());
            if (prefabs_.contains(name))
                prefab.fail("this prefab is defined in an included file already; rename one");
            Fragment part;
            read_contents(prefab, part);
            prefabs_.emplace(name, std::move(part));
        }
    }
    read_contents(node, scene_bodies_);
    if (const auto events = node.find("events"))
    {
        events->expect_array();
        const NameIndex bodies = index_bodies(scene_bodies_), joints = index_joints(scene_bodies_);
        for (size_t i = 0; i < events->size(); ++i)
            scene_.events.push_back(read_event(events->at(i), bodies, joints));
    }
    if (const auto rules = node.find("rules"))
    {
        std::vector<RuleDef> more;
        read(*rules, more);
        scene_.rules.insert(scene_.rules.end(), more.begin(), more.end());
    }
}

void SceneReader::read_includes(const JsonNode& node, const fs::path& folder)
{
    const auto includes = node.find("include");
    if (!includes)
        return;
    includes->expect_array();
    for (size_t i = 0; i < includes->size(); ++i)
    {
        current_folder_ = folder;
        const JsonNode include = includes->at(i);
        const fs::path path = resolve(include);
        std::error_code error;
        const fs::path canonical = fs::weakly_canonical(path, error);
        for (const fs::path& open : including_)
            if (open == canonical)
                include.fail("the file includes itself, directly or through other files; remove one include");
        if (!fs::is_regular_file(path, error))
            include.fail("there is no file " + path.string() + "; paths are relative to the file that names them");
        if (including_.size() >= 16)
            include.fail("files include each other more than 16 deep; flatten them");
        read_file(path, path.string());
    }
}

void SceneReader::read_material(const JsonNode& node, const std::string& name)
{
    node.expect_keys(material_keys());
    if (materials_.contains(name))
        node.fail("this material is defined in an included file already; rename one");
    SharedMaterial material;
    const auto read_part = [&](const char* key, std::optional<float>& out) {
        if (const auto child = node.find(key))
        {
            float value = 0;
            read(*child, value, Range::not_negative);
            out = value;
        }
    };
    read_part("density", material.density);
    read_part("friction", material.friction);
    read_part("restitution", material.restitution);
    materials_.emplace(name, material);
}

// A scene that somebody sends must not make us open files elsewhere: nothing absolute, nothing above the scene's
// folder, and no way out through a link.
fs::path SceneReader::resolve(const JsonNode& node) const
{
    const fs::path named = node.text();
    if (folder_.empty())
        node.fail("a scene that is not in a file cannot refer to files; write the data into it");
    if (named.empty() || named.is_absolute() || named.has_root_name())
        node.fail("is " + node.shown() + "; give a path relative to the scene's folder");
    std::error_code error;
    const fs::path root = fs::weakly_canonical(folder_, error);
    const fs::path target = fs::weakly_canonical(current_folder_ / named, error);
    const fs::path inside = target.lexically_relative(root);
    if (error || inside.empty() || *inside.begin() == "..")
        node.fail("is " + node.shown() + ", which lies outside the scene's folder; move the file into it");
    return current_folder_ / named;
}

SceneDescription SceneReader::take()
{
    scene_.bodies = std::move(scene_bodies_.bodies);
    scene_.joints = std::move(scene_bodies_.joints);
    return std::move(scene_);
}

Result<SceneDescription> load_json_scene(const std::string& path)
{
    try
    {
        const fs::path file(path);
        SceneReader reader(file.has_parent_path() ? file.parent_path() : fs::path("."));
        reader.read_file(file.has_parent_path() ? file : fs::path(".") / file, path);
        Result<SceneDescription> scene = finish(reader, path);
        if (scene && scene->name.empty())
            scene->name = file.stem().string();
        return scene;
    }
    catch (const SceneFileError& error)
    {
        return Error{error.what()};
    }
}

Result<SceneDescription> parse_json_scene(const std::string& text, const std::string& name, const std::string& folder)
{
    try
    {
        SceneReader reader(folder);
        reader.read_text(name, text, folder);
        return finish(reader, name);
    }
    catch (const SceneFileError& error)
    {
        return Error{error.what()};
    }
}

Status validate_scene_file(const std::string& path)
{
    Result<SceneDescription> scene = load_scene(path);
    if (!scene)
        return scene.error();
    if (Status status = validate_scene(*scene); !status)
        return Error{path + ": " + status.error().message};
    return Ok{};
}

} // namespace moraine
