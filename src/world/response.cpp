// Who has a response model, and what its bodies were hit by in the solve.
#include "world/response.h"

#include "world/activity.h"
#include "world/kick_energy.h"
#include "world/step.h"

#include <moraine/world.h>

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

// Bodies with the same model share its tree.
std::shared_ptr<const ModelSurface> surface_for(const Responses& r, const std::shared_ptr<const ResponseModel>& model)
{
    for (const ResponseBody& body : r.bodies)
        if (body.surface->model == model)
            return body.surface;
    return make_model_surface(model);
}

constexpr float least_share = 1e-3f; // of the mass, where a point got nothing: the body as a whole has it

struct Blow
{
    float impulse = 0, energy = 0;
    float mass = 0, speed = 0; // of what came in; none: it comes at once
    IncomingVelocity incoming{};
};

// One impact for each point of the manifold by its share of the impulse. A body that comes in by itself may press at points
// that had none, too.
void add_impact(WorldData& world, int32_t body, const Manifold& m, const Blow& blow)
{
    Responses& r = world.responses;
    const Edge& edge = world.graph.edges[m.edge];
    const Pose& frame_a = world.movers[edge.mover_a].pose;
    const Body& b = world.bodies[body];
    const Pose center = world.movers[b.mover].pose * b.pose_in_mover;
    const Vec3 on_b = inverse_rotate(center.rotation, rotate(frame_a.rotation, m.normal));
    const Vec3 direction = edge.body_b == body ? on_b : -on_b;
    float sum = 0;
    for (int i = 0; i < m.count; ++i)
        sum += std::max(m.points[i].impulse, 0.0f);
    for (int i = 0; i < m.count; ++i)
    {
        const float share = sum > 0 ? std::max(m.points[i].impulse, 0.0f) / sum : 1 / float(m.count);
        if (!(share > 0) && !(blow.mass > 0))
            continue;
        const Vec3 point = apply_inverse(center, apply(frame_a, m.points[i].position)) +
                           world.bodies.infos[size_t(body)].center;
        r.impacts.push_back({.body = body,
                             .other = other_body(edge, body),
                             .point = point,
                             .normal = -direction,
                             .impulse = direction * (blow.impulse * share),
                             .energy = blow.energy * share,
                             .mass = blow.mass * std::max(share, least_share),
                             .speed = blow.speed,
                             .incoming = blow.incoming});
    }
}

// A hit between two bodies with models is felt in both, half of its energy in each.
void note_hit(WorldData& world, const SolvedImpact& hit)
{
    const Manifold& m = world.graph.manifolds[hit.manifold];
    const Edge& edge = world.graph.edges[m.edge];
    const bool has_a = world.responses.find(edge.body_a) >= 0, has_b = world.responses.find(edge.body_b) >= 0;
    if (!has_a && !has_b)
        return;
    Blow blow{.impulse = hit.impulse,
              .energy = hit.energy * (has_a && has_b ? 0.5f : 1.0f),
              .mass = hit.change > 0 ? hit.impulse / hit.change : 0,
              .speed = hit.speed,
              .incoming = hit.before_b};
    if (has_a)
        add_impact(world, edge.body_a, m, blow);
    blow.incoming = hit.before_a;
    if (has_b)
        add_impact(world, edge.body_b, m, blow);
}

// A kick is an impact on whom it kicks: so it travels on, floor to fridge to plant. Kicks of a manifold lie together.
void pass_on(WorldData& world, std::span<const ContactKick> kicks)
{
    Responses& r = world.responses;
    const Manifold& m = world.graph.manifolds[kicks[0].manifold];
    const int32_t source = kicks[0].source;
    const int32_t receiver = receiver_of(world, kicks[0]);
    if (!kicks[0].is_passed_on || r.find(receiver) < 0)
        return;
    float impulse = 0;
    double all = 0;
    for (const ContactKick& kick : kicks)
        impulse += kick.impulse;
    for (const ContactKick& kick : r.kicks)
        if (kick.source == source && kick.is_passed_on && r.find(receiver_of(world, kick)) >= 0)
            all += double(kick.impulse);
    if (impulse <= world.settings.response.threshold || !(all > 0))
        return;
    const double share = double(impulse) / all;
    add_impact(world, receiver, m, {.impulse = impulse, .energy = float(r.reserved[size_t(source)] * share)});
}

void settle_energy(WorldData& world, StepReport& report)
{
    Responses& r = world.responses;
    const bool is_counted = world.settings.solver == SolverKind::substep ||
                            world.settings.response.injection == ResponseInjection::impulse;
    for (const ContactKick& kick : r.kicks)
    {
        const double work = kick.work * double(kick.share);
        report.response_work += work;
        if (!is_counted)
            r.energy[size_t(kick.source)] -= std::max(0.0, work); // sweeps alone lose some, too
    }
    if (!world.settings.response.energy_bound)
        return;
    for (int32_t place : r.active)
        if (r.bodies[size_t(place)].is_ringing)
            r.bodies[size_t(place)].energy = std::max(0.0, r.energy[size_t(place)]);
}

} // namespace

std::string response_problem(const ResponseDef& def)
{
    if (!def.model)
        return {};
    const ResponseModel& m = *def.model;
    if (m.vertices.empty() || m.triangles.empty())
        return "the response model has no surface: make it with `moraine modes`";
    for (const std::array<uint32_t, 3>& t : m.triangles)
        for (uint32_t v : t)
            if (v >= m.vertices.size())
                return "a triangle of the response model has a corner that is not there: make it again";
    if (m.shapes.size() != m.vertices.size() * m.mode_count() || m.mode_count() > 1024)
        return "the response model needs a shape for each vertex and mode, and at most 1024 modes: make it again";
    if (!m.amplitude.empty() && m.amplitude.size() != m.vertices.size())
        return "the response model needs an amplitude for each vertex: make it again";
    if (!std::ranges::all_of(m.frequencies, [](float w) { return w > 0 && std::isfinite(w); }) ||
        !std::ranges::is_sorted(m.frequencies))
        return "the frequencies of the response model must be positive and ascending: make it again";
    if (!(def.blend >= 0 && def.blend <= 1))
        return "blend must be between 0 (modes) and 1 (waves)";
    const Attenuation a = def.attenuation.value_or(m.attenuation);
    if (!(a.reference_distance > 0) || !(a.alpha >= 0) || !(a.beta >= 0) || !(a.scale >= 0))
        return "attenuation needs a positive reference_distance, and alpha, beta and scale that are not negative";
    if (def.blend > 0 && m.amplitude.empty())
        return "blend needs the amplitudes that `moraine modes` puts into a model: make it again";
    return {};
}

void set_response(WorldData& world, int32_t body, const ResponseDef& def)
{
    Responses& r = world.responses;
    std::erase_if(r.bodies, [&](const ResponseBody& b) { return b.body == body; });
    std::erase_if(r.impacts, [&](const Impact& i) { return i.body == body || i.other == body; });
    if (!def.model)
        return;
    const auto place = std::ranges::lower_bound(r.bodies, body, {}, &ResponseBody::body);
    r.bodies.insert(place, {.body = body,
                            .surface = surface_for(r, def.model),
                            .geodesics = def.geodesics,
                            .attenuation = def.attenuation.value_or(def.model->attenuation),
                            .has_own_attenuation = def.attenuation.has_value(),
                            .blend = def.blend});
}

void note_impacts(WorldData& world, StepReport& report)
{
    Responses& r = world.responses;
    if (r.is_empty() || !world.settings.response.is_on)
        return;
    for (const SolvedImpact& hit : r.watch.found)
        note_hit(world, hit);
    for (size_t first = 0, end = 0; first < r.kicks.size(); first = end)
    {
        while (end < r.kicks.size() && r.kicks[end].manifold == r.kicks[first].manifold &&
               r.kicks[end].source == r.kicks[first].source)
            ++end;
        pass_on(world, std::span(r.kicks).subspan(first, end - first));
    }
    settle_energy(world, report);
}

Status World::set_response(BodyId body, const ResponseDef& def)
{
    if (!is_valid(body) || body == ground())
        return Error{"set_response: there is no such body"};
    const std::string problem = response_problem(def);
    if (!problem.empty())
        return Error{"set_response: " + problem};
    moraine::set_response(*data_, int32_t(body.index), def);
    return Ok{};
}

ResponseDef World::response(BodyId body) const
{
    const int32_t place = is_valid(body) ? data_->responses.find(int32_t(body.index)) : -1;
    if (place < 0)
        return {};
    const ResponseBody& b = data_->responses.bodies[size_t(place)];
    return {b.surface->model, b.geodesics,
            b.has_own_attenuation ? std::optional<Attenuation>(b.attenuation) : std::nullopt, b.blend};
}

} // namespace moraine
