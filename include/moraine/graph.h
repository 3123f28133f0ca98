// The contact graph as the user reads it: a copy, with the node and edge types of "Contact Graphs in Multibody Dynamics
// Simulation", tables 1 and 2.
#pragma once

#include <moraine/ids.h>

#include <cstdint>
#include <string>
#include <vector>

namespace moraine
{

enum class NodeType : uint8_t
{
    rigid,
    fixed,     // static
    link,      // a dynamic body with joints that are not fixed
    scripted,  // kinematic
    composite, // bodies held together by fixed joints
    multibody, // links and the joints between them
    rule,
    trigger,
    timer
};

enum class GraphEdgeType : uint8_t
{
    logical,    // a rule applies to a body
    structural, // a body is part of a composite or multibody
    trigger,    // a body is near or inside a trigger
    physical,   // two bodies are near or touch
    joint
};

struct GraphNode
{
    NodeType type = NodeType::rigid;
    BodyId body{};   // of bodies and triggers
    RuleId rule{};   // of rules
    TimerId timer{}; // of timers
    std::string name{};
    uint64_t user_data = 0;
    int group = -1; // contact group, of those that have one
    bool is_awake = false;
};

struct GraphEdge
{
    GraphEdgeType type = GraphEdgeType::physical;
    int node_a = 0; // into GraphView::nodes
    int node_b = 0;
    bool is_touching = false; // of triggers: inside
    bool is_merged = false;
    int contacts = 0;  // points
    float impulse = 0; // along the normals in the last step, N s
    JointId joint{};
};

struct GraphView
{
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
    int groups = 0;
};

const char* node_type_name(NodeType type);
const char* edge_type_name(GraphEdgeType type);

std::string to_graphviz(const GraphView& graph);
std::string to_json(const GraphView& graph);

} // namespace moraine
