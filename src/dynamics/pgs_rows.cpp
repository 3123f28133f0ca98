#include "dynamics/pgs_rows.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr int mover_grain = 256;
constexpr int batch_grain = 8;
constexpr int push_sweeps = 4; // of post-stabilisation

// Joints are projected when the step ends: a fifth as often as velocities are swept, and where these are solved for good,
// until that is good as well.
int projection_count(const WorldDef& settings)
{
    constexpr int many = 40;
    return settings.solver == SolverKind::direct ? many : std::max(joint_projections, settings.iterations / 5);
}

template <class Visit>
void for_each_awake(const SolverWorld& world, Tasks& tasks, Visit&& visit)
{
    tasks.parallel_for(world.movers.awake.size(), mover_grain, [&](int begin, int end, int) {
        for (int slot = begin; slot < end; ++slot)
            visit(slot, world.movers.velocities[size_t(world.movers.awake[slot])]);
    });
}

void set_parameters(const SolverInput& input, PgsRows& rows)
{
    const WorldDef& s = input.settings;
    const float inv_dt = 1 / input.dt;
    rows.contact = {.dt = input.dt,
                    .inv_dt = inv_dt,
                    .erp = s.post_stabilization ? 0 : s.erp,
                    .cfm = s.cfm,
                    .push_speed = s.push_speed,
                    .slop = s.slop,
                    .restitution_threshold = s.restitution_threshold,
                    .friction_model = s.friction_model};
    // No feedback: through sweeps that do not reach the end of a bridge it tears the bridge apart.
    rows.joint = {.h = input.dt, .inv_h = inv_dt, .dt = input.dt};
}

// Contact rows only read velocities, so all colours are filled side by side.
void prepare_contacts(const SolverWorld& world, int32_t copies, PgsRows& rows, Tasks& tasks)
{
    for (int c = 0; c < rows.batches.colour_count; ++c)
    {
        const ColourRange& range = rows.batches.colours[c];
        tasks.parallel_for(range.contact_count, batch_grain, [&](int begin, int end, int) {
            for (int i = begin; i < end; ++i)
            {
                PgsBatch& batch = rows.contacts[size_t(range.contact_first + i)];
                const std::span<const int32_t> items = contact_items(rows.batches, c, i);
                prepare_pgs_contacts(items, world.graph, world.bodies, world.movers, rows.contact, batch);
                batch.lanes_in_turn = lanes_in_turn(c, items.size());
                if (const int32_t heavy = c == Colouring::crowd ? rows.batches.crowds.batches[size_t(i)].heavy : -1;
                    heavy >= 0)
                    share_movers({heavy, copies}, world.movers, batch);
            }
        });
    }
}

void prepare_joints_of(const SolverWorld& world, int colour, int i, PgsRows& rows)
{
    prepare_joints(batch_items(world.colouring.joints[colour], i), world.joints, world.bodies, world.movers, rows.joint,
                   rows.batches.joints[size_t(rows.batches.colours[colour].joint_first + i)],
                   rows.batches.triples.data());
}

void apply_stored(const SolverWorld& world, PgsRows& rows, Tasks& tasks)
{
    MoverVelocity* movers = world.movers.velocities.data();
    for (int c = 0; c < rows.batches.colour_count; ++c)
    {
        const ColourRange& range = rows.batches.colours[c];
        const int count = range.joint_count + range.contact_count;
        if (count == 0) // joints have the last colours, and most in between are empty
            continue;
        tasks.parallel_for(count, Colouring::is_serial(c) ? count : batch_grain, [&](int begin, int end, int) {
            for (int i = begin; i < end; ++i)
                if (i < range.joint_count)
                    prepare_joints_of(world, c, i, rows);
                else
                    warm_start_contacts(rows.contacts[size_t(range.contact_first + i - range.joint_count)], movers);
        });
    }
}

} // namespace

PgsRows begin_pgs(const SolverInput& input, const SolverWorld& world, const LaneCopies* copies)
{
    PgsRows rows{.notes = ImpactNotes(input.impacts, world.movers, input.arena)};
    set_parameters(input, rows);
    keep_point_friction(world.graph);
    rows.drives = make_drives(input.settings.gravity, size_t(world.movers.awake.size()), input.arena);
    for_each_awake(world, input.tasks, [&](int slot, MoverVelocity&) { begin_drive(world.movers, slot, rows.drives); });
    rows.batches = lay_out_joints(world, copies != nullptr, input.arena);
    rows.contacts = input.arena.allocate<PgsBatch>(size_t(contact_batch_count(rows.batches)));
    prepare_contacts(world, copies ? copies->first() : 0, rows, input.tasks);
    apply_stored(world, rows, input.tasks);
    for_each_awake(world, input.tasks,
                   [&](int slot, MoverVelocity& v) { first_velocity(v, input.dt, rows.drives, slot); });
    return rows;
}

void end_pgs(const SolverInput& input, const SolverWorld& world, PgsRows& rows)
{
    Tasks& tasks = input.tasks;
    MoverVelocity* movers = world.movers.velocities.data();
    for_each_awake(world, tasks, [&](int slot, MoverVelocity& v) {
        if (rows.drives.all[size_t(slot)].is_planar)
            v.linear.z = 0;
        advance_shift(v, input.dt);
    });
    for (int i = 0; i < projection_count(input.settings); ++i)
        for_each_joint_batch(rows.batches, tasks, [&](int b) {
            project_joints(rows.batches.joints[size_t(b)], rows.batches.triples.data(), joint_projection_share, movers);
        });
    if (input.settings.post_stabilization)
    {
        const WorldDef& s = input.settings;
        const Push push{s.erp, s.push_speed * input.dt / push_sweeps, s.slop};
        for (int i = 0; i < push_sweeps; ++i)
            for_each_batch(
                rows.batches, tasks, [](int) {}, [&](int b) { push_apart(rows.contacts[size_t(b)], push, movers); });
    }
    rows.notes.make_room(rows.contacts.size(), input.arena);
    tasks.parallel_for(int(rows.contacts.size()), 2 * batch_grain, [&](int begin, int end, int) {
        for (int i = begin; i < end; ++i)
        {
            const PgsBatch& batch = rows.contacts[size_t(i)];
            rows.notes.before(size_t(i), batch.manifold, world.graph);
            store_pgs_impulses(batch, world.graph);
            rows.notes.after(size_t(i), batch.manifold, world.graph);
        }
    });
    rows.notes.list(world.graph, world.movers, length(input.settings.gravity) * input.dt);
    for (const JointBatch& batch : rows.batches.joints)
        store_joint_impulses(batch, rows.batches.triples.data(), world.joints);
}

} // namespace moraine
