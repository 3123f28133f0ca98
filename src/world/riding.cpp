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
    if (impact.other < 0 || !(impact.mass > 0))
        return ContactRow{};
    const int32_t here = world.bodies[s.source.body].mover, other = world.bodies[impact.other].mover;
    if (here == other || !world.movers[other].is_dynamic() || world.movers[other].awake_slot < 0)
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
                .position = seat.position,
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

struct Riders
{
    std::span<Rider> all{};
    std::span<size_t> places{}; // of the points among them
};

Riders make_riders(const WorldData& world, const Shaking& s, Arena& arena)
{
    Riders riders{arena.allocate<Rider>(2 * s.points.size()), arena.allocate<size_t>(s.points.size())};
    size_t count = 0;
    for (size_t first = 0, end = 0; first < s.points.size(); first = end)
    {
        while (end < s.points.size() && s.points[end].manifold == s.points[first].manifold)
            ++end;
        for (size_t i = first; i < end; ++i)
            riders.places[i] = count + i - first;
        count += add_riders(world, s, s.points.subspan(first, end - first), riders.all.subspan(count), arena);
    }
    riders.all = riders.all.first(count);
    return riders;
}

// ---- guests ----

Guest make_guest(const WorldData& world, const Shaking& s, int32_t body, const ContactRow& row, int side)
{
    const MoverVelocity& v = world.movers.velocities[size_t(world.bodies[body].mover)];
    return {.source = s.source.body,
            .body = body,
            .side = side,
            .row = row,
            .linear = v.linear,
            .spin = v.spin,
            .inv_mass = v.inv_mass};
}

// Movers of guests, as long as this lives. They have velocities and nothing else, which is all that a ride asks for.
class GuestMovers
{
public:
    GuestMovers(const Shaking& s, WorldData& world)
        : movers_(world.movers),
          here_(world.bodies[s.source.body].mover),
          own_(world.movers.velocities.size())
    {}
    ~GuestMovers() { movers_.velocities.resize(own_); }
    GuestMovers(const GuestMovers&) = delete;
    GuestMovers& operator=(const GuestMovers&) = delete;

    ContactRow row_of(const Guest& guest)
    {
        ContactRow row = guest.row;
        if (!(row.mass > 0))
            return row;
        const std::pair mover{guest.world, row.mover[guest.side]};
        const auto known = std::ranges::find(known_, mover);
        row.mover[guest.side] = int32_t(own_) + int32_t(known - known_.begin());
        row.mover[1 - guest.side] = here_;
        if (known != known_.end())
            return row;
        known_.push_back(mover);
        movers_.velocities.push_back({.linear = guest.linear, .spin = guest.spin, .inv_mass = guest.inv_mass});
        return row;
    }

private:
    Movers& movers_;
    int32_t here_;
    size_t own_;
    std::vector<std::pair<int32_t, int32_t>> known_; // world and mover there
};

std::span<const Guest> guests_of(const Responses& r, int32_t source)
{
    const auto [first, end] = std::ranges::equal_range(r.guests, source, {}, &Guest::source);
    return {first, end};
}

// What hit from elsewhere has its row from there.
void add_guests(const Shaking& s, std::span<const Guest> guests, GuestMovers& movers, std::span<Hitter> hitters)
{
    for (size_t i = 0; i < hitters.size(); ++i)
    {
        const Impact& impact = s.impacts[i];
        const auto guest = std::ranges::find_if(
            guests, [&](const Guest& g) { return g.is_hitter && g.body == impact.other && g.point == impact.point; });
        if (guest != guests.end())
            hitters[i].row = movers.row_of(*guest);
    }
}

std::span<Rider> add_guests(const Shaking& s, std::span<const Guest> guests, GuestMovers& movers, std::span<Rider> own,
                            Arena& arena)
{
    std::span<Rider> riders = arena.allocate<Rider>(own.size() + guests.size());
    std::ranges::copy(own, riders.begin());
    size_t count = own.size();
    const Guest* last = nullptr;
    int32_t group = 0; // negative: no manifold of this world
    for (const Guest& guest : guests)
    {
        if (guest.is_hitter)
            continue;
        group -= !last || last->world != guest.world || last->group != guest.group;
        last = &guest;
        riders[count++] = {.group = group,
                           .row = movers.row_of(guest),
                           .mass = guest.mass,
                           .shapes = shapes_of(s, closest_point(*s.source.surface, guest.point), arena),
                           .position = guest.point,
                           .normal = guest.normal,
                           .gap = guest.gap,
                           .load = guest.load};
    }
    return riders.first(count);
}

} // namespace

void list_guests(const WorldData& world, const Shaking& s, Arena& arena, std::vector<Guest>& out)
{
    for (const Impact& impact : s.impacts)
    {
        if (impact.other < 0)
            continue;
        const ContactRow row = row_of_hitter(world, s, impact, rotate(s.frame.rotation, impact.normal));
        Guest guest = make_guest(world, s, impact.other, row, 1);
        guest.is_hitter = 1;
        guest.point = impact.point;
        out.push_back(guest);
    }
    for (const Rider& rider : make_riders(world, s, arena).all)
    {
        const Edge& edge = world.graph.edges[world.graph.manifolds[rider.group].edge];
        Guest guest = make_guest(world, s, other_body(edge, s.source.body), rider.row, edge.body_a == s.source.body);
        guest.group = rider.group;
        guest.point = rider.position;
        guest.normal = rider.normal;
        guest.mass = rider.mass, guest.gap = rider.gap, guest.load = rider.load;
        out.push_back(guest);
    }
}

void shake_by_riding(WorldData& world, const Shaking& s)
{
    Arena& arena = world.arena;
    std::span<Hitter> hitters = arena.allocate<Hitter>(s.impacts.size());
    for (size_t i = 0; i < hitters.size(); ++i)
        hitters[i] = make_hitter(world, s, i, arena);
    const Riders own = make_riders(world, s, arena);
    std::span<Rider> riders = own.all;
    GuestMovers guest_movers(s, world);
    if (const std::span<const Guest> guests = guests_of(world.responses, s.source.body); !guests.empty())
    {
        add_guests(s, guests, guest_movers, hitters);
        riders = add_guests(s, guests, guest_movers, own.all, arena);
    }
    s.source.is_ringing = false;
    ride(s.model, s.dt, riders, hitters, world.movers, arena);
    for (size_t i = 0; i < s.points.size(); ++i)
    {
        s.points[i].speed = riders[own.places[i]].speed;
        s.points[i].aside = riders[own.places[i]].aside;
    }
}

} // namespace moraine
