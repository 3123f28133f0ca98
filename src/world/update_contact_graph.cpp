#include "graph/members.h"
#include "world/activity.h"
#include "world/collections.h"
#include "world/events.h"
#include "world/step.h"

#include <algorithm>
#include <utility>

namespace moraine
{

namespace
{

constexpr float heavy = 4; // times as heavy

bool is_simple(const Bodies& bodies, const Body& a, const Body& b)
{
    if (a.shape_count != 1 || b.shape_count != 1)
        return false;
    const ShapeKind ka = bodies.shapes[a.shape_first].kind, kb = bodies.shapes[b.shape_first].kind;
    return ka <= ShapeKind::half_space && kb <= ShapeKind::half_space;
}

bool are_jointed_apart(const WorldData& world, int32_t a, int32_t b)
{
    bool found = false;
    for_each_joint(a, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        found |= !joint.collides && (joint.body_a == b || joint.body_b == b);
    });
    return found;
}

// Does the pair only notice each other?
bool is_sensor(const WorldData& world, int32_t a, int32_t b)
{
    return ((world.bodies[a].flags | world.bodies[b].flags) & body_is_trigger) || world.settings.proximity_only ||
           is_ruled(world.bodies, world.graph.rules, a, b, RuleKind::observe);
}

void set_touching(WorldData& world, int32_t index, bool is_touching)
{
    Edge& edge = world.graph.edges[index];
    if (edge.has(edge_is_touching) == is_touching)
        return;
    edge.set(edge_is_touching, is_touching);
    note_touch(world, edge, is_touching);
    if (edge.has(edge_is_trigger))
        return;
    // Who is touched by something awake wakes, and who loses a support too.
    for (int32_t body : {edge.body_a, edge.body_b})
    {
        if (mover_of(world, body).is_dynamic() && !mover_of(world, body).is_awake())
            world.wake_requests.push_back(world.bodies[body].mover);
        disturb_body(world, body);
    }
}

// Of the contact point that comes in fastest, before the solve.
float approach_speed(const WorldData& world, const Edge& edge)
{
    const Movers& movers = world.movers;
    const size_t index_a = size_t(world.bodies[edge.body_a].mover), index_b = size_t(world.bodies[edge.body_b].mover);
    const Mover& a = movers[int32_t(index_a)];
    const Mover& b = movers[int32_t(index_b)];
    const Vec3 turn_a = angular_velocity(a, movers.masses[index_a], movers.velocities[index_a]);
    const Vec3 turn_b = angular_velocity(b, movers.masses[index_b], movers.velocities[index_b]);
    const Vec3 between = relative(a.pose.position, b.pose.position);
    float speed = 0;
    for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
    {
        const Manifold& manifold = world.graph.manifolds[m];
        const Vec3 normal = rotate(a.pose.rotation, manifold.normal);
        for (int i = 0; i < manifold.count; ++i)
        {
            const Vec3 arm = rotate(a.pose.rotation, manifold.points[i].position);
            const Vec3 v = movers.velocities[index_b].linear + cross(turn_b, arm + between) -
                           movers.velocities[index_a].linear - cross(turn_a, arm);
            speed = std::max(speed, -dot(v, normal));
        }
    }
    return speed;
}

// Without an event: the edge goes on touching until the narrow phase says otherwise.
void drop_manifolds(WorldData& world, int32_t index)
{
    const Edge& edge = world.graph.edges[index];
    Mover& a = mover_of(world, edge.body_a);
    Mover& b = mover_of(world, edge.body_b);
    resize_manifolds(
        index, ManifoldList{}, world.graph, [&](int32_t m) { remove_contact(m, world.graph, a, b, world.colouring); },
        [](int32_t) {});
}

void resize(WorldData& world, int32_t index)
{
    const bool was_touching = world.graph.edges[index].has(edge_is_touching);
    ManifoldList found;
    find_manifolds(world.bodies, world.movers, collide_options(world.settings), index, world.graph, found);
    const Edge& edge = world.graph.edges[index];
    if (found.size() == 0 && edge.manifold == none)
    {
        remove_edge(world, index); // of members that are out of reach
        return;
    }
    Mover& a = mover_of(world, edge.body_a);
    Mover& b = mover_of(world, edge.body_b);
    resize_manifolds(
        index, found, world.graph, [&](int32_t m) { remove_contact(m, world.graph, a, b, world.colouring); },
        [&](int32_t m) { set_material(world.bodies, world.graph.edges[index], world.graph.manifolds[m]); });
    set_touching(world, index, found.size() > 0);
    refresh_edge(world, index);
    if (was_touching || found.size() == 0)
        return;
    const float speed = approach_speed(world, edge);
    if (speed > world.settings.hit_speed)
        world.pending_hits.push_back({edge.body_a, edge.body_b, speed});
}

// Who sleeps and loses a touch has lost a support.
void wake_if_supported(WorldData& world, const Edge& edge)
{
    if (!edge.has(edge_is_touching) || edge.has(edge_is_trigger))
        return;
    for (int32_t body : {edge.body_a, edge.body_b})
        if (mover_of(world, body).is_dynamic() && !mover_of(world, body).is_awake())
            world.wake_requests.push_back(world.bodies[body].mover);
}

// A change of rules or of the world's mode: what was pushed is only noticed, or the other way round.
void update_sensor(WorldData& world, int32_t index)
{
    Edge& edge = world.graph.edges[index];
    const bool wants = is_sensor(world, edge.body_a, edge.body_b);
    if (edge.has(edge_is_trigger) == wants)
        return;
    drop_manifolds(world, index);
    edge.set(edge_is_trigger, wants);
}

} // namespace

int32_t add_edge(WorldData& world, BodyPair pair)
{
    if (pair.a == none)
        return none;
    const Body& a = world.bodies[pair.a];
    const Body& b = world.bodies[pair.b];
    const int32_t fewer = a.joint_first == none ? pair.a : pair.b;
    if (world.bodies[fewer].joint_first != none && are_jointed_apart(world, pair.a, pair.b))
        return none;
    const int32_t index = create_edge(pair.a, pair.b, world.bodies, world.graph);
    Edge& edge = world.graph.edges[index];
    edge.set(edge_is_trigger, is_sensor(world, pair.a, pair.b));
    edge.set(edge_is_simple, is_simple(world.bodies, a, b));
    edge.set(edge_has_carrier, a.type != BodyType::dynamic_ || b.type != BodyType::dynamic_);
    const float mass_a = world.bodies.infos[size_t(pair.a)].mass, mass_b = world.bodies.infos[size_t(pair.b)].mass;
    edge.set(edge_is_uneven, mass_a > heavy * mass_b || mass_b > heavy * mass_a);
    mark_fresh(index, world.graph);
    note_proximity(world, edge, true);
    return index;
}

// Edges come and go with the overlap of their movers' fat boxes; only movers whose box has changed are looked at.
void update_contact_graph(WorldData& world)
{
    for (int32_t m : world.pair_search.searched)
    {
        // Pairs of members go when the narrow phase finds them out of reach.
        if (world.movers[m].has_members())
            continue;
        const int32_t body = world.movers[m].body;
        for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
            const Edge& edge = world.graph.edges[e];
            const Movers& movers = world.movers;
            if (edge.has(edge_has_members))
                return;
            const bool is_over = !overlaps(movers.fat(movers[edge.mover_a]), movers.fat(movers[edge.mover_b])) ||
                                 (edge.manifold == none && are_far_apart(movers, edge.mover_a, edge.mover_b));
            if (!is_over)
                return;
            wake_if_supported(world, edge);
            remove_edge(world, e);
        });
    }
    for_each_new_pair(world.pair_search, [&](BodyPair pair) { add_edge(world, pair); });
    // New edges, and those of bodies that were moved by hand, are looked at once even if both ends sleep.
    for (int32_t e : world.graph.fresh)
    {
        if (world.graph.edges[e].body_a == none)
            continue;
        update_sensor(world, e);
        refresh_edge(world, e);
        if (world.graph.edges[e].awake_slot < 0)
            world.graph.awake.add(e, world.graph.edges[e].awake_slot);
    }
    if (world.pair_search.has_overflowed)
        world.last_error = "too many pairs of bodies overlap (more than a million and a hundred for each body): move "
                           "the bodies apart, or give them filters so that they do not collide; each body found only "
                           "some of its new neighbours in this step";
}

// What the narrow phase found changed: numbers of manifolds, and with them touches.
void update_touching(WorldData& world)
{
    for (int32_t e : world.collide_report.changed)
    {
        const Edge& edge = world.graph.edges[e];
        if (edge.has(edge_is_trigger))
            set_touching(world, e, !edge.has(edge_is_touching));
        else
            resize(world, e);
    }
    for (int32_t e : world.graph.fresh)
        if (world.graph.edges[e].body_a != none)
            refresh_edge(world, e);
    world.graph.fresh.clear();
}

void wake(WorldData& world)
{
    for (size_t i = 0; i < world.wake_requests.size(); ++i)
        wake_mover(world, world.wake_requests[i]);
    world.wake_requests.clear();
}

} // namespace moraine
