// What tests of merging begin with.
#pragma once

#include "support/test_world.h"

#include <array>

namespace moraine::test
{

inline WorldDef merging()
{
    WorldDef def;
    def.merging = true;
    def.sleeping = false; // who sleeps before it merges shows nothing
    return def;
}

// Three walls that meet in the origin, nearly without friction.
inline std::array<BodyId, 3> add_corner(TestWorld& w)
{
    std::array<BodyId, 3> walls{};
    for (size_t axis = 0; axis < 3; ++axis)
    {
        const Vec3 half{axis == 0 ? 0.5f : 5, axis == 1 ? 0.5f : 5, axis == 2 ? 0.5f : 5};
        walls[axis] = w.add({.type = BodyType::static_,
                             .position = {axis == 0 ? -0.5 : 0, axis == 1 ? -0.5 : 0, axis == 2 ? -0.5 : 0},
                             .shapes = {{.geometry = Box{half}, .friction = 0.1f}}});
    }
    return walls;
}

} // namespace moraine::test
