#include "world/shaking.h"

#include "respond/attenuation.h"
#include "respond/ride.h"
#include "world/collections.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr float contact_reach = 2e-3f; // metres: what is further away has no contact that could be shaken
constexpr float silent_speed = 1e-4f;  // m/s: a body that can shake nothing faster than this no longer rings

// The frame that the user gave the body, in the world.
Pose frame_of(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    const Pose center = world.movers[b.mover].pose * b.pose_in_mover;
    return {apply(center, -world.bodies.infos[size_t(body)].center), center.rotation};
}

// What is known of the body while its contacts are visited.
struct Shaking
{
    ResponseBody& source;
    const ResponseModel& model;
    int32_t place;
    std::span<const Impact> impacts;
    std::span<const SurfacePoint> hits; // where the impacts are
    std::span<ShakenPoint> points{};
    Pose frame{};
    float dt = 0;
};

std::span<const SurfacePoint> map_impacts(const ResponseBody& body, std::span<const Impact> impacts, Arena& arena)
{
    std::span<SurfacePoint> hits = arena.allocate<SurfacePoint>(impacts.size());
    for (size_t i = 0; i < impacts.size(); ++i)
        hits[i] = closest_point(*body.surface, impacts[i].point);
    return hits;
}

// ---- contacts ----

bool is_hitter(std::span<const Impact> impacts, int32_t body)
{
    return std::ranges::any_of(impacts, [&](const Impact& i) { return i.other == body; });
}

ShakenPoint make_shaken_point(const WorldData& world, const Shaking& s, int32_t manifold, int32_t point, float sign)
{
    const Manifold& m = world.graph.manifolds[manifold];
    const Pose& frame_a = world.movers[world.graph.edges[m.edge].mover_a].pose;
    const Vec3 normal = rotate(frame_a.rotation, m.normal) * sign;
    const Vec3 position = apply_inverse(s.frame, apply(frame_a, m.points[point].position));
    return {.manifold = manifold,
            .point = point,
            .sign = sign,
            .at = closest_point(*s.source.surface, position),
            .position = position,
            .normal = inverse_rotate(s.frame.rotation, normal)};
}

// All existing contacts, but for those that the hit came in by.
void find_points(WorldData& world, Shaking& s)
{
    const int32_t body = s.source.body;
    std::vector<ShakenPoint>& points = world.responses.points;
    points.clear();
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (!edge.has(edge_is_touching) || edge.has(edge_is_trigger) || is_hitter(s.impacts, other_body(edge, body)))
            return;
        const float sign = edge.body_a == body ? 1.0f : -1.0f;
        for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
            for (int i = 0; i < world.graph.manifolds[m].count; ++i)
                if (world.graph.manifolds[m].points[i].separation < contact_reach)
                    points.push_back(make_shaken_point(world, s, m, i, sign));
    });
    s.points = points;
}

// ---- vibration, by the largest displacement in the step ----

// Eq. 9, of all impacts together.
std::span<const double> reduce_impulses(const Shaking& s, Arena& arena)
{
    std::span<double> reduced = arena.allocate_zeroed<double>(s.model.mode_count());
    std::span<Vec3> shapes = arena.allocate<Vec3>(s.model.mode_count());
    for (size_t i = 0; i < s.impacts.size(); ++i)
    {
        shapes_at(s.model, s.hits[i], shapes);
        for (size_t j = 0; j < reduced.size(); ++j)
            reduced[j] += double(dot(shapes[j], s.impacts[i].impulse));
    }
    return reduced;
}

bool still_rings(const ResponseBody& body, float dt)
{
    float reach = 0;
    for (size_t j = 0; j < body.filter.last.size(); ++j)
        reach += body.surface->largest_shape[j] *
                 float(std::max(std::fabs(body.filter.last[j]), std::fabs(body.filter.before[j])));
    return reach > silent_speed * dt;
}

// Eq. 10 to 13.
void shake_by_displacement(const Shaking& s, const ResponseSettings& settings, Arena& arena)
{
    FilterState& filter = s.source.filter;
    if (!settings.is_continuous)
    {
        filter.last.assign(s.model.mode_count(), 0);
        filter.before.assign(s.model.mode_count(), 0);
    }
    const Vibration vibration = run_filter(s.model, reduce_impulses(s, arena), s.dt, settings.forcing, filter, arena);
    s.source.is_ringing = settings.is_continuous && still_rings(s.source, s.dt);
    std::span<Vec3> shapes = arena.allocate<Vec3>(s.model.mode_count());
    for (ShakenPoint& point : s.points)
    {
        shapes_at(s.model, point.at, shapes);
        const Displacement moved = largest_displacement(vibration, shapes, point.normal);
        point.speed = moved.along / s.dt;
        point.aside = moved.aside * (1 / s.dt);
    }
}

// ---- vibration, by riding on it ----

std::span<const Vec3> shapes_of(const Shaking& s, const SurfacePoint& at, Arena& arena)
{
    std::span<Vec3> shapes = arena.allocate<Vec3>(s.model.mode_count());
    shapes_at(s.model, at, shapes);
    return shapes;
}

Hitter make_hitter(const WorldData& world, const Shaking& s, size_t i, Arena& arena)
{
    const Impact& impact = s.impacts[i];
    const float impulse = length(impact.impulse);
    const Vec3 normal = impact.impulse * (impulse > 0 ? -1 / impulse : 0);
    return {.shapes = shapes_of(s, s.hits[i], arena),
            .normal = normal,
            .impulse = impulse,
            .mass = impact.mass,
            .speed = impact.speed,
            .weight = -dot(rotate(s.frame.rotation, normal), world.settings.gravity)};
}

// Who is merged into what does not move, or sleeps, rides as a point with its share of the body's mass.
Rider make_rider(const WorldData& world, const Shaking& s, const ShakenPoint& point, Arena& arena)
{
    const Manifold& m = world.graph.manifolds[point.manifold];
    const Edge& edge = world.graph.edges[m.edge];
    float sum = 0;
    for (int i = 0; i < m.count; ++i)
        sum += std::max(m.points[i].impulse, 0.0f);
    const float share = sum > 0 ? std::max(m.points[point.point].impulse, 0.0f) / sum : 1 / float(m.count);
    Rider rider{.group = point.manifold,
                .shapes = shapes_of(s, point.at, arena),
                .normal = point.normal,
                .gap = std::max(m.points[point.point].separation, 0.0f),
                .load = std::max(m.total_impulse, 0.0f) * share / s.dt};
    rider.row = make_contact_row(world.movers, edge.mover_a, edge.mover_b, m.points[point.point].position,
                                 rotate(s.frame.rotation, point.normal) * point.sign);
    const int32_t other = other_body(edge, s.source.body);
    rider.mass = world.bodies.infos[size_t(other)].mass / float(m.count);
    if (edge.has(edge_is_merged) || world.movers[world.bodies[other].mover].awake_slot < 0)
        rider.row.mass = 0;
    return rider;
}

void shake_by_riding(WorldData& world, const Shaking& s, Arena& arena)
{
    std::span<Hitter> hitters = arena.allocate<Hitter>(s.impacts.size());
    for (size_t i = 0; i < hitters.size(); ++i)
        hitters[i] = make_hitter(world, s, i, arena);
    std::span<Rider> riders = arena.allocate<Rider>(s.points.size());
    for (size_t i = 0; i < riders.size(); ++i)
        riders[i] = make_rider(world, s, s.points[i], arena);
    s.source.is_ringing = false;
    ride(s.model, s.dt, riders, hitters, world.movers, arena);
    for (size_t i = 0; i < riders.size(); ++i)
    {
        s.points[i].speed = riders[i].speed;
        s.points[i].aside = riders[i].aside;
    }
}

// ---- waves ----

// Eq. 15, 16: metres, of all impacts together.
float wave_displacement(const Shaking& s, const SurfacePoint& at, float& nearest)
{
    if (s.model.amplitude.empty())
        return 0;
    float sum = 0;
    nearest = infinity;
    for (size_t i = 0; i < s.impacts.size(); ++i)
    {
        const float distance = surface_distance(s.model, s.source.geodesics.get(), at, s.hits[i]);
        nearest = std::min(nearest, distance);
        sum += attenuation_at(s.source.attenuation, distance) * amplitude_at(s.model, s.hits[i]) *
               length(s.impacts[i].impulse);
    }
    return sum;
}

float straight_distance(std::span<const Impact> impacts, Vec3 point)
{
    float nearest = infinity;
    for (const Impact& impact : impacts)
        nearest = std::min(nearest, length(impact.point - point));
    return nearest;
}

void kick(WorldData& world, const Shaking& s, const ShakenPoint& point)
{
    const float blend = s.source.blend;
    float speed = (1 - blend) * point.speed, distance = straight_distance(s.impacts, point.position);
    if (blend > 0)
        speed += blend * wave_displacement(s, point.at, distance) / s.dt;
    if (!(speed > silent_speed) || !std::isfinite(speed))
        return;
    ContactKick kick{
        .manifold = point.manifold, .point = point.point, .source = s.place, .speed = speed, .distance = distance};
    if (world.settings.response.tangential)
        kick.slide = rotate(s.frame.rotation, point.aside) * (point.sign * (1 - blend));
    world.responses.kicks.push_back(kick);
}

} // namespace

void shake(WorldData& world, int32_t place, float dt)
{
    ArenaScope scope(world.arena);
    ResponseBody& body = world.responses.bodies[size_t(place)];
    const std::span<const Impact> impacts = world.responses.impacts_of(body.body);
    Shaking s{.source = body,
              .model = *body.surface->model,
              .place = place,
              .impacts = impacts,
              .hits = map_impacts(body, impacts, world.arena),
              .frame = frame_of(world, body.body),
              .dt = dt};
    find_points(world, s);
    const bool is_thrown = world.settings.response.kick == ResponseKick::thrown;
    if (body.blend < 1 && is_thrown)
        shake_by_riding(world, s, world.arena);
    else if (body.blend < 1)
        shake_by_displacement(s, world.settings.response, world.arena);
    for (const ShakenPoint& point : s.points)
        kick(world, s, point);
}

} // namespace moraine
