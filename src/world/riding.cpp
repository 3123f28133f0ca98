#include "world/riding.h"

#include "respond/ride.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

std::span<const Vec3> shapes_of(const Shaking& s, const SurfacePoint& at, Arena& arena)
{
    std::span<Vec3> shapes = arena.allocate<Vec3>(s.model.mode_count());
    shapes_at(s.model, at, shapes);
    return shapes;
}

// What hit moves as the rigid body that it is, if it is free to: shares of an impulse among points are any of many.
ContactRow row_of_hitter(const WorldData& world, const Shaking& s, const Impact& impact, Vec3 normal)
{
    const int32_t here = world.bodies[s.source.body].mover, other = world.bodies[impact.other].mover;
    if (!(impact.mass > 0) || here == other || !world.movers[other].is_dynamic() || world.movers[other].awake_slot < 0)
        return ContactRow{};
    const Vec3 point = apply_inverse(world.movers[here].pose, apply(s.frame, impact.point));
    ContactRow row = make_contact_row(world.movers, here, other, point, normal);
    row.is_pushed[0] = false; // it is where the solve has left it
    return row;
}

Hitter make_hitter(const WorldData& world, const Shaking& s, size_t i, Arena& arena)
{
    const Impact& impact = s.impacts[i];
    const Vec3 normal = rotate(s.frame.rotation, impact.normal);
    return {.shapes = shapes_of(s, s.hits[i], arena),
            .normal = impact.normal,
            .row = row_of_hitter(world, s, impact, normal),
            .linear = impact.incoming.linear,
            .spin = impact.incoming.spin,
            .impulse = length(impact.impulse),
            .mass = impact.mass,
            .speed = impact.speed,
            .weight = -dot(normal, world.settings.gravity)};
}

// Where a contact point of the other body rides.
struct Seat
{
    Vec3 position{}; // in the frame of the body that was hit
    SurfacePoint at{};
    float gap = 0, load = 0;
};

// Who is merged into what does not move, or sleeps, rides as a point with its share of the body's mass.
Rider make_rider(const WorldData& world, const Shaking& s, const ShakenPoint& point, const Seat& seat, Arena& arena)
{
    const Manifold& m = world.graph.manifolds[point.manifold];
    const Edge& edge = world.graph.edges[m.edge];
    const int32_t other = other_body(edge, s.source.body);
    Rider rider{.group = point.manifold,
                .mass = world.bodies.infos[size_t(other)].mass / float(m.count),
                .shapes = shapes_of(s, seat.at, arena),
                .normal = point.normal,
                .gap = seat.gap,
                .load = seat.load};
    const Vec3 in_a = apply_inverse(world.movers[edge.mover_a].pose, apply(s.frame, seat.position));
    rider.row = make_contact_row(world.movers, edge.mover_a, edge.mover_b, in_a,
                                 rotate(s.frame.rotation, point.normal) * point.sign);
    if (edge.has(edge_is_merged) || world.movers[world.bodies[other].mover].awake_slot < 0)
        rider.row.mass = 0;
    return rider;
}

Seat seat_of(const WorldData& world, const Shaking& s, const ShakenPoint& point)
{
    const Manifold& m = world.graph.manifolds[point.manifold];
    float sum = 0;
    for (int i = 0; i < m.count; ++i)
        sum += std::max(m.points[i].impulse, 0.0f);
    const float share = sum > 0 ? std::max(m.points[point.point].impulse, 0.0f) / sum : 1 / float(m.count);
    return {.position = point.position,
            .at = point.at,
            .gap = std::max(m.points[point.point].separation, 0.0f),
            .load = std::max(m.total_impulse, 0.0f) * share / s.dt};
}

// ---- feet ----
// A manifold has four points at most, but a foot touches all along its outline. Where only four points carry a plate of
// the size of a wave, it sinks into the wave. So between neighbours there is one more: in the middle of a straight side, and
// on the rim of a round foot.

struct Foot
{
    Vec3 center{};
    float radius = 0; // 0: it is not round
};

// In the frame of the body that was hit.
Foot foot_of(const WorldData& world, const Shaking& s, std::span<const ShakenPoint> corners)
{
    constexpr float upright = 0.999f, on_rim = 0.05f;
    const Manifold& m = world.graph.manifolds[corners[0].manifold];
    const Edge& edge = world.graph.edges[m.edge];
    const int32_t other = other_body(edge, s.source.body);
    const Body& body = world.bodies[other];
    const Shape& shape = world.bodies.shapes_of(body)[other == edge.body_a ? m.shape_a : m.shape_b];
    Foot foot;
    for (const ShakenPoint& p : corners)
        foot.center += p.position * (1 / float(corners.size()));
    if (shape.kind != ShapeKind::cylinder)
        return foot;
    const Pose pose = world.movers[body.mover].pose * body.pose_in_mover * shape.pose;
    const Vec3 normal = corners[0].normal;
    const Vec3 axis = inverse_rotate(s.frame.rotation, rotate(pose.rotation, Vec3{0, 1, 0}));
    const Vec3 middle = apply_inverse(s.frame, pose.position);
    const Vec3 center = middle - normal * dot(middle - foot.center, normal);
    const bool is_round = std::fabs(dot(axis, normal)) > upright && std::ranges::all_of(corners, [&](const auto& p) {
                              return std::fabs(length(p.position - center) - shape.radius) < on_rim * shape.radius;
                          });
    return is_round ? Foot{center, shape.radius} : foot;
}

// The next corner counterclockwise.
const ShakenPoint& neighbour_of(const ShakenPoint& corner, std::span<const ShakenPoint> corners, Vec3 center)
{
    const Vec3 from = normalize(corner.position - center);
    const ShakenPoint* best = &corner;
    float nearest = -2;
    for (const ShakenPoint& p : corners)
    {
        const Vec3 to = normalize(p.position - center);
        if (!(dot(cross(from, to), corner.normal) > 0) || !(dot(from, to) > nearest))
            continue;
        nearest = dot(from, to);
        best = &p;
    }
    return *best;
}

size_t add_riders(const WorldData& world, const Shaking& s, std::span<const ShakenPoint> corners,
                  std::span<Rider> riders, Arena& arena)
{
    size_t count = 0;
    for (const ShakenPoint& corner : corners)
        riders[count++] = make_rider(world, s, corner, seat_of(world, s, corner), arena);
    if (corners.size() < 3 || !(riders[0].row.mass > 0))
        return count;
    const Foot foot = foot_of(world, s, corners);
    for (const ShakenPoint& corner : corners)
    {
        const ShakenPoint& next = neighbour_of(corner, corners, foot.center);
        Vec3 position = (corner.position + next.position) * 0.5f;
        const float distance = length(position - foot.center);
        if (&next == &corner || !(distance > 0))
            continue;
        if (foot.radius > 0)
            position = foot.center + (position - foot.center) * (foot.radius / distance);
        const float gap = 0.5f * (seat_of(world, s, corner).gap + seat_of(world, s, next).gap);
        riders[count++] = make_rider(
            world, s, corner, {.position = position, .at = closest_point(*s.source.surface, position), .gap = gap},
            arena);
    }
    return count;
}

} // namespace

void shake_by_riding(WorldData& world, const Shaking& s)
{
    Arena& arena = world.arena;
    std::span<Hitter> hitters = arena.allocate<Hitter>(s.impacts.size());
    for (size_t i = 0; i < hitters.size(); ++i)
        hitters[i] = make_hitter(world, s, i, arena);
    std::span<Rider> riders = arena.allocate<Rider>(2 * s.points.size());
    std::span<size_t> rider_of = arena.allocate<size_t>(s.points.size());
    size_t count = 0;
    for (size_t first = 0, end = 0; first < s.points.size(); first = end)
    {
        while (end < s.points.size() && s.points[end].manifold == s.points[first].manifold)
            ++end;
        for (size_t i = first; i < end; ++i)
            rider_of[i] = count + i - first;
        count += add_riders(world, s, s.points.subspan(first, end - first), riders.subspan(count), arena);
    }
    s.source.is_ringing = false;
    ride(s.model, s.dt, riders.first(count), hitters, world.movers, arena);
    for (size_t i = 0; i < s.points.size(); ++i)
    {
        s.points[i].speed = riders[rider_of[i]].speed;
        s.points[i].aside = riders[rider_of[i]].aside;
    }
}

} // namespace moraine
