// What crosses the wire in a step. All of it is plain data, packed one list after the other.
#pragma once

#include "base/archive.h"
#include "distribute/balance.h"
#include "distribute/transport.h"
#include "geometry/aabb.h"
#include "respond/responses.h"
#include "world/body_state.h"

namespace moraine::distribute
{

// A worker's copy of a body.
struct BodyCopy
{
    BodyState state{};
    float quiet_time = 0;
    int32_t body = -1;
    uint32_t is_asleep = 0;
};

// How a body still vibrates.
struct RingingBody
{
    int32_t body = -1;
    FilterState filter{};

    template <class A>
    void archive(A& a)
    {
        a(body), a(filter);
    }
};

// At the end of a message, where there is often none: then it takes no room.
template <class A, class T>
void archive_rest(A& a, bool is_there, T& rest)
{
    if constexpr (A::is_reader)
        is_there = a.left() > 0;
    if (is_there)
        a(rest);
}

// From a worker to one that gets bodies.
struct Handover
{
    std::vector<BodyCopy> bodies{};
    std::vector<RingingBody> ringing{}; // of these

    template <class A>
    void archive(A& a)
    {
        a(bodies), archive_rest(a, !ringing.empty(), ringing);
    }
};

// A body near another worker.
struct BoundaryBody
{
    Pose pose{}; // of the body's frame
    Aabb box{};
    Vec3 velocity{};
    int32_t body = -1;
    uint32_t moved_at = 0; // see Restless
    WorkerMask workers = 0;
};

// From a worker that looks for contacts with another: where it is, and what of it has moved, where that is little.
struct Look
{
    uint32_t tells_moved = 0;
    std::vector<Aabb> boxes{};
    std::vector<BoundaryBody> moved{};

    template <class A>
    void archive(A& a)
    {
        a(tells_moved), a(boxes), a(moved);
    }
};

// A body that moves on, and the worker at the other end.
struct Transfer
{
    int32_t body = -1;
    int32_t worker = -1;
};

struct MaskChange
{
    WorkerMask workers = 0;
    int32_t body = -1;
    int32_t owner = -1;
};

// What constraints that a worker does not have do to its copy of a body.
struct Push
{
    Vec3 force{};
    Vec3 torque{};
    int32_t body = -1;
};

// Where two bodies of the scene touched in a step, as World::contacts tells it.
struct ShownContact
{
    DVec3 point{};
    Vec3 normal{};
    float separation = 0;
    float impulse = 0;
    int32_t a = -1, b = -1;
};

// What was hit in a step and is to be felt by all that have it, in the next one. Bodies have their numbers in the scene.
struct Shakes
{
    // For later kicks of a body that rings.
    struct LeftEnergy
    {
        double energy = 0; // J
        int32_t body = -1;
        uint32_t padding = 0;
    };
    std::vector<Impact> impacts{};
    std::vector<LeftEnergy> left{};
    WorkerMask sharers = 0; // from the main server: these have some of the bodies in common, and share energies

    bool is_empty() const { return impacts.empty() && left.empty(); }

    template <class A>
    void archive(A& a)
    {
        a(impacts), a(left), a(sharers);
    }
};

// What one contact that a worker speaks for does to a body, smoothed over the last steps.
struct CarriedForce
{
    Vec3 force{};
    Vec3 torque{};
    int32_t body = -1;  // of the world
    int32_t other = -1; // what it touches
    int32_t edge = -1;  // between the two
};

// A push that comes together while constraints are looked at.
struct Told
{
    Push push{};
    int32_t worker = -1;
    bool is_told = false;
};

// What a step was like for one worker.
struct WorkerStep
{
    int32_t bodies = 0;
    int32_t overlap = 0;
    int32_t copies = 0;   // of the overlap bodies, in other workers
    int32_t contacts = 0; // points in the solve
    int32_t touching = 0; // pairs
    int32_t tested = 0;   // of these: contacts were sought anew
    int32_t joints = 0;
    int32_t merged = 0;
    int32_t asleep = 0;
    int32_t movers = 0;
    int32_t merges = 0;
    int32_t unmerges = 0;
    int32_t frozen = 0;
    float penetration_max = 0;
    float penetration_sum = 0;
    float speed_max = 0; // of any point
    float joint_error_max = 0;
    float residual = 0;  // metres: how far its copies were from the blended states
    float solve_ms = 0;  // processor time: the world's step
    float detect_ms = 0; // looking for contacts with other workers
    float blend_ms = 0;  // bringing copies into line
    float apply_ms = 0;  // what the main server told
    float wait_ms = 0;   // wall time in which it waited for others
    uint64_t bytes = 0;  // sent in this step
    uint64_t messages = 0;

    float busy_ms() const { return solve_ms + blend_ms + detect_ms + apply_ms; }
};

// How far what a worker has and what another has are apart at least, in metres, where they do not meet.
struct Gap
{
    int32_t worker = -1;
    float distance = 0;
};

// From a worker to the main server at the end of a step.
struct Report
{
    WorkerStep step{};
    uint32_t asks_to_stop = 0;
    std::vector<int32_t> asleep{}; // overlap bodies at rest, those that no lower worker has
    std::vector<ContactPair> began{};
    std::vector<ContactPair> ended{};
    std::vector<ContactPair> met{};     // touch a body that the worker does not have
    std::vector<int32_t> half{};        // of what it owns, where it was asked to divide that
    std::vector<Gap> gaps{};            // to the workers with which it looked for these
    std::vector<BoundaryBody> bodies{}; // all that it has: only for central detection
    Shakes shakes{};                    // impacts that it speaks for, and what it has left of energies

    template <class A>
    void archive(A& a)
    {
        a(step), a(asks_to_stop), a(asleep), a(began), a(ended), a(met), a(half), a(gaps), a(bodies);
        archive_rest(a, !shakes.is_empty(), shakes);
    }
};

// From the main server to a worker before a step.
struct Command
{
    uint32_t saves = 0; // sends its state to the main server afterwards
    uint32_t stops = 0;
    uint32_t divides = 0;              // says with the next report which half of what it owns it would give away
    WorkerMask meets = ~WorkerMask(0); // look for contacts with these workers after the next step
    std::vector<float> horizons{};     // by worker: so much further than contacts reach
    std::vector<Transfer> sends{};     // to which worker
    std::vector<Transfer> activates{}; // from which worker
    std::vector<int32_t> deactivates{};
    std::vector<MaskChange> masks{};
    std::vector<MaskChange> holds{}; // the workers that hold their copy
    std::vector<int32_t> weighted{}; // bodies whose weights are new
    std::vector<float> weights{};    // theirs, one for each worker that has the body
    Shakes shakes{};                 // of all workers, on bodies that it has

    template <class A>
    void archive(A& a)
    {
        a(saves), a(stops), a(divides), a(meets), a(horizons), a(sends), a(activates), a(deactivates), a(masks),
            a(holds), a(weighted), a(weights);
        archive_rest(a, !shakes.is_empty(), shakes);
    }
};

template <class T>
Bytes pack(const T& message)
{
    Bytes bytes;
    WriteArchive archive(bytes);
    archive(const_cast<T&>(message));
    return bytes;
}

template <class T>
T unpack(const Bytes& bytes)
{
    T message{};
    ReadArchive archive(bytes);
    archive(message);
    return message;
}

} // namespace moraine::distribute
