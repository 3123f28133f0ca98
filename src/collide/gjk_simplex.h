// The simplex of GJK and the search itself, shared with EPA. Everything is in the frame of the first core.
#pragma once

#include "collide/double_math.h"
#include "collide/gjk.h"

namespace moraine
{

// The core of a view, placed in the frame in which the search runs.
struct Core
{
    const Shape* shape = nullptr; // null: a point
    DMat3 rotation{};
    DVec3 position{};
};

struct CorePair
{
    Core a;
    Core b;
    DMat3 rotation{}; // from the search frame to the common frame
    DVec3 position{};
};

CorePair make_core_pair(const ConvexView& a, const ConvexView& b);

DVec3 support(const Core& core, DVec3 direction);

// Up to four points of the Minkowski difference A - B with the points of A that made them.
struct Simplex
{
    DVec3 w[4];
    DVec3 a[4];
    double weight[4] = {};
    int count = 0;
};

struct GjkState
{
    Simplex simplex{};
    DVec3 v{}; // point of A - B closest to the origin
    bool is_overlapping = false;
    bool is_far = false; // further apart than `max_distance`: v only separates
};

// `v`: first guess of the closest point of A - B; zero for none. Stops once the cores are known to be further apart
// than `max_distance`.
GjkState run_gjk(const Core& a, const Core& b, DVec3 v, double max_distance);

// The point of A of the simplex's closest point.
DVec3 point_on_a(const Simplex& s);

// Where overlapping cores are deepest.
struct Deepest
{
    DVec3 normal{}; // unit, from A to B: moving B by `depth` along it separates
    DVec3 on_a{};
    double depth = 0;
};

// Expands the polytope that GJK ended with.
Deepest run_epa(const Core& a, const Core& b, const Simplex& simplex);

// Reduces the simplex to the feature closest to the origin, with weights, and returns the closest point.
// A simplex that stays at four points contains the origin.
DVec3 reduce_to_closest(Simplex& s);

} // namespace moraine
