// What bodies look like: told once for each body, to a recording or to a page.
#pragma once

#include "record/bytes.h"

#include <moraine/world.h>

#include <map>

namespace moraine
{

enum VisualFlag : uint8_t
{
    visual_is_trigger = 1,
    visual_is_magnet = 2, // can be switched
};

struct Visual
{
    uint32_t body = 0; // index of its handle
    BodyType type = BodyType::static_;
    uint8_t flags = 0;
    uint32_t color = 0; // 0xRRGGBB; 0: chosen by the page
    float mass = 0;
    float radius = 0; // of a ball about the body's origin; 0: endless
    std::string name{};
    std::vector<ShapeDef> shapes{};
};

struct TriangleList // what hulls, meshes and height fields are drawn as
{
    std::vector<Vec3> vertices{};
    std::vector<uint32_t> indices{};
};

TriangleList triangles_of(const Geometry& geometry); // empty for the simple shapes
float bounding_radius(std::span<const ShapeDef> shapes);

// Visuals and the triangle lists they share, in the order in which they came. Both only grow.
class VisualTable
{
public:
    int32_t add(Visual visual);
    const Visual& operator[](int32_t i) const { return visuals_[size_t(i)]; }
    size_t count() const { return visuals_.size(); }
    size_t asset_count() const { return assets_.size(); }
    // Everything from these numbers on, as a reader appends it.
    void write(ByteWriter& out, size_t first_visual, size_t first_asset) const;
    Status read(ByteReader& in);

private:
    void write_shape(ByteWriter& out, const ShapeDef& shape) const;
    void read_shape(ByteReader& in, ShapeDef& shape);
    int32_t asset_of(const Geometry& geometry);

    std::vector<Visual> visuals_;
    std::vector<Geometry> assets_;
    std::vector<TriangleList> triangles_;        // by asset
    std::map<const void*, int32_t> asset_index_; // by address; looked up, never walked
};

} // namespace moraine
