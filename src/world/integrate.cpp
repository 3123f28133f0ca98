#include "dynamics/integrate.h"

#include "graph/members.h"
#include "world/activity.h"
#include "world/body_state.h"
#include "world/continuous.h"
#include "world/freeze.h"
#include "world/step.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr int mover_grain = 128;

enum MoverMark : uint8_t
{
    mark_moved_out = 1, // of its fat box
    mark_fast = 2,
    mark_broken = 4, // not finite
    mark_sleepy = 8
};

struct Advance
{
    WorldData& world;
    Step& s;
    std::span<uint8_t> marks; // by awake slot
    std::span<Pose> start;    // by awake slot, only of fast ones
};

bool is_sane(const Mover& mover, const MoverVelocity& v)
{
    constexpr double far = 1e9; // metres: beyond, boxes in float cannot tell bodies apart
    const DVec3 p = mover.pose.position;
    return is_finite(mover.pose) && is_finite(v.linear) && is_finite(v.spin) && std::fabs(p.x) < far &&
           std::fabs(p.y) < far && std::fabs(p.z) < far;
}

uint8_t update_bounds(const Movers& movers, const Pose& before, MoverVelocity& velocity, Mover& mover)
{
    update_tight(mover);
    const float way = way_of(mover, before);
    velocity.room -= way;
    add_to_path(way, velocity);
    const bool is_inside = mover.leaf < 0 ||
                           (velocity.room >= 0 && contains(movers.fat(mover), enlarge(mover.tight, pair_margin)));
    return uint8_t(is_inside ? 0 : mark_moved_out);
}

void update_quiet_time(const WorldDef& settings, float dt, const MoverMass& mass, const MoverVelocity& v, Mover& mover)
{
    bool is_quiet = false;
    if (settings.sleep_energy > 0) // in spin space the inertia is the identity
        is_quiet = 0.5f * (length_squared(v.linear) / mass.inv_mass + length_squared(v.spin)) < settings.sleep_energy;
    else
        is_quiet = length(v.linear) + length(multiply(mass.factor, v.spin)) * mover.radius < settings.sleep_speed;
    mover.quiet_time = is_quiet ? mover.quiet_time + dt : 0;
}

void advance_mover(Advance& a, int slot)
{
    const int32_t index = a.world.movers.awake[slot];
    Mover& mover = a.world.movers[index];
    MoverVelocity& velocity = a.world.movers.velocities[size_t(index)];
    const MoverMass& mass = a.world.movers.masses[size_t(index)];
    const WorldDef& settings = a.world.settings;
    const Pose before = mover.pose;
    const bool is_jointed = mover.has_members() || a.world.bodies[mover.body].joint_first != none;
    integrate_mover(mover, mass, velocity, a.s.dt, settings.gyroscopic, is_jointed);
    uint8_t& mark = a.marks[size_t(slot)];
    mark = 0;
    if (!is_sane(mover, velocity))
    {
        mover.pose = before;
        velocity.shift = velocity.turn = {};
        mark = mark_broken;
        return;
    }
    if (settings.continuous && needs_continuous(mover, velocity))
    {
        a.start[size_t(slot)] = before;
        mark = mark_fast;
    }
    mark |= update_bounds(a.world.movers, before, velocity, mover);
    if (mover.has_members() && wants_search(mover, a.world.movers))
        mark |= mark_moved_out;
    if (!mover.is_dynamic())
        return;
    update_quiet_time(settings, a.s.dt, mass, velocity, mover);
    if (mover.quiet_time >= settings.sleep_delay)
        mark |= mark_sleepy;
}

void refit(Advance& a, int32_t slot)
{
    Movers& movers = a.world.movers;
    const int32_t index = movers.awake[slot];
    const Mover& mover = movers[index];
    const MoverVelocity& v = movers.velocities[size_t(index)];
    const float speed = length(v.linear) +
                        length(angular_velocity(mover, movers.masses[size_t(index)], v)) * mover.radius;
    refit_mover(movers, index, fat_bounds(mover, v.linear, a.s.dt), room_of(mover, speed, a.s.dt));
}

void stop_at(Advance& a, int32_t slot, const Pose& pose)
{
    const int32_t index = a.world.movers.awake[slot];
    Mover& mover = a.world.movers[index];
    const MoverMass& mass = a.world.movers.masses[size_t(index)];
    MoverVelocity& velocity = a.world.movers.velocities[size_t(index)];
    const Vec3 omega = angular_velocity(mover, mass, velocity);
    const Pose before = mover.pose;
    mover.pose = pose;
    velocity.spin = spin_of(mover, mass, omega);
    if (update_bounds(a.world.movers, before, velocity, mover))
        refit(a, slot);
}

// What is jointed to a collection that has been stopped, as wheels to a loaded wagon, would go on without it: it stays back
// as much.
void hold_back_jointed(Advance& a, int32_t index, Vec3 back)
{
    WorldData& world = a.world;
    int32_t last = none; // several joints between two bodies follow each other
    for_each_member(world.movers, index, [&](int32_t body) {
        for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
            const Joint& joint = world.joints[j];
            const int32_t other = world.bodies[joint.body_a == body ? joint.body_b : joint.body_a].mover;
            const Mover& mover = world.movers[other];
            if (other == index || other == last || !mover.is_dynamic() || !mover.is_awake() || mover.has_members())
                return;
            last = other;
            stop_at(a, mover.awake_slot, {mover.pose.position + DVec3(back), mover.pose.rotation});
        });
    });
}

struct FarthestShifts
{
    float of_carriers = 0, of_all = 0;
};
FarthestShifts farthest_shifts(const Movers& movers)
{
    FarthestShifts farthest;
    for (int32_t index : movers.awake)
    {
        const float way = length(movers.velocities[size_t(index)].shift);
        farthest.of_all = std::max(farthest.of_all, way);
        if (!movers[index].is_dynamic())
            farthest.of_carriers = std::max(farthest.of_carriers, way);
    }
    return farthest;
}

// Fast movers stop where they first meet something. All look at the poses before any is changed.
void stop_fast_movers(Advance& a)
{
    WorldData& world = a.world;
    int count = 0;
    std::span<int32_t> fast = world.arena.allocate<int32_t>(a.marks.size());
    for (size_t slot = 0; slot < a.marks.size(); ++slot)
        if (a.marks[slot] & mark_fast)
            fast[size_t(count++)] = int32_t(slot);
    if (count == 0)
        return;
    const FarthestShifts farthest = farthest_shifts(world.movers);
    std::span<Pose> ends = world.arena.allocate<Pose>(size_t(count));
    world.tasks->parallel_for(count, 4, [&](int begin, int end, int) {
        for (int i = begin; i < end; ++i)
        {
            const int32_t slot = fast[size_t(i)];
            const int32_t index = world.movers.awake[slot];
            const Pose& start = a.start[size_t(slot)];
            const float fastest = world.movers[index].is_fast ? farthest.of_all : farthest.of_carriers;
            ends[size_t(i)] = pose_on(find_free_way(world, index, start, fastest), start, world.movers[index].pose);
        }
    });
    std::span<Vec3> backs = world.arena.allocate<Vec3>(size_t(count));
    for (int i = 0; i < count; ++i)
    {
        const Pose& wanted = world.movers[world.movers.awake[fast[size_t(i)]]].pose;
        backs[size_t(i)] = relative(ends[size_t(i)].position, wanted.position);
        if (!(ends[size_t(i)] == wanted))
            stop_at(a, fast[size_t(i)], ends[size_t(i)]);
    }
    for (int i = 0; i < count; ++i)
    {
        const int32_t index = world.movers.awake[fast[size_t(i)]];
        if (world.movers[index].has_members() && length_squared(backs[size_t(i)]) > 0)
            hold_back_jointed(a, index, backs[size_t(i)]);
    }
}

void refit_moved(Advance& a)
{
    Movers& movers = a.world.movers;
    a.world.has_sleepy = false;
    for (size_t slot = 0; slot < a.marks.size(); ++slot)
    {
        const uint8_t mark = a.marks[slot];
        if (mark & mark_sleepy)
            a.world.has_sleepy = true;
        if (mark & mark_moved_out)
            refit(a, int32_t(slot));
    }
    if (movers.enlarged_count > movers.dynamic_tree.leaf_count() / 4 + 16)
    {
        movers.dynamic_tree.rebuild_enlarged(a.world.arena);
        movers.enlarged_count = 0;
    }
}

void freeze_broken(Advance& a)
{
    std::vector<int32_t>& frozen = a.world.wake_requests; // empty here, and memory that is kept
    for (size_t slot = 0; slot < a.marks.size(); ++slot)
        if (a.marks[slot] & mark_broken)
            for_each_member(a.world.movers, a.world.movers.awake[int32_t(slot)],
                            [&](int32_t body) { frozen.push_back(body); });
    for (int32_t body : frozen)
        freeze_body(a.world, body);
    a.s.report.has_error |= !frozen.empty();
    frozen.clear();
}

} // namespace

void integrate_movers(WorldData& world, Step& s)
{
    ArenaScope scope(world.arena);
    const int count = world.movers.awake.size();
    Advance advance{world, s, world.arena.allocate<uint8_t>(size_t(count)), world.arena.allocate<Pose>(size_t(count))};
    world.tasks->parallel_for(count, mover_grain, [&](int begin, int end, int) {
        for (int slot = begin; slot < end; ++slot)
            advance_mover(advance, slot);
    });
    refit_moved(advance);
    stop_fast_movers(advance); // after the boxes: it looks for what has moved into the way too
    freeze_broken(advance);
}

void integrate(WorldData& world, Step& s)
{
    integrate_movers(world, s);
    world.time += double(s.dt);
    ++world.step_count;
}

void stop_at_targets(WorldData& world)
{
    for (const auto& [body, target] : world.targets)
    {
        const int32_t index = world.bodies[body].mover;
        world.movers.velocities[size_t(index)].linear = {};
        world.movers.velocities[size_t(index)].spin = {};
        set_kinematic_awake(world, index, false);
    }
    world.targets.clear();
}

} // namespace moraine
