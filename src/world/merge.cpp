// Merging: two bodies that have moved as one for a while become one.
#include "graph/members.h"
#include "world/activity.h"
#include "world/collection_mass.h"
#include "world/collections.h"
#include "world/founding.h"
#include "world/joint_bonds.h"
#include "world/merge_limits.h"
#include "world/relative_motion.h"
#include "world/step.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr int edge_grain = 256;
constexpr int early_stride = 4;

// What a mover did in the step.
struct Way
{
    Vec3 shift{};
    Vec3 turn{}; // a rotation vector, in world axes
};

Way way_of(const WorldData& world, int32_t index)
{
    const Mover& mover = world.movers[index];
    if (!mover.is_awake())
        return {};
    const MoverVelocity& v = world.movers.velocities[size_t(index)];
    return {v.shift, angular_velocity(mover, world.movers.masses[size_t(index)], {.spin = v.turn})};
}

// How far B has got in the axes of A, which turn. Velocities are those of the start of a step, in places of its end: what
// turns along with a fast tray would seem to leave it, with ω² r dt.
Relative motion_in_frame(const WorldData& world, const Edge& edge)
{
    const Way a = way_of(world, edge.mover_a), b = way_of(world, edge.mover_b);
    const Vec3 now = relative(world.movers[edge.mover_b].pose.position, world.movers[edge.mover_a].pose.position);
    const Vec3 before = now - (b.shift - a.shift);
    const float rate = 1 / world.step_dt;
    const Vec3 linear = (now - rotate(rotation_from_vector(a.turn), before)) * rate;
    const Vec3 angular = (b.turn - a.turn - cross(a.turn, b.turn) * 0.5f) * rate;
    return {linear - cross(angular, now), angular};
}

bool is_moving_carrier(const Mover& mover) { return mover.type == BodyType::kinematic && mover.is_awake(); }

// Two that turn alike, so fast that it matters from where to where in the step they are looked at.
bool turn_together(Vec3 angular_a, Vec3 angular_b, Vec3 between, float dt)
{
    constexpr float alike = 0.3f, matters = 5e-4f; // m/s
    const float squared = length_squared(angular_a);
    return squared * dt * length(between) > matters && length_squared(angular_b - angular_a) < alike * alike * squared;
}

} // namespace

Relative relative_motion(const WorldData& world, const Edge& edge)
{
    const Mover &mover_a = world.movers[edge.mover_a], &mover_b = world.movers[edge.mover_b];
    if (is_moving_carrier(mover_a) || is_moving_carrier(mover_b))
        return motion_in_frame(world, edge);
    const RigidMotion a = motion_of_mover(world, edge.mover_a), b = motion_of_mover(world, edge.mover_b);
    const Vec3 between = relative(mover_a.pose.position, mover_b.pose.position);
    if (turn_together(a.angular, b.angular, between, world.step_dt))
        return motion_in_frame(world, edge);
    return {b.linear + cross(b.angular, between) - a.linear, b.angular - a.angular};
}

namespace
{

// The fastest corner of a box that moves with one of the movers: what its middle does, and its edges on either side add.
float corner_speed(const Relative& r, const Aabb& box, const Transform& frame)
{
    const Vec3 middle = r.linear + cross(r.angular, apply(frame, center(box))), half = half_extents(box);
    const Mat3 axes = to_matrix(frame.rotation);
    const Vec3 x = cross(r.angular, axes.x * half.x), y = cross(r.angular, axes.y * half.y),
               z = cross(r.angular, axes.z * half.z);
    float fastest = 0;
    for (const Vec3 along_x : {middle - x, middle + x})
        for (const Vec3 along_y : {along_x - y, along_x + y})
            fastest = std::max({fastest, length_squared(along_y - z), length_squared(along_y + z)});
    return std::sqrt(fastest);
}

// Of a contact that rests: a solver misses a share of what it has to hold in each step, more at the foot of a stack than
// at its top.
float missed_speed(const WorldData& world, const MergeDef& def, const Edge& edge)
{
    float impulse = 0;
    for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
        impulse += world.graph.manifolds[m].total_impulse;
    const float inv_mass = std::max(world.movers.velocities[size_t(edge.mover_a)].inv_mass,
                                    world.movers.velocities[size_t(edge.mover_b)].inv_mass);
    return def.rest * impulse * inv_mass;
}

// Whose own size counts: how far its points get when it becomes one with the other. Not that of a carrier, nor of somebody
// much heavier: it is what others rest on, and goes on as it did. Seen from a cube that turns by a thousandth of a radian
// in a second, the far end of a ship moves by ten centimetres.
bool is_measured(const Movers& movers, int32_t mover, int32_t other)
{
    constexpr float much = 4;
    return movers[mover].is_dynamic() &&
           much * movers.velocities[size_t(mover)].inv_mass > movers.velocities[size_t(other)].inv_mass;
}

// Relative motion at the corners of the two movers' boxes (equations 15 to 17).
float fastest_corner(const WorldData& world, const Edge& edge, const Relative& r)
{
    const Mover& a = world.movers[edge.mover_a];
    const Mover& b = world.movers[edge.mover_b];
    // In world axes from A's origin.
    const Vec3 to_b = relative(b.pose.position, a.pose.position);
    float fastest = 0;
    if (is_measured(world.movers, edge.mover_a, edge.mover_b))
        fastest = corner_speed(r, a.bounds, {{}, a.pose.rotation});
    if (is_measured(world.movers, edge.mover_b, edge.mover_a))
        fastest = std::max(fastest, corner_speed(r, b.bounds, {to_b, b.pose.rotation}));
    return fastest;
}

// Between these are the speeds of all points of a box: that of its middle, and what its turning adds at most.
struct SpeedBounds
{
    float least = 0, most = 0;
};
SpeedBounds bound_speed(const Relative& r, const Aabb& box, const Transform& frame)
{
    const float middle = length(r.linear + cross(r.angular, apply(frame, center(box))));
    const float around = length(r.angular) * length(half_extents(box));
    return {middle - around, middle + around};
}

} // namespace

// First by bounds that cost little: only who is close to the limit has its corners looked at.
bool is_slow(const WorldData& world, float limit, const Edge& edge, const Relative& r)
{
    const Mover &a = world.movers[edge.mover_a], &b = world.movers[edge.mover_b];
    bool is_sure = true;
    for (const bool is_b : {false, true})
    {
        if (!is_measured(world.movers, is_b ? edge.mover_b : edge.mover_a, is_b ? edge.mover_a : edge.mover_b))
            continue;
        const Mover& mover = is_b ? b : a;
        const Vec3 at = is_b ? relative(b.pose.position, a.pose.position) : Vec3{};
        const SpeedBounds speed = bound_speed(r, mover.bounds, {at, mover.pose.rotation});
        if (speed.least > limit)
            return false;
        is_sure &= speed.most <= limit;
    }
    return is_sure || fastest_corner(world, edge, r) <= limit;
}

namespace
{

// In a step it has gained less speed than the probe would call rest.
bool is_still(const WorldData& world, const MergeDef& def, const Edge& edge, const Relative& r)
{
    return is_slow(world, def.rest * length(world.settings.gravity) * world.step_dt, edge, r);
}

// The poster's third rule: who moves faster against the other than one step ago is on its way. What is far below the limit
// is the solver's noise.
bool speeds_up(WorldData& world, float limit, const Relative& r, int32_t index)
{
    constexpr float noise = 0.01f; // of the limit
    float& speed = world.graph.links[size_t(index)].speed;
    const float before = speed;
    speed = fastest_corner(world, world.graph.edges[index], r);
    return speed > before + noise * limit;
}

bool is_steady(const WorldData& world, const MergeDef& def, const Edge& edge, const Relative& r, float missed)
{
    const float breathe_speed = std::max(def.breathe_speed, missed);
    const Quat to_world = world.movers[edge.mover_a].pose.rotation;
    float pressed = 0;
    for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
    {
        const Manifold& manifold = world.graph.manifolds[m];
        const Vec3 normal = rotate(to_world, manifold.normal);
        pressed += manifold.total_impulse;
        if (manifold.friction < 0)
            pressed = infinity;
        for (int i = 0; i < manifold.count; ++i)
        {
            const Vec3 v = r.linear + cross(r.angular, rotate(to_world, manifold.points[i].position));
            const float along = dot(v, normal);
            if (def.checks_breathing && std::fabs(along) > breathe_speed)
                return false;
            if (def.checks_slip && length_squared(v - normal * along) > def.slip_speed * def.slip_speed)
                return false;
        }
    }
    return pressed > 0;
}

// Since the probe has parted the two: what only comes to rest anew does not count.
bool has_left(const WorldData& world, const MergeDef& def, const Edge& edge, const Relative& r, float missed)
{
    constexpr float clearly = 4; // times as fast as what merges
    MergeDef wide = def;
    wide.speed *= clearly, wide.slip_speed *= clearly, wide.breathe_speed *= clearly;
    return !is_slow(world, clearly * std::max(def.speed, missed), edge, r) ||
           !is_steady(world, wide, edge, r, clearly * missed);
}

// Collections grow from carriers and from heavy bodies, on which things ride. Two equals that join somewhere in a pile
// would only have to part again when it settles.
bool may_grow(const WorldData& world, const Edge& edge)
{
    return (edge.flags & (edge_has_carrier | edge_is_uneven)) || world.movers[edge.mover_a].has_members() ||
           world.movers[edge.mover_b].has_members();
}

// One more calm step, or none at all. True when there have been enough of them.
bool watch(WorldData& world, int32_t index)
{
    Edge& edge = world.graph.edges[index];
    if (edge.manifold == none || edge.has(edge_is_trigger))
        return false;
    // Along most edges nothing can grow before a neighbour has merged: a look in every fourth step keeps their count.
    const bool is_early = !(edge.flags & (edge_has_carrier | edge_has_members | edge_is_uneven));
    if (is_early && (uint64_t(edge.body_a) + world.step_count) % early_stride != 0)
        return false;
    MergeDef own;
    const MergeDef& def = merge_def_of(world, edge, own);
    const Relative r = relative_motion(world, edge);
    const float missed = missed_speed(world, def, edge), limit = std::max(def.speed, missed);
    const bool is_on_its_way = def.checks_trend && speeds_up(world, limit, r, index);
    const bool is_calm = !is_on_its_way && (!def.checks_motion || is_slow(world, limit, edge, r)) &&
                         is_steady(world, def, edge, r, missed);
    // Those since the last look count too, if that one was calm.
    constexpr int still_counts =
        4; // times as much, once the usual time is over: what slides or tips would be seen by now
    const bool counts_more = is_calm && int(edge.steps) >= def.steps && is_still(world, def, edge, r);
    const int more = (is_early && edge.steps > 0 ? early_stride : 1) * (counts_more ? still_counts : 1);
    edge.steps = is_calm ? uint8_t(std::min(edge.steps + more, 255)) : uint8_t(0);
    if (edge.is_cut && !is_calm && !edge.has_moved)
        edge.has_moved = has_left(world, def, edge, r, missed);
    return int(edge.steps) >= steps_needed(def, edge) && can_join(world, edge);
}

// Who comes to a large free collection has it measured anew, so they come together: every few steps, the seldomer the larger
// it is.
bool waits_for_others(const WorldData& world, const Edge& edge)
{
    constexpr uint64_t members_a_step = 64, longest = 8;
    for (int32_t mover : {edge.mover_a, edge.mover_b})
    {
        const Mover& m = world.movers[mover];
        if (!m.is_dynamic() || !m.has_members())
            continue;
        const int32_t c = world.movers.members[m.members].collections[0];
        const uint64_t stride = std::min(world.collections.pool[c].members.size() / members_a_step, longest);
        if (stride > 1 && world.step_count % stride != 0)
            return true;
    }
    return false;
}

bool join_if_possible(WorldData& world, int32_t index)
{
    const Edge& edge = world.graph.edges[index];
    if (edge.has(edge_is_merged) || edge.mover_a == edge.mover_b || !may_grow(world, edge) || !can_join(world, edge) ||
        !joints_allow(world, edge))
        return false;
    join_edge(world, index);
    return true;
}

} // namespace

void merge(WorldData& world, Step& s)
{
    if (!world.settings.merging)
        return;
    const int count = world.graph.awake.size();
    world.merge_marks.reset(count);
    world.tasks->parallel_for(count, edge_grain, [&](int begin, int end, int) {
        for (int i = begin; i < end; ++i)
            if (watch(world, world.graph.awake[i]))
                world.merge_marks.set(i);
    });
    world.merge_edges.clear();
    world.merge_marks.for_each_set([&](int i) {
        if (const int32_t e = world.graph.awake[i]; !waits_for_others(world, world.graph.edges[e]))
            world.merge_edges.push_back(e);
    });
    watch_joints(world);
    keep_founded(world, world.merge_edges, world.merge_joints);
    // Collections grow outwards: once more until nobody can.
    for (bool has_joined = true; has_joined;)
    {
        has_joined = false;
        const auto note = [&](bool joined) {
            s.report.merges += joined;
            has_joined |= joined;
            return joined;
        };
        std::erase_if(world.merge_joints, [&](int32_t j) { return note(join_if_possible(world, world.joints[j])); });
        std::erase_if(world.merge_edges, [&](int32_t e) { return note(join_if_possible(world, e)); });
    }
    finish_joins(world);
}

} // namespace moraine
