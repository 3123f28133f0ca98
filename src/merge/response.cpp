#include "merge/response.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

LoadTerms terms_of(const FrameLoad& l)
{
    const Vec3 pull = l.gravity - l.acceleration, turn = l.turn_acceleration, w = l.turn;
    return {pull.x,    pull.y,    pull.z,    turn.x,    turn.y,    turn.z,
            w.x * w.x, w.y * w.y, w.z * w.z, w.x * w.y, w.x * w.z, w.y * w.z};
}

bool is_in_range(const LoadRange& range, const LoadTerms& load)
{
    bool is_inside = true;
    for (size_t k = 0; k < load_terms; ++k)
        is_inside &= load[k] >= range.lower[k] && load[k] <= range.upper[k];
    return is_inside;
}

void include(const LoadTerms& load, LoadRange& range)
{
    const bool is_empty = range.lower[0] > range.upper[0];
    for (size_t k = 0; k < load_terms; ++k)
    {
        range.lower[k] = is_empty ? load[k] : std::min(range.lower[k], load[k]);
        range.upper[k] = is_empty ? load[k] : std::max(range.upper[k], load[k]);
    }
}

namespace
{

// Of gravity, at the end of the reach; and of the width of a range.
float more_of(size_t term, float width, float gravity, float reach)
{
    const float least = term < 3 ? 0.005f : term < 6 ? 0.002f / reach : 0.0005f / reach;
    return 0.08f * width + least * gravity;
}

} // namespace

LoadRange widened(const LoadRange& range, float gravity, float reach)
{
    LoadRange out = range;
    for (size_t k = 0; k < load_terms; ++k)
    {
        const float more = more_of(k, range.upper[k] - range.lower[k], gravity, reach);
        out.lower[k] -= more;
        out.upper[k] += more;
    }
    return out;
}

LoadRange grown(const LoadRange& range, const LoadTerms& load, float gravity, float reach)
{
    LoadRange with = range;
    include(load, with);
    if (range.lower[0] > range.upper[0])
        return widened(with, gravity, reach);
    LoadRange out = with;
    for (size_t k = 0; k < load_terms; ++k)
    {
        const float more = more_of(k, with.upper[k] - with.lower[k], gravity, reach);
        if (with.lower[k] < range.lower[k])
            out.lower[k] -= more;
        if (with.upper[k] > range.upper[k])
            out.upper[k] += more;
    }
    return out;
}

namespace
{

// Sums over terms are kept in four parts, which a compiler can add side by side.
static_assert(load_terms % 4 == 0);
using Parts = float[4];
float total(const Parts& parts) { return (parts[0] + parts[2]) + (parts[1] + parts[3]); }

float along(const float (&change)[load_terms], const LoadTerms& step)
{
    Parts sum{};
    for (size_t k = 0; k < load_terms; k += 4)
        for (size_t i = 0; i < 4; ++i)
            sum[i] += change[k + i] * step[k + i];
    return total(sum);
}

float spread(const float (&change)[load_terms], const LoadTerms& half)
{
    Parts sum{};
    for (size_t k = 0; k < load_terms; k += 4)
        for (size_t i = 0; i < 4; ++i)
            sum[i] += std::fabs(change[k + i]) * half[k + i];
    return total(sum);
}

float missed(const LoadTerms& missed, const LoadTerms& step)
{
    float sum = 0;
    for (size_t k = 0; k < load_terms; ++k)
        sum += missed[k] * std::fabs(step[k]);
    return sum;
}

LoadTerms difference(const LoadTerms& a, const LoadTerms& b)
{
    LoadTerms d;
    for (size_t k = 0; k < load_terms; ++k)
        d[k] = a[k] - b[k];
    return d;
}

// Back into the cone. True if it was outside by more than rounding.
bool hold_back(const Weld& w, float (&force)[3])
{
    if (holds_all_ways(w))
        return false;
    const float pressed = std::min(std::max(force[0], least_force(w)), w.most);
    const float size = std::sqrt(force[1] * force[1] + force[2] * force[2]);
    const float most = w.friction * std::max(pressed, 0.0f);
    const bool is_outside = force[0] != pressed || size > most * (1 + 1e-4f) + 1e-6f;
    force[0] = pressed;
    if (size > most)
    {
        force[1] *= most / size;
        force[2] *= most / size;
    }
    return is_outside;
}

} // namespace

int follow_load(const Bodies& bodies, const ProbeLimits& limits, const FrameLoad& load, int32_t index, Collections& c)
{
    Collection& collection = c.pool[index];
    const LoadTerms step = difference(terms_of(load), terms_of(collection.load));
    const bool is_exact = missed(collection.response.missed, step) < 0.1f * limits.rest;
    collection.load = load;
    for (int32_t body : collection.members)
        set_load(bodies, load, c.bodies[c.merged(body)]);
    int held_back = 0;
    const Response::Point* r = collection.response.points.data();
    for (int32_t i : collection.response.welds)
    {
        Weld& w = c.welds[i];
        bool is_held_back = false;
        for (int p = 0; p < w.count; ++p, ++r)
        {
            for (int k = 0; k < 3; ++k)
                w.points[p].force[k] += along(r->change[k], step);
            is_held_back |= hold_back(w, w.points[p].force);
        }
        if (!is_held_back)
            continue;
        ++held_back;
        for (int32_t m : {w.a, w.b})
            if (m != none)
                queue_body(m, c);
    }
    for (int32_t body : collection.members)
    {
        MergedBody& m = c.bodies[c.merged(body)];
        if (is_exact && !m.is_queued)
            continue;
        sum_forces(c, m);
        if (is_restless(limits, m))
            queue_body(c.merged(body), c);
    }
    return held_back;
}

float room_around(const Collections& c, const ProbeLimits& limits, int32_t index, const LoadTerms& middle,
                  const LoadTerms& half)
{
    const Collection& collection = c.pool[index];
    const LoadTerms step = difference(middle, terms_of(collection.load));
    float room = 4;
    const float left_over = missed(collection.response.missed, half);
    if (left_over > 0)
        room = std::min(room, (0.5f * limits.rest - missed(collection.response.missed, step)) / left_over);
    const Response::Point* r = collection.response.points.data();
    for (int32_t i : collection.response.welds)
    {
        const Weld& w = c.welds[i];
        if (holds_all_ways(w))
        {
            r += w.count;
            continue;
        }
        for (int p = 0; p < w.count; ++p, ++r)
        {
            const float* force = w.points[p].force;
            const float normal = force[0] + along(r->change[0], step);
            const float t1 = force[1] + along(r->change[1], step), t2 = force[2] + along(r->change[2], step);
            const float s0 = spread(r->change[0], half), s1 = spread(r->change[1], half),
                        s2 = spread(r->change[2], half);
            const float left = w.is_rod         ? w.most - std::fabs(normal)
                               : w.friction > 0 ? w.friction * normal - std::sqrt(t1 * t1 + t2 * t2)
                                                : normal;
            const float used = w.friction > 0 ? w.friction * s0 + std::sqrt(s1 * s1 + s2 * s2) : s0;
            if (!(left >= room * used))
                room = left / used;
        }
    }
    return room;
}

void forget_response(int32_t index, Collections& c)
{
    if (index == none)
        return;
    c.pool[index].response.welds.clear();
    c.pool[index].response.points.clear();
    c.pool[index].quiet = {};
}

} // namespace moraine
