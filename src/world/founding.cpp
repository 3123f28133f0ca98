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
    explicit Founding(WorldData& world)
        : world_(world),
          frame_of_(world.founding.frame_of),
          set_(world.founding.set),
          starts_(world.founding.starts)
    {
        frame_of_.resize(size_t(world.movers.movers.capacity()), none);
        set_.clear();
        starts_.clear();
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
        if (frame_of_[size_t(mover)] != none)
            return;
        frame_of_[size_t(mover)] = frame;
        set_.push_back(mover);
    }
    float inv_mass_of(int32_t frame) const
    {
        return frame == ground || !world_.movers[frame].is_dynamic() ? 0
                                                                     : world_.movers.velocities[size_t(frame)].inv_mass;
    }
    bool can_be_joined(int32_t mover, int32_t frame) const;
    void begin(const Edge& edge);
    void grow(std::vector<int32_t>& edges, std::vector<int32_t>& joints);
    bool rests_elsewhere(int32_t body, int32_t frame, bool is_patient = false) const;
    bool has_member_elsewhere(int32_t mover, int32_t frame) const;
    bool may_lean(const Edge& edge) const;
    template <class Visit>
    void for_each_neighbour(int32_t mover, Visit&& visit) const
    {
        for_each_member(world_.movers, mover, [&](int32_t body) {
            for_each_edge(body, world_.bodies, world_.graph, [&](int32_t e) {
                const Edge& edge = world_.graph.edges[e];
                if (edge.mover_a != edge.mover_b)
                    visit(e, edge.mover_a == mover ? edge.mover_b : edge.mover_a);
            });
        });
    }

    WorldData& world_;
    std::vector<int32_t>& frame_of_; // by mover: what it would join
    std::vector<int32_t>& set_;      // movers that would join something
    std::vector<FoundingStart>& starts_;
    size_t grown_ = 0; // of the set
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

// A body, or a few that have become one in the midst of what would join: on their own they would keep all around them from it,
// which bears what is no part of it.
bool Founding::can_be_joined(int32_t mover, int32_t frame) const
{
    constexpr size_t few = 64;
    const Mover& m = world_.movers[mover];
    if (!m.is_dynamic() || !m.has_members())
        return m.is_dynamic();
    const int32_t c = world_.movers.members[m.members].collections[0];
    return inv_mass_of(mover) > inv_mass_of(frame) && world_.collections.pool[c].members.size() <= few;
}

void Founding::begin(const Edge& edge)
{
    for (const bool is_b : {false, true})
    {
        const int32_t frame = is_b ? edge.mover_b : edge.mover_a, other = is_b ? edge.mover_a : edge.mover_b;
        const bool may_join = world_.movers[other].has_members() || !is_frame(edge, !is_b);
        if (is_frame(edge, is_b) && may_join && can_be_joined(other, label_of(frame)))
            starts_.push_back({inv_mass_of(frame), frame, other});
    }
}

// Over what is ready, from those that are in the set.
void Founding::grow(std::vector<int32_t>& edges, std::vector<int32_t>& joints)
{
    for (; grown_ < set_.size(); ++grown_)
    {
        const int32_t from = set_[grown_], frame = frame_of_[size_t(from)];
        for_each_neighbour(from, [&](int32_t e, int32_t other) {
            const Edge& edge = world_.graph.edges[e];
            if (!can_be_joined(other, frame) || !is_ready(world_, edge) || !can_join(world_, edge))
                return;
            edges.push_back(e); // most of them are looked at in every fourth step only
            add(other, frame);
        });
        for_each_member(world_.movers, from, [&](int32_t body) {
            for_each_joint(body, world_.bodies, world_.joints, [&](int32_t j) {
                const Edge edge = edge_of(world_.joints[j]);
                const int32_t other = edge.mover_a == from ? edge.mover_b : edge.mover_a;
                if (other == from || !can_be_joined(other, frame) || !is_ready(world_, world_.joints[j]) ||
                    !can_join(world_, edge))
                    return;
                joints.push_back(j);
                add(other, frame);
            });
        });
    }
}

// From the frames outwards, the heaviest first; whoever is reached first is joined.
void Founding::gather(std::vector<int32_t>& edges, std::vector<int32_t>& joints)
{
    for (int32_t e : edges)
        begin(world_.graph.edges[e]);
    for (int32_t j : joints)
        begin(edge_of(world_.joints[j]));
    std::ranges::sort(starts_);
    for (size_t i = 0; i < starts_.size(); ++i)
    {
        // A frame that would join a heavier one itself is no frame.
        if (const FoundingStart& start = starts_[i]; frame_of_[size_t(start.frame)] == none)
            add(start.other, label_of(start.frame));
        if (i + 1 == starts_.size() || starts_[i + 1].inv_mass != starts_[i].inv_mass)
            grow(edges, joints);
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

bool Founding::has_member_elsewhere(int32_t mover, int32_t frame) const
{
    bool is = false;
    for_each_member(world_.movers, mover, [&](int32_t body) { is = is || rests_elsewhere(body, frame); });
    return is;
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
        if (frame == none || !has_member_elsewhere(mover, frame))
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
        const bool was_looked_at = !world_.movers[joining].has_members();
        if (was_looked_at || has_member_elsewhere(joining, label_of(frame)))
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
