// What must be true of collections after every step and after every call, worked out anew from the merged edges and the glue.
#pragma once

#include "base/disjoint_sets.h"
#include "graph/members.h"
#include "world/glue.h"
#include "world/world_data.h"

#include <moraine/world.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

namespace moraine::test
{

namespace merging_invariants
{

struct Component
{
    std::set<int32_t> bodies;
    bool is_anchored = false;
};

inline bool is_dynamic(const WorldData& d, int32_t body) { return d.bodies[body].type == BodyType::dynamic_; }

// Connected by merged edges and glue; carriers end a component.
inline std::map<int32_t, Component> components(const WorldData& d, const std::vector<BodyId>& ids)
{
    std::map<int32_t, int32_t> root;
    const auto find = [&](int32_t b) {
        while (root.at(b) != b)
            b = root[b] = root.at(root.at(b));
        return b;
    };
    std::set<int32_t> merged, anchored;
    for (BodyId id : ids)
        root[int32_t(id.index)] = int32_t(id.index);
    for (BodyId id : ids)
        for_each_bond(d, int32_t(id.index), [&](int32_t other) {
            const int32_t self = int32_t(id.index);
            if (!is_dynamic(d, self))
                return;
            merged.insert(self);
            if (is_dynamic(d, other))
                root[find(self)] = find(other);
            else
                anchored.insert(self);
        });
    std::map<int32_t, Component> result;
    for (int32_t body : merged)
    {
        Component& c = result[find(body)];
        c.bodies.insert(body);
        c.is_anchored |= anchored.contains(body);
    }
    return result;
}

inline DVec3 center_of(const World& world, const WorldData& d, const Component& c, double& mass)
{
    DVec3 sum;
    mass = 0;
    for (int32_t body : c.bodies)
    {
        const BodyId id = d.bodies.id(body);
        sum += world.center_of_mass(id) * double(world.mass(id));
        mass += double(world.mass(id));
    }
    return sum * (1 / mass);
}

// Mass, centre and inertia of a free collection are those of its members. Says what is not.
inline std::string wrong_mass(const World& world, const WorldData& d, const Component& c, int32_t mover)
{
    std::ostringstream out;
    double mass = 0;
    const DVec3 center = center_of(world, d, c, mass);
    const MoverMass& held = d.movers.masses[size_t(mover)];
    if (std::fabs(1 / double(held.inv_mass) - mass) > 1e-4 * mass)
        out << "mass " << 1 / held.inv_mass << " instead of " << mass << "; ";
    if (length(center - d.movers[mover].pose.position) > 1e-4)
        out << "centre off by " << length(center - d.movers[mover].pose.position) << "; ";
    // I⁻¹ = L Lᵀ in the mover's axes: multiplied with the members' inertia it must give the identity.
    const Mat3 turn = to_matrix(d.movers[mover].pose.rotation);
    for (int axis = 0; axis < 3; ++axis)
    {
        const Vec3 unit{axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f};
        const Vec3 direction = turn * unit; // in the world
        Vec3 momentum{};
        for (int32_t body : c.bodies)
        {
            const BodyId id = d.bodies.id(body);
            const Vec3 arm(world.center_of_mass(id) - center);
            momentum += world.inertia(id) * direction + cross(arm, cross(direction, arm)) * world.mass(id);
        }
        const Vec3 back = multiply(held.factor, transpose_multiply(held.factor, transpose(turn) * momentum));
        if (length(back - unit) > 5e-3f)
            out << "inertia about axis " << axis << " off by " << length(back - unit) << "; ";
    }
    return out.str();
}

inline std::string wrong_tree(const WorldData& d, int32_t mover, size_t riders)
{
    std::ostringstream out;
    const Mover& m = d.movers[mover];
    if (!m.has_members())
        return riders > 1 ? "several bodies and no tree of them; " : "";
    const Bvh& tree = d.movers.members[m.members].tree;
    if (!tree.is_consistent())
        out << "the tree of members is broken; ";
    size_t count = 0;
    for_each_member(d.movers, mover, [&](int32_t body) {
        ++count;
        const Aabb inner = box_in_mover(d.bodies, body), outer = tree.box(d.movers.member_leaf[size_t(body)]);
        const Aabb grown{outer.lower - Vec3{1e-3f, 1e-3f, 1e-3f}, outer.upper + Vec3{1e-3f, 1e-3f, 1e-3f}};
        if (d.bodies[body].mover != mover)
            out << "body " << body << " is in the tree of a mover that is not its own; ";
        if (!contains(grown, inner))
            out << "body " << body << " is outside its box; ";
    });
    if (count != riders)
        out << count << " bodies in the tree, " << riders << " with this mover; ";
    return out.str();
}

} // namespace merging_invariants

// Empty when all is well.
inline std::string broken_invariant(World& world)
{
    namespace mi = merging_invariants;
    const WorldData& d = world.data();
    const std::vector<BodyId> ids = world.bodies();
    std::ostringstream out;
    std::map<int32_t, size_t> riders; // bodies by mover
    for (BodyId id : ids)
        ++riders[d.bodies[int32_t(id.index)].mover];
    for (const auto& [index, count] : riders)
    {
        const Mover& mover = d.movers[index];
        const MoverVelocity& v = d.movers.velocities[size_t(index)];
        const bool may_move = !mover.is_dynamic() || mover.is_awake() || d.bodies[mover.body].has(body_is_passive);
        if (!may_move && (v.linear != Vec3{} || v.spin != Vec3{}))
            out << "the mover of body " << mover.body << " sleeps and has a velocity; ";
    }
    const auto parts = mi::components(d, ids);
    std::set<int32_t> merged, used;
    for (const auto& [root, c] : parts)
    {
        const int32_t index = d.collections.collection_of(root);
        if (index == none)
        {
            out << "body " << root << " has merged edges and no collection; ";
            continue;
        }
        const Collection& collection = d.collections.pool[index];
        if (std::set<int32_t>(collection.members.begin(), collection.members.end()) != c.bodies)
            out << "collection " << index << " has other members than its component; ";
        if (!used.insert(index).second)
            out << "collection " << index << " is two components; ";
        if (collection.is_anchored != c.is_anchored)
            out << "collection " << index << " is " << (c.is_anchored ? "" : "not ") << "on a carrier; ";
        for (int32_t body : c.bodies)
        {
            merged.insert(body);
            if (d.bodies[body].mover != collection.mover)
                out << "body " << body << " does not move with its collection; ";
        }
        if (!c.is_anchored)
            out << mi::wrong_mass(world, d, c, collection.mover);
        out << mi::wrong_tree(d, collection.mover, riders[collection.mover]);
    }
    for (BodyId id : ids)
    {
        const int32_t body = int32_t(id.index);
        if (mi::is_dynamic(d, body) && !merged.contains(body) && d.collections.merged(body) != none)
            out << "body " << body << " is merged without a merged edge; ";
        for_each_edge(body, d.bodies, d.graph, [&](int32_t e) {
            const Edge& edge = d.graph.edges[e];
            if (d.bodies[edge.body_a].mover == d.bodies[edge.body_b].mover && edge.manifold != none &&
                d.graph.manifolds[edge.manifold].colour >= 0)
                out << "a contact inside a mover is solved; ";
        });
    }
    return out.str();
}

} // namespace moraine::test
