// What the welds of one body can do about what its forces leave over.
#include "merge/probe.h"
#include "merge/sides.h"
#include "merge/spread.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace moraine
{

namespace
{

constexpr int spread_rounds = 6;   // over the welds that carry a body, all at once
constexpr int support_rounds = 10; // one after the other
constexpr float precision = 0.05f; // of rest, for a body that is being solved

// Diagonal first, then xy, xz, yz.
Vec3 symmetric_multiply(const Vec3 (&matrix)[2], Vec3 t)
{
    const Vec3 d = matrix[0], o = matrix[1];
    return {d.x * t.x + o.x * t.y + o.y * t.z, o.x * t.x + d.y * t.y + o.z * t.z, o.y * t.x + o.z * t.y + d.z * t.z};
}

void push(MergedBody& m, Vec3 force, Vec3 torque)
{
    m.rest += force * m.inv_mass;
    m.turn_rest += symmetric_multiply(m.inv_inertia, torque);
}

// A carrier does not, nor the root of a free collection: what is left over there is the acceleration of the frame.
bool can_move(const Collections& c, int32_t merged) { return merged != none && c.bodies[merged].level > 0; }

Vec3 acceleration_at(const MergedBody& m, Vec3 arm) { return m.rest + cross(m.turn_rest, arm); }

Vec3 relative_acceleration(const Collections& c, const Weld& w, const Weld::Point& p)
{
    Vec3 v{};
    if (can_move(c, w.b))
        v += acceleration_at(c.bodies[w.b], p.arm_b);
    if (can_move(c, w.a))
        v -= acceleration_at(c.bodies[w.a], p.arm_a);
    return v;
}

// Of the forces of a weld, on B.
struct WeldChange
{
    Vec3 force{}, torque_a{}, torque_b{};

    void add(const Weld::Point& p, Vec3 change)
    {
        force += change;
        torque_a += cross(p.arm_a, change);
        torque_b += cross(p.arm_b, change);
    }
};

void push_both(Collections& c, const Weld& w, const WeldChange& change)
{
    if (can_move(c, w.b))
        push(c.bodies[w.b], change.force, change.torque_b);
    if (can_move(c, w.a))
        push(c.bodies[w.a], -change.force, -change.torque_a);
}

WeldSides::Side side_of(const Collections& c, int32_t merged, bool gives_way)
{
    return can_move(c, merged) ? WeldSides::Side{&c.bodies[merged], gives_way} : WeldSides::Side{};
}

// `with_a`, `with_b`: which sides give way. The other one is taken to be at rest, but feels the forces all the same.
void solve_weld(Collections& c, Weld& w, bool with_a, bool with_b)
{
    const Grip grip(w);
    WeldSides sides(WeldSides::left_over, grip, side_of(c, w.a, with_a), side_of(c, w.b, with_b));
    for (int i = 0; i < w.count; ++i)
        hold(grip, w.points[i], sides, w.points[i].force);
    for (const bool is_b : {false, true})
        if (const int32_t merged = is_b ? w.b : w.a; can_move(c, merged))
            sides.store(WeldSides::left_over, grip, is_b, c.bodies[merged]);
}

int level_of(const Collections& c, int32_t merged) { return merged == none ? -1 : c.bodies[merged].level; }

// The welds towards the anchor.
void find_supports(Collections& c, int32_t index)
{
    c.scratch.supports.clear();
    const int level = c.bodies[index].level;
    for_each_weld(c, index, [&](int32_t i) {
        const bool is_b = c.welds[i].b == index;
        if (level_of(c, is_b ? c.welds[i].a : c.welds[i].b) < level)
            c.scratch.supports.push_back({i, is_b});
    });
}

// visit(weld, is the body its second side) for those that were found.
template <class Visit>
void for_each_support(Collections& c, Visit&& visit)
{
    for (const CollectionScratch::Support& s : c.scratch.supports)
        visit(c.welds[s.weld], s.is_b);
}

void clamp_forces(const Weld& w, Weld::Point& p)
{
    p.force[0] = std::min(std::max(p.force[0], least_force(w)), w.most);
    if (w.friction < 0 || w.is_rod)
        return;
    const float size = std::sqrt(p.force[1] * p.force[1] + p.force[2] * p.force[2]);
    const float most = w.friction * p.force[0];
    if (size <= most)
        return;
    p.force[1] *= most / size;
    p.force[2] *= most / size;
}

// Of the many ways to share a change among all supports the one that changes each point in proportion to what it carries:
// solved one after the other they would drift into corners from where they cannot hold any more.
class Shares
{
public:
    Shares(Collections& c, int32_t index)
        : rest_(c.bodies[index].rest),
          turn_rest_(c.bodies[index].turn_rest),
          may_move_(c.pool[c.bodies[index].collection].may_move)
    {
        float sum = 0;
        for_each_support(c, [&](const Weld& w, bool) {
            count_ += w.count;
            for (int i = 0; i < w.count; ++i)
                sum += std::fabs(w.points[i].force[0]);
        });
        const float load = length(c.bodies[index].load) / c.bodies[index].inv_mass;
        least_ = count_ > 0 ? 0.05f * (sum + load) / float(count_) + 1e-6f : 0;
    }
    bool has_any() const { return count_ > 0; }
    // How fast the body moves into the surface.
    float approach(const Weld& w, const Weld::Point& p, bool is_b) const
    {
        return dot(rest_ + cross(turn_rest_, is_b ? p.arm_b : p.arm_a), w.normal) * (is_b ? -1.0f : 1.0f);
    }
    // What a body moves away from presses less at once, and cannot be what rubs against that: a wall would hold a bookcase by
    // forces that only a push could have made. On the ground, where piles are wedged in for good, they stay.
    float along_tangents(const Weld& w, const Weld::Point& p, bool is_b) const
    {
        const float normal = along_normal(p);
        if (w.friction < 0)
            return normal;
        return may_move_ && !w.is_rod && approach(w, p, is_b) < 0 ? 0 : w.friction * normal;
    }
    float along_normal(const Weld::Point& p) const { return std::fabs(p.force[0]) + least_; }

private:
    Vec3 rest_, turn_rest_;
    bool may_move_;
    int count_ = 0;
    float least_ = 0;
};

// Shared among the points of a weld. A surface presses more only where the body moves into it: a wall beside it must not
// wedge it in.
WeldChange take_share(const Shares& shares, const Spread& spread, Weld& w, bool is_b)
{
    const Vec3 axes[3] = {w.normal, w.tangent, second_tangent(w)};
    WeldChange sum;
    for (int i = 0; i < w.count; ++i)
    {
        Weld::Point& p = w.points[i];
        const Vec3 before = weld_force(w, p);
        const Vec3 wanted = spread.wanted_at(is_b ? p.arm_b : p.arm_a) * (is_b ? 1.0f : -1.0f);
        const float tangents = shares.along_tangents(w, p, is_b);
        const float presses = shares.along_normal(p) * dot(axes[0], wanted);
        if (!(presses > 0) || shares.approach(w, p, is_b) > 0 || w.friction < 0 || w.is_rod)
            p.force[0] += presses;
        for (int k = 1; k < 3; ++k)
            p.force[k] += tangents * dot(axes[k], wanted);
        clamp_forces(w, p);
        sum.add(p, weld_force(w, p) - before);
    }
    return sum;
}

// All supports at once.
void spread_round(Collections& c, int32_t index)
{
    const Shares shares(c, index);
    if (!shares.has_any())
        return;
    const MergedBody& m = c.bodies[index];
    Spread spread(m);
    for_each_support(c, [&](const Weld& w, bool is_b) {
        for (int i = 0; i < w.count; ++i)
        {
            const Weld::Point& p = w.points[i];
            spread.add(w.normal, is_b ? p.arm_b : p.arm_a, shares.along_normal(p), shares.along_tangents(w, p, is_b));
        }
    });
    spread.solve(-m.rest, -m.turn_rest);
    for_each_support(c, [&](Weld& w, bool is_b) { push_both(c, w, take_share(shares, spread, w, is_b)); });
}

} // namespace

Vec3 turn_by(const MergedBody& m, Vec3 torque) { return symmetric_multiply(m.inv_inertia, torque); }

void sum_forces(const Collections& c, MergedBody& m)
{
    Vec3 force = m.outer + m.spring, torque = m.turn_outer + m.turn_spring;
    float pressed = 0;
    const int32_t index = c.merged(m.body);
    for_each_weld(c, index, [&](int32_t i) {
        const Weld& w = c.welds[i];
        const bool is_b = w.b == index;
        const Vec3 second = second_tangent(w);
        for (int k = 0; k < w.count; ++k)
        {
            const Weld::Point& p = w.points[k];
            pressed += std::fabs(p.force[0]);
            const Vec3 on_b = w.normal * p.force[0] + w.tangent * p.force[1] + second * p.force[2];
            const Vec3 on_body = is_b ? on_b : -on_b;
            force += on_body;
            torque += cross(is_b ? p.arm_b : p.arm_a, on_body);
        }
    });
    m.rest = m.load + m.trim + force * m.inv_mass;
    m.turn_rest = m.turn_load + m.turn_trim + turn_by(m, torque);
    m.borne = (length(m.outer) + 0.5f * pressed) * m.inv_mass; // it comes in on one side and goes out on the other
}

void solve_round(int32_t index, Collections& c)
{
    for_each_weld(c, index, [&](int32_t i) { solve_weld(c, c.welds[i], true, true); });
}

namespace
{

// Between jaws, or walls on either side. Magnets and joints hold as they like.
bool is_squeezed(Collections& c)
{
    constexpr float against = -0.5f; // cosine between what presses from here and from there
    bool is = false;
    for_each_support(c, [&](const Weld& w, bool is_b) {
        is |= w.friction < 0 || w.is_rod;
        const Vec3 normal = is_b ? w.normal : -w.normal;
        for_each_support(c, [&](const Weld& other, bool is_other_b) {
            is |= dot(normal, is_other_b ? other.normal : -other.normal) < against;
        });
    });
    return is;
}

// What carries a body holds nothing against itself when a push is over, unless the body is squeezed: a wall that was pressed, and
// the friction of the floor that takes over from what pressed, would stay as they are for ever.
void let_go(Collections& c)
{
    if (is_squeezed(c))
        return;
    for_each_support(c, [&](Weld& w, bool) {
        WeldChange sum;
        for (int i = 0; i < w.count; ++i)
        {
            sum.add(w.points[i], -weld_force(w, w.points[i]));
            std::fill_n(w.points[i].force, 3, 0.0f);
        }
        push_both(c, w, sum);
    });
}

} // namespace

bool settle_body(const ProbeLimits& limits, int32_t index, Collections& c)
{
    MergedBody& m = c.bodies[index];
    find_supports(c, index);
    if (std::exchange(m.is_released, false))
        let_go(c);
    const float enough = precision * limits.rest;
    for (int i = 0; i < spread_rounds && restlessness(m) > enough; ++i)
    {
        const float before = restlessness(m);
        spread_round(c, index);
        if (restlessness(m) > 0.5f * before)
            break;
    }
    for (int i = 1; i <= support_rounds && is_restless(limits, m); ++i)
    {
        const float before = restlessness(m);
        for_each_support(c, [&](Weld& w, bool is_b) { solve_weld(c, w, !is_b, is_b); });
        if (i > 1 && !comes_to_rest(before, restlessness(m), support_rounds - i, slack_of(limits, m)))
            break;
    }
    return !is_restless(limits, m);
}

namespace
{

// Three points span a surface to stand on, as long as they are not on one line: then the body pivots about it.
void note_active_point(Vec3 point, float radius, WeldState& state)
{
    const float apart = 0.02f * radius;
    if (state.active_points == 0 || (state.active_points == 1 && length(point - state.corners[0]) > apart))
        state.corners[state.active_points++] = point;
    else if (state.active_points == 2)
    {
        const Vec3 line = state.corners[1] - state.corners[0];
        state.active_points += length(cross(line, point - state.corners[0])) > apart * length(line);
    }
}

} // namespace

void judge_weld(const Collections& c, int32_t index, WeldState& state)
{
    const Weld& w = c.welds[index];
    state.is_magnet |= w.friction < 0;
    Vec3 turn{};
    float radius = infinity;
    for (int side = 0; side < 2; ++side)
    {
        const int32_t m = side == 0 ? w.a : w.b;
        if (m == none)
            continue;
        radius = std::min(radius, c.bodies[m].radius);
        if (!can_move(c, m))
            continue;
        turn += c.bodies[m].turn_rest * (side == 0 ? -1.0f : 1.0f);
    }
    float largest = state.largest;
    for (int i = 0; i < w.count; ++i)
        largest = std::max(largest, w.points[i].force[0]);
    if (largest > state.largest)
        state.active_points = state.largest < 0.05f * largest ? 0 : state.active_points;
    state.largest = largest;
    for (int i = 0; i < w.count; ++i)
    {
        const Weld::Point& p = w.points[i];
        const Vec3 moves = relative_acceleration(c, w, p);
        state.motion = std::max(state.motion, length(moves) + length(turn) * radius);
        state.normal_force += p.force[0];
        if (!(p.force[0] > 0))
            continue;
        if (p.force[0] > 0.05f * largest)
            note_active_point(w.b == none ? p.arm_a : p.arm_b, radius, state);
        state.is_active = true;
        const float friction = std::sqrt(p.force[1] * p.force[1] + p.force[2] * p.force[2]);
        state.is_at_bound &= friction >= 0.999f * w.friction * p.force[0];
        state.slip = std::max(state.slip, length(moves - w.normal * dot(w.normal, moves)));
    }
}

} // namespace moraine
