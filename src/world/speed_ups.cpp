#include "world/speed_ups.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr float viscous_damping = 0.5f; // 1/s
constexpr int few_iterations = 15;      // the paper's limit

// visit(manifold index) for all in the solve.
template <class Visit>
void for_each_solved(WorldData& world, Visit&& visit)
{
    for (const std::vector<int32_t>& colour : world.colouring.contacts)
        for (int32_t m : colour)
            visit(m);
}

void forget_forces(WorldData& world)
{
    for_each_solved(world, [&](int32_t m) {
        Manifold& manifold = world.graph.manifolds[m];
        for (ContactPoint& point : manifold.points)
            point.impulse = 0;
        manifold.friction_impulse = {};
        manifold.twist_impulse = 0;
        if (size_t(m) < world.graph.point_friction.size())
            world.graph.point_friction[size_t(m)] = {};
    });
}

// Bodies about to sleep are sticky.
void zero_restitution(WorldData& world)
{
    for_each_solved(world, [&](int32_t m) {
        Manifold& manifold = world.graph.manifolds[m];
        const Edge& edge = world.graph.edges[manifold.edge];
        set_material(world.bodies, edge, manifold);
        if (is_sleepy(world.movers[edge.mover_a], world.settings) ||
            is_sleepy(world.movers[edge.mover_b], world.settings))
            manifold.restitution = 0;
    });
}

void damp(WorldData& world, float dt)
{
    const float share = 1 / (1 + viscous_damping * dt);
    for (int32_t m : world.movers.awake)
    {
        if (!world.movers[m].is_dynamic())
            continue;
        MoverVelocity& velocity = world.movers.velocities[size_t(m)];
        velocity.linear *= share;
        velocity.spin *= share;
    }
}

} // namespace

void apply_speed_ups(WorldData& world, float dt)
{
    const WorldDef& settings = world.settings;
    if (!settings.caching)
        forget_forces(world);
    if (settings.zeroing)
        zero_restitution(world);
    if (settings.damping)
        damp(world, dt);
}

WorldDef solver_settings(const WorldDef& settings)
{
    WorldDef out = settings;
    if (settings.tweaking)
        out.iterations = std::min(out.iterations, few_iterations);
    return out;
}

void fix_mover(WorldData& world, int32_t mover)
{
    MoverMass mass = world.movers.masses[size_t(mover)];
    mass.inv_mass = 0;
    mass.factor = {};
    world.movers.masses.set(size_t(mover), mass);
    world.movers.velocities[size_t(mover)].inv_mass = 0;
}

} // namespace moraine
