#include "merge/probe.h"

#include <algorithm>
#include <limits>

namespace moraine
{

namespace
{

constexpr int motion_rounds = 2;   // over all its welds, when those cannot
constexpr int most_leans = 500;    // visits in one run, to all: the rest waits for the next step
constexpr float trusted = 4;       // times what a solver misses at most
constexpr float seen_to_rest = 20; // times the limit of rest: a light body among heavily loaded ones gets their errors

// A body that did not find its balance in the last steps either gets ever less time for it: its forces are kept, so it
// goes on where it was. Not before those steps are over after which it may be cut: large towers take their time.
int visits_allowed(const ProbeLimits& limits, const MergedBody& m)
{
    constexpr int fresh = 3, least = 2;
    return std::max(limits.leans >> std::clamp(int(m.tired) - fresh, 0, 16), least);
}

// Every second visit: what will not be at rest in this run, at the pace it has, gives up until the next one. Its forces are
// kept.
bool gets_nowhere(const ProbeLimits& limits, MergedBody& m)
{
    constexpr int look = 2;
    if (m.visits % look != 1)
        return false;
    const float now = restlessness(m), before = m.last_look;
    m.last_look = now;
    const int looks_left = (visits_allowed(limits, m) - int(m.visits)) / look;
    return m.visits > 1 && !comes_to_rest(before, now, looks_left, slack_of(limits, m));
}

// What carries it has not brought it to rest in the last runs, and nothing more has come since.
bool knows_no_way(const MergedBody& m)
{
    constexpr int often = 4;
    return m.tired >= often && restlessness(m) < 1.5f * m.last_look;
}

void queue_neighbours(const ProbeLimits& limits, Collections& c, int32_t index)
{
    for_each_weld(c, index, [&](int32_t i) {
        const Weld& w = c.welds[i];
        const int32_t other = w.b == index ? w.a : w.b;
        if (other == none || c.bodies[other].has_given_up || !is_restless(limits, c.bodies[other]))
            return;
        if (int(c.bodies[other].visits) < visits_allowed(limits, c.bodies[other]))
            queue_body(other, c);
    });
}

void note_glue(Collections& c, int32_t index)
{
    if (c.bodies[index].is_glued)
        c.strained.push_back(index);
}

} // namespace

void accept(Vec3 left, Vec3 turn_left, MergedBody& m)
{
    m.trim -= left;
    m.turn_trim -= turn_left;
    m.rest -= left;
    m.turn_rest -= turn_left;
}

void trust(const ProbeLimits& limits, Vec3 left, Vec3 turn_left, MergedBody& m)
{
    const float bound = std::max(trusted * miss_of(limits, m), seen_to_rest * limits.rest * m.ease);
    if (length(m.trim - left) + length(m.turn_trim - turn_left) * m.radius <= bound)
        accept(left, turn_left, m);
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

void queue_body(int32_t merged, Collections& c)
{
    MergedBody& m = c.bodies[merged];
    if (m.is_queued || m.level == 0)
        return;
    m.is_queued = true;
    c.queue.push_back(merged);
}

void queue_released(int32_t merged, Collections& c)
{
    c.bodies[merged].is_released = c.bodies[merged].level > 0;
    queue_body(merged, c);
}

void gather_body(int32_t merged, uint64_t step, Collections& c)
{
    MergedBody& m = c.bodies[merged];
    if (m.level == 0)
        return; // who bears all others is judged by nobody
    m.gathered_at = uint32_t(step);
    if (m.is_gathered)
        return;
    m.is_gathered = true;
    c.gathered.push_back(merged);
}

namespace
{

// Far from the anchor first: what they hand down is taken up by those that come later.
bool comes_later(const Collections& c, int32_t a, int32_t b)
{
    const int la = c.bodies[a].level, lb = c.bodies[b].level;
    return la != lb ? la < lb : a > b;
}

int32_t next_outermost(Collections& c)
{
    std::ranges::pop_heap(c.queue, [&](int32_t a, int32_t b) { return comes_later(c, a, b); });
    const int32_t index = c.queue.back();
    c.queue.pop_back();
    c.bodies[index].is_queued = false;
    return index;
}

// visit(merged body) for the queue, which grows meanwhile; the queue is empty afterwards.
template <class Visit>
void drain_queue(const ProbeLimits& limits, Collections& c, Visit&& visit)
{
    for (size_t i = 0; i < c.queue.size(); ++i)
    {
        MergedBody& m = c.bodies[c.queue[i]];
        m.is_queued = false;
        ++m.visits;
        visit(c.queue[i]);
    }
    for (int32_t index : c.queue)
    {
        MergedBody& m = c.bodies[index];
        if (m.visits > 0)
            m.tired = is_restless(limits, m) ? uint8_t(std::min(m.tired + 1, 255)) : uint8_t(0);
        m.visits = 0;
        m.has_given_up = false;
    }
    c.queue.clear();
}

// Only what carries. Changes go down and never up again, so each body is visited once, after all that lean on it.
void settle_queue(const ProbeLimits& limits, Collections& c)
{
    const auto later = [&](int32_t a, int32_t b) { return comes_later(c, a, b); };
    std::ranges::make_heap(c.queue, later);
    while (!c.queue.empty())
    {
        const int32_t index = next_outermost(c);
        MergedBody& m = c.bodies[index];
        if (c.pool[m.collection].fresh_steps > 0)
        {
            c.waiting.push_back(index);
            continue;
        }
        if (m.is_new)
        {
            m.is_new = false;
            trust(limits, m.rest, m.turn_rest, m);
        }
        if (is_restless(limits, m) && !knows_no_way(m))
            settle_body(limits, index, c);
        note_glue(c, index);
        if (is_restless(limits, m))
            c.restless.push_back(index);
        if (!limits.in_order)
            continue;
        for_each_weld(c, index, [&](int32_t i) {
            const Weld& w = c.welds[i];
            const int32_t other = w.b == index ? w.a : w.b;
            if (other == none || c.bodies[other].level >= m.level || c.bodies[other].is_queued ||
                c.bodies[other].level == 0 || !is_restless(limits, c.bodies[other]))
                return;
            queue_body(other, c);
            std::ranges::push_heap(c.queue, later);
        });
    }
}

// Who is not carried may lean on its equals, or be held down. Plain Gauss-Seidel, which takes longer.
void lean_restless(const ProbeLimits& limits, Collections& c)
{
    for (int32_t index : c.restless)
        queue_body(index, c);
    c.restless.clear();
    int left = most_leans;
    drain_queue(limits, c, [&](int32_t index) {
        if (--left < 0)
        {
            c.restless.push_back(index);
            return;
        }
        for (int i = 0; i < motion_rounds; ++i)
            solve_round(index, c);
        note_glue(c, index);
        if (!limits.in_order || !is_restless(limits, c.bodies[index]))
            return;
        MergedBody& m = c.bodies[index];
        m.has_given_up = int(m.visits) >= visits_allowed(limits, m) || gets_nowhere(limits, m);
        if (m.has_given_up)
            c.restless.push_back(index);
        else
            queue_body(index, c);
        queue_neighbours(limits, c, index);
    });
    c.is_exhausted = left < 0;
}

} // namespace

void run_probe(const ProbeLimits& limits, Collections& c)
{
    c.restless.clear();
    c.waiting.clear();
    settle_queue(limits, c);
    lean_restless(limits, c);
    for (int32_t index : c.waiting)
        queue_body(index, c);
    std::ranges::sort(c.restless);
    c.restless.erase(std::unique(c.restless.begin(), c.restless.end()), c.restless.end());
    std::erase_if(c.restless, [&](int32_t m) { return !is_restless(limits, c.bodies[m]); });
}

void probe_collection(const ProbeLimits& limits, int32_t collection, Collections& c)
{
    for (int32_t body : c.pool[collection].members)
        if (is_restless(limits, c.bodies[c.merged(body)]))
            queue_body(c.merged(body), c);
}

} // namespace moraine
