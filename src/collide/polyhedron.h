// Box, hull and triangle seen as the same thing: corners, faces, edges.
#pragma once

#include "collide/polygon.h"
#include "geometry/hull.h"

namespace moraine
{

struct Polyhedron
{
    const Vec3* corners = nullptr;
    const HullFace* faces = nullptr;
    const uint8_t* loops = nullptr;
    const HullEdge* edges = nullptr; // their faces may be below normal_count
    int corner_count = 0;
    int face_count = 0;
    int normal_count = 0; // faces and, of a triangle, the directions sideways: they bound the arcs of its edges
    int edge_count = 0;
    Vec3 center{};
    float inner_radius = 0; // of a ball about `center` that is inside
    Aabb bounds{};
};

// What a box or a triangle needs to be seen as a polyhedron.
struct PolyhedronStore
{
    Vec3 corners[8];
    HullFace faces[6];
};

Polyhedron make_polyhedron(const Shape& shape, PolyhedronStore& store);

} // namespace moraine
