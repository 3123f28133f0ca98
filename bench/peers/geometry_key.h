// Tells equal geometries, so that a thousand equal boxes share one shape in engines that leave sharing to their user.
#pragma once

#include <moraine/shapes.h>

#include <tuple>

namespace moraine::bench
{

using GeometryKey = std::tuple<size_t, float, float, float, const void*>;

inline GeometryKey geometry_key(const Geometry& geometry)
{
    const size_t kind = geometry.index();
    if (const auto* sphere = std::get_if<Sphere>(&geometry))
        return {kind, sphere->radius, 0, 0, nullptr};
    if (const auto* capsule = std::get_if<Capsule>(&geometry))
        return {kind, capsule->radius, capsule->half_length, 0, nullptr};
    if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
        return {kind, cylinder->radius, cylinder->half_length, 0, nullptr};
    if (const auto* box = std::get_if<Box>(&geometry))
        return {kind, box->half_extents.x, box->half_extents.y, box->half_extents.z, nullptr};
    if (const auto* hull = std::get_if<HullRef>(&geometry))
        return {kind, 0, 0, 0, hull->get()};
    if (const auto* mesh = std::get_if<MeshRef>(&geometry))
        return {kind, 0, 0, 0, mesh->get()};
    if (const auto* field = std::get_if<HeightFieldRef>(&geometry))
        return {kind, 0, 0, 0, field->get()};
    return {kind, 0, 0, 0, nullptr};
}

} // namespace moraine::bench
