// The default solver: small steps with soft contacts, each followed by a relaxation that takes out the speed that the
// softness put in.
#include "dynamics/batches.h"
#include "dynamics/drive.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr int mover_grain = 256;

ContactParameters contact_parameters(const WorldDef& s, float h)
{
    const float hertz = std::min(s.contact_hertz, 0.25f / h);
    const Softness dynamic = make_softness(hertz, s.contact_damping_ratio, h);
    const Softness against_static = make_softness(2 * hertz, 0.5f * s.contact_damping_ratio, h);
    return {1 / h, s.push_speed, dynamic, against_static, s.restitution_threshold};
}

// Batch `i` of a colour, while the memory of the next ones is on its way.
void prepare_contact_batch(const SolverWorld& world, const Batches& batches, int colour, int i, int end,
                           ContactBatch& batch)
{
    if (i + 2 < end)
        prefetch_manifolds(contact_items(batches, colour, i + 2), world.graph);
    if (i + 1 < end)
        prefetch_movers(contact_items(batches, colour, i + 1), world.graph, world.movers);
    prepare_contacts(contact_items(batches, colour, i), world.bodies, world.graph, world.movers, batch);
}

// Rows are filled and the stored impulses applied, colour by colour as in the solve.
void prepare(const SolverWorld& world, const JointParameters& parameters, Batches& batches, Tasks& tasks)
{
    for (int c = 0; c < batches.colour_count; ++c)
    {
        const ColourRange& range = batches.colours[c];
        tasks.parallel_for(
            range.joint_count, Colouring::is_serial(c) ? range.joint_count : 4, [&](int begin, int end, int) {
                for (int i = begin; i < end; ++i)
                    prepare_joints(batch_items(world.colouring.joints[c], i), world.joints, world.bodies, world.movers,
                                   parameters, batches.joints[size_t(range.joint_first + i)], batches.triples.data());
            });
        tasks.parallel_for(
            range.contact_count, Colouring::is_serial(c) ? range.contact_count : 16, [&](int begin, int end, int) {
                for (int i = begin; i < end; ++i)
                    prepare_contact_batch(world, batches, c, i, end, batches.contacts[size_t(range.contact_first + i)]);
            });
    }
}

void store(const SolverWorld& world, const Batches& batches, Tasks& tasks, ImpactNotes& notes)
{
    tasks.parallel_for(int(batches.contacts.size()), 16, [&](int begin, int end, int) {
        for (int i = begin; i < end; ++i)
        {
            if (i + 1 < end)
                prefetch_manifolds(batches.contacts[size_t(i + 1)].manifolds(), world.graph);
            const ContactBatch& batch = batches.contacts[size_t(i)];
            notes.before(size_t(i), batch.manifolds(), world.graph);
            store_impulses(batch, world.movers, world.graph);
            notes.after(size_t(i), batch.manifolds(), world.graph);
        }
    });
    for (const JointBatch& batch : batches.joints)
        store_joint_impulses(batch, batches.triples.data(), world.joints);
}

// Speeds of approach before any impulse of this step, for the batches that bounce.
void begin_restitution(const SolverWorld& world, std::span<const Drive> drives, Arena& arena, Batches& batches)
{
    bool any = false;
    for (const ContactBatch& batch : batches.contacts)
        for (const int32_t m : batch.manifolds())
            any |= world.graph.manifolds[m].restitution > 0;
    if (!any)
        return;
    std::span<MoverVelocity> before = arena.allocate<MoverVelocity>(world.movers.velocities.size());
    std::copy(world.movers.velocities.begin(), world.movers.velocities.end(), before.begin());
    for (size_t slot = 0; slot < drives.size(); ++slot)
    {
        MoverVelocity& v = before[size_t(world.movers.awake[int32_t(slot)])];
        v.linear = drives[slot].base_linear;
        v.spin = drives[slot].base_spin;
    }
    batches.restitutions = arena.allocate<RestitutionBatch>(batches.contacts.size());
    for (size_t i = 0; i < batches.contacts.size(); ++i)
        batches.contacts[i].bounces = prepare_restitution(batches.contacts[i], world.graph, before.data(),
                                                          batches.restitutions[i]);
}

template <class Visit>
void for_each_awake(const SolverWorld& world, Tasks& tasks, Visit&& visit)
{
    tasks.parallel_for(world.movers.awake.size(), mover_grain, [&](int begin, int end, int) {
        for (int slot = begin; slot < end; ++slot)
            visit(slot, world.movers.velocities[size_t(world.movers.awake[slot])]);
    });
}

} // namespace

void solve_substeps(const SolverInput& input, const SolverWorld& world)
{
    const int substeps = std::max(1, input.settings.substeps);
    const float h = input.dt / float(substeps);
    const ContactParameters contact = contact_parameters(input.settings, h);
    const JointParameters joint{.h = h, .inv_h = 1 / h, .dt = input.dt};
    const LaneCopies copies(world.movers);
    MoverVelocity* movers = world.movers.velocities.data();
    Tasks& tasks = input.tasks;

    ImpactNotes notes(input.impacts, world.movers, input.arena);
    Drives drives = make_drives(input.settings.gravity, size_t(world.movers.awake.size()), input.arena);
    drives.dt = input.dt;
    for_each_awake(world, tasks, [&](int slot, MoverVelocity&) { begin_drive(world.movers, slot, drives); });
    Batches batches = lay_out_batches(world, copies, input.arena);
    prepare(world, joint, batches, tasks);
    begin_restitution(world, drives.all, input.arena, batches);

    for (int i = 0; i < substeps; ++i)
    {
        for_each_awake(world, tasks, [&](int slot, MoverVelocity& v) {
            i == 0 ? first_velocity(v, h, drives, slot) : next_velocity(v, h, drives, slot);
        });
        for_each_batch(
            batches, tasks,
            [&](int b) { solve_joints(batches.joints[size_t(b)], batches.triples.data(), joint, movers); },
            [&](int b) { solve_contacts(batches.contacts[size_t(b)], contact, movers); });
        // A second pass in each half of the sub-step gives joints the last word after contacts.
        for_each_joint_batch(batches, tasks, [&](int b) {
            solve_joints(batches.joints[size_t(b)], batches.triples.data(), joint, movers);
        });
        for_each_awake(world, tasks, [&](int, MoverVelocity& v) { advance_shift(v, h); });
        for_each_batch(
            batches, tasks,
            [&](int b) { relax_joints(batches.joints[size_t(b)], batches.triples.data(), joint, movers); },
            [&](int b) { relax_contacts(batches.contacts[size_t(b)], contact, movers); });
        for_each_joint_batch(batches, tasks, [&](int b) {
            refine_joints(batches.joints[size_t(b)], batches.triples.data(), joint, movers);
        });
    }
    for_each_awake(world, tasks, [&](int slot, MoverVelocity& v) { last_velocity(v, drives, slot); });
    for (int i = 0; i < joint_projections; ++i)
        for_each_joint_batch(batches, tasks, [&](int b) {
            project_joints(batches.joints[size_t(b)], batches.triples.data(), joint_projection_share, movers);
        });
    if (!batches.restitutions.empty())
        for_each_batch(
            batches, tasks, [](int) {},
            [&](int b) {
                ContactBatch& batch = batches.contacts[size_t(b)];
                if (batch.bounces)
                    apply_restitution(batch, batches.restitutions[size_t(b)], contact, movers);
            });
    for_each_batch(
        batches, tasks, [](int) {}, [&](int b) { repair_momentum(batches.contacts[size_t(b)], world.movers); });
    notes.make_room(batches.contacts.size(), input.arena);
    store(world, batches, tasks, notes);
    notes.list(world.graph, world.movers, length(input.settings.gravity) * input.dt);
    // Like bounces, kicks come when the step's motion is known. They are not stored: they do not come again.
    if (input.kicks)
        apply_kicks(world.graph, kick_sweeps, world.movers, input.arena, *input.kicks);
}

} // namespace moraine
