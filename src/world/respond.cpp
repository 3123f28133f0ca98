// The phase `respond`: what hit a body in the last step shakes what else touches it.
//
// Impacts come from the last solve, so their impulses are those that were really exchanged, however many bodies took part;
// what they shake is told one step later, about as long as a wave takes to get there. (The paper's engine calls back
// after its solve, too.)
#include "respond/attenuation.h"
#include "world/activity.h"
#include "world/collections.h"
#include "world/response.h"
#include "world/step.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr float contact_reach = 2e-3f; // metres: what is further away has no contact that could be shaken
constexpr float silent_speed = 1e-4f;  // m/s: a body that can shake nothing faster than this no longer rings
constexpr double plenty = 1e30;        // J

// The frame that the user gave the body, in the world.
Pose frame_of(const WorldData& world, int32_t body)
{
    const Body& b = world.bodies[body];
    const Pose center = world.movers[b.mover].pose * b.pose_in_mover;
    return {apply(center, -world.bodies.infos[size_t(body)].center), center.rotation};
}

// The impacts of one body, which lie one after the other.
std::span<const Impact> impacts_of(const Responses& responses, int32_t body)
{
    const auto first = std::ranges::lower_bound(responses.impacts, body, {}, &Impact::body);
    return {first, std::ranges::upper_bound(first, responses.impacts.end(), body, {}, &Impact::body)};
}

// What one body that was hit knows while its contacts are visited.
struct Shaking
{
    const ResponseBody& source;
    int32_t place;
    std::span<const Impact> impacts;
    std::span<const SurfacePoint> hits; // where the impacts are
    Vibration vibration{};
    std::span<Vec3> shapes; // scratch: of one surface point
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

// Eq. 9, of all impacts together.
std::span<const double> reduce_impulses(const Shaking& s, Arena& arena)
{
    const ResponseModel& model = *s.source.surface->model;
    std::span<double> reduced = arena.allocate_zeroed<double>(model.mode_count());
    for (size_t i = 0; i < s.impacts.size(); ++i)
    {
        shapes_at(model, s.hits[i], s.shapes);
        for (size_t j = 0; j < reduced.size(); ++j)
            reduced[j] += double(dot(s.shapes[j], s.impacts[i].impulse));
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

Vibration vibrate(const Shaking& s, const ResponseSettings& settings, ResponseBody& body, Arena& arena)
{
    const ResponseModel& model = *body.surface->model;
    if (!settings.is_continuous)
    {
        body.filter.last.assign(model.mode_count(), 0);
        body.filter.before.assign(model.mode_count(), 0);
    }
    const Vibration vibration = run_filter(model, reduce_impulses(s, arena), s.dt, settings.forcing, body.filter,
                                           arena);
    body.is_ringing = settings.is_continuous && still_rings(body, s.dt);
    return vibration;
}

// Eq. 15, 16: metres, of all impacts together. And how far the nearest one is along the surface.
float wave_displacement(const Shaking& s, const SurfacePoint& at, float& nearest)
{
    const ResponseModel& model = *s.source.surface->model;
    if (model.amplitude.empty())
        return 0;
    float sum = 0;
    nearest = infinity;
    for (size_t i = 0; i < s.impacts.size(); ++i)
    {
        const float distance = surface_distance(model, s.source.geodesics.get(), at, s.hits[i]);
        nearest = std::min(nearest, distance);
        sum += attenuation_at(s.source.attenuation, distance) * amplitude_at(model, s.hits[i]) *
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

// Eq. 11 to 13 at one contact point. `sign` is 1 where the body is A of the edge.
void kick_point(WorldData& world, const Shaking& s, int32_t manifold, int point, float sign)
{
    const Manifold& m = world.graph.manifolds[manifold];
    const Pose& frame_a = world.movers[world.graph.edges[m.edge].mover_a].pose;
    const Vec3 normal = rotate(frame_a.rotation, m.normal) * sign;
    const Vec3 in_body = apply_inverse(s.frame, apply(frame_a, m.points[point].position));
    const SurfacePoint at = closest_point(*s.source.surface, in_body);
    Displacement moved;
    float distance = straight_distance(s.impacts, in_body);
    const float blend = s.source.blend;
    if (blend < 1 && s.vibration.step_count > 0)
    {
        shapes_at(*s.source.surface->model, at, s.shapes);
        moved = largest_displacement(s.vibration, s.shapes, inverse_rotate(s.frame.rotation, normal));
        moved.along *= 1 - blend;
        moved.aside *= 1 - blend;
    }
    if (blend > 0)
        moved.along += blend * wave_displacement(s, at, distance);
    const float speed = moved.along / s.dt;
    if (!(speed > silent_speed) || !std::isfinite(speed))
        return;
    ContactKick kick{.manifold = manifold, .point = point, .source = s.place, .speed = speed, .distance = distance};
    if (world.settings.response.tangential)
        kick.slide = rotate(s.frame.rotation, moved.aside) * (sign / s.dt);
    world.responses.kicks.push_back(kick);
}

bool is_hitter(std::span<const Impact> impacts, int32_t body)
{
    return std::ranges::any_of(impacts, [&](const Impact& i) { return i.other == body; });
}

// All existing contacts, but for those that the hit came in by.
void kick_contacts(WorldData& world, const Shaking& s)
{
    const int32_t body = s.source.body;
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (!edge.has(edge_is_touching) || edge.has(edge_is_trigger) || is_hitter(s.impacts, other_body(edge, body)))
            return;
        const float sign = edge.body_a == body ? 1.0f : -1.0f;
        for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
            for (int i = 0; i < world.graph.manifolds[m].count; ++i)
                if (world.graph.manifolds[m].points[i].separation < contact_reach)
                    kick_point(world, s, m, i, sign);
    });
}

void shake(WorldData& world, int32_t place, float dt)
{
    ArenaScope scope(world.arena);
    ResponseBody& body = world.responses.bodies[size_t(place)];
    const std::span<const Impact> impacts = impacts_of(world.responses, body.body);
    Shaking s{.source = body,
              .place = place,
              .impacts = impacts,
              .hits = map_impacts(body, impacts, world.arena),
              .shapes = world.arena.allocate<Vec3>(body.surface->model->mode_count()),
              .frame = frame_of(world, body.body),
              .dt = dt};
    if (body.blend < 1)
        s.vibration = vibrate(s, world.settings.response, body, world.arena);
    kick_contacts(world, s);
}

// Who sleeps wakes and who is merged leaves, where the kick is worth it; other kicks at such contacts are dropped.
void free_kicked(WorldData& world)
{
    Responses& r = world.responses;
    const auto is_solved = [&](const ContactKick& k) { return world.graph.manifolds[k.manifold].colour >= 0; };
    for (const ContactKick& kick : r.kicks)
    {
        if (is_solved(kick) || kick.speed < world.settings.response.wake_speed)
            continue;
        const Edge edge = world.graph.edges[world.graph.manifolds[kick.manifold].edge];
        const int32_t other = other_body(edge, r.bodies[size_t(kick.source)].body);
        if (edge.has(edge_is_merged))
            detach_body(world, world.bodies[other].type == BodyType::dynamic_ ? other : other_body(edge, other));
        wake_body(world, edge.body_a);
        wake_body(world, edge.body_b);
    }
    std::erase_if(r.kicks, [&](const ContactKick& k) { return !is_solved(k); });
}

int32_t receiver_of(const WorldData& world, const ContactKick& kick)
{
    const Edge& edge = world.graph.edges[world.graph.manifolds[kick.manifold].edge];
    return other_body(edge, world.responses.bodies[size_t(kick.source)].body);
}

// What the impacts have lost may be spent; half of it is kept for bodies that pass the kick on.
void share_energy(WorldData& world, StepReport& report)
{
    Responses& r = world.responses;
    const bool is_bounded = world.settings.response.energy_bound;
    r.energy.assign(r.bodies.size(), 0);
    r.reserved.assign(r.bodies.size(), 0);
    for (int32_t place : r.active)
    {
        ResponseBody& body = r.bodies[size_t(place)];
        double energy = std::exchange(body.energy, 0.0);
        for (const Impact& impact : impacts_of(r, body.body))
            energy += double(impact.energy);
        report.response_energy += energy;
        r.energy[size_t(place)] = is_bounded ? energy : plenty;
    }
    for (const ContactKick& kick : r.kicks)
    {
        double& kept = r.reserved[size_t(kick.source)];
        if (is_bounded && kept == 0 && r.find(receiver_of(world, kick)) >= 0)
        {
            double& left = r.energy[size_t(kick.source)];
            left *= 0.5;
            kept = left;
        }
    }
}

void find_active(Responses& r)
{
    // The solve found them in its own order; who was hit comes together, in the order of bodies. (A stable sort would
    // ask for memory.)
    std::ranges::sort(r.impacts, {}, &Impact::body);
    r.active.clear();
    for (size_t i = 0; i < r.bodies.size(); ++i)
        if (r.bodies[i].is_ringing || !impacts_of(r, r.bodies[i].body).empty())
            r.active.push_back(int32_t(i));
}

bool has_work(const WorldData& world)
{
    const Responses& r = world.responses;
    return !r.impacts.empty() || (world.settings.response.is_continuous &&
                                  std::ranges::any_of(r.bodies, [](const ResponseBody& b) { return b.is_ringing; }));
}

} // namespace

void respond(WorldData& world, Step& s)
{
    Responses& r = world.responses;
    r.kicks.clear();
    if (r.is_empty() || !world.settings.response.is_on || !has_work(world))
    {
        r.impacts.clear();
        return;
    }
    find_active(r);
    for (int32_t place : r.active)
        shake(world, place, s.dt);
    free_kicked(world);
    share_energy(world, s.report);
    s.report.impacts = int(r.impacts.size());
    s.report.kicks = int(r.kicks.size());
    r.impacts.clear();
    if (r.kicks.empty())
        return;
    const Kicks kicks{r.kicks, r.energy};
    fit_kicks(world.graph, world.movers, world.arena, kicks);
    if (world.settings.response.injection == ResponseInjection::impulse)
        apply_kicks(world.graph, 1, world.movers, world.arena, kicks);
}

ImpactWatch* watch_of(WorldData& world)
{
    if (world.responses.is_empty() || !world.settings.response.is_on)
        return nullptr;
    world.responses.watch.threshold = world.settings.response.threshold;
    return &world.responses.watch;
}

std::optional<Kicks> kicks_of(WorldData& world)
{
    if (world.responses.kicks.empty() || world.settings.response.injection == ResponseInjection::impulse)
        return {};
    return Kicks{world.responses.kicks, world.responses.energy};
}

} // namespace moraine
