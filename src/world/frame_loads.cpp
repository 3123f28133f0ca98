// The load of a collection: gravity and the motion of its frame. Where it has changed, the forces inside follow.
#include "world/frame_loads.h"

#include "graph/members.h"
#include "merge/response.h"
#include "world/activity.h"
#include "world/collection_mass.h"
#include "world/collections.h"

#include <algorithm>
#include <utility>

namespace moraine
{

namespace
{

constexpr float jerk = 80; // times what a solver misses: no wobble of a solver

// Bounds how much the loads of the members have changed.
float change_of(const Collection& c, const FrameLoad& then, const FrameLoad& now)
{
    const Vec3 turn = now.turn_acceleration - then.turn_acceleration;
    const auto at_center = [&](const FrameLoad& l) {
        return l.gravity - l.acceleration - cross(l.turn_acceleration, c.center) -
               cross(l.turn, cross(l.turn, c.center));
    };
    const float spin = std::fabs(length_squared(now.turn) - length_squared(then.turn)) +
                       length(now.turn - then.turn) * length(now.turn);
    return length(at_center(now) - at_center(then)) + (length(turn) + spin) * (c.extent + 0.5f);
}

// The measured acceleration of a free collection wobbles with the solver.
FrameLoad smooth(const FrameLoad& last, FrameLoad now, float rest)
{
    const Vec3 change = now.acceleration - last.acceleration, turn = now.turn_acceleration - last.turn_acceleration;
    if (length(change) > jerk * rest)
        return now;
    constexpr float follow = 0.25f; // of a change, in one step
    now.acceleration = last.acceleration + change * follow;
    now.turn_acceleration = last.turn_acceleration + turn * follow;
    return now;
}

// The forces inside stay what they are, so what is left over changes by as much as the load.
void reload(WorldData& world, int32_t index, const FrameLoad& load, const ProbeLimits& limits)
{
    Collections& c = world.collections;
    c.pool[index].load = load;
    for (int32_t body : c.pool[index].members)
    {
        MergedBody& m = c.bodies[c.merged(body)];
        const Vec3 before = m.load, turn_before = m.turn_load;
        set_load(world.bodies, load, m);
        if (!is_finite(before)) // it came while the load was not known
        {
            sum_forces(c, m);
            continue;
        }
        m.rest += m.load - before;
        m.turn_rest += m.turn_load - turn_before;
    }
    probe_collection(limits, index, c);
}

// Outside its range the mover must be looked at again, with all that it carries. A wide range is hard to hold in: now and
// then, and ever more seldom, it becomes what the load has really been in.
void update_range(WorldData& world, const LoadTerms& load, const Mover& mover, Members& members)
{
    constexpr int first_memory = 120, longest_memory = 2000;
    include(load, members.recent);
    const bool is_old = ++members.recent_steps >= std::max(members.memory, first_memory);
    const bool is_wide = is_old && !members.watched.empty();
    if (is_in_range(members.range, load) && !is_wide)
        return;
    const float gravity = std::max(length(world.settings.gravity), 1.0f);
    const float reach = std::max(length(max(abs(mover.bounds.lower), abs(mover.bounds.upper))), 1.0f);
    members.range = is_wide ? widened(members.recent, gravity, reach) : grown(members.range, load, gravity, reach);
    if (is_old)
    {
        members.memory = std::min(2 * members.recent_steps, longest_memory);
        members.recent = {};
        members.recent_steps = 0;
    }
    members.watched = members.collections;
    for (int32_t index : members.watched)
        world.collections.pool[index].is_certified = false;
}

bool is_at_rest(const WorldData& world, int32_t index)
{
    const Collections& c = world.collections;
    return std::ranges::none_of(c.queue, [&](int32_t m) { return c.bodies[m].collection == index; });
}

LoadRange range_around(const LoadTerms& middle, const LoadTerms& half, float share)
{
    LoadRange range;
    for (size_t k = 0; k < load_terms; ++k)
    {
        range.lower[k] = middle[k] - share * half[k];
        range.upper[k] = middle[k] + share * half[k];
    }
    return range;
}

// How far may the load go? Through the whole range of the mover, or a part of it, or at least around where it is.
// Where there is little the load must get somewhere else first: it leaves that within a few steps, and looking costs
// twenty times what following it does.
void find_room(WorldData& world, int32_t index, const LoadTerms& load, const ProbeLimits& limits,
               const LoadRange& range)
{
    constexpr float safe = 0.98f, least = 0.02f, little = 0.25f;
    constexpr uint8_t pause = 64; // steps
    Collection& c = world.collections.pool[index];
    LoadTerms middle, half;
    for (size_t k = 0; k < load_terms; ++k)
    {
        middle[k] = 0.5f * (range.lower[k] + range.upper[k]);
        half[k] = 0.5f * (range.upper[k] - range.lower[k]);
    }
    const float room = room_around(world.collections, limits, index, middle, half);
    const uint8_t failures = std::exchange(c.failures, uint8_t(0));
    c.is_certified = room >= 1;
    c.quiet = {};
    if (c.is_certified)
        return;
    if (room > least)
        c.quiet = range_around(middle, half, safe * room);
    if (is_in_range(c.quiet, load))
        return;
    const float near = std::min(room_around(world.collections, limits, index, load, half), 1.0f);
    c.quiet = near > least ? range_around(load, half, safe * near) : LoadRange{};
    if (near <= least)
        c.failures = failures;
    if (near <= little)
        c.room_wait = pause;
}

// True if there is a response now. `budget` is of bodies.
bool seek_response(WorldData& world, int32_t index, const ProbeLimits& limits, int& budget)
{
    constexpr double work_a_step = 1e5; // what has been there for long may cost more
    constexpr double urgent_work = 1e6;
    constexpr double work_that_pays = 2e4; // in each step until the next search
    constexpr int pause = 8;
    Collection& c = world.collections.pool[index];
    c.age = uint16_t(std::min(c.age + 1, 60000));
    if (c.wait > 0)
        --c.wait;
    // Before bodies that the probe finds no forces for are given up, it is not put off for its cost.
    const bool is_urgent = !c.response.is_known() && c.failures == 0 && c.age >= 2 && !is_at_rest(world, index);
    if ((c.wait > 0 && !is_urgent) || budget <= 0 || c.touched > 0)
        return false; // among bodies that move what is found would not be good for long
    budget -= int(c.members.size());
    const ResponseSearch search = find_response(world.bodies, limits, is_urgent ? urgent_work : c.age * work_a_step,
                                                index, world.collections);
    // What was sought in vain, or did not help, is put off for longer each time; and for as long as it has to pay for itself.
    const int rest = search.is_too_much && !is_urgent ? int(search.work / work_a_step) - c.age + 1
                                                      : int(search.work / work_that_pays);
    c.wait = uint8_t(std::clamp(std::max(pause << c.failures, rest), 0, 250));
    c.failures = uint8_t(std::min(c.failures + 1, 5)); // until it is seen to help
    return search.is_found;
}

void look_at(WorldData& world, int32_t index, const FrameLoad& load, const LoadTerms& terms, const ProbeLimits& limits,
             const LoadRange& range, int& budget)
{
    Collection& c = world.collections.pool[index];
    if (is_in_range(c.quiet, terms))
        return;
    if (c.room_wait > 0)
        --c.room_wait;
    // As little as that needs nothing to follow it, whether there is room for more or not.
    const bool has_changed = change_of(c, c.load, load) > limits.rest;
    if (c.response.is_known() && !has_changed && is_at_rest(world, index))
        return;
    if (c.response.is_known())
    {
        follow_load(world.bodies, limits, load, index, world.collections);
        if (is_at_rest(world, index))
        {
            if (c.room_wait == 0)
                find_room(world, index, terms, limits, range);
            return;
        }
    }
    else if (has_changed)
        reload(world, index, load, limits);
    // Also for those that the probe finds no forces for: looking at all at once may.
    if (seek_response(world, index, limits, budget))
        find_room(world, index, terms, limits, range);
}

} // namespace

void update_frame(WorldData& world, int32_t mover, const ProbeLimits& limits, int& budget)
{
    Members& members = world.movers.members[world.movers[mover].members];
    const FrameLoad measured = frame_load(world, mover);
    FrameLoad load = measured;
    if (world.movers[mover].is_dynamic())
    {
        remember_motion(world, mover);
        Collection& c = world.collections.pool[members.collections[0]];
        if (c.fresh_steps > 0 && --c.fresh_steps > 0)
            return;
        if (is_finite(c.load.gravity))
            load = smooth(members.load, measured, limits.rest);
    }
    members.load = load;
    const LoadTerms terms = terms_of(load);
    update_range(world, terms, world.movers[mover], members);
    for (int32_t index : members.watched)
        look_at(world, index, load, terms, limits, members.range, budget);
    std::erase_if(members.watched, [&](int32_t index) { return world.collections.pool[index].is_certified; });
}

bool has_new_load(WorldData& world, int32_t index)
{
    constexpr float much = 10;   // times what is rest
    constexpr uint8_t lasts = 4; // steps: what something that fell on it does to a free frame is over by then
    Collection& c = world.collections.pool[index];
    const FrameLoad& load = world.movers.members[world.movers[c.mover].members].load;
    const bool differs = change_of(c, c.heard, load) > much * probe_limits(world).rest;
    c.unheard = differs ? uint8_t(c.unheard + 1) : uint8_t(0);
    if (c.unheard < lasts)
        return false;
    c.unheard = 0;
    c.heard = load;
    return true;
}

void watch_collection(WorldData& world, int32_t index)
{
    constexpr uint8_t calm =
        8; // steps: such forces change in several steps in a row, and each would end what was found
    Collection& c = world.collections.pool[index];
    c.quiet = {};
    c.room_wait = std::max(c.room_wait, calm);
    if (!c.is_certified)
        return;
    c.is_certified = false;
    world.movers.members[world.movers[c.mover].members].watched.push_back(index);
}

void bring_forces_up(WorldData& world, int32_t index)
{
    const Collection& c = world.collections.pool[index];
    if (!c.response.is_known() || c.mover == none)
        return;
    const FrameLoad& load = world.movers.members[world.movers[c.mover].members].load;
    if (is_finite(c.load.gravity) && terms_of(load) != terms_of(c.load))
        follow_load(world.bodies, probe_limits(world), load, index, world.collections);
}

} // namespace moraine
