// Bodies: what the user creates, the nodes of the contact graph. A body does not move; its mover does.
#pragma once

#include "base/id_pool.h"
#include "base/shared_array.h"
#include "geometry/bvh.h"
#include "graph/shape_runs.h"

#include <moraine/defs.h>

#include <map>
#include <memory>

namespace moraine
{

constexpr int32_t none = -1;
constexpr int32_t ground_body = 0; // static, without shapes, at the origin

enum BodyFlag : uint8_t
{
    body_is_passive = 1,
    body_is_trigger = 2,
    body_is_magnet = 4, // and switched on
    body_is_fast = 8,
    body_can_sleep = 16,
    body_can_merge = 32,
    body_is_planar = 64,
    body_is_frozen = 128
};

struct Body // what the step reads, 64 bytes
{
    int32_t mover = none;
    Transform pose_in_mover{}; // of the centre-of-mass frame; identity for a free body
    int32_t shape_first = 0;
    int32_t shape_count = 0;
    int32_t edge_first = none; // adjacency in the contact graph
    int32_t joint_first = none;
    Filter filter{};
    BodyType type = BodyType::static_;
    uint8_t flags = 0;
    uint16_t events = EventMask::standard; // and the two below

    // Above the bits of EventMask: it is in a group that rules may speak of.
    static constexpr uint16_t is_ruled = 0x8000;
    static constexpr uint16_t has_merge_def = 0x4000; // of its own

    bool has(BodyFlag flag) const { return flags & flag; }
    bool wants(uint16_t event) const { return events & event; }
};
static_assert(sizeof(Body) == 64);

struct BodyInfo // what it does not
{
    Vec3 center{}; // of mass, in the body's frame
    float mass = 0;
    Vec3 inertia[2]{}; // about the centre: xx yy zz, xy xz yz, in body axes
    float linear_damping = 0;
    float angular_damping = 0;
    float gravity_scale = 1;
};

inline Mat3 inertia_matrix(const BodyInfo& info)
{
    const Vec3 d = info.inertia[0], o = info.inertia[1];
    return {{d.x, o.x, o.y}, {o.x, d.y, o.z}, {o.y, o.z, d.z}};
}
inline void set_inertia(BodyInfo& info, const Mat3& m)
{
    info.inertia[0] = {m.x.x, m.y.y, m.z.z};
    info.inertia[1] = {m.x.y, m.x.z, m.y.z};
}

// Hulls, meshes and height fields in use, shared between bodies and with the user.
struct Asset
{
    Geometry geometry{};
    int32_t uses = 0;
};

struct Bodies
{
    IdPool ids;
    Array<Body> bodies;
    SharedArray<BodyInfo> infos;
    Array<uint64_t> user_data; // by body; may be shorter, what is missing is 0
    ShapeRuns shapes;
    std::vector<Asset> assets;
    std::map<const void*, int32_t> asset_of;             // by address; only looked up, never walked
    std::map<int32_t, std::string> names;                // only of bodies that have one
    std::map<int32_t, uint64_t> rule_groups;             // only of bodies that are in one
    std::map<int32_t, BodyMergeDef> merge_defs;          // only of bodies that have one of their own
    std::vector<int32_t> listeners;                      // sorted: bodies that want to hear what persists
    int32_t fixed_triggers = 0;                          // triggers that report static bodies
    std::map<int32_t, std::unique_ptr<Bvh>> shape_trees; // of runs of many shapes, by the first

    Body& operator[](int32_t i) { return bodies[size_t(i)]; }
    const Body& operator[](int32_t i) const { return bodies[size_t(i)]; }
    int32_t capacity() const { return int32_t(bodies.size()); }
    void set_user_data(int32_t body, uint64_t value)
    {
        if (user_data.size() <= size_t(body))
            user_data.resize(value == 0 ? user_data.size() : bodies.size());
        if (size_t(body) < user_data.size())
            user_data[size_t(body)] = value;
    }
    bool is_valid(BodyId id) const { return ids.is_valid(id.index, id.generation); }
    BodyId id(int32_t index) const { return {uint32_t(index), ids.generation(uint32_t(index))}; }
    std::span<const Shape> shapes_of(const Body& b) const { return shapes.range(b.shape_first, b.shape_count); }
};

// visit(index among its shapes) for shapes of the body that may be inside a box in its own frame.
template <class Visit>
void for_each_shape_near(const Bodies& bodies, int32_t body, const Aabb& box, Visit&& visit)
{
    const Body& b = bodies[body];
    const auto tree = bodies.shape_trees.find(b.shape_first);
    if (tree != bodies.shape_trees.end())
    {
        tree->second->query(box, [&](int32_t i) { visit(i); });
        return;
    }
    std::span<const Shape> shapes = bodies.shapes_of(b);
    for (int32_t i = 0; i < b.shape_count; ++i)
        if (overlaps(transform(shapes[size_t(i)].bounds, shapes[size_t(i)].pose), box))
            visit(i);
}

} // namespace moraine
