// Random shapes and poses for property tests, the same on every machine.
#pragma once

#include "collide/gjk.h"
#include "collide/narrow_phase.h"
#include "geometry/hull.h"

#include <deque>
#include <vector>

namespace moraine::test
{

class Random
{
public:
    explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}

    uint64_t bits()
    {
        state_ += 0x9e3779b97f4a7c15ull;
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    float uniform(float low, float high) { return low + (high - low) * float(bits() >> 40) * 0x1p-24f; }
    int below(int n) { return int(bits() % uint64_t(n)); }
    Vec3 in_box(float half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }
    Vec3 unit()
    {
        for (;;)
        {
            const Vec3 v = in_box(1);
            if (length_squared(v) <= 1 && length_squared(v) > 0.01f)
                return normalize(v);
        }
    }
    Quat rotation() { return normalize(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}); }

private:
    uint64_t state_;
};

// Keeps what shapes point at alive.
class ShapeStore
{
public:
    Shape sphere(float radius) { return make_shape({.geometry = Sphere{radius}}, {}); }
    Shape capsule(float radius, float half_length)
    {
        return make_shape({.geometry = Capsule{radius, half_length}}, {});
    }
    Shape cylinder(float radius, float half_length)
    {
        return make_shape({.geometry = Cylinder{radius, half_length}}, {});
    }
    Shape box(Vec3 half_extents) { return make_shape({.geometry = Box{half_extents}}, {}); }
    Shape half_space() { return make_shape({.geometry = HalfSpace{}}, {}); }
    Shape hull(const std::vector<Vec3>& points)
    {
        hulls_.push_back(make_hull(points).value());
        return make_shape({.geometry = hulls_.back()}, {});
    }
    Shape triangle(Vec3 a, Vec3 b, Vec3 c)
    {
        triangles_.push_back({a, b, c});
        Shape shape;
        shape.kind = ShapeKind::triangle;
        shape.triangle = triangles_.back().data();
        shape.bounds = {min(min(a, b), c), max(max(a, b), c)};
        return shape;
    }

    Shape random(ShapeKind kind, Random& r)
    {
        switch (kind)
        {
        case ShapeKind::sphere: return sphere(r.uniform(0.2f, 1));
        case ShapeKind::capsule: return capsule(r.uniform(0.2f, 0.6f), r.uniform(0.2f, 1));
        case ShapeKind::box: return box({r.uniform(0.2f, 1), r.uniform(0.2f, 1), r.uniform(0.2f, 1)});
        case ShapeKind::cylinder: return cylinder(r.uniform(0.2f, 1), r.uniform(0.2f, 1));
        case ShapeKind::hull: return random_hull(r, 8 + r.below(17));
        default: return triangle(r.in_box(1), r.in_box(1), r.in_box(1));
        }
    }

    Shape random_hull(Random& r, int count)
    {
        std::vector<Vec3> points;
        for (int i = 0; i < count; ++i)
            points.push_back(multiply(r.unit(), {0.7f, 0.5f, 0.6f}));
        return hull(points);
    }

private:
    std::deque<HullRef> hulls_;
    std::deque<std::vector<Vec3>> triangles_;
};

inline constexpr ShapeKind convex_kinds[] = {ShapeKind::sphere,   ShapeKind::capsule, ShapeKind::box,
                                             ShapeKind::cylinder, ShapeKind::hull,    ShapeKind::triangle};

inline const char* name_of(ShapeKind kind)
{
    static constexpr const char* names[] = {"sphere", "capsule", "box", "cylinder", "hull", "triangle", "half_space"};
    return names[int(kind)];
}

} // namespace moraine::test
