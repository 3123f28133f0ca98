#include "world/step.h"

#include "dynamics/solver.h"
#include "world/response.h"
#include "world/speed_ups.h"
#include "world/time_warp.h"

namespace moraine
{

namespace
{

// Where one phase ends the next begins: a look at the clock for each, since a step in which nothing moves takes no longer
// than a few of these.
template <class Work>
void phase(Phase which, Step& s, Work&& work)
{
    work();
    const auto now = std::chrono::steady_clock::now();
    const float ms = std::chrono::duration<float, std::milli>(now - s.phase_start).count();
    s.phase_start = now;
    s.report.phase_ms[size_t(which)] += ms;
    s.report.total_ms += ms;
}

} // namespace

StepReport step(WorldData& world, float dt)
{
    Step s = begin_step(world, dt);
    s.phase_start = std::chrono::steady_clock::now();
    phase(Phase::find_pairs, s,
          [&] { find_pairs(world.bodies, world.graph, *world.tasks, world.movers, world.pair_search); });
    phase(Phase::update_contact_graph, s, [&] { update_contact_graph(world); });
    phase(Phase::collide, s, [&] {
        collide(world.bodies, world.movers, collide_options(world.settings), *world.tasks, world.graph,
                world.collide_report);
    });
    phase(Phase::update_contact_graph, s, [&] { update_touching(world); });
    phase(Phase::wake, s, [&] { wake(world); });
    phase(Phase::probe_collections, s, [&] { probe_collections(world, s); });
    phase(Phase::unmerge, s, [&] { unmerge(world, s); });
    phase(Phase::respond, s, [&] { respond(world, s); });
    phase(Phase::group_contacts, s, [&] { group_contacts(world, s); });
    const Memory memory = remember(world);
    phase(Phase::solve, s, [&] {
        apply_speed_ups(world, dt);
        SolverReport report;
        const std::optional<Kicks> kicks = kicks_of(world);
        solve({solver_settings(world.settings), dt, *world.tasks, world.arena, &report, watch_of(world),
               kicks ? &*kicks : nullptr},
              {world.bodies, world.movers, world.graph, world.joints, world.colouring});
        note_impacts(world, s.report);
        s.report.groups = report.direct_groups;
        s.report.variables = report.direct_rows;
        s.report.variables_largest = report.direct_rows_largest;
    });
    phase(Phase::integrate, s, [&] { integrate(world, s); });
    phase(Phase::merge, s, [&] { merge(world, s); });
    phase(Phase::integrate, s, [&] { stop_at_targets(world); });
    phase(Phase::sleep, s, [&] { sleep(world, s); });
    phase(Phase::integrate, s, [&] { warp_time(world, memory, s); });
    phase(Phase::publish_events, s, [&] { publish_events(world, s); });
    return s.report;
}

} // namespace moraine
