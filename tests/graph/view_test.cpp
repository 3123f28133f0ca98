// The graph as the user reads it: neighbours, groups, paths, node and edge types, and the graph as text.
#include "support/test_world.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace moraine;
using namespace moraine::test;

namespace
{

int count_nodes(const GraphView& graph, NodeType type)
{
    return int(
        std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const GraphNode& n) { return n.type == type; }));
}
int count_edges(const GraphView& graph, GraphEdgeType type)
{
    return int(
        std::count_if(graph.edges.begin(), graph.edges.end(), [&](const GraphEdge& e) { return e.type == type; }));
}

} // namespace

TEST(GraphGroups, TwoStacksOnOneFloorAreTwoGroups)
{
    TestWorld w;
    const BodyId floor = w.add_floor();
    std::vector<BodyId> left, right;
    for (int i = 0; i < 4; ++i)
    {
        left.push_back(w.add_box({0, 0.5 + i, 0}));
        right.push_back(w.add_box({5, 0.5 + i, 0}));
    }
    const BodyId alone = w.add_ball({20, 50, 0});
    w.run_seconds(2);
    const auto groups = w->contact_groups();
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0], left);
    EXPECT_EQ(groups[1], right);
    EXPECT_EQ(groups[2], std::vector<BodyId>{alone});
    EXPECT_EQ(w->neighbours(left[1]), (std::vector<BodyId>{left[0], left[2]}));
    EXPECT_EQ(w->neighbours(floor), (std::vector<BodyId>{left[0], right[0]}));
    EXPECT_EQ(w->path(left[0], left[3]), left);
    EXPECT_TRUE(w->path(left[0], right[0]).empty()); // the floor insulates
    EXPECT_EQ(w->path(floor, left[1]), (std::vector<BodyId>{floor, left[0], left[1]}));
    EXPECT_EQ(w->path(alone, alone), std::vector<BodyId>{alone});
    EXPECT_TRUE(w->path(alone, {}).empty());
}

TEST(GraphView, HasEveryTypeOfNodeAndEdge)
{
    TestWorld w;
    w.add_floor();
    w.add({.type = BodyType::kinematic, .position = {30, 1, 0}, .shapes = {{}}});
    w.add({.type = BodyType::static_,
           .position = {0, 1, 0},
           .shapes = {{.geometry = Box{{2, 1, 2}}}},
           .is_trigger = true,
           .name = "zone \"A\""});
    const BodyId a = w.add_box({0, 0.5, 0}), b = w.add_box({1.2, 0.5, 0}), c = w.add_box({10, 0.5, 0}),
                 d = w.add_box({11.2, 0.5, 0}), plain = w.add_box({20, 0.5, 0});
    w->set_rule_groups(plain, 1);
    w->set_user_data(plain, 42);
    ASSERT_TRUE(w->create_joint(w->joint_at(a, b, {{0.6, 0.5, 0}, {}}, FixedJoint{})));
    ASSERT_TRUE(w->create_joint(w->joint_at(c, d, {{10.6, 0.5, 0}, {}}, BallJoint{})));
    w->create_rule({.group_a = 0, .group_b = 5});
    w->create_timer({});
    w.run_seconds(1);
    const GraphView graph = w->graph();
    EXPECT_EQ(count_nodes(graph, NodeType::rigid), 3); // a, b and the plain one
    EXPECT_EQ(count_nodes(graph, NodeType::fixed), 1);
    EXPECT_EQ(count_nodes(graph, NodeType::link), 2);
    EXPECT_EQ(count_nodes(graph, NodeType::scripted), 1);
    EXPECT_EQ(count_nodes(graph, NodeType::composite), 1);
    EXPECT_EQ(count_nodes(graph, NodeType::multibody), 1);
    EXPECT_EQ(count_nodes(graph, NodeType::rule), 1);
    EXPECT_EQ(count_nodes(graph, NodeType::trigger), 1);
    EXPECT_EQ(count_nodes(graph, NodeType::timer), 1);
    EXPECT_EQ(count_edges(graph, GraphEdgeType::logical), 1);
    EXPECT_EQ(count_edges(graph, GraphEdgeType::structural), 4);
    EXPECT_EQ(count_edges(graph, GraphEdgeType::joint), 2);
    EXPECT_GE(count_edges(graph, GraphEdgeType::trigger), 2);
    EXPECT_EQ(count_edges(graph, GraphEdgeType::physical), 5);
    EXPECT_EQ(graph.groups, 3);

    const nlohmann::json json = nlohmann::json::parse(to_json(graph), nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json["nodes"].size(), graph.nodes.size());
    EXPECT_EQ(json["edges"].size(), graph.edges.size());
    EXPECT_EQ(json["groups"], 3);
    float weight = 0;
    for (const auto& edge : json["edges"])
        if (edge["type"] == "physical")
            weight += edge["impulse"].get<float>();
    EXPECT_NEAR(weight, 5 * gravity / 60, 0.02f * 5 * gravity / 60);
    const std::string dot = to_graphviz(graph);
    EXPECT_EQ(dot.find("graph contacts {"), 0u);
    EXPECT_NE(dot.find("V zone \\\"A\\\""), std::string::npos);
    EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
}
