// Mass, and the frame in which engines want it: centre of mass at the origin, inertia on the diagonal.
#pragma once

#include <moraine/defs.h>

namespace moraine::bench
{

struct BodyMass
{
    float mass = 0;
    Vec3 diagonal{};         // moments about the axes of `frame`
    Transform frame{};       // principal axes, in the body's frame
    float density_scale = 1; // where the definition gives a mass: what the shapes' densities are multiplied by
};

BodyMass body_mass(const BodyDef& def);

// The triangles of a mesh or a height field, for engines that know only one of them.
struct TriangleList
{
    std::vector<Vec3> vertices{};
    std::vector<int> indices{}; // three for each triangle
};
TriangleList triangles(const Geometry& surface);

} // namespace moraine::bench
