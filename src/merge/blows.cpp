#include "merge/blows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cmath>

namespace moraine
{

namespace
{

constexpr float common = 5; // times the speed: what all that move together must be able to get
constexpr int sweeps = 12; // there and back by turns: a blow runs down a column, and what stops it comes up again

float size_of(const Blow& blow, float radius) { return length(blow.impulse) + length(blow.turn_impulse) / radius; }

// Breadth first: whom the blow could move together with all before.
void find_reached(const Blow& blow, float speed, Collections& c)
{
    std::vector<int32_t>& reached = c.blows.reached;
    reached.clear();
    const float impulse = size_of(blow, c.bodies[blow.merged].radius);
    float mass = 0;
    const auto reach = [&](int32_t merged) {
        MergedBody& m = c.bodies[merged];
        if (m.is_reached || impulse <= common * speed * (mass + 1 / m.inv_mass))
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
    void solve(const Weld& w, float (*impulses)[3]);

    Collections& c_;
    std::vector<BlowWeld>& welds_;
    std::vector<float>& impulses_;
};

Hit::Hit(const Blow& blow, float dt, Collections& c) : c_(c), welds_(c.blows.welds), impulses_(c.blows.impulses)
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
            if (w.b == merged && gives_way(w.a))
                return; // the other side brings it
            welds_.push_back({index, int32_t(impulses_.size())});
            for (int i = 0; i < w.count; ++i)
                for (int k = 0; k < 3; ++k)
                    impulses_.push_back(w.points[i].force[k] * dt);
        });
}

void Hit::solve(const Weld& w, float (*impulses)[3])
{
    const Vec3 axes[3] = {w.normal, w.tangent, second_tangent(w)};
    const bool holds = w.friction < 0, holds_both_ways = holds || w.is_rod;
    for (int i = 0; i < w.count; ++i)
    {
        const Weld::Point& p = w.points[i];
        float(&now)[3] = impulses[i];
        const float before[3] = {now[0], now[1], now[2]};
        const Vec3 v = velocity_at(w.b, p.arm_b) - velocity_at(w.a, p.arm_a);
        for (int k = 0; k < 3; ++k)
            if (const float give = (gives_way(w.a) ? p.k_a[k] : 0) + (gives_way(w.b) ? p.k_b[k] : 0); give > 0)
                now[k] -= dot(axes[k], v) / give;
        if (!holds_both_ways)
            now[0] = std::max(now[0], 0.0f);
        const float rubs = std::sqrt(now[1] * now[1] + now[2] * now[2]);
        if (const float most = w.friction * now[0]; !holds && rubs > most)
            now[1] *= most / rubs, now[2] *= most / rubs;
        Vec3 change{};
        for (int k = 0; k < 3; ++k)
            change += axes[k] * (now[k] - before[k]);
        push(w.b, p.arm_b, change);
        push(w.a, p.arm_a, -change);
    }
}

void Hit::play()
{
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (size_t i = 0; i < welds_.size(); ++i)
        {
            const BlowWeld& weld = welds_[sweep % 2 ? welds_.size() - 1 - i : i];
            solve(c_.welds[weld.weld], reinterpret_cast<float(*)[3]>(impulses_.data() + weld.first));
        }
}

} // namespace

void find_blown(const Blow& blow, float speed, float dt, Collections& c)
{
    find_reached(blow, speed, c);
    if (c.blows.reached.empty())
        return;
    Hit hit(blow, dt, c);
    hit.play();
    if (getenv("BT")) { printf("blow on %d (mass %.2f): J/m %.3f (%.2f %.2f %.2f) turn %.3f reached %zu:", c.bodies[blow.merged].body, 1/c.bodies[blow.merged].inv_mass, length(blow.impulse)*c.bodies[blow.merged].inv_mass, blow.impulse.x,blow.impulse.y,blow.impulse.z, length(turn_by(c.bodies[blow.merged],blow.turn_impulse))*c.bodies[blow.merged].radius, c.blows.reached.size()); for (int32_t m : c.blows.reached) printf(" %d %.3f", c.bodies[m].body, hit.speed_of(m)); puts(""); }
    static const bool RING = getenv("RING");
    if (RING) { for (int32_t merged : c.blows.reached) { bool t = hit.speed_of(merged) > speed; for_each_weld(c, merged, [&](int32_t i) { const Weld& w = c.welds[i]; int32_t o = w.b == merged ? w.a : w.b; t |= o != none && c.bodies[o].is_reached && hit.speed_of(o) > speed; }); if (t) c.blows.bodies.push_back(merged); } }
    else
    for (int32_t merged : c.blows.reached)
        if (hit.speed_of(merged) > speed)
            c.blows.bodies.push_back(merged);
    for (int32_t merged : c.blows.reached)
        c.bodies[merged].is_reached = false;
}

} // namespace moraine
