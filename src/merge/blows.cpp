#include "merge/blows.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr float common = 3; // times the speed: what all that move together must be able to get
constexpr int sweeps = 12;  // there and back by turns. Whom these do not bring to rest is left to the solve

float size_of(const Blow& blow, float radius)
{
    return length(blow.impulse) + (radius > 0 ? length(blow.turn_impulse) / radius : 0);
}

// Breadth first: whom the blow could move together with all before.
void find_reached(const Blow& blow, float speed, Collections& c)
{
    std::vector<int32_t>& reached = c.blows.reached;
    reached.clear();
    const float impulse = size_of(blow, c.bodies[blow.merged].radius);
    float mass = 0;
    const auto reach = [&](int32_t merged) {
        MergedBody& m = c.bodies[merged];
        if (m.is_reached || impulse <= (reached.empty() ? 1 : common) * speed * (mass + 1 / m.inv_mass))
            return;
        m.is_reached = true;
        mass += 1 / m.inv_mass;
        reached.push_back(merged);
    };
    reach(blow.merged);
    for (size_t i = 0; i < reached.size(); ++i)
        for_each_weld(c, reached[i], [&](int32_t index) {
            const Weld& w = c.welds[index];
            if (const int32_t other = w.b == reached[i] ? w.a : w.b; other != none)
                reach(other);
        });
}

// Impulses between those that were reached, and on them by everybody else, who stays where it is.
class Hit
{
public:
    Hit(const Blow& blow, float dt, Collections& c);
    void play();
    float speed_of(int32_t merged) const
    {
        return length(c_.bodies[merged].thrown) + length(c_.bodies[merged].turn_thrown) * c_.bodies[merged].radius;
    }

private:
    bool gives_way(int32_t merged) const { return merged != none && c_.bodies[merged].is_reached; }
    Vec3 velocity_at(int32_t merged, Vec3 arm) const
    {
        return gives_way(merged) ? c_.bodies[merged].thrown + cross(c_.bodies[merged].turn_thrown, arm) : Vec3{};
    }
    void push(int32_t merged, Vec3 arm, Vec3 impulse)
    {
        if (!gives_way(merged))
            return;
        MergedBody& m = c_.bodies[merged];
        m.thrown += impulse * m.inv_mass;
        m.turn_thrown += turn_by(m, cross(arm, impulse));
    }
    void change(const Weld& w, const Weld::Point& p, Vec3 v, Vec3 give, std::array<float, 3>& now);
    void solve(const BlowWeld& weld);

    Collections& c_;
    float dt_;
    std::vector<BlowWeld>& welds_;
    std::vector<std::array<float, 3>>& impulses_;
};

Hit::Hit(const Blow& blow, float dt, Collections& c)
    : c_(c),
      dt_(dt),
      welds_(c.blows.welds),
      impulses_(c.blows.impulses)
{
    welds_.clear();
    impulses_.clear();
    for (int32_t merged : c.blows.reached)
        c.bodies[merged].thrown = c.bodies[merged].turn_thrown = {};
    push(blow.merged, {}, blow.impulse);
    c.bodies[blow.merged].turn_thrown += turn_by(c.bodies[blow.merged], blow.turn_impulse);
    for (int32_t merged : c.blows.reached)
        for_each_weld(c, merged, [&](int32_t index) {
            const Weld& w = c.welds[index];
            const bool comes_twice = w.b == merged && gives_way(w.a);
            if (w.count == 0 || comes_twice)
                return;
            welds_.push_back({index, int32_t(impulses_.size())});
            for (int i = 0; i < w.count; ++i)
                impulses_.push_back({w.points[i].force[0] * dt, w.points[i].force[1] * dt, w.points[i].force[2] * dt});
        });
}

// Impulses at the point change so as to stop `v`, as far as they can.
void Hit::change(const Weld& w, const Weld::Point& p, Vec3 v, Vec3 give, std::array<float, 3>& now)
{
    const Vec3 axes[3] = {w.normal, w.tangent, second_tangent(w)};
    const bool holds = w.friction < 0;
    const std::array<float, 3> before = now;
    const float gives[3] = {give.x, give.y, give.z};
    for (int k = 0; k < 3; ++k)
        if (gives[k] > 0)
            now[size_t(k)] -= dot(axes[k], v) / gives[k];
    now[0] = std::min(std::max(now[0], least_force(w) * dt_), w.most * dt_);
    const float rubs = std::sqrt(now[1] * now[1] + now[2] * now[2]);
    if (const float most = w.friction * now[0]; !holds && rubs > most)
        now[1] *= most / rubs, now[2] *= most / rubs;
    Vec3 impulse{};
    for (int k = 0; k < 3; ++k)
        impulse += axes[k] * (now[size_t(k)] - before[size_t(k)]);
    push(w.b, p.arm_b, impulse);
    push(w.a, p.arm_a, -impulse);
}

void Hit::solve(const BlowWeld& weld)
{
    const Weld& w = c_.welds[weld.weld];
    const bool a = gives_way(w.a), b = gives_way(w.b);
    for (int i = 0; i < w.count; ++i)
    {
        const Weld::Point& p = w.points[i];
        const auto give = [&](int k) { return (a ? p.k_a[k] : 0) + (b ? p.k_b[k] : 0); };
        change(w, p, velocity_at(w.b, p.arm_b) - velocity_at(w.a, p.arm_a), {give(0), give(1), give(2)},
               impulses_[size_t(weld.first + i)]);
    }
}

void Hit::play()
{
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (size_t i = 0; i < welds_.size(); ++i)
            solve(welds_[sweep % 2 ? welds_.size() - 1 - i : i]);
}

} // namespace

void find_blown(const Blow& blow, float speed, float dt, Collections& c)
{
    find_reached(blow, speed, c);
    if (c.blows.reached.empty())
        return;
    Hit hit(blow, dt, c);
    hit.play();
    for (int32_t merged : c.blows.reached)
        if (hit.speed_of(merged) > speed)
            c.blows.bodies.push_back(merged);
    for (int32_t merged : c.blows.reached)
        c.bodies[merged].is_reached = false;
}

} // namespace moraine
