#include "world/shaking.h"

#include "respond/attenuation.h"
#include "world/collections.h"
#include "world/riding.h"

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
    const Vec3 position = apply_inverse(s.frame,
                                        apply(frame_a, contact_place(world.bodies, world.collections, m, point)));
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

// In the scope of the caller's arena.
Shaking look_at(WorldData& world, int32_t place, float dt)
{
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
    return s;
}

} // namespace

void share_riders(WorldData& world, float dt)
{
    Responses& r = world.responses;
    r.guests.clear();
    for (int32_t place : r.active)
    {
        ArenaScope scope(world.arena);
        if (r.bodies[size_t(place)].blend < 1)
            list_guests(world, look_at(world, place, dt), world.arena, r.guests);
    }
    r.sharing->exchange(r.guests);
}

void shake(WorldData& world, int32_t place, float dt)
{
    ArenaScope scope(world.arena);
    const Shaking s = look_at(world, place, dt);
    const ResponseBody& body = s.source;
    const bool is_thrown = world.settings.response.kick == ResponseKick::thrown;
    if (body.blend < 1 && is_thrown)
        shake_by_riding(world, s);
    else if (body.blend < 1)
        shake_by_displacement(s, world.settings.response, world.arena);
    for (const ShakenPoint& point : s.points)
        kick(world, s, point);
}

} // namespace moraine
