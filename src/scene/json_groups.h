// Groups: many copies of a few bodies, laid out as rows, grids, walls and so on.
#pragma once

#include "scene/format.h"

#include <array>
#include <vector>

namespace moraine
{

// Bodies and the joints between them, in a frame of their own.
struct Fragment
{
    std::vector<SceneBody> bodies;
    std::vector<SceneJoint> joints;
};

// What all groups have.
struct GroupPlacement
{
    std::string name{};
    DVec3 position{};
    Quat rotation{};
    Vec3 jitter{};
    float rotation_jitter_degrees = 0;
    uint32_t seed = 1;
};

struct OneLayout
{
};
struct ArrayLayout
{
    int count = 1;
    DVec3 step{};
};
struct RingLayout
{
    int count = 1;
    float radius = 1;
};
struct GridLayout
{
    std::array<int, 3> count{1, 1, 1};
    Vec3 spacing{1, 1, 1};
};
struct RandomLayout
{
    int count = 1;
    Vec3 size{1, 1, 1};
    float separation = 0; // smallest distance between two origins
    bool any_rotation = false;
};
struct StackLayout
{
    int count = 1;
    float spacing = 1;
    float twist_degrees = 0; // each against the one below
};
struct WallLayout
{
    int columns = 1;
    int rows = 1;
    std::array<float, 2> spacing{1, 1};
};
struct PyramidLayout
{
    int base = 1;
    std::array<float, 2> spacing{1, 1};
};

using Layout =
    std::variant<OneLayout, ArrayLayout, RingLayout, GridLayout, RandomLayout, StackLayout, WallLayout, PyramidLayout>;

inline constexpr std::array<std::string_view, 8> layout_names{"one",    "array", "ring", "grid",
                                                              "random", "stack", "wall", "pyramid"};

template <class V>
void describe(V& v, GroupPlacement& g)
{
    v("name", g.name);
    v("position", g.position);
    v("rotation", g.rotation);
    v("jitter", g.jitter, Range::not_negative);
    v("rotation_jitter_degrees", g.rotation_jitter_degrees, Range::not_negative);
    v("seed", g.seed);
}
template <class V>
void describe(V&, OneLayout&)
{}
template <class V>
void describe(V& v, ArrayLayout& l)
{
    v("count", l.count, Range::whole_positive);
    v("step", l.step);
}
template <class V>
void describe(V& v, RingLayout& l)
{
    v("count", l.count, Range::whole_positive);
    v("radius", l.radius, Range::size);
}
template <class V>
void describe(V& v, GridLayout& l)
{
    v("count", l.count, Range::whole_positive);
    v("spacing", l.spacing);
}
template <class V>
void describe(V& v, RandomLayout& l)
{
    v("count", l.count, Range::whole_positive);
    v("size", l.size, Range::not_negative);
    v("separation", l.separation, Range::not_negative);
    v("any_rotation", l.any_rotation);
}
template <class V>
void describe(V& v, StackLayout& l)
{
    v("count", l.count, Range::whole_positive);
    v("spacing", l.spacing);
    v("twist_degrees", l.twist_degrees);
}
template <class V>
void describe(V& v, WallLayout& l)
{
    v("columns", l.columns, Range::whole_positive);
    v("rows", l.rows, Range::whole_positive);
    v("spacing", l.spacing);
}
template <class V>
void describe(V& v, PyramidLayout& l)
{
    v("base", l.base, Range::whole_positive);
    v("spacing", l.spacing);
}

// How many copies; a double, because the product of counts may be larger than any whole number.
double copy_count(const Layout& layout);

// Where the copies stand. Fewer than copy_count where a random layout finds no more room.
std::vector<Pose> lay_out(const Layout& layout, const GroupPlacement& placement);

// Appends a copy of `part` at `pose`. Names get `prefix`.
void append_copy(Fragment& whole, const Fragment& part, const Pose& pose, const std::string& prefix);

} // namespace moraine
