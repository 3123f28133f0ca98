// The functions behind collide_convex, one for each family of pairs. Each works in the frame of shape A, where A stands
// unturned at the origin, and is given the place of B in it; `move_to` takes the result to the common frame.
#pragma once

#include "collide/manifold.h"
#include "geometry/shape.h"

namespace moraine
{

struct Placed
{
    Mat3 rotation{}; // of B in the frame of A
    Vec3 position{};
};

inline Vec3 apply(const Placed& p, Vec3 v) { return p.rotation * v + p.position; }
inline Vec3 apply_inverse(const Placed& p, Vec3 v) { return transpose_multiply(p.rotation, v - p.position); }

struct PairInput
{
    const Shape& a;
    const Shape& b;
    Placed place;
    float margin;
};

// The kinds are sorted: a.kind <= b.kind. False if further apart than the margin.
bool collide_box_box(const PairInput& pair, PairCache& cache, LocalManifold& out);
bool collide_polyhedra(const PairInput& pair, PairCache& cache, LocalManifold& out); // box, hull, triangle
bool collide_half_space(const PairInput& pair, const PairCache& cache, LocalManifold& out);
bool collide_sphere_sphere(const PairInput& pair, LocalManifold& out);
bool collide_sphere_capsule(const PairInput& pair, LocalManifold& out);
bool collide_sphere_box(const PairInput& pair, LocalManifold& out);
bool collide_sphere_cylinder(const PairInput& pair, LocalManifold& out);
bool collide_sphere_hull(const PairInput& pair, PairCache& cache, LocalManifold& out);
bool collide_sphere_triangle(const PairInput& pair, LocalManifold& out);
bool collide_capsule_capsule(const PairInput& pair, LocalManifold& out);
bool collide_generic(const PairInput& pair, PairCache& cache, LocalManifold& out);

// Keys: bits 0-15 say which part of the features, the rest which features.
namespace contact_key
{
constexpr uint32_t single = 1u << 30;  // the closest points themselves
constexpr uint32_t edges = 1u << 29;   // a pair of crossing edges
constexpr uint32_t flipped = 1u << 28; // the reference face is on B
} // namespace contact_key

inline void set_single_point(LocalManifold& out, Vec3 normal, Vec3 on_a, float separation, uint32_t key)
{
    out.normal = normal;
    out.count = 1;
    out.points[0] = {on_a + normal * (0.5f * separation), separation, key};
}

} // namespace moraine
