#include "dynamics/kicks.h"

#include "dynamics/contact_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moraine
{

namespace
{

struct KickRow
{
    ContactRow normal{};
    ContactRow slide{}; // mass 0: none
    float slide_speed = 0;
    float slide_impulse = 0;
    float friction = 0;
    MoverVelocity before[2];
};

KickRow make_kick_row(const ContactGraph& graph, const Movers& movers, const ContactKick& kick)
{
    const Manifold& manifold = graph.manifolds[kick.manifold];
    const Edge& edge = graph.edges[manifold.edge];
    const Vec3 point = manifold.points[kick.point].position;
    const Vec3 normal = rotate(movers[edge.mover_a].pose.rotation, manifold.normal);
    KickRow row;
    row.normal = make_contact_row(movers, edge.mover_a, edge.mover_b, point, normal);
    row.friction = std::max(manifold.friction, 0.0f);
    row.slide_speed = length(kick.slide);
    if (row.slide_speed > 0 && row.friction > 0)
        row.slide = make_contact_row(movers, edge.mover_a, edge.mover_b, point, kick.slide * (1 / row.slide_speed));
    for (int side = 0; side < 2; ++side)
        row.before[side] = movers.velocities[size_t(row.normal.mover[side])];
    return row;
}

std::span<KickRow> make_rows(const ContactGraph& graph, const Movers& movers, Arena& arena,
                             std::span<ContactKick> kicks)
{
    std::span<KickRow> rows = arena.allocate<KickRow>(kicks.size());
    for (size_t i = 0; i < rows.size(); ++i)
    {
        rows[i] = make_kick_row(graph, movers, kicks[i]);
        kicks[i].impulse = 0;
        kicks[i].work = 0;
    }
    return rows;
}

// The largest impulse up to `wanted` whose work (w p + p² / 2m) is no more than `energy`.
float affordable(float wanted, float speed, float mass, double energy)
{
    const double w = double(speed), m = double(mass);
    if (double(wanted) * (w + 0.5 * double(wanted) / m) <= energy)
        return wanted;
    const double root = std::sqrt(std::max(0.0, w * w + 2 * std::max(energy, 0.0) / m));
    constexpr double hair = 1e-5; // so that rounding does not overdraw
    return float(std::clamp(m * (root - w) * (1 - hair), 0.0, double(wanted)));
}

// Takes the row to `target`, and gives the impulse.
float push_to(const ContactRow& row, float target, float lower, float upper, double* energy, Movers& movers,
              ContactKick& kick)
{
    if (!(row.mass > 0))
        return 0;
    const float speed = speed_along(row, movers);
    float impulse = std::clamp(row.mass * (target - speed), lower, upper);
    if (energy && impulse > 0 && kick.share > 0)
        impulse = affordable(impulse, speed, row.mass, *energy / double(kick.share));
    if (impulse == 0)
        return 0;
    push_along(row, impulse, movers);
    const double work = double(impulse) * 0.5 * (double(speed) + double(speed_along(row, movers)));
    kick.work += work;
    if (energy)
        *energy -= work * double(kick.share);
    return impulse;
}

// Without energies there is no end of it.
void sweep(std::span<KickRow> rows, Movers& movers, std::span<ContactKick> kicks, std::span<double> energies)
{
    for (size_t i = 0; i < rows.size(); ++i)
    {
        ContactKick& kick = kicks[i];
        KickRow& row = rows[i];
        double* energy = energies.empty() ? nullptr : &energies[size_t(kick.source)];
        kick.impulse += push_to(row.normal, kick.speed, -kick.impulse, std::numeric_limits<float>::infinity(), energy,
                                movers, kick);
        // The surface takes what lies on it along, as far as friction under the kick holds.
        const float limit = row.friction * kick.impulse;
        row.slide_impulse += push_to(row.slide, row.slide_speed, -row.slide_impulse,
                                     std::max(0.0f, limit - row.slide_impulse), energy, movers, kick);
    }
}

} // namespace

void measure_kicks(const ContactGraph& graph, Movers& movers, Arena& arena, std::span<ContactKick> kicks)
{
    ArenaScope scope(arena);
    std::span<KickRow> rows = make_rows(graph, movers, arena, kicks);
    for (int i = 0; i < kick_sweeps; ++i)
        sweep(rows, movers, kicks, {});
    for (const KickRow& row : rows)
        for (int side = 0; side < 2; ++side)
            movers.velocities[size_t(row.normal.mover[side])] = row.before[side];
}

void fit_kicks(Arena& arena, const Kicks& kicks)
{
    ArenaScope scope(arena);
    // From rest, work grows with the square of the speeds.
    std::span<double> work = arena.allocate_zeroed<double>(kicks.energy.size());
    for (const ContactKick& kick : kicks.all)
        work[size_t(kick.source)] += kick.work * double(kick.share);
    for (ContactKick& kick : kicks.all)
    {
        const double energy = kicks.energy[size_t(kick.source)], wanted = work[size_t(kick.source)];
        if (!(wanted > energy))
            continue;
        const float scale = float(std::sqrt(std::max(energy, 0.0) / wanted));
        kick.speed *= scale;
        kick.slide *= scale;
        kick.impulse *= scale;
        kick.work *= double(scale) * double(scale);
    }
}

void apply_kicks(const ContactGraph& graph, int sweeps, Movers& movers, Arena& arena, const Kicks& kicks)
{
    ArenaScope scope(arena);
    std::span<KickRow> rows = make_rows(graph, movers, arena, kicks.all);
    for (int i = 0; i < sweeps; ++i)
        sweep(rows, movers, kicks.all, kicks.energy);
}

} // namespace moraine
