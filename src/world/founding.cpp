#include "world/founding.h"

#include "graph/members.h"
#include "world/collections.h"
#include "world/joint_bonds.h"
#include "world/merge_limits.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr int32_t ground = -2; // all static movers are one frame

bool is_ready(const WorldData& world, const Edge& edge, int times = 1)
{
    MergeDef own;
    const MergeDef& def = merge_def_of(world, edge, own);
    return edge.manifold != none && int(edge.steps) >= std::min(times * steps_needed(def, edge), 250);
}

class Founding
{
public:
    explicit Founding(WorldData& world) : world_(world), frame_of_(world.founding.frame_of), set_(world.founding.set)
    {
        frame_of_.resize(size_t(world.movers.movers.capacity()), none);
        set_.clear();
    }
    void gather(std::vector<int32_t>& edges, std::vector<int32_t>& joints);
    void prune();
    bool is_founded(const Edge& edge) const;
    Edge edge_of(const Joint& joint) const; // as good as one, with who is much heavier
    void forget()
    {
        for (int32_t mover : set_)
            frame_of_[size_t(mover)] = none;
    }

private:
    static bool has_frame(const Mover& mover) { return !mover.is_dynamic() || mover.has_members(); }
    // What others join: a carrier, a collection, or the much heavier one of the two.
    bool is_frame(const Edge& edge, bool is_b) const;
    int32_t label_of(int32_t frame) const { return world_.movers[frame].type == BodyType::static_ ? ground : frame; }
    bool is_part_of(int32_t mover, int32_t frame) const
    {
        return frame_of_[size_t(mover)] == frame || label_of(mover) == frame;
    }
    void add(int32_t mover, int32_t frame)
    {
        frame_of_[size_t(mover)] = frame;
        set_.push_back(mover);
    }
    void begin(const Edge& edge);
    bool rests_elsewhere(int32_t body, int32_t frame, bool is_patient = false) const;
    bool may_lean(const Edge& edge) const;
    template <class Visit>
    void for_each_neighbour(int32_t mover, Visit&& visit) const
    {
        for_each_edge(world_.movers[mover].body, world_.bodies, world_.graph, [&](int32_t e) {
            const Edge& edge = world_.graph.edges[e];
            visit(e, edge.mover_a == mover ? edge.mover_b : edge.mover_a);
        });
    }

    WorldData& world_;
    std::vector<int32_t>& frame_of_; // by mover: what it would join
    std::vector<int32_t>& set_;      // free movers that have one
};

Edge Founding::edge_of(const Joint& joint) const
{
    Edge edge = edge_between(world_, joint.body_a, joint.body_b);
    edge.set(edge_is_uneven, is_uneven(world_, edge));
    return edge;
}

bool Founding::is_frame(const Edge& edge, bool is_b) const
{
    const Mover& own = world_.movers[is_b ? edge.mover_b : edge.mover_a];
    const Mover& other = world_.movers[is_b ? edge.mover_a : edge.mover_b];
    if (has_frame(own) || has_frame(other))
        return has_frame(own);
    const float mass_a = world_.bodies.infos[size_t(edge.body_a)].mass;
    const float mass_b = world_.bodies.infos[size_t(edge.body_b)].mass;
    return edge.has(edge_is_uneven) && (is_b ? mass_b > mass_a : mass_a > mass_b);
}

void Founding::begin(const Edge& edge)
{
    for (const bool is_b : {false, true})
    {
        const int32_t frame = is_b ? edge.mover_b : edge.mover_a, other = is_b ? edge.mover_a : edge.mover_b;
        if (is_frame(edge, is_b) && !is_frame(edge, !is_b) && frame_of_[size_t(other)] == none)
            add(other, label_of(frame));
    }
}

// From the frames outwards; whoever is reached first is joined.
void Founding::gather(std::vector<int32_t>& edges, std::vector<int32_t>& joints)
{
    for (int32_t e : edges)
        begin(world_.graph.edges[e]);
    for (int32_t j : joints)
        begin(edge_of(world_.joints[j]));
    for (size_t i = 0; i < set_.size(); ++i)
    {
        for_each_neighbour(set_[i], [&](int32_t e, int32_t other) {
            const Edge& edge = world_.graph.edges[e];
            const Mover& mover = world_.movers[other];
            if (has_frame(mover) || !is_ready(world_, edge) || !can_join(world_, edge))
                return;
            edges.push_back(e); // most of them are looked at in every fourth step only
            if (frame_of_[size_t(other)] == none)
                add(other, frame_of_[size_t(set_[i])]);
        });
        for_each_joint(world_.movers[set_[i]].body, world_.bodies, world_.joints, [&](int32_t j) {
            const Edge edge = edge_of(world_.joints[j]);
            const int32_t other = edge.mover_a == set_[i] ? edge.mover_b : edge.mover_a;
            if (has_frame(world_.movers[other]) || !is_ready(world_, world_.joints[j]) || !can_join(world_, edge))
                return;
            joints.push_back(j);
            if (frame_of_[size_t(other)] == none)
                add(other, frame_of_[size_t(set_[i])]);
        });
    }
    for (std::vector<int32_t>* list : {&edges, &joints})
    {
        std::ranges::sort(*list);
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
}

// Or is pushed about by somebody who is not calm, or squeezed by somebody who does not join: what presses hard presses
// otherwise on what no longer gives way. Who stands on a carrier may bear a stack, which comes
// to rest on what is held.
bool Founding::rests_elsewhere(int32_t body, int32_t frame, bool is_patient) const
{
    const Vec3 up = -normalize(world_.settings.gravity);
    const float mass = world_.bodies.infos[size_t(body)].mass;
    const float weight = mass * length(world_.settings.gravity) * world_.step_dt; // as an impulse
    const float little = 0.02f * weight, much = 0.4f * weight, jammed = 3 * weight, tall = 30 * weight;
    const bool is_free = frame != ground && world_.movers[frame].is_dynamic();
    bool is_held = false;
    for_each_edge(body, world_.bodies, world_.graph, [&](int32_t e) {
        const Edge& edge = world_.graph.edges[e];
        const int32_t other = edge.body_a == body ? edge.mover_b : edge.mover_a;
        if (is_held || edge.manifold == none || edge.mover_a == edge.mover_b || is_part_of(other, frame))
            return;
        const bool is_disturbed = !is_ready(world_, edge);
        const Quat axes = world_.movers[edge.mover_a].pose.rotation;
        for (int32_t i = edge.manifold; i != none; i = world_.graph.manifolds[i].next)
        {
            const Manifold& m = world_.graph.manifolds[i];
            const float lift = dot(rotate(axes, m.normal), up) * (edge.body_b == body ? 1.0f : -1.0f);
            const bool is_stack = !is_free && lift < -0.7f;
            const float bearable = is_stack ? tall : is_disturbed ? much : jammed;
            is_held |= m.total_impulse > bearable || (!is_patient && m.total_impulse > little && lift > 0.1f);
        }
    });
    return is_held;
}

// Who rests elsewhere does not join, nor does who rests on it, and so on.
void Founding::prune()
{
    std::vector<int32_t>& asked = world_.founding.asked;
    asked.assign(set_.rbegin(), set_.rend());
    while (!asked.empty())
    {
        const int32_t mover = asked.back(), frame = frame_of_[size_t(mover)];
        asked.pop_back();
        if (frame == none || !rests_elsewhere(world_.movers[mover].body, frame))
            continue;
        frame_of_[size_t(mover)] = none;
        for_each_neighbour(mover, [&](int32_t, int32_t other) {
            if (frame_of_[size_t(other)] == frame)
                asked.push_back(other);
        });
    }
}

// What leans on somebody who never joins waits for long, and then does.
bool Founding::may_lean(const Edge& edge) const
{
    constexpr int patient = 4; // times as long
    if (!is_ready(world_, edge, patient))
        return false;
    for (const bool is_b : {false, true})
        if (is_frame(edge, !is_b) && !is_frame(edge, is_b))
            return !rests_elsewhere(is_b ? edge.body_b : edge.body_a, label_of(is_b ? edge.mover_a : edge.mover_b),
                                    true);
    return false;
}

bool Founding::is_founded(const Edge& edge) const
{
    MergeDef own;
    if (edge.manifold != none && merge_def_of(world_, edge, own).checks_cycles &&
        !is_stable(world_, edge, edge_is_touching))
        return false;
    if (may_lean(edge))
        return true;
    const int32_t a = frame_of_[size_t(edge.mover_a)], b = frame_of_[size_t(edge.mover_b)];
    if (a != none || b != none)
        return is_part_of(edge.mover_a, b) || is_part_of(edge.mover_b, a);
    // Two frames, one of which joins the other with all that it holds; or two that have none, and wait until one has.
    for (const bool is_b : {false, true})
    {
        const int32_t joining = is_b ? edge.mover_b : edge.mover_a, frame = is_b ? edge.mover_a : edge.mover_b;
        if (!is_frame(edge, !is_b) || !world_.movers[joining].is_dynamic())
            continue;
        bool rests = !world_.movers[joining].has_members(); // it was looked at above
        for_each_member(world_.movers, joining,
                        [&](int32_t body) { rests = rests || rests_elsewhere(body, label_of(frame)); });
        if (rests)
            return false;
    }
    return true;
}

} // namespace

void keep_founded(WorldData& world, std::vector<int32_t>& edges, std::vector<int32_t>& joints)
{
    if (edges.empty() && joints.empty())
        return;
    Founding founding(world);
    founding.gather(edges, joints);
    founding.prune();
    std::erase_if(edges, [&](int32_t e) { return !founding.is_founded(world.graph.edges[e]); });
    std::erase_if(joints, [&](int32_t j) { return !founding.is_founded(founding.edge_of(world.joints[j])); });
    founding.forget();
}

} // namespace moraine
