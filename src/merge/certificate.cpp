#include "merge/certificate.h"

#include <algorithm>

namespace moraine
{

namespace
{

struct Slopes
{
    float along[2]{};
    float slack = 0;
    bool is_pressed = true; // towards the anchor at all
};

Vec3 load_at(const FrameLoad& load, Vec3 r)
{
    return load.gravity - load.acceleration - cross(load.turn_acceleration, r) - cross(load.turn, cross(load.turn, r));
}

Slopes slopes_at(const LoadRange& range, const FrameLoad& load, Vec3 r, float extent)
{
    const Vec3 l = load_at(load, r);
    const float pressure = -dot(l, range.up);
    Slopes s;
    s.is_pressed = pressure > 0.1f * length(l) && pressure > 0;
    if (!s.is_pressed)
        return s;
    for (int i = 0; i < 2; ++i)
        s.along[i] = dot(l, range.sides[i]) / pressure;
    // Members are not all at one place, and turning them takes a torque.
    s.slack = (length(load.turn_acceleration) + length_squared(load.turn)) * (extent + 0.5f) / pressure;
    return s;
}

// visit(slopes) at the corners of a box.
template <class Visit>
void for_each_corner(const LoadRange& range, const FrameLoad& load, const Aabb& bounds, float extent, Visit&& visit)
{
    for (int i = 0; i < 8; ++i)
        visit(slopes_at(range, load,
                        {i & 1 ? bounds.upper.x : bounds.lower.x, i & 2 ? bounds.upper.y : bounds.lower.y,
                         i & 4 ? bounds.upper.z : bounds.lower.z},
                        extent));
}

// All members, those far from the anchor first; once more where a reaction came late.
bool holds(const ProbeLimits& limits, std::span<const int32_t> order, Collections& c)
{
    constexpr int passes = 4;
    for (int pass = 0; pass < passes; ++pass)
    {
        bool is_done = true;
        for (int32_t m : order)
            if (c.bodies[m].level > 0)
            {
                settle_body(limits, m, c);
                is_done &= !is_restless(limits, c.bodies[m]);
            }
        for (int32_t m : order)
            is_done &= c.bodies[m].level == 0 || !is_restless(limits, c.bodies[m]);
        if (is_done)
            return true;
    }
    return false;
}

} // namespace

bool is_in_range(const LoadRange& range, const FrameLoad& load, const Aabb& bounds, float extent)
{
    if (range.up == Vec3{})
        return false;
    bool is_inside = true;
    for_each_corner(range, load, bounds, extent, [&](const Slopes& s) {
        is_inside &= s.is_pressed;
        for (int i = 0; i < 2; ++i)
            is_inside &= s.along[i] - s.slack >= range.lower[i] && s.along[i] + s.slack <= range.upper[i];
    });
    return is_inside;
}

LoadRange grown_range(const LoadRange& range, const FrameLoad& load, const Aabb& bounds, float extent)
{
    constexpr float least = 0.01f, more = 1.5f;
    LoadRange out = range;
    if (out.up == Vec3{})
    {
        out.up = normalize(-load_at(load, center(bounds)));
        out.sides[0] = perpendicular(out.up);
        out.sides[1] = cross(out.up, out.sides[0]);
    }
    for_each_corner(out, load, bounds, extent, [&](const Slopes& s) {
        for (int i = 0; i < 2; ++i)
        {
            if (s.along[i] - s.slack < out.lower[i])
                out.lower[i] = more * (s.along[i] - s.slack) - least;
            if (s.along[i] + s.slack > out.upper[i])
                out.upper[i] = more * (s.along[i] + s.slack) + least;
        }
    });
    return out;
}

bool certify(const Bodies& bodies, const LoadRange& range, const ProbeLimits& limits, int32_t collection,
             Collections& c)
{
    std::vector<int32_t>& order = c.scratch.order;
    std::vector<Weld>& before = c.scratch.welds;
    order.clear();
    before.clear();
    for (int32_t body : c.pool[collection].members)
    {
        if (bodies.infos[size_t(body)].gravity_scale != 1 || c.bodies[c.merged(body)].is_glued)
            return false;
        order.push_back(c.merged(body));
    }
    std::ranges::sort(order, [&](int32_t a, int32_t b) {
        const int la = c.bodies[a].level, lb = c.bodies[b].level;
        return la != lb ? la > lb : a < b;
    });
    // Each weld once: from its second side, or from the only one it has.
    const auto for_each_own_weld = [&](auto&& visit) {
        for (int32_t m : order)
            for_each_weld(c, m, [&](int32_t w) {
                if (c.welds[w].b == m || c.welds[w].b == none)
                    visit(c.welds[w]);
            });
    };
    for_each_own_weld([&](const Weld& w) { before.push_back(w); });
    const FrameLoad real = c.pool[collection].load;
    const float size = std::max(length(real.gravity - real.acceleration), 1e-3f);

    bool is_certain = true;
    for (int corner = 0; corner < 4 && is_certain; ++corner)
    {
        FrameLoad load;
        const Vec3 pull = range.sides[0] * (corner & 1 ? range.upper[0] : range.lower[0]) +
                          range.sides[1] * (corner & 2 ? range.upper[1] : range.lower[1]) - range.up;
        load.gravity = normalize(pull) * size;
        for (int32_t m : order)
        {
            set_load(bodies, load, c.bodies[m]);
            sum_forces(c, c.bodies[m]);
        }
        is_certain = holds(limits, order, c);
    }
    size_t i = 0;
    for_each_own_weld([&](Weld& w) { w = before[i++]; });
    for (int32_t m : order)
    {
        set_load(bodies, real, c.bodies[m]);
        sum_forces(c, c.bodies[m]);
    }
    return is_certain;
}

} // namespace moraine
