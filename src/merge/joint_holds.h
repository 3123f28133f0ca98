// Where and how hard a joint can hold two bodies that do not move against each other.
//
// A joint inside a collection is a few points that hold in one direction or in all of them. What locks a turn is two
// points apart from each other; what drives or stops one is a point at the end of a lever, whose push across the joint is
// taken up by the directions that are locked.
#pragma once

#include "dynamics/joint_rows.h"

namespace moraine
{

// In the world's axes.
struct JointHold
{
    Vec3 direction{}; // of the force on B
    bool is_all_ways = false;
    bool is_rod = true;    // both ways; else it only pushes
    float most = infinity; // force of each point
    int count = 0;
    Vec3 offsets[4]{}; // of its points from the origin of frame B
    float force[4]{};  // in the last solve, along the direction; not if it holds all ways
};

struct JointHolds
{
    static constexpr int capacity = 3 + 2 * 6 + 1;
    JointHold all[capacity];
    int count = 0;
    Vec3 force{}, torque{};  // of springs and stalled motors on B, about the origin of its frame: these stay
    bool is_possible = true; // else its bodies move against each other, or how it holds cannot be said by points

    JointHold& add(Vec3 direction)
    {
        all[count].direction = direction;
        return all[count++];
    }
};

// `rate` makes newtons of the impulses that the joint stores, `step_rate` of those of a whole step; `reach` is how far the
// points are apart.
struct HoldMeasures
{
    float rate = 0, step_rate = 0;
    float reach = 1;
};
JointHolds holds_of(const Joint& joint, const JointPlacement& place, const HoldMeasures& measures);

} // namespace moraine
