#include "world/continuous.h"

#include "collide/narrow_phase.h"
#include "collide/shape_query.h"

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

    // Already touching pairs are the solver's business.
    bool is_known(int32_t other_body) const
    {
        const int32_t e = world.graph.pairs.find(mover.body, other_body);
        return e != PairMap::none && world.graph.edges[e].has(edge_is_touching);
    }
};

float cast_bodies(const Caster& c, int32_t other, float fraction)
{
    const Body& body = c.world.bodies[c.mover.body];
    const Body& target = c.world.bodies[other];
    if (!can_interact(body, target) || ((body.flags | target.flags) & body_is_trigger) || c.is_known(other))
        return fraction;
    // In the frame of the target, as it stands at the end of the step.
    const Pose target_pose = c.world.movers[target.mover].pose * target.pose_in_mover;
    Sweep sweep;
    sweep.start = relative(c.start * body.pose_in_mover, target_pose);
    sweep.translation = inverse_rotate(target_pose.rotation, c.translation);
    sweep.rotation = inverse_rotate(target_pose.rotation, c.rotation);
    for (const Shape& shape : c.world.bodies.shapes_of(body))
        for (const Shape& obstacle : c.world.bodies.shapes_of(target))
        {
            if (!is_convex(shape.kind))
                continue;
            const CastResult hit = cast_shape(obstacle, obstacle.pose, shape, sweep, target_distance);
            if (hit.has_hit)
                fraction = std::min(fraction, hit.fraction);
        }
    return fraction;
}

} // namespace

bool needs_continuous(const Mover& mover, const MoverVelocity& velocity)
{
    return mover.is_dynamic() && length_squared(velocity.shift) > 0.25f * mover.inner_radius * mover.inner_radius;
}

float free_fraction(const WorldData& world, int32_t index, const Pose& start)
{
    const Mover& mover = world.movers[index];
    if (world.bodies[mover.body].has(body_is_trigger))
        return 1;
    const Vec3 turn = rotation_vector(mover.pose.rotation * conjugate(start.rotation));
    const Caster caster{world, mover, start, relative(mover.pose.position, start.position), turn};
    Mover at_start = mover;
    at_start.pose = start;
    const Aabb box = merge(mover_bounds(mover, default_contact_margin), mover_bounds(at_start, default_contact_margin));
    float fraction = 1;
    const auto visit = [&](int32_t other)
    {
        if (other != index)
            fraction = cast_bodies(caster, world.movers[other].body, fraction);
        return fraction > 0;
    };
    world.movers.static_tree.query(box, visit);
    if (mover.is_fast)
        world.movers.dynamic_tree.query(box, visit);
    else
        world.movers.dynamic_tree.query(
            box, [&](int32_t other) { return world.movers[other].type == BodyType::kinematic ? visit(other) : true; });
    return fraction;
}

} // namespace moraine
