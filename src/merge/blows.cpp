#include "merge/blows.h"

#include "merge/sides.h"

#include <algorithm>
#include <span>

namespace moraine
{

namespace
{

constexpr float common = 6;     // times the speed: what all that move together must be able to get
constexpr int rounds = 25;      // of two sweeps, there and back. Whom these do not bring to rest is left to the solve
constexpr float settled = 0.1f; // of the speed: when no impulse of a round changes the struck body's by more

// Impulses between those that were reached, and on them by everybody else, who stays where it is until it is pushed by so much that
// it would move. Gauss-Seidel, round after round, which alone would leave a heap with speeds that nobody in it gets: so each round
// goes on in the direction of those before (nonsmooth nonlinear conjugate gradients, Silcowitz, Niebe and Erleben 2010). Velocities
// follow the impulses, so they go on as well.
class Hit
{
public:
    Hit(const Blow& blow, float speed, float dt, Collections& c);
    ~Hit();
    void play();
    bool moves(int32_t merged) const
    {
        const MergedBody& m = c_.bodies[merged];
        return length(m.thrown) + length(m.turn_thrown) * m.radius > speed_;
    }

private:
    void touch(int32_t merged);
    void reach(int32_t merged);
    bool may_reach(int32_t merged) const;
    bool gives_way(int32_t merged) const { return merged != none && c_.bodies[merged].is_reached; }
    WeldSides::Side side_of(int32_t merged) const
    {
        return merged == none ? WeldSides::Side{} : WeldSides::Side{&c_.bodies[merged], c_.bodies[merged].is_reached};
    }
    float solve(const BlowWeld& weld, bool back);
    float sweep(bool back);
    bool spread();
    void remember();
    float change() const;
    void go_on(float share);

    Collections& c_;
    Blows& b_;
    float dt_;
    float speed_;
    float size_;     // of the blow, as an impulse
    float mass_ = 0; // of those that were reached
};

Hit::Hit(const Blow& blow, float speed, float dt, Collections& c) : c_(c), b_(c.blows), dt_(dt), speed_(speed)
{
    b_.touched.clear();
    b_.velocities.clear();
    b_.welds.clear();
    b_.impulses.clear();
    touch(blow.merged);
    MergedBody& struck = c.bodies[blow.merged];
    struck.thrown = blow.impulse * struck.inv_mass;
    struck.turn_thrown = turn_by(struck, blow.turn_impulse);
    size_ = length(blow.impulse) + (struck.radius > 0 ? length(blow.turn_impulse) / struck.radius : 0);
}

Hit::~Hit()
{
    for (int32_t merged : b_.touched)
        c_.bodies[merged].is_touched = c_.bodies[merged].is_reached = false;
}

void Hit::touch(int32_t merged)
{
    MergedBody& m = c_.bodies[merged];
    if (m.is_touched)
        return;
    m.is_touched = true;
    m.thrown = m.turn_thrown = {};
    b_.touched.push_back(merged);
    b_.velocities.emplace_back();
}

// Further away it moves nobody by much.
bool Hit::may_reach(int32_t merged) const
{
    const float mass = mass_ + 1 / c_.bodies[merged].inv_mass;
    return size_ > (mass_ > 0 ? common : 1.0f) * speed_ * mass;
}

void Hit::reach(int32_t merged)
{
    c_.bodies[merged].is_reached = true;
    mass_ += 1 / c_.bodies[merged].inv_mass;
    for_each_weld(c_, merged, [&](int32_t index) {
        const Weld& w = c_.welds[index];
        const int32_t other = w.b == merged ? w.a : w.b;
        if (w.count == 0 || gives_way(other)) // it came with the other one
            return;
        if (other != none)
            touch(other);
        b_.welds.push_back({index, int32_t(b_.impulses.size())});
        for (const Weld::Point& p : std::span(w.points).first(size_t(w.count)))
            b_.impulses.push_back({.now = {p.force[0] * dt_, p.force[1] * dt_, p.force[2] * dt_}});
    });
}

// To those who have been pushed by so much that they would move.
bool Hit::spread()
{
    bool has_reached = false;
    for (size_t i = 0, count = b_.touched.size(); i < count; ++i)
    {
        const int32_t merged = b_.touched[i];
        if (c_.bodies[merged].is_reached || !moves(merged) || !may_reach(merged))
            continue;
        reach(merged);
        has_reached = true;
    }
    return has_reached;
}

// Returns the largest change of an impulse, squared.
float Hit::solve(const BlowWeld& weld, bool back)
{
    const Weld& w = c_.welds[weld.weld];
    const Grip grip(w, dt_);
    WeldSides sides(WeldSides::by_blow, grip, side_of(w.a), side_of(w.b));
    float largest = 0;
    for (int k = 0; k < w.count; ++k)
    {
        const int i = back ? w.count - 1 - k : k;
        float* impulse = b_.impulses[size_t(weld.first + i)].now;
        largest = std::max(largest, hold(grip, w.points[i], sides, impulse));
    }
    for (const bool is_b : {false, true})
        if (const int32_t merged = is_b ? w.b : w.a; merged != none)
            sides.store(WeldSides::by_blow, grip, is_b, c_.bodies[merged]);
    return largest;
}

float Hit::sweep(bool back)
{
    float largest = 0;
    for (size_t i = 0; i < b_.welds.size(); ++i)
        largest = std::max(largest, solve(b_.welds[back ? b_.welds.size() - 1 - i : i], back));
    return largest;
}

void Hit::remember()
{
    for (BlowImpulse& impulse : b_.impulses)
        std::ranges::copy(impulse.now, impulse.before);
    for (size_t i = 0; i < b_.touched.size(); ++i)
    {
        const MergedBody& m = c_.bodies[b_.touched[i]];
        b_.velocities[i].before[0] = m.thrown;
        b_.velocities[i].before[1] = m.turn_thrown;
    }
}

// Of the impulses in the last round, squared.
float Hit::change() const
{
    float sum = 0;
    for (const BlowImpulse& impulse : b_.impulses)
        for (int k = 0; k < 3; ++k)
            sum += (impulse.now[k] - impulse.before[k]) * (impulse.now[k] - impulse.before[k]);
    return sum;
}

// By a share of where they were heading, which is then changed to what the last round did and that share.
void Hit::go_on(float share)
{
    const auto go = [&](auto& now, const auto& before, auto& heading) {
        const auto step = now - before;
        now += heading * share;
        heading = heading * share + step;
    };
    for (BlowImpulse& impulse : b_.impulses)
        for (int k = 0; k < 3; ++k)
            go(impulse.now[k], impulse.before[k], impulse.heading[k]);
    for (size_t i = 0; i < b_.touched.size(); ++i)
    {
        MergedBody& m = c_.bodies[b_.touched[i]];
        BlowVelocity& v = b_.velocities[i];
        go(m.thrown, v.before[0], v.heading[0]);
        go(m.turn_thrown, v.before[1], v.heading[1]);
    }
}

void Hit::play()
{
    const float little = settled * speed_ / c_.bodies[b_.touched[0]].inv_mass;
    float last_change = 0;
    for (int i = 0; i < rounds; ++i)
    {
        const bool has_spread = spread();
        remember();
        const float largest = std::max(sweep(false), sweep(true));
        if ((largest < little * little && !has_spread) || i + 1 == rounds)
            return;
        const float now = change();
        if (i == 0 || now <= last_change)
            go_on(last_change > 0 ? now / last_change : 0);
        else // it went too far: anew from here
        {
            std::ranges::for_each(b_.impulses, [](BlowImpulse& impulse) { std::ranges::fill(impulse.heading, 0.0f); });
            std::ranges::for_each(b_.velocities, [](BlowVelocity& v) { std::ranges::fill(v.heading, Vec3{}); });
        }
        last_change = now;
    }
}

} // namespace

void find_blown(const Blow& blow, float speed, float dt, Collections& c)
{
    Hit hit(blow, speed, dt, c);
    hit.play();
    for (int32_t merged : c.blows.touched)
        if (c.bodies[merged].is_reached && hit.moves(merged))
            c.blows.bodies.push_back(merged);
}

} // namespace moraine
