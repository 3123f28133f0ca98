// A shape as the engine keeps it: plain data, placed in the frame of its body's centre of mass.
#pragma once

#include "geometry/aabb.h"

#include <moraine/shapes.h>

#include <string>

namespace moraine
{

enum class ShapeKind : uint8_t // in the order in which pairs are sorted for the narrow phase
{
    sphere,
    capsule,
    box,
    cylinder,
    hull,
    triangle, // only inside the narrow phase, never on a body
    half_space,
    mesh,
    height_field
};

inline bool is_convex(ShapeKind kind) { return kind <= ShapeKind::triangle; }
inline bool rolls(ShapeKind kind)
{
    return kind == ShapeKind::sphere || kind == ShapeKind::capsule || kind == ShapeKind::cylinder;
}

struct Shape
{
    ShapeKind kind = ShapeKind::sphere;
    float radius = 0;      // sphere, capsule, cylinder
    float half_length = 0; // capsule, cylinder
    float friction = 0.5f;
    float restitution = 0;
    float density = 1000;
    int32_t asset = -1;     // into the world's table of hulls, meshes and height fields
    float inner_radius = 0; // of the largest ball about the shape's centre that fits inside; 0 for surfaces
    Vec3 half_extents{};    // box
    Transform pose{};       // in the body's centre-of-mass frame
    Aabb bounds{};          // in the shape's own frame
    union
    {
        const Hull* hull = nullptr; // owned by the body's ShapeDef
        const Mesh* mesh;
        const HeightField* height_field;
        const Vec3* triangle; // three corners
    };
};

// `pose` is where the shape's frame stands in the body's centre-of-mass frame.
Shape make_shape(const ShapeDef& def, const Transform& pose);

// A sentence that says what is wrong with the definition and what to do, or an empty string.
std::string shape_problem(const ShapeDef& def);

} // namespace moraine
