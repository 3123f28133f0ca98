// The two sides of a weld while its points are solved, out of memory: A in the lower half of a lane, B in the upper one, and in the
// axes of the weld: normal and tangents. The probe solves for forces, which leave accelerations over, and what follows a blow
// for impulses, which leave velocities.
//
// Every operation is done for both sides at once, in the order in which three floats would have it. The fourth of each half is
// nobody's: it never reaches the others.
#pragma once

#include "base/lanes.h"
#include "merge/collections.h"
#include "merge/welds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace moraine
{

using Quad = float __attribute__((vector_size(16), aligned(4))); // half a lane

MORAINE_INLINE Quad quad_of(Vec3 v) { return Quad{v.x, v.y, v.z, 0}; }
MORAINE_INLINE Lane join(Quad a, Quad b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7); }
MORAINE_INLINE Lane on_both(Vec3 v) { return join(quad_of(v), quad_of(v)); }
MORAINE_INLINE Lane yzx(Lane v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7); }
MORAINE_INLINE Lane cross_of_halves(Lane a, Lane b) { return yzx(a * yzx(b) - yzx(a) * b); }

// A matrix for each half.
struct LaneColumns
{
    Lane x{}, y{}, z{};
};
MORAINE_INLINE Lane operator*(const LaneColumns& m, Lane v)
{
    return m.x * __builtin_shufflevector(v, v, 0, 0, 0, 3, 4, 4, 4, 7) +
           m.y * __builtin_shufflevector(v, v, 1, 1, 1, 3, 5, 5, 5, 7) +
           m.z * __builtin_shufflevector(v, v, 2, 2, 2, 3, 6, 6, 6, 7);
}

// What a weld can bear at each of its points: forces, or impulses in some time. And its axes.
struct Grip
{
    LaneColumns to_axes, from_axes;
    float friction;
    float least, most; // along the normal
    bool holds;        // in all directions

    MORAINE_INLINE explicit Grip(const Weld& w, float time = 1)
        : friction(w.friction),
          least(least_force(w) * time),
          most(w.most * time),
          holds(w.friction < 0)
    {
        const Vec3 n = w.normal, t = w.tangent, s = second_tangent(w);
        to_axes = {on_both({n.x, t.x, s.x}), on_both({n.y, t.y, s.y}), on_both({n.z, t.z, s.z})};
        from_axes = {on_both(n), on_both(t), on_both(s)};
    }
};

// A linear and a turning motion: accelerations that are left over, or velocities.
struct WeldSides
{
    Lane linear, turning;
    Lane inv_mass;
    LaneColumns inv_inertia;
    Lane counts;              // -1, 1: it gives way. 0: it is taken to be at rest
    float counts_a, counts_b; // the same without signs

    struct Side
    {
        const MergedBody* body = nullptr; // none: nothing moves it
        bool gives_way = false;
    };
    // The motion of a body is one of those it has: what forces leave over, or what a blow does.
    struct Motion
    {
        Vec3 MergedBody::*linear;
        Vec3 MergedBody::*turning;
    };
    static constexpr Motion left_over{&MergedBody::rest, &MergedBody::turn_rest};
    static constexpr Motion by_blow{&MergedBody::thrown, &MergedBody::turn_thrown};

    MORAINE_INLINE WeldSides(Motion motion, const Grip& grip, const Side& a, const Side& b)
        : counts_a(a.gives_way),
          counts_b(b.gives_way)
    {
        static constexpr MergedBody nobody{};
        const MergedBody &m = a.body ? *a.body : nobody, &n = b.body ? *b.body : nobody;
        linear = grip.to_axes * join(load(m.*motion.linear), load(n.*motion.linear));
        turning = grip.to_axes * join(load(m.*motion.turning), load(n.*motion.turning));
        inv_mass = Lane{m.inv_mass, m.inv_mass, m.inv_mass, 0, n.inv_mass, n.inv_mass, n.inv_mass, 0};
        counts = Lane{-counts_a, -counts_a, -counts_a, 0, counts_b, counts_b, counts_b, 0};
        const Lane diagonal = join(load(m.inv_inertia[0]), load(n.inv_inertia[0]));
        const Lane others = join(load(m.inv_inertia[1]), load(n.inv_inertia[1]));
        const LaneColumns own{__builtin_shufflevector(diagonal, others, 0, 8, 9, 3, 4, 12, 13, 7),
                              __builtin_shufflevector(diagonal, others, 8, 1, 10, 3, 12, 5, 14, 7),
                              __builtin_shufflevector(diagonal, others, 9, 10, 2, 3, 13, 14, 6, 7)};
        inv_inertia = {grip.to_axes * (own * grip.from_axes.x), grip.to_axes * (own * grip.from_axes.y),
                       grip.to_axes * (own * grip.from_axes.z)};
    }
    // Of B against A, where the arms point.
    MORAINE_INLINE Vec3 relative_at(Lane arms) const
    {
        const Lane v = (linear + cross_of_halves(turning, arms)) * counts;
        const Lane sum = v + __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
        return {sum[0], sum[1], sum[2]};
    }
    MORAINE_INLINE void push(Lane arms, Vec3 on_b)
    {
        const Quad q = quad_of(on_b);
        const Lane f = join(-q, q); // what B feels A feels the other way
        linear += f * inv_mass;
        turning += inv_inertia * cross_of_halves(arms, f);
    }
    MORAINE_INLINE void store(Motion motion, const Grip& grip, bool is_b, MergedBody& m) const
    {
        m.*motion.linear = half_of(grip.from_axes * linear, is_b);
        m.*motion.turning = half_of(grip.from_axes * turning, is_b);
    }

private:
    // With the float that lies behind it in the body, which is nobody's.
    MORAINE_INLINE static Quad load(const Vec3& v)
    {
        static_assert(offsetof(MergedBody, turn_rest) == offsetof(MergedBody, rest) + sizeof(Vec3));
        static_assert(offsetof(MergedBody, inv_inertia) == offsetof(MergedBody, turn_rest) + sizeof(Vec3));
        static_assert(offsetof(MergedBody, inv_mass) == offsetof(MergedBody, inv_inertia) + 2 * sizeof(Vec3));
        Quad q;
        std::memcpy(&q, &v, sizeof q);
        return q;
    }
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

// The force of a point changes so as to stop what its sides do there, as far as it can: first along the normal, then along the
// tangents, where that is felt too. Returns by how much it has changed, squared.
MORAINE_INLINE float hold(const Grip& grip, const Weld::Point& p, WeldSides& sides, float* force)
{
    const auto give = [&](float Weld::Give::*what) {
        return p.give_a.*what * sides.counts_a + p.give_b.*what * sides.counts_b;
    };
    const float give_normal = give(&Weld::Give::normal);
    if (!(give_normal > 0))
        return 0;
    const float rate = 1 / give_normal, rates[2] = {1 / give(&Weld::Give::tangent_1), 1 / give(&Weld::Give::tangent_2)};
    const Lane arms = grip.to_axes * arms_of(p);
    const Vec3 v = sides.relative_at(arms);
    const float before = force[0];
    const float presses = std::min(std::max(before - v.x * rate, grip.least), grip.most);
    if (!grip.holds && presses == 0 && before == 0 && force[1] == 0 && force[2] == 0)
        return 0; // nothing presses there, so nothing rubs
    const float more = presses - before;
    float rubs[2] = {force[1] - (v.y + give(&Weld::Give::aside_1) * more) * rates[0],
                     force[2] - (v.z + give(&Weld::Give::aside_2) * more) * rates[1]};
    const float squared = rubs[0] * rubs[0] + rubs[1] * rubs[1], most = grip.holds ? infinity : grip.friction * presses;
    if (squared > most * most)
    {
        const float share = most / std::sqrt(squared);
        rubs[0] *= share;
        rubs[1] *= share;
    }
    const Vec3 change{more, rubs[0] - force[1], rubs[1] - force[2]};
    sides.push(arms, change);
    force[0] = presses;
    force[1] = rubs[0];
    force[2] = rubs[1];
    return length_squared(change);
}

} // namespace moraine
