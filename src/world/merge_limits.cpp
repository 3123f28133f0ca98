#include "world/merge_limits.h"

#include "world/collections.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

BodyMergeDef own_def(const Bodies& bodies, int32_t body)
{
    return bodies[body].wants(Body::has_merge_def) ? bodies.merge_defs.at(body) : BodyMergeDef{};
}

template <class T>
T smaller(T world, T a, T b)
{
    if (a < 0 && b < 0)
        return world;
    return a < 0 ? b : b < 0 ? a : std::min(a, b);
}

template <class T>
T larger(T world, T a, T b)
{
    return std::max(a, b) < 0 ? world : std::max(a, b);
}

bool is_carrier(const WorldData& world, int32_t body) { return world.bodies[body].type != BodyType::dynamic_; }

int point_count(const ContactGraph& graph, const Edge& edge)
{
    int count = 0;
    for (int32_t m = edge.manifold; m != none; m = graph.manifolds[m].next)
        count += graph.manifolds[m].friction < 0 ? 3 : int(graph.manifolds[m].count); // a magnet holds by itself
    return count;
}

bool are_bound(const WorldData& world, int32_t a, int32_t b, EdgeFlag bond)
{
    if (is_carrier(world, a) && is_carrier(world, b))
        return true;
    const int32_t edge = find_edge(world.graph, a, b);
    return edge != none && world.graph.edges[edge].has(bond) && !world.graph.edges[edge].has(edge_is_trigger);
}

// visit(body) for those that are bound to both.
template <class Visit>
void for_each_common(const WorldData& world, int32_t a, int32_t b, EdgeFlag bond, Visit&& visit)
{
    for_each_edge(a, world.bodies, world.graph, [&](int32_t e) {
        const int32_t other = other_body(world.graph.edges[e], a);
        if (other != b && are_bound(world, a, other, bond) && are_bound(world, b, other, bond))
            visit(other);
    });
}

} // namespace

std::string merge_def_problem(const BodyMergeDef& def)
{
    const bool are_finite = std::isfinite(def.speed) && std::isfinite(def.slip_speed) &&
                            std::isfinite(def.breathe_speed) && std::isfinite(def.rest) &&
                            std::isfinite(def.unmerge_speed);
    if (!are_finite || def.rest == 0 || def.steps == 0 || def.unmerge_steps == 0)
        return "limits for merging must be finite, and rest and steps not zero: leave out what is to be as the world "
               "has it";
    return "";
}

void set_merge_def(Bodies& bodies, int32_t body, const BodyMergeDef& def)
{
    const bool has_any = def != BodyMergeDef{};
    if (has_any)
        bodies.merge_defs[body] = def;
    else
        bodies.merge_defs.erase(body);
    uint16_t& bits = bodies[body].events;
    bits = uint16_t(has_any ? bits | Body::has_merge_def : bits & ~Body::has_merge_def);
}

const MergeDef& merge_def_of(const WorldData& world, const Edge& edge, MergeDef& own)
{
    const MergeDef& all = world.settings.merge;
    if (world.bodies.merge_defs.empty())
        return all;
    const BodyMergeDef a = own_def(world.bodies, edge.body_a), b = own_def(world.bodies, edge.body_b);
    own = all;
    own.speed = smaller(all.speed, a.speed, b.speed);
    own.slip_speed = smaller(all.slip_speed, a.slip_speed, b.slip_speed);
    own.breathe_speed = smaller(all.breathe_speed, a.breathe_speed, b.breathe_speed);
    own.steps = larger(all.steps, a.steps, b.steps);
    own.rest = smaller(all.rest, a.rest, b.rest);
    own.unmerge_speed = smaller(all.unmerge_speed, a.unmerge_speed, b.unmerge_speed);
    own.unmerge_steps = smaller(all.unmerge_steps, a.unmerge_steps, b.unmerge_steps);
    return own;
}

void note_cut(Edge& edge, uint32_t steps_merged)
{
    constexpr uint32_t long_enough = 60; // not to be blamed for a merge that came too soon
    if (steps_merged >= long_enough)
        edge.partings = 0;
    edge.is_cut = true;
    edge.has_moved = false;
}

void note_merged(Edge& edge)
{
    constexpr int most_partings = 4, most_alarms = 6;
    if (edge.is_cut && edge.has_moved)
    {
        edge.partings = uint8_t(std::min(edge.partings + 1, most_partings)) & 7;
        edge.alarms = uint8_t(edge.alarms / 2) & 7;
    }
    else if (edge.is_cut)
        edge.alarms = uint8_t(std::min(edge.alarms + 1, most_alarms)) & 7;
    edge.is_cut = false;
}

int steps_needed(const MergeDef& def, const Edge& edge)
{
    constexpr int proof = 2; // times as long: what begins to slide or to tip has been seen to move by then
    const int steps = std::min(def.steps, 250) << edge.partings;
    return std::min(edge.is_cut && !edge.has_moved ? proof * steps : steps, 250);
}

static float own_ease(const WorldData& world, int32_t body)
{
    const float rest = own_def(world.bodies, body).rest, all = world.settings.merge.rest;
    return rest > 0 && all > 0 ? rest / all : 1;
}

float ease_along(const WorldData& world, int32_t body, const Edge& edge)
{
    return own_ease(world, body) * float(1 << edge.alarms);
}

float ease_of(const WorldData& world, int32_t body)
{
    int alarms = 0;
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (edge.has(edge_is_merged))
            alarms = std::max(alarms, int(edge.alarms));
    });
    return own_ease(world, body) * float(1 << alarms);
}

constexpr uint8_t steps_of_judgement = 120; // after a change of load

// So much noise at most, as a multiple of what is rest: a fifth of gravity, what the paper lets a contact slide by in a
// step, after the load has changed; three quarters while it stays the same, less than what has lost its hold feels.
static float most_noise(const WorldData& world, const Collection& c)
{
    constexpr float while_judged = 40, usually = 150;
    return (c.judged > 0 ? while_judged : usually) * probe_limits(world).rest;
}

// Where bodies are wedged in, forces are many times their weight and wander by as much. Not while a load that has changed
// is judged: but what stands on the ground has always the same.
static float wandering_share(const WorldData& world, const Collection& c)
{
    constexpr float share = 0.05f;
    const bool has_same_load = c.judged == 0 || world.movers[c.mover].type == BodyType::static_;
    return c.noise > 0 && has_same_load ? share : 0.0f;
}

void take_noise(const WorldData& world, const Collection& c, MergedBody& m)
{
    m.noise = std::min(c.noise * m.inv_mass, most_noise(world, c));
    m.noise_share = wandering_share(world, c);
}

static void set_noise(WorldData& world, int32_t index, float force)
{
    Collections& c = world.collections;
    c.pool[index].noise = force;
    for (int32_t body : c.pool[index].members)
        take_noise(world, c.pool[index], c.bodies[c.merged(body)]);
}

void add_noise(WorldData& world, int32_t index, float force)
{
    constexpr float share = 0.3f, room = 1.5f; // so that not every newton more counts
    Collection& c = world.collections.pool[index];
    if (share * force <= c.noise)
        return;
    if (c.noise == 0)
    {
        world.collections.noisy.push_back(index);
        c.judged = steps_of_judgement;
    }
    set_noise(world, index, room * share * force);
}

void end_noise(WorldData& world, int32_t index) { set_noise(world, index, 0); }

void judge_noise(WorldData& world, int32_t index, bool has_new_load)
{
    Collection& c = world.collections.pool[index];
    const bool was_judged = c.judged > 0;
    if (has_new_load)
        c.judged = steps_of_judgement;
    else if (was_judged)
        --c.judged;
    if (was_judged != (c.judged > 0))
        set_noise(world, index, c.noise);
}

float unmerge_speed_of(const WorldData& world, int32_t body)
{
    const float own = own_def(world.bodies, body).unmerge_speed;
    return own >= 0 ? own : world.settings.merge.unmerge_speed;
}

bool is_stable(const WorldData& world, const Edge& edge, EdgeFlag bond)
{
    // Carriers have no edges with each other: the search starts from the body that moves.
    const bool swaps = is_carrier(world, edge.body_a);
    const int32_t a = swaps ? edge.body_b : edge.body_a, b = swaps ? edge.body_a : edge.body_b;
    const bool is_planar = (world.bodies[a].flags | world.bodies[b].flags) & body_is_planar;
    if (point_count(world.graph, edge) >= (is_planar ? 2 : 3))
        return true;
    bool is_found = false;
    for_each_common(world, a, b, bond, [&](int32_t c) {
        is_found |= is_planar;
        if (!is_found)
            for_each_common(world, a, b, bond, [&](int32_t d) { is_found |= d > c && are_bound(world, c, d, bond); });
    });
    return is_found;
}

} // namespace moraine
