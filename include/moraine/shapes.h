// Shapes. All are centred on their own origin; the long axis of capsule and cylinder is local y.
#pragma once

#include <moraine/math.h>
#include <moraine/result.h>

#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace moraine
{

class Hull;        // immutable, shared: see make_hull
class Mesh;        // immutable, shared: see make_mesh
class HeightField; // immutable, shared: see make_height_field

struct Sphere
{
    float radius = 0.5f;
};

struct Capsule
{
    float radius = 0.25f;
    float half_length = 0.5f; // from the centre to the centre of either cap
};

struct Cylinder
{
    float radius = 0.5f;
    float half_length = 0.5f;
};

struct Box
{
    Vec3 half_extents{0.5f, 0.5f, 0.5f};
};

// Solid below the plane through the shape's origin; the normal is local +y. Static and kinematic bodies only.
struct HalfSpace
{
};

using HullRef = std::shared_ptr<const Hull>;
using MeshRef = std::shared_ptr<const Mesh>;               // static and kinematic bodies only
using HeightFieldRef = std::shared_ptr<const HeightField>; // static and kinematic bodies only

using Geometry = std::variant<Sphere, Capsule, Cylinder, Box, HalfSpace, HullRef, MeshRef, HeightFieldRef>;

// Convex hull of the points: at least four that are not in one plane, at most 128 corners after welding.
Result<HullRef> make_hull(std::span<const Vec3> points);
// Triangles as index triples, counter-clockwise seen from outside (the side that collides).
Result<MeshRef> make_mesh(std::span<const Vec3> vertices, std::span<const uint32_t> indices);
// heights[row * columns + column] above local (column * spacing, 0, row * spacing), centred on the origin in x and z.
Result<HeightFieldRef> make_height_field(std::span<const float> heights, int columns, int rows, float spacing);

// The corners of a hull, and its faces as closed loops of corner indices; the triangles of a mesh. For drawing.
std::span<const Vec3> corners(const Hull& hull);
std::vector<std::vector<uint32_t>> faces(const Hull& hull);
std::span<const Vec3> vertices(const Mesh& mesh);
std::span<const uint32_t> indices(const Mesh& mesh);

struct ShapeDef
{
    Geometry geometry = Sphere{};
    Transform pose{}; // in the body's frame
    float density = 1000.0f;
    float friction = 0.5f;    // a pair uses the geometric mean
    float restitution = 0.0f; // a pair uses the larger
};

struct MassProperties
{
    float mass = 0;
    Vec3 center{};                                 // of mass
    Mat3 inertia{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}; // about the centre of mass
};

MassProperties mass_properties(const ShapeDef& shape);            // in the body's frame
MassProperties mass_properties(std::span<const ShapeDef> shapes); // of all together

} // namespace moraine
