// Search for the axis along which two polyhedra overlap least: face normals of both, and edge pairs whose arcs cross
// on the Gauss map. Exact for overlapping pairs, but most axes are never evaluated: the axis of the last step bounds
// the depth, and an axis along which the pair must be deeper than that is skipped after one dot product.
#pragma once

#include "collide/polyhedron.h"

#include <limits>

namespace moraine
{

struct SatBest
{
    float separation = -std::numeric_limits<float>::infinity();
    int index = -1;   // of the face, or the edge of A; -1: none
    int index_b = -1; // edge of B
    Vec3 normal{};    // from A to B, in the frame of A
};

struct Sat
{
    const Polyhedron& a;
    const Polyhedron& b;
    const Placed& place; // of B in the frame of A
    float margin;
    float tolerance;                                           // an axis this much worse than the best cannot be chosen
    float threshold = -std::numeric_limits<float>::infinity(); // separations below this are of no interest
    SatBest face_a{}, face_b{}, edge{};
    SatBest guess{}; // best direction of all so far
};

// Each returns the separation that it found if that is above the margin (the search ends) and null otherwise.
const SatBest* test_guess(Sat& s, Vec3 axis);
const SatBest* test_faces_a(Sat& s);
const SatBest* test_faces_b(Sat& s);
const SatBest* test_edges(Sat& s);

} // namespace moraine
