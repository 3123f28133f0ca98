// Box, hull and triangle seen as the same thing: corners, faces, edges.
#pragma once

#include "collide/polygon.h"
#include "geometry/hull.h"

namespace moraine
{

struct Polyhedron
{
    const Vec3* corners = nullptr;
    const float* lanes = nullptr; // the corners again in blocks of eight, like Hull::lanes
    const HullFace* faces = nullptr;
    const uint8_t* loops = nullptr;
    const HullEdge* edges = nullptr; // their faces may be beyond face_count: see `make_polyhedron`
    int corner_count = 0;
    int block_count = 0;
    int face_count = 0;
    int edge_count = 0;
    Vec3 center{};
    float inner_radius = 0; // of a ball about `center` that is inside
    Aabb bounds{};
    bool is_solid = true;
};

// What a box or a triangle needs to be seen as a polyhedron.
struct PolyhedronStore
{
    Scratch<Vec3, 8> corners;
    Scratch<HullFace, 6> faces;
    Scratch<float, 3 * Hull::lane_count> lanes;
};

// A triangle has two faces, front and back, and behind them the directions sideways, which bound the arcs of its edges
// on the Gauss map.
Polyhedron make_polyhedron(const Shape& shape, PolyhedronStore& store);

// The face as a polygon, in the frame of the polyhedron.
void fill_face(const Polyhedron& poly, int face, Polygon& out);

// The face that looks most along `direction`.
int face_along(const Polyhedron& poly, Vec3 direction);

// Whether the point is inside, or outside by less than `tolerance`.
bool contains(const Polyhedron& poly, Vec3 point, float tolerance);

// The height of the furthest corner along `direction`.
float highest_along(const Polyhedron& poly, Vec3 direction);

} // namespace moraine
