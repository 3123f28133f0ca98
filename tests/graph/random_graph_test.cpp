// Random worlds of balls and boxes, random commands: after each step the graph is exactly the one that brute force over
// all pairs gives, and the events are exactly the difference of two such graphs.
//
// Who is near: boxes that are larger than their bodies overlap, and only who left its box is searched for anew. Who
// touches: the narrow phase asked from scratch, and a closed form of the distance as a judge of that. Pairs of sleepers,
// and pairs inside one collection, are as they were when they were last looked at.
#include "graph/collide.h"
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
    Pairs resting; // nobody looks at them: both ends sleep, or they are in one collection
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
constexpr double rounding = 1e-5; // of the closed form, metres

struct Mode
{
    bool coherence = true;
    bool merging = false;
    EventPolicy policy = EventPolicy::completed_frames;
};

class RandomGraph
{
public:
    RandomGraph(uint64_t seed, const Mode& mode) : random_(seed), w_(settings(mode)), is_merging_(mode.merging)
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
    static WorldDef settings(const Mode& mode)
    {
        WorldDef def;
        def.solver = SolverKind::direct; // its contacts are exact: they do not follow small motions
        def.merging = mode.merging;
        def.coherence = mode.coherence;
        def.event_policy = mode.policy;
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
    // A mover near which all have edges may go anywhere in its box: it has all the room it wants after its search. The
    // second of two that are searched leaves the pair to the first and does not know what comes of it.
    bool needs_room(int32_t mover) const
    {
        const WorldData& data = w_->data();
        for (BodyId id : w_->bodies())
        {
            const int32_t other = data.bodies[int32_t(id.index)].mover, body = data.movers[mover].body;
            const bool is_in_tree = data.movers[other].type != BodyType::static_ ||
                                    data.movers[mover].type != BodyType::static_ || data.bodies.fixed_triggers > 0;
            if (other == mover || !is_in_tree || find_edge(data.graph, body, int32_t(id.index)) != none ||
                !overlaps(data.movers.fat(data.movers[mover]), data.movers.fat(data.movers[other])))
                continue;
            if (data.movers[other].is_moved && other < mover)
                return true;
            if (can_interact(data.bodies, data.graph, body, int32_t(id.index)) &&
                are_far_apart(data.movers, mover, other))
                return true;
        }
        return false;
    }

    // Whether there is an edge after the next search.
    bool will_be_near(const Known& a, const Known& b, int32_t edge) const
    {
        const WorldData& data = w_->data();
        const Mover &ma = mover_of(a), &mb = mover_of(b);
        if (!ma.is_moved && !mb.is_moved)
            return edge != none;
        if (!overlaps(data.movers.fat(ma), data.movers.fat(mb)))
            return false;
        if (edge != none && data.graph.edges[edge].manifold != none)
            return true;
        const int32_t index_a = data.bodies[int32_t(a.id.index)].mover,
                      index_b = data.bodies[int32_t(b.id.index)].mover;
        const bool is_free = (ma.is_moved && !needs_room(index_a)) || (mb.is_moved && !needs_room(index_b));
        return (edge != none && is_free) || !are_far_apart(data.movers, index_a, index_b);
    }

    // The narrow phase from scratch.
    bool touches_now(const Known& a, const Known& b) const
    {
        const WorldData& data = w_->data();
        const int32_t low = int32_t(std::min(a.id.index, b.id.index)), high = int32_t(std::max(a.id.index, b.id.index));
        const Bodies& bodies = data.bodies;
        ContactGraph graph;
        const int32_t e = graph.edges.create();
        Edge& edge = graph.edges[e];
        edge.body_a = low;
        edge.body_b = high;
        edge.mover_a = bodies[low].mover;
        edge.mover_b = bodies[high].mover;
        if (a.is_trigger || b.is_trigger)
            return overlaps_trigger(bodies, data.movers, edge);
        ManifoldList found;
        find_manifolds(bodies, data.movers, {.coherence = false}, e, graph, found);
        return found.size() > 0;
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

    // The closed form must say the same, but for rounding. Two boxes have none.
    void judge(const Known& a, const Known& b, bool touches) const
    {
        if (!a.is_ball && !b.is_ball)
            return;
        const double over = gap(a, b) - (a.is_trigger || b.is_trigger ? 0 : double(margin));
        if (std::fabs(over) > rounding)
            EXPECT_EQ(touches, over < 0) << over;
    }

    // The edge as its body's list has it: the table must say the same.
    static int32_t edge_in_list(const WorldData& data, int32_t a, int32_t b)
    {
        int32_t found = none;
        for_each_edge(a, data.bodies, data.graph, [&](int32_t e) {
            if (other_body(data.graph.edges[e], a) == b)
                found = e;
        });
        return found;
    }

    GraphState find_expected() const
    {
        const WorldData& data = w_->data();
        GraphState expected;
        EXPECT_EQ(int32_t(data.graph.by_pair.size()), data.graph.edges.count());
        for (size_t i = 0; i < bodies_.size(); ++i)
            for (size_t k = i + 1; k < bodies_.size(); ++k)
            {
                const Known &a = bodies_[i], &b = bodies_[k];
                if (!may_meet(a, b))
                    continue;
                const Pair pair = pair_of(a.id, b.id);
                const int32_t edge = find_edge(data.graph, int32_t(a.id.index), int32_t(b.id.index));
                EXPECT_EQ(edge, edge_in_list(data, int32_t(a.id.index), int32_t(b.id.index)));
                if (will_be_near(a, b, edge))
                    expected.near.insert(pair);
                const bool touches = touches_now(a, b), is_trigger = a.is_trigger || b.is_trigger;
                judge(a, b, touches);
                if (touches)
                    (is_trigger ? expected.inside : expected.touching).insert(pair);
                const bool is_inner = &mover_of(a) == &mover_of(b);
                if (edge != none && (is_inner || (!mover_of(a).is_awake() && !mover_of(b).is_awake())))
                    expected.resting.insert(pair);
            }
        return expected;
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
                const bool is_awake = data.movers[edge.mover_a].is_awake() || data.movers[edge.mover_b].is_awake();
                EXPECT_EQ(edge.awake_slot >= 0, is_awake && edge.mover_a != edge.mover_b);
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

    // Pairs that nobody looked at keep what they were: of those the expected set takes over what is in the graph, if it is
    // what it was before the commands or what the narrow phase says now.
    void expect_equal(const char* what, Pairs expected, const Pairs& before, const Pairs& now,
                      const Pairs& resting) const
    {
        SCOPED_TRACE(what);
        for (const Pair& pair : resting)
            if (before.contains(pair) != expected.contains(pair) && now.contains(pair) == before.contains(pair))
                before.contains(pair) ? void(expected.insert(pair)) : void(expected.erase(pair));
        EXPECT_EQ(without(expected, now), Pairs{});
        EXPECT_EQ(without(now, expected), Pairs{});
    }

    void step()
    {
        const GraphState expected = find_expected();
        w_.step();
        const GraphState now = state();
        // With merging the search for members of collections keeps a wider berth.
        if (!is_merging_)
            expect_equal("near", expected.near, {}, now.near, {});
        expect_equal("touching", expected.touching, last_.touching, now.touching, expected.resting);
        expect_equal("inside", expected.inside, last_.inside, now.inside, expected.resting);
        EXPECT_EQ(without(now.touching, now.near), Pairs{});
        EXPECT_EQ(without(now.inside, now.near), Pairs{});
        const Events& e = w_->events();
        expect_events(last_.near, now.near, e.proximity_began, e.proximity_persists, e.proximity_ended);
        expect_events(last_.touching, now.touching, e.touch_began, e.touch_persists, e.touch_ended);
        expect_events(last_.inside, now.inside, e.trigger_entered, e.trigger_persists, e.trigger_left);
        last_ = now;
    }

    Random random_;
    TestWorld w_;
    bool is_merging_;
    std::vector<Known> bodies_;
    GraphState last_;
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
        const Mode mode{.coherence = seed % 2 == 0,
                        .merging = seed / 4 % 2 == 0,
                        .policy = seed % 4 < 3 ? EventPolicy::completed_frames : EventPolicy::queue};
        RandomGraph(uint64_t(seed), mode).play(20);
    }
}
