#include "record/visuals.h"

#include "geometry/hull.h"
#include "geometry/mesh.h"

#include <algorithm>

namespace moraine
{

namespace
{

const void* address_of(const Geometry& geometry)
{
    if (const auto* hull = std::get_if<HullRef>(&geometry))
        return hull->get();
    if (const auto* mesh = std::get_if<MeshRef>(&geometry))
        return mesh->get();
    if (const auto* field = std::get_if<HeightFieldRef>(&geometry))
        return field->get();
    return nullptr;
}

TriangleList triangles_of(const Hull& hull)
{
    TriangleList list;
    list.vertices = hull.corners;
    for (const HullFace& face : hull.faces)
        for (int i = 1; i + 1 < int(face.count); ++i)
            for (int corner : {0, i, i + 1})
                list.indices.push_back(hull.loops[size_t(face.first + corner)]);
    return list;
}

TriangleList triangles_of(const HeightField& field)
{
    TriangleList list;
    for (int row = 0; row < field.rows; ++row)
        for (int column = 0; column < field.columns; ++column)
            list.vertices.push_back(vertex_at(field, column, row));
    const uint32_t width = uint32_t(field.columns);
    for (uint32_t row = 0; row + 1 < uint32_t(field.rows); ++row)
        for (uint32_t column = 0; column + 1 < width; ++column)
        {
            const uint32_t here = row * width + column, there = here + width + 1;
            list.indices.insert(list.indices.end(), {here, there - 1, there, here, there, here + 1});
        }
    return list;
}

void write(ByteWriter& out, Vec3 v) { out.raw(v.x), out.raw(v.y), out.raw(v.z); }
void write(ByteWriter& out, Quat q) { out.raw(q.x), out.raw(q.y), out.raw(q.z), out.raw(q.w); }

Vec3 read_vector(ByteReader& in)
{
    Vec3 v;
    v.x = in.raw<float>(), v.y = in.raw<float>(), v.z = in.raw<float>();
    return v;
}

Quat read_rotation(ByteReader& in)
{
    Quat q;
    q.x = in.raw<float>(), q.y = in.raw<float>(), q.z = in.raw<float>(), q.w = in.raw<float>();
    return q;
}

float radius_of(const Geometry& geometry)
{
    if (const auto* sphere = std::get_if<Sphere>(&geometry))
        return sphere->radius;
    if (const auto* capsule = std::get_if<Capsule>(&geometry))
        return capsule->radius + capsule->half_length;
    if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
        return std::hypot(cylinder->radius, cylinder->half_length);
    if (const auto* box = std::get_if<Box>(&geometry))
        return length(box->half_extents);
    float squared = 0;
    for (Vec3 v : triangles_of(geometry).vertices)
        squared = std::max(squared, length_squared(v));
    return std::sqrt(squared);
}

} // namespace

TriangleList triangles_of(const Geometry& geometry)
{
    if (const auto* hull = std::get_if<HullRef>(&geometry))
        return *hull ? triangles_of(**hull) : TriangleList{};
    if (const auto* mesh = std::get_if<MeshRef>(&geometry))
        return *mesh ? TriangleList{(*mesh)->vertices, (*mesh)->indices} : TriangleList{};
    if (const auto* field = std::get_if<HeightFieldRef>(&geometry))
        return *field ? triangles_of(**field) : TriangleList{};
    return {};
}

float bounding_radius(std::span<const ShapeDef> shapes)
{
    float radius = 0;
    for (const ShapeDef& shape : shapes)
    {
        if (std::holds_alternative<HalfSpace>(shape.geometry))
            return 0;
        radius = std::max(radius, length(shape.pose.position) + radius_of(shape.geometry));
    }
    return radius;
}

int32_t VisualTable::add(Visual visual)
{
    for (const ShapeDef& shape : visual.shapes)
        asset_of(shape.geometry);
    visuals_.push_back(std::move(visual));
    return int32_t(visuals_.size() - 1);
}

int32_t VisualTable::asset_of(const Geometry& geometry)
{
    const void* address = address_of(geometry);
    if (address == nullptr)
        return -1;
    const auto [found, is_new] = asset_index_.try_emplace(address, int32_t(assets_.size()));
    if (is_new)
    {
        assets_.push_back(geometry);
        triangles_.push_back(triangles_of(geometry));
    }
    return found->second;
}

void VisualTable::write_shape(ByteWriter& out, const ShapeDef& shape) const
{
    out.raw(uint8_t(shape.geometry.index()));
    moraine::write(out, shape.pose.position);
    moraine::write(out, shape.pose.rotation);
    if (const auto* sphere = std::get_if<Sphere>(&shape.geometry))
        out.raw(sphere->radius);
    else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry))
        out.raw(capsule->radius), out.raw(capsule->half_length);
    else if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry))
        out.raw(cylinder->radius), out.raw(cylinder->half_length);
    else if (const auto* box = std::get_if<Box>(&shape.geometry))
        moraine::write(out, box->half_extents);
    else if (const void* address = address_of(shape.geometry))
        out.varint(uint64_t(asset_index_.at(address)));
}

void VisualTable::write(ByteWriter& out, size_t first_visual, size_t first_asset) const
{
    out.varint(assets_.size() - first_asset);
    for (size_t i = first_asset; i < assets_.size(); ++i)
    {
        const TriangleList& list = triangles_[i];
        out.varint(list.vertices.size());
        for (Vec3 v : list.vertices)
            moraine::write(out, v);
        out.varint(list.indices.size());
        for (uint32_t index : list.indices)
            out.varint(index);
    }
    out.varint(visuals_.size() - first_visual);
    for (size_t i = first_visual; i < visuals_.size(); ++i)
    {
        const Visual& visual = visuals_[i];
        out.varint(visual.body);
        out.raw(uint8_t(visual.type));
        out.raw(visual.flags);
        out.raw(visual.color);
        out.raw(visual.mass);
        out.raw(visual.radius);
        out.text(visual.name);
        out.varint(visual.shapes.size());
        for (const ShapeDef& shape : visual.shapes)
            write_shape(out, shape);
    }
}

// Hulls come back as meshes: they are only looked at.
void VisualTable::read_shape(ByteReader& in, ShapeDef& shape)
{
    const uint8_t kind = in.raw<uint8_t>();
    shape.pose.position = read_vector(in);
    shape.pose.rotation = read_rotation(in);
    if (kind == Geometry(Sphere{}).index())
        shape.geometry = Sphere{in.raw<float>()};
    else if (kind == Geometry(Capsule{}).index())
    {
        const float radius = in.raw<float>();
        shape.geometry = Capsule{radius, in.raw<float>()};
    }
    else if (kind == Geometry(Cylinder{}).index())
    {
        const float radius = in.raw<float>();
        shape.geometry = Cylinder{radius, in.raw<float>()};
    }
    else if (kind == Geometry(Box{}).index())
        shape.geometry = Box{read_vector(in)};
    else if (kind == Geometry(HalfSpace{}).index())
        shape.geometry = HalfSpace{};
    else if (kind < std::variant_size_v<Geometry>)
    {
        const int32_t asset = in.index(assets_.size());
        if (in.is_good())
            shape.geometry = assets_[size_t(asset)];
    }
    else
        in.fail();
}

Status VisualTable::read(ByteReader& in)
{
    for (size_t left = in.count(2); left > 0 && in.is_good(); --left)
    {
        auto mesh = std::make_shared<Mesh>();
        mesh->vertices.resize(in.count(12));
        for (Vec3& v : mesh->vertices)
            v = read_vector(in);
        mesh->indices.resize(in.count(1));
        for (uint32_t& index : mesh->indices)
            index = uint32_t(in.index(mesh->vertices.size()));
        asset_of(MeshRef(mesh));
    }
    for (size_t left = in.count(20); left > 0 && in.is_good(); --left)
    {
        Visual visual;
        visual.body = uint32_t(in.varint());
        visual.type = BodyType(std::min<uint8_t>(in.raw<uint8_t>(), uint8_t(BodyType::dynamic_)));
        visual.flags = in.raw<uint8_t>();
        visual.color = in.raw<uint32_t>();
        visual.mass = in.raw<float>();
        visual.radius = in.raw<float>();
        visual.name = in.text();
        visual.shapes.resize(in.count(29));
        for (ShapeDef& shape : visual.shapes)
            read_shape(in, shape);
        visuals_.push_back(std::move(visual));
    }
    if (!in.is_good())
        return Error{"the list of bodies is damaged"};
    return Ok{};
}

} // namespace moraine
