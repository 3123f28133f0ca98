// Reads one scene: its file, the files it includes, and everything in them. Throws SceneFileError.
#pragma once

#include "scene/json_groups.h"
#include "scene/json_values.h"

#include <filesystem>
#include <map>
#include <set>

namespace moraine
{

class SceneReader
{
public:
    // Referenced files must lie in `folder` or below; empty: no files at all.
    explicit SceneReader(const std::filesystem::path& folder) : folder_(folder) {}

    void read_file(const std::filesystem::path& path, const std::string& shown_name);
    void read_text(const std::string& name, std::string text, const std::filesystem::path& folder);
    SceneDescription take();

private:
    struct SharedMaterial
    {
        std::optional<float> density{}, friction{}, restitution{};
    };
    // Names of a scope's bodies or joints. -2: the name is used more than once.
    using NameIndex = std::map<std::string, int>;

    void read_scene(const JsonNode& node, const std::filesystem::path& folder);
    void read_includes(const JsonNode& node, const std::filesystem::path& folder);
    void read_material(const JsonNode& node, const std::string& name);
    std::filesystem::path resolve(const JsonNode& node) const;

    void read_contents(const JsonNode& node, Fragment& out);
    void read_group(const JsonNode& node, Fragment& out);
    Fragment read_group_part(const JsonNode& node);
    SceneBody read_body(const JsonNode& node);
    ShapeDef read_shape(const JsonNode& node, BodyType type);
    Geometry read_geometry(const JsonNode& node, size_t kind);
    Geometry read_hull(const JsonNode& node);
    Geometry read_mesh(const JsonNode& node);
    Geometry read_height_field(const JsonNode& node);
    SceneJoint read_joint(const JsonNode& node, const Fragment& scope, const NameIndex& names);
    SceneEvent read_event(const JsonNode& node, const NameIndex& bodies, const NameIndex& joints);
    int read_side(const JsonNode& node, const char* key, const NameIndex& bodies);
    void read_factory(const JsonNode& node, FactoryAction& out);
    void expect_room(const JsonNode& node, const Fragment& scope, double more);

    static NameIndex index_bodies(const Fragment& scope);
    static NameIndex index_joints(const Fragment& scope);
    static int read_reference(const JsonNode& node, const NameIndex& names, size_t count, const char* what);

    std::filesystem::path folder_;
    std::filesystem::path current_folder_;         // of the file that is being read
    std::vector<std::filesystem::path> including_; // files that are open, outermost first
    std::set<std::filesystem::path> included_;     // each file counts once
    std::map<std::string, SharedMaterial> materials_;
    std::map<std::string, Fragment> prefabs_;
    Fragment scene_bodies_;
    SceneDescription scene_;
    int depth_ = 0;
    double bodies_made_ = 0; // in all scopes together: copies of copies count too
};

} // namespace moraine
