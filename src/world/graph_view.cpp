// The contact graph as the user reads it.
#include "base/disjoint_sets.h"
#include "world/world_data.h"

#include <moraine/world.h>

#include <algorithm>
#include <map>

namespace moraine
{

namespace
{

struct Viewer
{
    const World& world;
    const WorldData& data;
    GraphView view{};
    std::vector<int> node_of{}; // by body
};

bool is_rigid_joint(const Joint& joint) { return std::holds_alternative<FixedJoint>(joint.kind); }

NodeType type_of(const WorldData& data, int32_t index)
{
    const Body& body = data.bodies[index];
    if (body.has(body_is_trigger))
        return NodeType::trigger;
    if (body.type == BodyType::static_)
        return NodeType::fixed;
    if (body.type == BodyType::kinematic)
        return NodeType::scripted;
    bool is_link = false;
    for_each_joint(index, data.bodies, data.joints, [&](int32_t j) { is_link |= !is_rigid_joint(data.joints[j]); });
    return is_link ? NodeType::link : NodeType::rigid;
}

void add_bodies(Viewer& v)
{
    v.node_of.assign(size_t(v.data.bodies.capacity()), -1);
    for (BodyId id : v.world.bodies())
    {
        v.node_of[id.index] = int(v.view.nodes.size());
        GraphNode node{.type = type_of(v.data, int32_t(id.index)), .body = id};
        node.name = v.world.name(id);
        node.user_data = v.world.user_data(id);
        node.is_awake = v.world.is_awake(id);
        v.view.nodes.push_back(std::move(node));
    }
    const std::vector<std::vector<BodyId>> groups = v.world.contact_groups();
    v.view.groups = int(groups.size());
    for (size_t g = 0; g < groups.size(); ++g)
        for (BodyId id : groups[g])
            v.view.nodes[size_t(v.node_of[id.index])].group = int(g);
}

// Bodies that joints of one sort hold together, dynamic ones only: what stands insulates here too.
void add_containers(Viewer& v, NodeType type)
{
    const Joints& joints = v.data.joints;
    std::vector<int32_t> memory(size_t(v.data.bodies.capacity()));
    DisjointSets sets(memory);
    std::vector<uint8_t> is_member(memory.size(), 0);
    for (uint32_t j = 0; j < joints.ids.capacity(); ++j)
    {
        const Joint& joint = joints[int32_t(j)];
        if (!joints.ids.is_alive(j) || is_rigid_joint(joint) != (type == NodeType::composite))
            continue;
        for (int32_t body : {joint.body_a, joint.body_b})
            is_member[size_t(body)] = v.data.bodies[body].type == BodyType::dynamic_;
        if (is_member[size_t(joint.body_a)] && is_member[size_t(joint.body_b)])
            sets.join(joint.body_a, joint.body_b);
    }
    std::map<int32_t, int> container_of; // by root
    for (size_t body = 0; body < is_member.size(); ++body)
    {
        if (!is_member[body])
            continue;
        const auto [found, is_new] = container_of.try_emplace(sets.root(int32_t(body)), int(v.view.nodes.size()));
        if (is_new)
            v.view.nodes.push_back({.type = type});
        v.view.edges.push_back({.type = GraphEdgeType::structural, .node_a = found->second, .node_b = v.node_of[body]});
    }
}

void add_joints(Viewer& v)
{
    for (JointId id : v.world.joints())
    {
        const Joint& joint = v.data.joints[int32_t(id.index)];
        const int a = v.node_of[size_t(joint.body_a)], b = v.node_of[size_t(joint.body_b)];
        if (a < 0 || b < 0) // to the world
            continue;
        v.view.edges.push_back({.type = GraphEdgeType::joint,
                                .node_a = std::min(a, b),
                                .node_b = std::max(a, b),
                                .is_merged = joint.is_merged,
                                .impulse = joint.linear_impulse,
                                .joint = id});
    }
}

void add_contacts(Viewer& v)
{
    const size_t first = v.view.edges.size();
    for (BodyId id : v.world.bodies())
        for_each_edge(int32_t(id.index), v.data.bodies, v.data.graph, [&](int32_t e) {
            const Edge& edge = v.data.graph.edges[e];
            if (edge.body_a != int32_t(id.index))
                return;
            GraphEdge out{.type = (v.data.bodies[edge.body_a].flags | v.data.bodies[edge.body_b].flags) &
                                          body_is_trigger
                                      ? GraphEdgeType::trigger
                                      : GraphEdgeType::physical,
                          .node_a = v.node_of[size_t(edge.body_a)],
                          .node_b = v.node_of[size_t(edge.body_b)],
                          .is_touching = edge.has(edge_is_touching),
                          .is_merged = edge.has(edge_is_merged)};
            for (int32_t m = edge.manifold; m != none; m = v.data.graph.manifolds[m].next)
            {
                out.contacts += v.data.graph.manifolds[m].count;
                out.impulse += v.data.graph.manifolds[m].total_impulse;
            }
            v.view.edges.push_back(out);
        });
    std::sort(v.view.edges.begin() + std::ptrdiff_t(first), v.view.edges.end(),
              [](const GraphEdge& a, const GraphEdge& b) {
                  return a.node_a != b.node_a ? a.node_a < b.node_a : a.node_b < b.node_b;
              });
}

void add_rules(Viewer& v)
{
    for (RuleId id : v.world.rules())
    {
        const RuleDef def = v.world.rule_def(id);
        const int node = int(v.view.nodes.size());
        v.view.nodes.push_back({.type = NodeType::rule, .rule = id});
        constexpr const char* kinds[] = {"ignore ", "observe ", "never_merge "};
        v.view.nodes.back().name = kinds[size_t(def.kind)] + std::to_string(def.group_a) + " " +
                                   std::to_string(def.group_b);
        v.view.nodes.back().user_data = def.user_data;
        const uint64_t groups = (1ull << def.group_a) | (1ull << def.group_b);
        for (const auto& [body, of_body] : v.data.bodies.rule_groups)
            if (of_body & groups)
                v.view.edges.push_back(
                    {.type = GraphEdgeType::logical, .node_a = node, .node_b = v.node_of[size_t(body)]});
    }
}

void add_timers(Viewer& v)
{
    for (TimerId id : v.world.timers())
    {
        v.view.nodes.push_back({.type = NodeType::timer, .timer = id});
        v.view.nodes.back().user_data = v.world.timer_def(id).user_data;
    }
}

} // namespace

GraphView World::graph() const
{
    Viewer v{*this, *data_};
    add_bodies(v);
    add_contacts(v);
    add_joints(v);
    add_containers(v, NodeType::composite);
    add_containers(v, NodeType::multibody);
    add_rules(v);
    add_timers(v);
    return std::move(v.view);
}

} // namespace moraine
