#include "world/continuous.h"

#include "collide/narrow_phase.h"
#include "collide/shape_query.h"
#include "graph/members.h"

#include <algorithm>

namespace moraine
{

namespace
{

// Stops this far from the surface: near enough for the narrow phase to report it in the next step.
constexpr float target_distance = 0.25f * default_contact_margin;

struct Caster
{
    const WorldData& world;
    const Mover& mover;
    Pose start;
    Vec3 translation;
    Vec3 rotation;

    int32_t touching_edge(int32_t body, int32_t other_body) const // or none
    {
        const int32_t e = find_edge(world.graph, body, other_body);
        return e != none && world.graph.edges[e].has(edge_is_touching) ? e : none;
    }
};

constexpr float short_way = 0.5f; // of the radius of the largest ball inside: what comes no further is in nobody's way

// How far the target moved in this step.
Vec3 shift_of(const Movers& movers, int32_t index)
{
    return movers[index].is_awake() ? movers.velocities[size_t(index)].shift : Vec3{};
}

struct Target
{
    Pose pose{};  // at the end of the step
    Vec3 shift{}; // in the step
};

// Two shapes of bodies that touch.
struct ShapePair
{
    const Edge& edge;
    bool is_a; // the one that moves is the edge's A
    size_t shape, obstacle;
};

// A core that is inside already may not go deeper. Which way is out only the contact knows: seen from within, every
// surface is in front.
void block_inside(const Caster& c, const ShapePair& pair, Vec3 shift, float slack, FreeWay& way)
{
    const Quat axes = c.world.movers[pair.edge.mover_a].pose.rotation;
    const size_t shape_a = pair.is_a ? pair.shape : pair.obstacle, shape_b = pair.is_a ? pair.obstacle : pair.shape;
    for (int32_t i = pair.edge.manifold; i != none; i = c.world.graph.manifolds[i].next)
    {
        const Manifold& m = c.world.graph.manifolds[i];
        const Vec3 normal = rotate(axes, m.normal) * (pair.is_a ? -1.0f : 1.0f);
        if (m.shape_a == shape_a && m.shape_b == shape_b && dot(normal, shift - c.translation) > slack)
            way.blocks.push({normal, dot(normal, shift)});
    }
}

// Pairs that touch are the solver's business, but what it leaves of a blow at one end of a body may still carry its
// middle through: there a core of the shape must not pass. It may slide and the body may turn, or it would hang on one
// corner for ever.
void cast_core(const Caster& c, const ShapePair& pair, const Shape& obstacle, const Shape& shape, const Sweep& sweep,
               const Target& target, FreeWay& way)
{
    const float radius = 0.7f * shape.inner_radius, slack = 0.25f * radius;
    if (!(radius > 0))
        return;
    const CastResult hit = cast_shape(obstacle, obstacle.pose, make_shape({.geometry = Sphere{radius}}, {}), sweep,
                                      0.1f * radius);
    const float inwards = -dot(hit.normal, sweep.translation);
    if (!hit.has_hit || inwards <= slack)
        return;
    if (hit.is_inside)
        return block_inside(c, pair, target.shift, slack, way);
    const Vec3 normal = rotate(target.pose.rotation, hit.normal);
    way.blocks.push({normal, dot(normal, target.shift) - inwards * hit.fraction});
}

// What goes along with the mover, as a lorry does under its load, is nothing that it could pass through.
bool goes_along(const Caster& c, int32_t index)
{
    const Movers& movers = c.world.movers;
    const Mover& other = movers[index];
    const MoverVelocity& v = movers.velocities[size_t(index)];
    const Vec3 turn = other.is_awake() ? angular_velocity(other, movers.masses[size_t(index)], {.spin = v.turn})
                                       : Vec3{};
    const Vec3 arm = relative(c.mover.pose.position, other.pose.position);
    const Vec3 way = c.translation - shift_of(movers, index) - cross(turn, arm);
    return length(way) + length(c.rotation - turn) * c.mover.radius <= short_way * c.mover.inner_radius;
}

// Around the shape on its whole way, in the target's frame.
Aabb swept_box(const Shape& shape, const Sweep& sweep)
{
    const Aabb box = transform(shape.bounds, sweep.start * shape.pose);
    const Vec3 from_center = max(abs(box.lower - sweep.start.position), abs(box.upper - sweep.start.position));
    const Aabb end{box.lower + sweep.translation, box.upper + sweep.translation};
    return enlarge(merge(box, end), length(sweep.rotation) * length(from_center) + target_distance);
}

void cast_bodies(const Caster& c, int32_t index, int32_t other, FreeWay& way)
{
    const Body& body = c.world.bodies[index];
    const Body& target = c.world.bodies[other];
    if (!can_interact(c.world.bodies, c.world.graph, index, other) || ((body.flags | target.flags) & body_is_trigger) ||
        is_ruled(c.world.bodies, c.world.graph.rules, index, other, RuleKind::observe) ||
        c.world.settings.proximity_only)
        return;
    // In the frame of the target as it stands at the end of the step: what it moved is taken off the motion.
    const Target at{c.world.movers[target.mover].pose * target.pose_in_mover, shift_of(c.world.movers, target.mover)};
    const Pose start{c.start.position + DVec3(at.shift), c.start.rotation};
    Sweep sweep;
    sweep.start = relative(start * body.pose_in_mover, at.pose);
    sweep.translation = inverse_rotate(at.pose.rotation, c.translation - at.shift);
    sweep.rotation = inverse_rotate(at.pose.rotation, c.rotation);
    const int32_t touching = c.touching_edge(index, other);
    const auto shapes = c.world.bodies.shapes_of(body), obstacles = c.world.bodies.shapes_of(target);
    for (size_t i = 0; i < shapes.size(); ++i)
    {
        const Shape& shape = shapes[i];
        if (!is_convex(shape.kind))
            continue;
        sweep.local = shape.pose;
        const Aabb box = swept_box(shape, sweep);
        for (size_t k = 0; k < obstacles.size(); ++k)
        {
            const Shape& obstacle = obstacles[k];
            if (!overlaps(box, transform(obstacle.bounds, obstacle.pose)))
                continue;
            if (touching != none)
            {
                const Edge& edge = c.world.graph.edges[touching];
                cast_core(c, {edge, edge.body_a == index, i, k}, obstacle, shape, sweep, at, way);
                continue;
            }
            const CastResult hit = cast_shape(obstacle, obstacle.pose, shape, sweep, target_distance);
            if (!hit.has_hit || hit.fraction >= way.fraction)
                continue;
            way.fraction = hit.fraction;
            way.carry = at.shift;
        }
    }
}

} // namespace

bool needs_continuous(const Mover& mover, const MoverVelocity& velocity)
{
    return mover.is_dynamic() && length(velocity.shift) > short_way * mover.inner_radius;
}

bool meets_on_way(const WorldData& world, int32_t index, const Pose& start, int32_t other)
{
    const Mover& mover = world.movers[index];
    const Vec3 turn = rotation_vector(mover.pose.rotation * conjugate(start.rotation));
    const Caster caster{world, mover, start, relative(mover.pose.position, start.position), turn};
    FreeWay way;
    cast_bodies(caster, mover.body, world.movers[other].body, way);
    return way.fraction < 1;
}

FreeWay find_free_way(const WorldData& world, int32_t index, const Pose& start, float fastest)
{
    FreeWay way;
    const Mover& mover = world.movers[index];
    if (!mover.has_members() && world.bodies[mover.body].has(body_is_trigger))
        return way;
    const Vec3 turn = rotation_vector(mover.pose.rotation * conjugate(start.rotation));
    const Caster caster{world, mover, start, relative(mover.pose.position, start.position), turn};
    // On its way as a target sees it that has come to where it is now: that may have met it from behind.
    const auto way_seen_by = [&](Vec3 shift) {
        const Pose from{start.position + DVec3(shift), start.rotation};
        return enlarge(merge(mover_bounds(mover, mover.pose), mover_bounds(mover, from)), default_contact_margin);
    };
    const Aabb box = enlarge(way_seen_by({}), fastest);
    // What rides on a carrier is no more of an obstacle than it is alone: hit hard it gives way.
    const auto is_obstacle = [&](int32_t body) {
        return mover.is_fast || world.bodies[body].type != BodyType::dynamic_;
    };
    const auto visit = [&](int32_t other) {
        if (other == index || goes_along(caster, other))
            return true;
        const Vec3 shift = shift_of(world.movers, other);
        const float reach = length(caster.translation - shift) + length(turn) * mover.radius;
        for_each_member_near(world.movers, other, way_seen_by(shift), [&](int32_t target) {
            if (!is_obstacle(target))
                return;
            const Aabb near = enlarge(body_box(world.bodies, world.movers, target), reach + default_contact_margin);
            for_each_member_near(world.movers, index, near,
                                 [&](int32_t body) { cast_bodies(caster, body, target, way); });
        });
        return way.fraction > 0;
    };
    world.movers.static_tree.query(box, visit);
    if (mover.is_fast)
        world.movers.dynamic_tree.query(box, visit);
    else
        world.movers.dynamic_tree.query(
            box, [&](int32_t other) { return world.movers[other].type == BodyType::kinematic ? visit(other) : true; });
    return way;
}

Pose pose_on(const FreeWay& way, const Pose& start, const Pose& end)
{
    if (way.fraction >= 1 && way.blocks.is_empty())
        return end;
    const Vec3 turn = rotation_vector(end.rotation * conjugate(start.rotation));
    const Vec3 whole = relative(end.position, start.position);
    Vec3 go = whole * way.fraction + way.carry * (1 - way.fraction);
    for (const FreeWay::Block& block : way.blocks)
    {
        const float missing = block.least - dot(block.normal, go);
        if (missing > 0)
            go += block.normal * missing;
    }
    return {start.position + DVec3(go), normalize(rotation_from_vector(turn * way.fraction) * start.rotation)};
}

} // namespace moraine
