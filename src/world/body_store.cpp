#include "world/body_store.h"

#include "world/activity.h"
#include "world/collections.h"
#include "world/events.h"
#include "world/freeze.h"
#include "world/merge_limits.h"
#include "world/response.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr int tree_from = 16; // a body with at least so many shapes has a tree of them

// Hulls, meshes and height fields are shared and counted; plain shapes need no asset.
int32_t use_asset(Bodies& bodies, const Geometry& geometry)
{
    const void* key = std::visit(
        [](const auto& g) -> const void* {
            if constexpr (requires { g.get(); })
                return g.get();
            else
                return nullptr;
        },
        geometry);
    if (!key)
        return none;
    const auto found = bodies.asset_of.find(key);
    if (found != bodies.asset_of.end())
    {
        ++bodies.assets[size_t(found->second)].uses;
        return found->second;
    }
    size_t slot = 0;
    while (slot < bodies.assets.size() && bodies.assets[slot].uses > 0)
        ++slot;
    if (slot == bodies.assets.size())
        bodies.assets.emplace_back();
    bodies.assets[slot] = {geometry, 1};
    bodies.asset_of[key] = int32_t(slot);
    return int32_t(slot);
}

void release_asset(Bodies& bodies, int32_t asset)
{
    if (asset < 0 || --bodies.assets[size_t(asset)].uses > 0)
        return;
    std::erase_if(bodies.asset_of, [&](const auto& entry) { return entry.second == asset; });
    bodies.assets[size_t(asset)].geometry = Sphere{};
}

Factor identity_factor() { return {1, 0, 1, 0, 0, 1}; }

void add_shapes(WorldData& world, int32_t index, std::span<const ShapeDef> defs)
{
    Bodies& bodies = world.bodies;
    Body& body = bodies[index];
    const Vec3 center = bodies.infos[size_t(index)].center;
    std::vector<Shape> shapes;
    for (const ShapeDef& def : defs)
    {
        shapes.push_back(make_shape(def, {def.pose.position - center, normalize(def.pose.rotation)}));
        shapes.back().asset = use_asset(bodies, def.geometry);
    }
    const ShapeRuns::Shared shared = bodies.shapes.share(shapes);
    body.shape_first = shared.first;
    body.shape_count = int32_t(shapes.size());
    if (!shared.is_new) // the run that is there has its own hold on the assets
        for (const Shape& s : shapes)
            release_asset(bodies, s.asset);
    if (shared.is_new && body.shape_count >= tree_from)
    {
        std::vector<Aabb> boxes;
        for (const Shape& s : bodies.shapes_of(body))
            boxes.push_back(transform(s.bounds, s.pose));
        auto tree = std::make_unique<Bvh>();
        tree->build(boxes);
        bodies.shape_trees[body.shape_first] = std::move(tree);
    }
}

void drop_shapes(Bodies& bodies, const Body& body)
{
    if (body.shape_count == 0)
        return;
    if (bodies.shapes.is_last_share(body.shape_first))
    {
        for (const Shape& s : bodies.shapes_of(body))
            release_asset(bodies, s.asset);
        bodies.shape_trees.erase(body.shape_first);
    }
    bodies.shapes.release(body.shape_first, body.shape_count);
}

// Bounds, radii and kind of the mover from the body's shapes.
void measure_mover(const Bodies& bodies, const Body& body, Mover& mover)
{
    mover.bounds = {};
    mover.inner_radius = infinity;
    std::span<const Shape> shapes = bodies.shapes_of(body);
    for (const Shape& s : shapes)
    {
        mover.bounds = merge(mover.bounds, transform(s.bounds, s.pose));
        mover.inner_radius = std::min(mover.inner_radius, s.inner_radius);
    }
    if (shapes.empty())
    {
        mover.bounds = {{0, 0, 0}, {0, 0, 0}};
        mover.inner_radius = infinity;
    }
    const Vec3 far = max(abs(mover.bounds.lower), abs(mover.bounds.upper));
    mover.radius = std::min(length(far), 1e9f);
    mover.can_roll = std::ranges::any_of(shapes, [](const Shape& s) { return rolls(s.kind); });
    mover.is_round = shapes.size() == 1 && shapes[0].kind == ShapeKind::sphere && length(shapes[0].pose.position) == 0;
    if (mover.is_round)
        mover.radius = shapes[0].radius;
}

uint8_t body_flags(const BodyDef& def)
{
    return uint8_t((def.is_passive ? body_is_passive : 0) | (def.is_trigger ? body_is_trigger : 0) |
                   (def.is_magnet ? body_is_magnet : 0) | (def.is_fast ? body_is_fast : 0) |
                   (def.can_sleep ? body_can_sleep : 0) | (def.can_merge ? body_can_merge : 0) |
                   (def.planar ? body_is_planar : 0));
}

void set_body_mass(const BodyDef& def, BodyInfo& info)
{
    MassProperties m = def.mass_properties ? *def.mass_properties : mass_properties(def.shapes);
    if (def.mass > 0)
    {
        if (m.mass > 0)
            m.inertia = m.inertia * (def.mass / m.mass);
        m.mass = def.mass;
    }
    // A point: it moves, but does not turn.
    if (def.type == BodyType::dynamic_ && !(m.mass > 0))
        m.mass = 1;
    info.center = m.center;
    info.mass = m.mass;
    set_inertia(info, m.inertia);
}

// Zero is allowed: a body that does not turn.
bool is_inertia(const Mat3& m)
{
    const float size = max_component({m.x.x, m.y.y, m.z.z});
    const Vec3 skewed{m.x.y - m.y.x, m.x.z - m.z.x, m.y.z - m.z.y};
    return is_finite(m.x) && is_finite(m.y) && is_finite(m.z) && min_component({m.x.x, m.y.y, m.z.z}) >= 0 &&
           max_component(abs(skewed)) <= 1e-3f * size;
}

} // namespace

std::string body_problem(const BodyDef& def)
{
    if (!is_finite(def.position) || !is_finite(def.rotation) || !is_finite(def.linear_velocity) ||
        !is_finite(def.angular_velocity))
        return "position, rotation and velocities must be finite numbers";
    if (!(dot(def.rotation, def.rotation) > 1e-12f))
        return "rotation is the zero quaternion: give {x, y, z, w} with length 1";
    if (std::fabs(def.position.x) > 1e9 || std::fabs(def.position.y) > 1e9 || std::fabs(def.position.z) > 1e9)
        return "position is more than 1e9 m from the origin: move the scene nearer";
    if (!std::isfinite(def.mass) || def.mass < 0)
        return "mass must be positive, or 0 to take it from the shapes";
    if (!(def.linear_damping >= 0) || !(def.angular_damping >= 0) || !std::isfinite(def.gravity_scale) ||
        !std::isfinite(def.linear_damping) || !std::isfinite(def.angular_damping))
        return "damping must be finite and not negative, gravity_scale finite";
    if (std::string problem = merge_def_problem(def.merge); !problem.empty())
        return problem;
    if (def.shapes.size() > 60000)
        return "more than 60000 shapes on one body: use a mesh, or several bodies";
    if (def.mass_properties && (!(def.mass_properties->mass > 0) || !std::isfinite(def.mass_properties->mass) ||
                                !is_finite(def.mass_properties->center)))
        return "mass_properties must have a positive mass and finite values";
    if (def.mass_properties && !is_inertia(def.mass_properties->inertia))
        return "mass_properties.inertia must be a symmetric matrix of finite numbers, none on the diagonal negative";
    for (size_t i = 0; i < def.shapes.size(); ++i)
    {
        const std::string problem = shape_problem(def.shapes[i]);
        if (!problem.empty())
            return "shape " + std::to_string(i) + ": " + problem;
        const Geometry& g = def.shapes[i].geometry;
        const bool is_surface = std::holds_alternative<HalfSpace>(g) || std::holds_alternative<MeshRef>(g) ||
                                std::holds_alternative<HeightFieldRef>(g);
        if (is_surface && def.type == BodyType::dynamic_)
            return "shape " + std::to_string(i) +
                   ": half-spaces, meshes and height fields are for static and kinematic bodies; build a dynamic "
                   "concave body from several hulls";
        if (is_surface && def.is_trigger && !std::holds_alternative<HalfSpace>(g))
            return "shape " + std::to_string(i) + ": a trigger must be solid; use boxes or hulls";
    }
    return {};
}

int32_t create_mover(WorldData& world)
{
    Movers& movers = world.movers;
    const int32_t index = movers.movers.create();
    const size_t count = size_t(movers.movers.capacity());
    movers.masses.resize(count);
    movers.velocities.resize(count);
    movers.masses.set(size_t(index), {});
    movers.velocities[size_t(index)] = {};
    if (size_t(index) < movers.forces.size())
        movers.forces[size_t(index)] = {};
    return index;
}

void destroy_mover(WorldData& world, int32_t index)
{
    Movers& movers = world.movers;
    Mover& mover = movers[index];
    if (mover.is_awake())
        movers.awake.remove(mover.awake_slot, [&](int32_t m) -> int32_t& { return movers[m].awake_slot; });
    if (mover.is_moved)
        std::erase(movers.moved, index);
    if (mover.leaf >= 0)
        movers.tree_of(mover).remove(mover.leaf);
    if (mover.has_members())
        movers.members.destroy(mover.members);
    std::erase(world.wake_requests, index);
    movers.movers.destroy(index);
}

void make_free(WorldData& world, int32_t index, const Pose& pose, Vec3 linear, Vec3 angular)
{
    Body& body = world.bodies[index];
    const int32_t mover_index = create_mover(world);
    body.mover = mover_index;
    body.pose_in_mover = {};
    Mover& mover = world.movers[mover_index];
    mover.body = index;
    mover.type = body.type;
    mover.can_sleep = body.has(body_can_sleep);
    mover.is_fast = body.has(body_is_fast);
    mover.is_planar = body.has(body_is_planar);
    mover.pose = pose;
    measure_mover(world.bodies, body, mover);
    update_tight(mover);
    update_mover_mass(world, index);
    if (body.type == BodyType::static_)
        return;
    MoverVelocity& v = world.movers.velocities[size_t(mover_index)];
    v.linear = linear;
    v.spin = spin_of(mover, world.movers.masses[size_t(mover_index)], angular);
}

void measure_free(WorldData& world, int32_t body)
{
    const int32_t index = world.bodies[body].mover;
    Mover& mover = world.movers[index];
    measure_mover(world.bodies, world.bodies[body], mover);
    update_tight(mover);
    refit_mover(world.movers, index, fat_bounds(mover, {}, 0));
}

int32_t create_body(WorldData& world, const BodyDef& def)
{
    Bodies& bodies = world.bodies;
    const int32_t index = int32_t(bodies.ids.create());
    if (index == bodies.capacity())
    {
        bodies.bodies.emplace_back();
        bodies.infos.push_back(BodyInfo{});
    }
    Body& body = bodies[index];
    body = {};
    body.type = def.type;
    body.flags = body_flags(def);
    body.filter = def.filter;
    set_event_mask(bodies, index, def.events);
    set_rule_groups(bodies, index, def.rule_groups);
    set_merge_def(bodies, index, def.merge);
    BodyInfo info;
    set_body_mass(def, info);
    info.linear_damping = def.linear_damping;
    info.angular_damping = def.angular_damping;
    info.gravity_scale = def.gravity_scale;
    bodies.infos.set(size_t(index), info);
    bodies.set_user_data(index, def.user_data);
    if (!def.name.empty())
        bodies.names[index] = def.name;
    add_shapes(world, index, def.shapes);

    const Quat rotation = normalize(def.rotation);
    make_free(world, index, {apply(Pose{def.position, rotation}, info.center), rotation}, def.linear_velocity,
              def.angular_velocity);
    const int32_t mover_index = bodies[index].mover;
    const MoverVelocity& v = world.movers.velocities[size_t(mover_index)];
    const bool moves = length_squared(v.linear) + length_squared(v.spin) > 0;
    if (def.type == BodyType::dynamic_)
    {
        ++world.dynamic_count;
        ++world.asleep_count;
        if (def.is_awake && !def.is_passive)
        {
            const size_t told = world.pending_sleeps.size();
            wake_mover(world, mover_index);
            world.pending_sleeps.resize(told); // it has never slept
        }
    }
    if (def.type == BodyType::kinematic && moves)
        set_kinematic_awake(world, mover_index, true);
    if (def.shapes.empty())
        return index;
    refit_mover(world.movers, mover_index, fat_bounds(world.movers[mover_index], {}, 0));
    return index;
}

void destroy_body(WorldData& world, int32_t index)
{
    detach_body(world, index);
    release_riders(world, index);
    wake_neighbours(world, index);
    wake_mover(world, world.bodies[index].mover); // out of its sleep group, passive or not
    for_each_joint(index, world.bodies, world.joints, [&](int32_t j) { destroy_joint(world, j); });
    for_each_edge(index, world.bodies, world.graph, [&](int32_t e) { remove_edge(world, e); });

    Body& body = world.bodies[index];
    if (body.type == BodyType::dynamic_)
        --world.dynamic_count;
    destroy_mover(world, body.mover);

    drop_shapes(world.bodies, body);
    world.bodies.infos.set(size_t(index), BodyInfo{});
    world.bodies.names.erase(index);
    forget_event_mask(world.bodies, index);
    set_rule_groups(world.bodies, index, 0);
    set_merge_def(world.bodies, index, {});
    world.scripts.erase(index);
    world.targets.erase(index);
    set_response(world, index, {});
    body = {};
    world.bodies.ids.destroy(uint32_t(index));
}

int32_t add_joint_record(WorldData& world)
{
    Joints& joints = world.joints;
    const int32_t index = int32_t(joints.ids.create());
    if (index == int32_t(joints.joints.size()))
        joints.joints.emplace_back();
    joints[index] = {};
    return index;
}

int32_t create_joint(WorldData& world, const JointDef& def, int32_t body_a, int32_t body_b)
{
    Joints& joints = world.joints;
    const int32_t index = add_joint_record(world);
    Joint& joint = joints[index];
    joint.body_a = body_a;
    joint.body_b = body_b;
    const auto in_center = [&](int32_t body, const Transform& frame) {
        return Transform{frame.position - world.bodies.infos[size_t(body)].center, normalize(frame.rotation)};
    };
    joint.frame_a = in_center(body_a, def.frame_a);
    joint.frame_b = in_center(body_b, def.frame_b);
    joint.origin_a = body_a == ground_body ? def.origin : DVec3{};
    joint.origin_b = body_b == ground_body ? def.origin : DVec3{};
    joint.kind = def.kind;
    joint.break_impulse = def.break_impulse;
    joint.collides = def.collides;
    if (!def.name.empty())
        joints.names[index] = def.name;
    link_joint(index, world.bodies, joints);
    // Who is held by a carrier could not follow the joint.
    detach_body(world, body_a);
    detach_body(world, body_b);
    wake_body(world, body_a);
    wake_body(world, body_b);
    refresh_joint(world, index);
    if (!def.collides)
    {
        const int32_t edge = find_edge(world.graph, body_a, body_b);
        if (edge != none)
            remove_edge(world, edge);
    }
    return index;
}

void destroy_joint(WorldData& world, int32_t index)
{
    Joint& joint = world.joints[index];
    const int32_t a = joint.body_a, b = joint.body_b;
    if (is_inner(world, joint))
    {
        remove_joint_weld(world, index);
        detach_body(world, a);
        detach_body(world, b);
    }
    wake_body(world, a);
    wake_body(world, b);
    if (joint.awake_slot >= 0)
    {
        world.joints.awake.remove(joint.awake_slot, [&](int32_t j) -> int32_t& { return world.joints[j].awake_slot; });
        remove_joint(index, world.joints, mover_of(world, a), mover_of(world, b), world.colouring);
    }
    unlink_joint(index, world.bodies, world.joints);
    world.joints.names.erase(index);
    world.joints.ids.destroy(uint32_t(index));
    // The two may touch again.
    for (int32_t body : {a, b})
        if (world.movers[world.bodies[body].mover].leaf >= 0 && world.bodies[body].type != BodyType::static_)
            mark_moved(world.movers, world.bodies[body].mover);
}

void update_mover_mass(WorldData& world, int32_t body)
{
    const BodyInfo& info = world.bodies.infos[size_t(body)];
    const int32_t index = world.bodies[body].mover;
    const Mover& mover = world.movers[index];
    MoverMass mass;
    mass.factor = identity_factor();
    if (mover.is_dynamic())
    {
        mass.inv_mass = 1 / info.mass;
        mass.factor = factor_of_inverse(inertia_matrix(info), mover.is_planar);
    }
    mass.gravity_scale = info.gravity_scale;
    mass.linear_damping = info.linear_damping;
    mass.angular_damping = info.angular_damping;
    world.movers.masses.set(size_t(index), mass);
    world.movers.velocities[size_t(index)].inv_mass = mass.inv_mass;
}

void search_pairs_again(WorldData& world, int32_t body)
{
    detach_body(world, body);
    release_riders(world, body);
    wake_neighbours(world, body);
    wake_body(world, body);
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (can_interact(world.bodies, world.graph, edge.body_a, edge.body_b))
        {
            world.graph.edges[e].set(edge_is_new, true);
            mark_fresh(e, world.graph);
        }
        else
            remove_edge(world, e);
    });
    const int32_t index = world.bodies[body].mover;
    if (world.movers[index].leaf >= 0)
        mark_moved(world.movers, index);
}

void forget_impulses(WorldData& world, int32_t body)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        for_each_manifold(world.graph.edges[e], world.graph, [&](int32_t m) {
            Manifold& manifold = world.graph.manifolds[m];
            for (ContactPoint& point : manifold.points)
                point.impulse = 0;
            if (size_t(m) < world.graph.point_friction.size())
                world.graph.point_friction[size_t(m)] = {};
            manifold.friction_impulse = {};
            manifold.twist_impulse = 0;
        });
    });
}

void set_rule_groups(Bodies& bodies, int32_t body, uint64_t groups)
{
    if (groups != 0)
        bodies.rule_groups[body] = groups;
    else
        bodies.rule_groups.erase(body);
    bodies[body].events = uint16_t((bodies[body].events & ~Body::is_ruled) | (groups != 0 ? Body::is_ruled : 0));
}

void freeze_body(WorldData& world, int32_t index)
{
    detach_body(world, index);
    wake_neighbours(world, index);
    for_each_joint(index, world.bodies, world.joints, [&](int32_t j) { destroy_joint(world, j); });
    for_each_edge(index, world.bodies, world.graph, [&](int32_t e) { remove_edge(world, e); });
    Body& body = world.bodies[index];
    Movers& movers = world.movers;
    Mover& mover = movers[body.mover];
    if (mover.is_awake())
        movers.awake.remove(mover.awake_slot, [&](int32_t m) -> int32_t& { return movers[m].awake_slot; });
    if (mover.leaf >= 0)
        movers.tree_of(mover).remove(mover.leaf);
    mover.leaf = none;
    if (body.type == BodyType::dynamic_)
        --world.dynamic_count;
    body.type = mover.type = BodyType::static_;
    body.flags |= body_is_frozen;
    movers.velocities[size_t(body.mover)] = {};
    if (size_t(body.mover) < movers.forces.size())
        movers.forces[size_t(body.mover)] = {};
    update_mover_mass(world, index);
    refit_mover(movers, body.mover, enlarge(mover.tight, fat_margin(mover)));
    world.events.frozen.push_back(world.bodies.id(index));
}

ShapeDef shape_def(const Bodies& bodies, int32_t body, const Shape& shape)
{
    ShapeDef def;
    def.pose = {shape.pose.position + bodies.infos[size_t(body)].center, shape.pose.rotation};
    def.density = shape.density;
    def.friction = shape.friction;
    def.restitution = shape.restitution;
    switch (shape.kind)
    {
    case ShapeKind::sphere: def.geometry = Sphere{shape.radius}; break;
    case ShapeKind::capsule: def.geometry = Capsule{shape.radius, shape.half_length}; break;
    case ShapeKind::cylinder: def.geometry = Cylinder{shape.radius, shape.half_length}; break;
    case ShapeKind::box: def.geometry = Box{shape.half_extents}; break;
    case ShapeKind::half_space: def.geometry = HalfSpace{}; break;
    default: def.geometry = bodies.assets[size_t(shape.asset)].geometry; break;
    }
    return def;
}

} // namespace moraine
