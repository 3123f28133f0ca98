#include "merge/probe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moraine
{

namespace
{

constexpr int support_rounds = 10; // over the welds that carry a body
constexpr int motion_rounds = 2;   // over all its welds, when those cannot
constexpr int most_leans = 500;    // visits in one run, to all: the rest waits for the next step
constexpr float precision = 0.05f; // of rest, for a body that is being solved

Vec3 second_tangent(const Weld& w) { return cross(w.normal, w.tangent); }

Vec3 weld_force(const Weld& w, const Weld::Point& p) // on B
{
    return w.normal * p.force[0] + w.tangent * p.force[1] + second_tangent(w) * p.force[2];
}

void push(MergedBody& m, Vec3 arm, Vec3 force)
{
    m.rest += force * m.inv_mass;
    m.turn_rest += turn_by(m, cross(arm, force));
}

Vec3 acceleration_at(const MergedBody& m, Vec3 arm) { return m.rest + cross(m.turn_rest, arm); }

Vec3 relative_acceleration(const Collections& c, const Weld& w, const Weld::Point& p, bool with_a = true,
                           bool with_b = true)
{
    Vec3 v{};
    if (w.b != none && with_b)
        v += acceleration_at(c.bodies[w.b], p.arm_b);
    if (w.a != none && with_a)
        v -= acceleration_at(c.bodies[w.a], p.arm_a);
    return v;
}

void push_both(Collections& c, const Weld& w, const Weld::Point& p, Vec3 force)
{
    if (w.b != none)
        push(c.bodies[w.b], p.arm_b, force);
    if (w.a != none)
        push(c.bodies[w.a], p.arm_a, -force);
}

// `with_a`, `with_b`: which sides give way; the other side is taken to be at rest, but feels the force all the same.
void solve_weld(Collections& c, Weld& w, bool with_a, bool with_b)
{
    const Vec3 t2 = second_tangent(w);
    const bool holds = w.friction < 0;
    for (int i = 0; i < w.count; ++i)
    {
        Weld::Point& p = w.points[i];
        const float k = (with_a ? p.k_a[0] : 0.0f) + (with_b ? p.k_b[0] : 0.0f);
        if (!(k > 0))
            continue;
        const float before = p.force[0];
        p.force[0] -= dot(w.normal, relative_acceleration(c, w, p, with_a, with_b)) / k;
        if (!holds)
            p.force[0] = std::max(p.force[0], 0.0f);
        push_both(c, w, p, w.normal * (p.force[0] - before));
    }
    for (int i = 0; i < w.count; ++i)
    {
        Weld::Point& p = w.points[i];
        const float k1 = (with_a ? p.k_a[1] : 0.0f) + (with_b ? p.k_b[1] : 0.0f);
        const float k2 = (with_a ? p.k_a[2] : 0.0f) + (with_b ? p.k_b[2] : 0.0f);
        if (!(k1 > 0) || !(k2 > 0))
            continue;
        const Vec3 slip = relative_acceleration(c, w, p, with_a, with_b);
        float f1 = p.force[1] - dot(w.tangent, slip) / k1;
        float f2 = p.force[2] - dot(t2, slip) / k2;
        const float size = std::sqrt(f1 * f1 + f2 * f2);
        const float most = holds ? infinity : w.friction * p.force[0];
        if (size > most)
        {
            f1 *= most / size;
            f2 *= most / size;
        }
        push_both(c, w, p, w.tangent * (f1 - p.force[1]) + t2 * (f2 - p.force[2]));
        p.force[1] = f1;
        p.force[2] = f2;
    }
}

int level_of(const Collections& c, int32_t merged) { return merged == none ? -1 : c.bodies[merged].level; }

// One round over the welds of a body: over those towards the anchor, whose far side is taken to be at rest; or over all
// of them, as they are.
void solve_round(Collections& c, int32_t index, bool only_supports)
{
    const int level = c.bodies[index].level;
    for_each_weld(c, index, [&](int32_t i) {
        Weld& w = c.welds[i];
        const bool is_b = w.b == index;
        const int other = level_of(c, is_b ? w.a : w.b);
        if (only_supports && other >= level)
            return;
        solve_weld(c, w, !is_b || !only_supports, is_b || !only_supports);
    });
}

void queue_neighbours(const ProbeLimits& limits, int most_visits, Collections& c, int32_t index)
{
    for_each_weld(c, index, [&](int32_t i) {
        const Weld& w = c.welds[i];
        const int32_t other = w.b == index ? w.a : w.b;
        if (other != none && restlessness(c.bodies[other]) > limits.rest && int(c.bodies[other].visits) < most_visits)
            queue_body(other, c);
    });
}

float response(const MergedBody& m, Vec3 arm, Vec3 direction)
{
    const Vec3 lever = cross(arm, direction);
    return m.inv_mass + dot(lever, turn_by(m, lever));
}

void set_responses(const Collections& c, Weld& w)
{
    const Vec3 axes[3] = {w.normal, w.tangent, second_tangent(w)};
    for (int i = 0; i < w.count; ++i)
        for (int k = 0; k < 3; ++k)
        {
            Weld::Point& p = w.points[i];
            p.k_a[k] = w.a == none ? 0 : response(c.bodies[w.a], p.arm_a, axes[k]);
            p.k_b[k] = w.b == none ? 0 : response(c.bodies[w.b], p.arm_b, axes[k]);
        }
}

void link_weld(int32_t weld, int32_t merged, int side, Collections& c)
{
    if (merged == none)
        return;
    c.welds[weld].next[side] = c.bodies[merged].weld_first;
    c.bodies[merged].weld_first = weld;
}

void unlink_weld(int32_t weld, int32_t merged, Collections& c)
{
    if (merged == none)
        return;
    int32_t* link = &c.bodies[merged].weld_first;
    while (*link != weld)
        link = &c.welds[*link].next[c.welds[*link].b == merged];
    *link = c.welds[weld].next[c.welds[weld].b == merged];
}

// To share out a twist among points.
struct PointSpread
{
    Vec3 center{};
    float inv_squares = 0;
};
PointSpread spread_of(const Manifold& m)
{
    PointSpread s;
    for (int i = 0; i < m.count; ++i)
        s.center += m.points[i].position / float(m.count);
    float squares = 0;
    for (int i = 0; i < m.count; ++i)
        squares += length_squared(m.points[i].position - s.center);
    s.inv_squares = squares > 1e-12f ? 1 / squares : 0;
    return s;
}

} // namespace

Vec3 turn_by(const MergedBody& m, Vec3 t)
{
    const Vec3 d = m.inv_inertia[0], o = m.inv_inertia[1];
    return {d.x * t.x + o.x * t.y + o.y * t.z, o.x * t.x + d.y * t.y + o.z * t.z, o.y * t.x + o.z * t.y + d.z * t.z};
}

void measure_body(const Bodies& bodies, MergedBody& m)
{
    const Body& body = bodies[m.body];
    const BodyInfo& info = bodies.infos[size_t(m.body)];
    m.inv_mass = 1 / info.mass;
    const Factor f = factor_of_inverse(inertia_matrix(info), body.has(body_is_planar));
    const Mat3 factor{{f.xx, f.yx, f.zx}, {0, f.yy, f.zy}, {0, 0, f.zz}};
    const Mat3 r = to_matrix(body.pose_in_mover.rotation) * factor;
    const Mat3 inverse = r * transpose(r);
    m.inv_inertia[0] = {inverse.x.x, inverse.y.y, inverse.z.z};
    m.inv_inertia[1] = {inverse.x.y, inverse.x.z, inverse.y.z};
    Aabb box;
    for (const Shape& s : bodies.shapes_of(body))
        box = merge(box, transform(s.bounds, s.pose));
    m.radius = length(max(abs(box.lower), abs(box.upper)));
}

void set_load(const Bodies& bodies, const FrameLoad& load, MergedBody& m)
{
    const Vec3 r = bodies[m.body].pose_in_mover.position;
    const float scale = bodies.infos[size_t(m.body)].gravity_scale;
    m.load = load.gravity * scale - load.acceleration - cross(load.turn_acceleration, r) -
             cross(load.turn, cross(load.turn, r));
    m.turn_load = -load.turn_acceleration;
}

void sum_forces(const Collections& c, MergedBody& m)
{
    m.rest = m.load + m.outer * m.inv_mass;
    m.turn_rest = m.turn_load + turn_by(m, m.turn_outer);
    const int32_t index = c.merged(m.body);
    for_each_weld(c, index, [&](int32_t i) {
        const Weld& w = c.welds[i];
        for (int k = 0; k < w.count; ++k)
        {
            const Weld::Point& p = w.points[k];
            const Vec3 force = weld_force(w, p);
            w.b == index ? push(m, p.arm_b, force) : push(m, p.arm_a, -force);
        }
    });
}

int32_t add_weld(const Bodies& bodies, const ContactGraph& graph, int32_t manifold, const StoredForce& stored,
                 Collections& c)
{
    const Manifold& m = graph.manifolds[manifold];
    const Edge& edge = graph.edges[m.edge];
    const int32_t index = c.welds.create();
    Weld& w = c.welds[index];
    w.manifold = manifold;
    w.a = c.merged(edge.body_a);
    w.b = c.merged(edge.body_b);
    w.normal = m.normal;
    w.friction = m.friction;
    w.count = m.count;
    // Frame A is the frame of A's mover. What stands on static bodies may be in several movers, all with the world's
    // axes; the carrier's own frame is turned into that of the member.
    const Transform to_b = edge.mover_a == edge.mover_b ? Transform{} : inverse(edge.placement);
    const Transform to_frame = w.a == none ? to_b : Transform{};
    w.normal = rotate(to_frame.rotation, w.normal);
    w.tangent = perpendicular(w.normal);
    float sum = 0;
    for (int i = 0; i < m.count; ++i)
        sum += m.points[i].impulse;
    const Vec3 friction = rotate(to_frame.rotation, m.friction_impulse) * stored.friction;
    const PointSpread spread = spread_of(m);
    for (int i = 0; i < m.count; ++i)
    {
        const Vec3 position = apply(to_frame, m.points[i].position);
        Weld::Point& p = w.points[i];
        if (w.a != none)
            p.arm_a = position - bodies[edge.body_a].pose_in_mover.position;
        if (w.b != none)
            p.arm_b = apply(to_b, m.points[i].position) - bodies[edge.body_b].pose_in_mover.position;
        const float share = sum > 0 ? m.points[i].impulse / sum : 0;
        p.force[0] = share * m.total_impulse * stored.normal;
        const Vec3 turning = cross(w.normal, rotate(to_frame.rotation, m.points[i].position - spread.center)) *
                             (m.twist_impulse * stored.friction * spread.inv_squares);
        p.force[1] = dot(friction * share + turning, w.tangent);
        p.force[2] = dot(friction * share + turning, second_tangent(w));
    }
    set_responses(c, w);
    link_weld(index, w.a, 0, c);
    link_weld(index, w.b, 1, c);
    c.point_count += w.count;
    return index;
}

void remove_weld(int32_t index, Collections& c)
{
    unlink_weld(index, c.welds[index].a, c);
    unlink_weld(index, c.welds[index].b, c);
    c.point_count -= c.welds[index].count;
    c.welds.destroy(index);
}

bool settle_body(const ProbeLimits& limits, int32_t index, Collections& c)
{
    MergedBody& m = c.bodies[index];
    for (int i = 0; i < support_rounds && restlessness(m) > precision * limits.rest; ++i)
        solve_round(c, index, true);
    return restlessness(m) <= limits.rest;
}

void queue_body(int32_t merged, Collections& c)
{
    MergedBody& m = c.bodies[merged];
    if (m.is_queued || m.level == 0)
        return;
    m.is_queued = true;
    c.queue.push_back(merged);
}

namespace
{

// Far from the anchor first: what they hand down is taken up by those that come later.
void sort_queue(const ProbeLimits& limits, Collections& c)
{
    std::ranges::sort(c.queue, [&](int32_t a, int32_t b) {
        const int la = c.bodies[a].level, lb = c.bodies[b].level;
        return limits.in_order && la != lb ? la > lb : a < b;
    });
}

// visit(merged body) for the queue, which grows meanwhile; the queue is empty afterwards.
template <class Visit>
void drain_queue(Collections& c, Visit&& visit)
{
    for (size_t i = 0; i < c.queue.size(); ++i)
    {
        MergedBody& m = c.bodies[c.queue[i]];
        m.is_queued = false;
        ++m.visits;
        visit(c.queue[i]);
    }
    for (int32_t index : c.queue)
        c.bodies[index].visits = 0;
    c.queue.clear();
}

// Only what carries: this never goes round in circles.
void settle_queue(const ProbeLimits& limits, Collections& c)
{
    drain_queue(c, [&](int32_t index) {
        if (c.pool[c.bodies[index].collection].fresh_steps > 0)
            c.waiting.push_back(index);
        else if (!settle_body(limits, index, c))
            c.restless.push_back(index);
        if (limits.in_order)
            queue_neighbours(limits, limits.visits, c, index);
    });
}

// Who is not carried may lean on its equals, or be held down. Plain Gauss-Seidel, which takes longer.
void lean_restless(const ProbeLimits& limits, Collections& c)
{
    for (int32_t index : c.restless)
        queue_body(index, c);
    c.restless.clear();
    int left = most_leans;
    drain_queue(c, [&](int32_t index) {
        if (--left < 0)
        {
            c.restless.push_back(index);
            return;
        }
        for (int i = 0; i < motion_rounds; ++i)
            solve_round(c, index, false);
        if (!limits.in_order || restlessness(c.bodies[index]) <= limits.rest)
            return;
        if (int(c.bodies[index].visits) < limits.leans)
            queue_body(index, c);
        else
            c.restless.push_back(index);
        queue_neighbours(limits, limits.leans, c, index);
    });
    c.is_exhausted = left < 0;
}

} // namespace

void run_probe(const ProbeLimits& limits, Collections& c)
{
    c.restless.clear();
    c.waiting.clear();
    sort_queue(limits, c);
    settle_queue(limits, c);
    lean_restless(limits, c);
    for (int32_t index : c.waiting)
        queue_body(index, c);
    std::ranges::sort(c.restless);
    c.restless.erase(std::unique(c.restless.begin(), c.restless.end()), c.restless.end());
    std::erase_if(c.restless, [&](int32_t m) { return restlessness(c.bodies[m]) <= limits.rest; });
}

void probe_collection(const ProbeLimits& limits, int32_t collection, Collections& c)
{
    for (int32_t body : c.pool[collection].members)
        if (restlessness(c.bodies[c.merged(body)]) > limits.rest)
            queue_body(c.merged(body), c);
}

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
        turn += c.bodies[m].turn_rest * (side == 0 ? -1.0f : 1.0f);
        radius = std::min(radius, c.bodies[m].radius);
    }
    for (int i = 0; i < w.count; ++i)
    {
        const Weld::Point& p = w.points[i];
        const Vec3 moves = relative_acceleration(c, w, p);
        state.motion = std::max(state.motion, length(moves) + length(turn) * radius);
        state.normal_force += p.force[0];
        if (!(p.force[0] > 0))
            continue;
        ++state.active_points;
        const float friction = std::sqrt(p.force[1] * p.force[1] + p.force[2] * p.force[2]);
        state.is_at_bound &= friction >= 0.999f * w.friction * p.force[0];
        state.slip = std::max(state.slip, length(moves - w.normal * dot(w.normal, moves)));
    }
}

} // namespace moraine
