// The two sides of a weld while its points are solved, out of memory: A in the lower half of a lane, B in the upper one.
//
// Every operation is done for both sides at once, in the order in which three floats would have it. The fourth of each half is
// nobody's: it never reaches the others.
#pragma once

#include "base/lanes.h"
#include "merge/collections.h"

#include <cstddef>
#include <cstring>

namespace moraine
{

using Quad = float __attribute__((vector_size(16), aligned(4))); // half a lane

MORAINE_INLINE Lane join(Quad a, Quad b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7); }
MORAINE_INLINE Quad quad_of(Vec3 v) { return Quad{v.x, v.y, v.z, 0}; }
// What B feels A feels the other way.
MORAINE_INLINE Lane on_both(Vec3 on_b) { return join(-quad_of(on_b), quad_of(on_b)); }
MORAINE_INLINE Lane yzx(Lane v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7); }
MORAINE_INLINE Lane cross_of_halves(Lane a, Lane b) { return yzx(a * yzx(b) - yzx(a) * b); }

// A linear and a turning motion: accelerations that are left over, or velocities.
struct Sides
{
    Lane linear{}, turning{};
    Lane inv_mass{};
    Lane inv_inertia[3]{}; // columns
    Lane counts{};         // -1, 1: it gives way. 0: it is taken to be at rest

    struct Side
    {
        Vec3 linear{}, turning{};
        const MergedBody* body = nullptr; // none: nothing moves it
        bool gives_way = false;
    };
    Sides(const Side& a, const Side& b)
        : linear(join(quad_of(a.linear), quad_of(b.linear))),
          turning(join(quad_of(a.turning), quad_of(b.turning)))
    {
        const float mass_a = a.body ? a.body->inv_mass : 0, mass_b = b.body ? b.body->inv_mass : 0;
        const float counts_a = a.gives_way ? -1.0f : 0.0f, counts_b = b.gives_way ? 1.0f : 0.0f;
        inv_mass = Lane{mass_a, mass_a, mass_a, 0, mass_b, mass_b, mass_b, 0};
        counts = Lane{counts_a, counts_a, counts_a, 0, counts_b, counts_b, counts_b, 0};
        Lane diagonal{}, others{};
        const Vec3 zero{};
        diagonal = join(quad_of(a.body ? a.body->inv_inertia[0] : zero),
                        quad_of(b.body ? b.body->inv_inertia[0] : zero));
        others = join(quad_of(a.body ? a.body->inv_inertia[1] : zero), quad_of(b.body ? b.body->inv_inertia[1] : zero));
        inv_inertia[0] = __builtin_shufflevector(diagonal, others, 0, 8, 9, 3, 4, 12, 13, 7);
        inv_inertia[1] = __builtin_shufflevector(diagonal, others, 8, 1, 10, 3, 12, 5, 14, 7);
        inv_inertia[2] = __builtin_shufflevector(diagonal, others, 9, 10, 2, 3, 13, 14, 6, 7);
    }
    // Of B against A, where the arms point.
    MORAINE_INLINE Vec3 relative_at(Lane arms) const
    {
        const Lane v = (linear + cross_of_halves(turning, arms)) * counts;
        return {v[4] + v[0], v[5] + v[1], v[6] + v[2]};
    }
    MORAINE_INLINE void push(Lane arms, Vec3 on_b)
    {
        const Lane f = on_both(on_b);
        linear += f * inv_mass;
        const Lane torque = cross_of_halves(arms, f);
        turning += inv_inertia[0] * __builtin_shufflevector(torque, torque, 0, 0, 0, 3, 4, 4, 4, 7) +
                   inv_inertia[1] * __builtin_shufflevector(torque, torque, 1, 1, 1, 3, 5, 5, 5, 7) +
                   inv_inertia[2] * __builtin_shufflevector(torque, torque, 2, 2, 2, 3, 6, 6, 6, 7);
    }
    Vec3 linear_of(bool is_b) const { return half_of(linear, is_b); }
    Vec3 turning_of(bool is_b) const { return half_of(turning, is_b); }

private:
    static Vec3 half_of(Lane v, bool is_b) { return is_b ? Vec3{v[4], v[5], v[6]} : Vec3{v[0], v[1], v[2]}; }
};

// Four floats each, of which the last is what lies behind.
MORAINE_INLINE Lane arms_of(const Weld::Point& p)
{
    static_assert(offsetof(Weld::Point, arm_b) == sizeof(Vec3) && sizeof p >= sizeof(Vec3) + sizeof(Quad));
    Quad a, b;
    const std::byte* bytes = reinterpret_cast<const std::byte*>(&p);
    std::memcpy(&a, bytes, sizeof a);
    std::memcpy(&b, bytes + offsetof(Weld::Point, arm_b), sizeof b);
    return join(a, b);
}

} // namespace moraine
