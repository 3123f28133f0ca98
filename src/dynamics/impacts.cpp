#include "dynamics/impacts.h"

#include "dynamics/contact_row.h"

#include <algorithm>

namespace moraine
{

namespace
{

// A contact that carries a load already is hit when it carries half as much again: solvers let loads wander by less.
constexpr float growth = 0.5f;
// Who comes in no faster than by a tenth of what gravity gives in a step was lying there.
constexpr float resting_speed = 0.1f;

// Of the lighter of the two: what rests on the other.
float resting_mass(const Movers& movers, const Edge& edge)
{
    const float a = movers.velocities[size_t(edge.mover_a)].inv_mass;
    const float b = movers.velocities[size_t(edge.mover_b)].inv_mass;
    const float largest = std::max(a, b);
    return largest > 0 ? 1 / largest : 0;
}

} // namespace

ImpactNotes::ImpactNotes(ImpactWatch* watch, const Movers& movers, Arena& arena) : watch_(watch)
{
    if (!watch)
        return;
    watch->found.clear();
    velocities_ = arena.allocate<IncomingVelocity>(size_t(movers.awake.size()));
    for (int32_t slot = 0; slot < movers.awake.size(); ++slot)
    {
        const MoverVelocity& v = movers.velocities[size_t(movers.awake[slot])];
        velocities_[size_t(slot)] = {v.linear, v.spin};
    }
}

void ImpactNotes::make_room(size_t batch_count, Arena& arena)
{
    if (watch_)
        rises_ = arena.allocate<Rise>(batch_count * lane_count);
}

void ImpactNotes::before(size_t i, std::span<const int32_t> manifolds, const ContactGraph& graph)
{
    if (!watch_)
        return;
    for (size_t lane = 0; lane < lane_count; ++lane)
    {
        const int32_t m = lane < manifolds.size() ? manifolds[lane] : -1;
        rises_[i * lane_count + lane] = {m, m < 0 ? -1 : graph.manifolds[m].total_impulse};
    }
}

void ImpactNotes::after(size_t i, std::span<const int32_t> manifolds, const ContactGraph& graph)
{
    if (!watch_)
        return;
    for (size_t lane = 0; lane < manifolds.size(); ++lane)
    {
        Rise& rise = rises_[i * lane_count + lane];
        const float now = manifolds[lane] < 0 ? -1 : graph.manifolds[manifolds[lane]].total_impulse;
        if (now - rise.old_impulse <= std::max(watch_->threshold, growth * rise.old_impulse))
            rise.old_impulse = -1;
    }
}

// Who is not awake has the velocity that it has.
IncomingVelocity ImpactNotes::before(const Movers& movers, int32_t mover) const
{
    const int32_t slot = movers[mover].awake_slot;
    const MoverVelocity& v = movers.velocities[size_t(mover)];
    return slot < 0 ? IncomingVelocity{v.linear, v.spin} : velocities_[size_t(slot)];
}

// Of the manifold's middle, along the normal; negative: they come together.
float ImpactNotes::approach_speed(const Manifold& manifold, const Edge& edge, const Movers& movers, bool is_after) const
{
    Vec3 middle{};
    for (int i = 0; i < manifold.count; ++i)
        middle += manifold.points[i].position * (1 / float(manifold.count));
    const Vec3 normal = rotate(movers[edge.mover_a].pose.rotation, manifold.normal);
    const ContactRow row = make_contact_row(movers, edge.mover_a, edge.mover_b, middle, normal);
    float speed = 0;
    for (int side = 0; side < 2; ++side)
    {
        const int32_t mover = side ? edge.mover_b : edge.mover_a;
        const MoverVelocity& v = movers.velocities[size_t(mover)];
        const IncomingVelocity used = is_after ? IncomingVelocity{v.linear, v.spin} : this->before(movers, mover);
        const float along = dot(normal, used.linear) + dot(row.j[side], used.spin);
        speed += side ? along : -along;
    }
    return speed;
}

void ImpactNotes::list(const ContactGraph& graph, const Movers& movers, float gravity_impulse)
{
    if (!watch_)
        return;
    for (const Rise& rise : rises_)
    {
        if (rise.old_impulse < 0)
            continue;
        const Manifold& manifold = graph.manifolds[rise.manifold];
        const Edge& edge = graph.edges[manifold.edge];
        const float carried = std::max(rise.old_impulse, resting_mass(movers, edge) * gravity_impulse);
        const float impulse = manifold.total_impulse - carried;
        if (impulse <= watch_->threshold || manifold.count == 0)
            continue;
        const float before = approach_speed(manifold, edge, movers, false);
        if (-before <= resting_speed * gravity_impulse)
            continue;
        const float after = approach_speed(manifold, edge, movers, true);
        const float energy = std::max(0.0f, -impulse * 0.5f * (before + after));
        watch_->found.push_back({rise.manifold, impulse, energy, -before, after - before,
                                 this->before(movers, edge.mover_a), this->before(movers, edge.mover_b)});
    }
}

} // namespace moraine
