// Shapes with their materials, hulls and meshes.
#include "scene/json_keys.h"
#include "scene/json_reader.h"
#include "scene/obj_file.h"

#include <algorithm>

namespace moraine
{

namespace
{

void expect_size_of_points(const JsonNode& node, const std::vector<Vec3>& points)
{
    for (const Vec3& p : points)
        if (!(max_component(abs(p)) <= 1e6f))
            node.fail("has a point further than 1e6 metres from its origin; check the scale");
}

float read_scale(const JsonNode& node)
{
    float scale = 1;
    if (const auto child = node.find("scale"))
        read(*child, scale, Range::size);
    return scale;
}

// Either the list under `key` or a file, not both.
bool is_inline(const JsonNode& node, const char* key)
{
    const bool has_list = node.find(key).has_value(), has_file = node.find("file").has_value();
    if (has_list == has_file)
        node.fail(std::string("needs either ") + key + " or file");
    return has_list;
}

} // namespace

ShapeDef SceneReader::read_shape(const JsonNode& node, BodyType type)
{
    const size_t kind = read_kind(node, geometry_names);
    node.expect_keys(shape_keys(kind));
    const bool is_surface = kind == 4 || kind == 6 || kind == 7; // half_space, mesh, height_field
    if (is_surface && type == BodyType::dynamic_)
        node.fail("a " + std::string(geometry_names[kind]) +
                  " cannot be on a dynamic body; make the body static or kinematic, or use hulls");
    ShapeDef shape;
    if (const auto material = node.find("material"))
    {
        const std::string name = material->text();
        const auto found = materials_.find(name);
        if (found == materials_.end())
        {
            std::vector<std::string> known;
            for (const auto& [other, values] : materials_)
                known.push_back(other);
            material->fail(known.empty() ? "no material is defined; add it to materials"
                                         : "unknown material \"" + name + "\"" + suggestion(name, known));
        }
        shape.density = found->second.density.value_or(shape.density);
        shape.friction = found->second.friction.value_or(shape.friction);
        shape.restitution = found->second.restitution.value_or(shape.restitution);
    }
    read_fields(node, shape); // what the shape says itself goes before its material
    shape.geometry = read_geometry(node, kind);
    return shape;
}

Geometry SceneReader::read_geometry(const JsonNode& node, size_t kind)
{
    Geometry geometry = make_alternative<Geometry>(kind);
    std::visit(
        [&](auto& g) {
            using Kind = std::decay_t<decltype(g)>;
            if constexpr (std::is_same_v<Kind, HullRef>)
                geometry = read_hull(node);
            else if constexpr (std::is_same_v<Kind, MeshRef>)
                geometry = read_mesh(node);
            else if constexpr (std::is_same_v<Kind, HeightFieldRef>)
                geometry = read_height_field(node);
            else
                read_fields(node, g);
        },
        geometry);
    return geometry;
}

Geometry SceneReader::read_hull(const JsonNode& node)
{
    std::vector<Vec3> points;
    if (is_inline(node, "points"))
        read(node.at("points"), points);
    else
    {
        Result<ObjMesh> file = read_obj(resolve(node.at("file")).string());
        if (!file)
            node.at("file").fail(file.error().message);
        points = std::move(file->vertices);
    }
    const float scale = read_scale(node);
    for (Vec3& p : points)
        p *= scale;
    expect_size_of_points(node, points);
    Result<HullRef> hull = make_hull(points);
    if (!hull)
        node.fail(hull.error().message);
    return *hull;
}

Geometry SceneReader::read_mesh(const JsonNode& node)
{
    ObjMesh mesh;
    if (is_inline(node, "vertices"))
    {
        read(node.at("vertices"), mesh.vertices);
        read(node.at("indices"), mesh.indices);
        if (mesh.indices.empty() || mesh.indices.size() % 3 != 0)
            node.at("indices").fail("has " + std::to_string(mesh.indices.size()) +
                                    " numbers; give three for each triangle");
        for (size_t i = 0; i < mesh.indices.size(); ++i)
            if (mesh.indices[i] >= mesh.vertices.size())
            {
                const JsonNode indices = node.at("indices");
                indices.at(i).fail("is " + std::to_string(mesh.indices[i]) + ", but there are only " +
                                   std::to_string(mesh.vertices.size()) + " vertices");
            }
    }
    else
    {
        Result<ObjMesh> file = read_obj(resolve(node.at("file")).string());
        if (!file)
            node.at("file").fail(file.error().message);
        mesh = std::move(*file);
    }
    const float scale = read_scale(node);
    for (Vec3& v : mesh.vertices)
        v *= scale;
    expect_size_of_points(node, mesh.vertices);
    Result<MeshRef> made = make_mesh(mesh.vertices, mesh.indices);
    if (!made)
        node.fail(made.error().message);
    return *made;
}

Geometry SceneReader::read_height_field(const JsonNode& node)
{
    std::vector<float> heights;
    int columns = 0, rows = 0;
    float spacing = 1;
    read(node.at("heights"), heights);
    read(node.at("columns"), columns, Range::whole_positive);
    read(node.at("rows"), rows, Range::whole_positive);
    if (const auto child = node.find("spacing"))
        read(*child, spacing, Range::size);
    if (columns < 2 || rows < 2)
        node.fail("needs at least 2 columns and 2 rows");
    if (double(columns) * rows != double(heights.size()))
        node.at("heights").fail("has " + std::to_string(heights.size()) +
                                " numbers; give columns x rows = " + std::to_string(int64_t(columns) * rows));
    for (const float h : heights)
        if (!(std::fabs(h) <= 1e6f))
            node.at("heights").fail("has a height above 1e6 metres; check the unit");
    Result<HeightFieldRef> field = make_height_field(heights, columns, rows, spacing);
    if (!field)
        node.fail(field.error().message);
    return *field;
}

} // namespace moraine
