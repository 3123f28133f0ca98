// The probe: forces inside collections, brought up to date only where something has changed.
//
// A body is at rest in its collection when its loads (gravity, the motion of the frame, forces from outside) and the
// forces of its welds leave no acceleration over. Bodies for which that is not so are queued. A visit lets the welds of
// a body take up what is left over, first those that lead to the anchor, whose far side is taken as fixed: so a change
// of load runs straight down to what carries it. Neighbours that are put out of balance are queued in turn, which is a
// breadth-first sweep out from the disturbance that ends where its influence is lost.
#pragma once

#include "graph/bodies.h"
#include "merge/collections.h"
#include "merge/welds.h"

#include <algorithm>

namespace moraine
{

struct ProbeLimits
{
    float rest = 0;       // accelerations below this are rest, m/s²
    float share = 0;      // of what a body carries: solvers miss more under a high load
    int leans = 0;        // visits in one run to a body that is not carried
    bool in_order = true; // breadth first from the disturbance; else once over the members, by index
};

// The acceleration of a body's fastest point that is left over.
inline float restlessness(const MergedBody& m) { return length(m.rest) + length(m.turn_rest) * m.radius; }

// What a solver may miss at this body.
inline float miss_of(const ProbeLimits& limits, const MergedBody& m)
{
    return m.ease * (limits.rest > limits.share * m.borne ? limits.rest : limits.share * m.borne);
}
// What may be left over at it before it counts as motion.
inline float slack_of(const ProbeLimits& limits, const MergedBody& m)
{
    return miss_of(limits, m) + m.noise + m.noise_share * m.borne;
}
inline bool is_restless(const ProbeLimits& limits, const MergedBody& m)
{
    return restlessness(m) > slack_of(limits, m);
}
// At the pace of its last round, from `before` to `now`, is it at rest after so many more?
inline bool comes_to_rest(float before, float now, int rounds, float slack)
{
    float in_the_end = now;
    for (int i = 0; i < rounds; ++i)
        in_the_end *= now / before;
    return in_the_end <= slack;
}
// The body was seen to rest with these forces: what they leave over is what the solver missed. From now on only changes
// count. Not if it is more than any solver misses.
void trust(const ProbeLimits& limits, Vec3 left, Vec3 turn_left, MergedBody& m);
void accept(Vec3 left, Vec3 turn_left, MergedBody& m); // however much it is

Vec3 turn_by(const MergedBody& m, Vec3 torque); // inverse inertia times torque

// Masses, inertia in the mover's axes, radius: after a change of mover or mass.
void measure_body(const Bodies& bodies, MergedBody& m);
// Where the mover's motion and gravity leave it.
void set_load(const Bodies& bodies, const FrameLoad& load, MergedBody& m);
// Loads and forces summed afresh.
void sum_forces(const Collections& collections, MergedBody& m);

// One round over all welds of a body.
void solve_round(int32_t merged, Collections& collections);
// What carries the body takes up what is left over. True if it can.
bool settle_body(const ProbeLimits& limits, int32_t merged, Collections& collections);

void queue_body(int32_t merged, Collections& collections);
void queue_released(int32_t merged, Collections& collections); // because what pressed it is over
// Forces from outside it are looked at in this step, and in some more.
void gather_body(int32_t merged, uint64_t step, Collections& collections);
// Bodies of collections that were formed in this step wait in the queue: their frame's acceleration is not known yet.
// Visits until all is at rest, or as often as allowed. Bodies that no force could hold are in `restless` afterwards.
void run_probe(const ProbeLimits& limits, Collections& collections);
// After a change of the frame's load: queues the members that feel it.
void probe_collection(const ProbeLimits& limits, int32_t collection, Collections& collections);

// How the welds of an edge look after the probe.
struct WeldState
{
    float normal_force = 0;
    float largest = 0;     // force of a point
    int active_points = 0; // that carry more than a twentieth of that and do not lie on one line: at most three
    Vec3 corners[2]{};     // the first two of them
    bool is_active = false;
    bool is_at_bound = true; // of friction, at every active point
    bool is_magnet = false;
    float slip = 0;   // acceleration along the surface, of the fastest active point
    float motion = 0; // of the fastest point of the smaller body
};
void judge_weld(const Collections& collections, int32_t weld, WeldState& state);

} // namespace moraine
