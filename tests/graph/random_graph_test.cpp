// Random worlds of balls and boxes, random commands: after each step the graph is the one that brute force builds from
// the bodies alone, and the events are the difference of two such graphs.
#include "graph/find_pairs.h"
#include "scene/random.h"
#include "support/test_world.h"
#include "world/world_data.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

using namespace moraine;
using namespace moraine::test;

namespace
{

using Pair = std::pair<BodyId, BodyId>;
using Pairs = std::set<Pair>;

Pair pair_of(BodyId a, BodyId b) { return a < b ? Pair{a, b} : Pair{b, a}; }

struct GraphState
{
    Pairs near, touching, inside;
};

// What the test itself knows of a body.
struct Known
{
    BodyId id{};
    BodyType type = BodyType::dynamic_;
    bool is_ball = true;
    bool is_trigger = false, is_passive = false, notices_fixed = false;
    Filter filter{};
    uint64_t groups = 0;
    Vec3 half{}; // of boxes; x is the radius of balls
};

constexpr float margin = 0.02f; // at which contacts begin
constexpr float sleep_speed = 0.3f;

class RandomGraph
{
public:
    RandomGraph(uint64_t seed, bool coherence, EventPolicy policy)
        : random_(seed),
          w_(settings(coherence, policy)),
          tolerance_(coherence ? 0.012f : 1e-5f)
    {
        w_.add({.type = BodyType::static_, .shapes = {{.geometry = HalfSpace{}}}, .filter = {.category = 0}});
        for (int i = 0; i < 6; ++i)
            create();
    }

    void play(int steps)
    {
        for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i)
        {
            for (int n = random_.below(4); n > 0; --n)
                command();
            step();
        }
    }

private:
    static WorldDef settings(bool coherence, EventPolicy policy)
    {
        WorldDef def;
        def.merging = false;
        def.coherence = coherence;
        def.event_policy = policy;
        def.sleep_delay = 0.05f;
        def.sleep_speed = sleep_speed; // much of it sleeps much of the time
        return def;
    }

    // ---- commands ----
    DVec3 place() { return DVec3(random_.within({1.5f, 1.5f, 1.5f})); }
    Known& any() { return bodies_[size_t(random_.below(int(bodies_.size())))]; }
    Filter any_filter()
    {
        return {.category = 1u << random_.below(2), .mask = uint32_t(random_.below(4)), .group = random_.below(3) - 1};
    }

    void create()
    {
        Known k;
        const int kind = random_.below(6);
        k.type = kind < 3 ? BodyType::dynamic_ : kind < 5 ? BodyType::static_ : BodyType::kinematic;
        k.is_ball = k.type == BodyType::dynamic_;
        k.is_trigger = random_.below(4) == 0;
        k.is_passive = random_.below(10) == 0;
        k.notices_fixed = random_.below(2) == 0;
        k.half = {random_.between(0.2f, 0.7f), random_.between(0.2f, 0.7f), random_.between(0.2f, 0.7f)};
        if (random_.below(4) == 0)
            k.filter = any_filter();
        if (random_.below(3) == 0)
            k.groups = uint64_t(random_.below(8));
        BodyDef def{.type = k.type, .position = place(), .rotation = random_.rotation()};
        if (k.is_ball)
            def.shapes = {{.geometry = Sphere{k.half.x}}};
        else
            def.shapes = {{.geometry = Box{k.half}}};
        def.linear_velocity = random_.within({2, 2, 2});
        def.is_awake = random_.below(3) > 0;
        def.is_trigger = k.is_trigger;
        def.is_passive = k.is_passive;
        def.filter = k.filter;
        def.rule_groups = k.groups;
        def.events = uint16_t(EventMask::all & ~(k.notices_fixed ? 0 : EventMask::trigger_fixed));
        if (k.type == BodyType::kinematic && random_.below(2))
            def.linear_velocity = {};
        k.id = w_.add(def);
        bodies_.push_back(k);
    }

    void destroy()
    {
        const size_t i = size_t(random_.below(int(bodies_.size())));
        w_->destroy_body(bodies_[i].id);
        bodies_.erase(bodies_.begin() + std::ptrdiff_t(i));
    }

    void change_rules()
    {
        const std::vector<RuleId> rules = w_->rules();
        if (!rules.empty() && random_.below(2))
            w_->destroy_rule(rules[size_t(random_.below(int(rules.size())))]);
        else
            w_->create_rule({.group_a = random_.below(3), .group_b = random_.below(3)});
    }

    void command()
    {
        if (bodies_.empty())
            return create();
        Known& k = any();
        switch (random_.below(12))
        {
        case 0:
        case 1: return create();
        case 2: return destroy();
        case 3: return w_->set_pose(k.id, {place(), random_.rotation()});
        case 4: // a little, within what it touches
            return w_->set_pose(k.id, {w_.position(k.id) + DVec3(random_.within({0.1f, 0.1f, 0.1f})), {}});
        case 5: k.filter = any_filter(); return w_->set_filter(k.id, k.filter);
        case 6: k.groups = uint64_t(random_.below(8)); return w_->set_rule_groups(k.id, k.groups);
        case 7: return change_rules();
        case 8: k.is_passive = !k.is_passive; return w_->set_passive(k.id, k.is_passive);
        case 9: return w_->wake(k.id);
        case 10: return w_->set_linear_velocity(k.id, random_.below(3) ? random_.within({4, 4, 4}) : Vec3{});
        default:
            k.notices_fixed = !k.notices_fixed;
            return w_->set_event_mask(k.id,
                                      uint16_t(EventMask::all & ~(k.notices_fixed ? 0 : EventMask::trigger_fixed)));
        }
    }

    // ---- brute force ----
    bool is_ignored(const Known& a, const Known& b) const
    {
        for (RuleId id : w_->rules())
        {
            const RuleDef rule = w_->rule_def(id);
            const auto in = [](const Known& k, int group) { return (k.groups >> group) & 1; };
            if ((in(a, rule.group_a) && in(b, rule.group_b)) || (in(b, rule.group_a) && in(a, rule.group_b)))
                return true;
        }
        return false;
    }

    bool may_meet(const Known& a, const Known& b) const
    {
        if (a.is_passive || b.is_passive || (a.is_trigger && b.is_trigger) || is_ignored(a, b))
            return false;
        if (a.type != BodyType::dynamic_ && b.type != BodyType::dynamic_)
        {
            if (!a.is_trigger && !b.is_trigger)
                return false;
            const Known& trigger = a.is_trigger ? a : b;
            const Known& other = a.is_trigger ? b : a;
            if (other.type == BodyType::static_ && !trigger.notices_fixed)
                return false;
        }
        if (a.filter.group != 0 && a.filter.group == b.filter.group)
            return a.filter.group > 0;
        return (a.filter.category & b.filter.mask) && (b.filter.category & a.filter.mask);
    }

    const Mover& mover_of(const Known& k) const
    {
        const WorldData& data = w_->data();
        return data.movers[data.bodies[int32_t(k.id.index)].mover];
    }
    // Near enough for an edge: beyond, there must be none.
    bool may_be_near(const Known& a, const Known& b) const
    {
        const Movers& movers = w_->data().movers;
        return overlaps(movers.fat(mover_of(a)), movers.fat(mover_of(b)));
    }

    // Between the surfaces, of pairs with a ball in them.
    double gap(const Known& a, const Known& b) const
    {
        const Known& ball = a.is_ball ? a : b;
        const Known& other = a.is_ball ? b : a;
        const double radius = double(ball.half.x);
        if (other.is_ball)
            return length(w_.position(a.id) - w_.position(b.id)) - radius - double(other.half.x);
        const Vec3 p = apply(inverse(relative(w_->pose(other.id), Pose{w_.position(ball.id), {}})), Vec3{});
        const Vec3 outside = max(abs(p) - other.half, Vec3{});
        const float inside = std::min(max_component(abs(p) - other.half), 0.0f);
        return double(length(outside) + inside) - radius;
    }

    void find_expected()
    {
        for (size_t i = 0; i < bodies_.size(); ++i)
            for (size_t k = i + 1; k < bodies_.size(); ++k)
            {
                const Known &a = bodies_[i], &b = bodies_[k];
                if (!may_meet(a, b))
                    continue;
                if (may_be_near(a, b))
                    may_be_near_.insert(pair_of(a.id, b.id));
                if (!a.is_ball && !b.is_ball)
                    continue;
                const bool is_trigger = a.is_trigger || b.is_trigger;
                const double over = gap(a, b) - (is_trigger ? 0 : double(margin));
                // Who falls asleep has moved once more since it was last looked at, and slowly.
                const bool is_awake = w_->is_awake(a.id) || w_->is_awake(b.id);
                const double unsure = double(is_trigger ? 1e-5f : tolerance_ + (is_awake ? 0 : sleep_speed / 60));
                if (over < -unsure)
                    must_touch_.insert(pair_of(a.id, b.id));
                if (over > unsure)
                    must_not_touch_.insert(pair_of(a.id, b.id));
            }
    }

    GraphState state() const
    {
        GraphState s;
        const WorldData& data = w_->data();
        for (const Known& k : bodies_)
            for_each_edge(int32_t(k.id.index), data.bodies, data.graph, [&](int32_t e) {
                const Edge& edge = data.graph.edges[e];
                const Pair pair = pair_of(data.bodies.id(edge.body_a), data.bodies.id(edge.body_b));
                s.near.insert(pair);
                if (edge.has(edge_is_touching))
                    (edge.has(edge_is_trigger) ? s.inside : s.touching).insert(pair);
                const bool is_awake = data.movers[data.bodies[edge.body_a].mover].is_awake() ||
                                      data.movers[data.bodies[edge.body_b].mover].is_awake();
                EXPECT_EQ(edge.awake_slot >= 0, is_awake);
            });
        return s;
    }

    // ---- comparison ----
    static Pairs without(const Pairs& a, const Pairs& b)
    {
        Pairs out;
        std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
        return out;
    }

    void expect_events(const Pairs& before, const Pairs& after, const std::vector<ContactEvent>& began,
                       const std::vector<ContactEvent>& persists, const std::vector<ContactEvent>& ended)
    {
        std::map<Pair, int> net;
        for (const ContactEvent& e : began)
            ++net[pair_of(e.body_a, e.body_b)];
        for (const ContactEvent& e : ended)
            --net[pair_of(e.body_a, e.body_b)];
        Pairs came, went;
        for (const auto& [pair, n] : net)
        {
            EXPECT_LE(std::abs(n), 1);
            if (n > 0)
                came.insert(pair);
            if (n < 0)
                went.insert(pair);
        }
        EXPECT_EQ(came, without(after, before));
        EXPECT_EQ(went, without(before, after));
        if (w_->settings().event_policy != EventPolicy::completed_frames)
            return;
        EXPECT_EQ(began.size(), came.size());
        EXPECT_EQ(ended.size(), went.size());
        Pairs lasting;
        for (const ContactEvent& e : persists)
            EXPECT_TRUE(lasting.insert(pair_of(e.body_a, e.body_b)).second);
        EXPECT_EQ(lasting, without(after, without(after, before)));
    }

    void step()
    {
        must_touch_.clear();
        must_not_touch_.clear();
        may_be_near_.clear();
        find_expected();
        w_.step();
        const GraphState now = state();
        EXPECT_EQ(without(must_touch_, now.near), Pairs{});
        EXPECT_EQ(without(now.near, may_be_near_), Pairs{});
        Pairs all = now.touching;
        all.insert(now.inside.begin(), now.inside.end());
        EXPECT_EQ(without(must_touch_, all), Pairs{});
        EXPECT_EQ(without(all, without(all, must_not_touch_)), Pairs{});
        const Events& e = w_->events();
        expect_events(last_.near, now.near, e.proximity_began, e.proximity_persists, e.proximity_ended);
        expect_events(last_.touching, now.touching, e.touch_began, e.touch_persists, e.touch_ended);
        expect_events(last_.inside, now.inside, e.trigger_entered, e.trigger_persists, e.trigger_left);
        last_ = now;
    }

    Random random_;
    TestWorld w_;
    float tolerance_;
    std::vector<Known> bodies_;
    GraphState last_;
    Pairs must_touch_, must_not_touch_, may_be_near_;
};

// Some hundreds in every run; ten thousand where the environment asks for it, as tools/check does.
int sequence_count()
{
    const char* asked = std::getenv("MORAINE_RANDOM_SEQUENCES");
    return asked ? std::max(1, std::atoi(asked)) : 400;
}

} // namespace

TEST(RandomGraph, EqualsBruteForceAndItsEventsAreTheDifferences)
{
    const int count = sequence_count();
    for (int seed = 0; seed < count && !HasFailure(); ++seed)
    {
        SCOPED_TRACE(seed);
        const EventPolicy policy = seed % 4 < 3 ? EventPolicy::completed_frames : EventPolicy::queue;
        RandomGraph(uint64_t(seed), seed % 2 == 0, policy).play(20);
    }
}
