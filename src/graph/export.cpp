// The contact graph as text: GraphViz and JSON.
#include <moraine/graph.h>

#include <cstdio>
#include <iterator>

namespace moraine
{

namespace
{

// Letters in quotes, for both formats. Bytes above 127 are left alone: names are UTF-8.
std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (char c : text)
    {
        if (c == '"' || c == '\\')
            out += '\\';
        if (static_cast<unsigned char>(c) < 32)
            out += ' ';
        else
            out += c;
    }
    return out + "\"";
}

std::string number(float value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", double(value));
    return text;
}

// The paper's letter for each type of node.
const char* symbol(NodeType type)
{
    static constexpr const char* symbols[] = {"R", "F", "L", "S", "C", "M", "A", "V", "T"};
    return symbols[size_t(type)];
}

std::string label_of(const GraphNode& node, size_t index)
{
    std::string label = symbol(node.type);
    label += " ";
    if (!node.name.empty())
        return label + node.name;
    return label + std::to_string(node.body ? node.body.index : uint32_t(index));
}

const char* shape_of(NodeType type)
{
    switch (type)
    {
    case NodeType::fixed:
    case NodeType::scripted: return "box";
    case NodeType::composite:
    case NodeType::multibody: return "folder";
    case NodeType::rule: return "note";
    case NodeType::trigger: return "hexagon";
    case NodeType::timer: return "cds";
    default: return "ellipse";
    }
}

std::string style_of(const GraphEdge& edge)
{
    switch (edge.type)
    {
    case GraphEdgeType::logical: return "style=dotted";
    case GraphEdgeType::structural: return "style=dashed, color=gray";
    case GraphEdgeType::joint: return "color=blue, penwidth=2";
    case GraphEdgeType::trigger: return edge.is_touching ? "color=orange" : "color=orange, style=dashed";
    default: break;
    }
    if (edge.is_merged)
        return "penwidth=3";
    return edge.is_touching ? "color=black" : "color=gray, style=dashed";
}

const char* boolean(bool value) { return value ? "true" : "false"; }

std::string node_json(const GraphNode& node, size_t index)
{
    std::string out = "{\"index\":" + std::to_string(index) + ",\"type\":\"" + node_type_name(node.type) + "\"";
    if (node.body)
        out += ",\"body\":" + std::to_string(node.body.index) + ",\"is_awake\":" + boolean(node.is_awake);
    if (!node.name.empty())
        out += ",\"name\":" + quoted(node.name);
    if (node.group >= 0)
        out += ",\"group\":" + std::to_string(node.group);
    return out + ",\"user_data\":" + std::to_string(node.user_data) + "}";
}

std::string edge_json(const GraphEdge& edge)
{
    std::string out = std::string("{\"type\":\"") + edge_type_name(edge.type) +
                      "\",\"a\":" + std::to_string(edge.node_a) + ",\"b\":" + std::to_string(edge.node_b);
    if (edge.type == GraphEdgeType::physical || edge.type == GraphEdgeType::trigger)
        out += std::string(",\"is_touching\":") + boolean(edge.is_touching);
    if (edge.type == GraphEdgeType::physical)
        out += std::string(",\"is_merged\":") + boolean(edge.is_merged) +
               ",\"contacts\":" + std::to_string(edge.contacts);
    if (edge.type == GraphEdgeType::physical || edge.type == GraphEdgeType::joint)
        out += ",\"impulse\":" + number(edge.impulse);
    return out + "}";
}

} // namespace

const char* node_type_name(NodeType type)
{
    static constexpr const char* names[] = {"rigid",     "fixed", "link",    "scripted", "composite",
                                            "multibody", "rule",  "trigger", "timer"};
    return size_t(type) < std::size(names) ? names[size_t(type)] : "";
}

const char* edge_type_name(GraphEdgeType type)
{
    static constexpr const char* names[] = {"logical", "structural", "trigger", "physical", "joint"};
    return size_t(type) < std::size(names) ? names[size_t(type)] : "";
}

std::string to_graphviz(const GraphView& graph)
{
    std::string out = "graph contacts {\n    node [style=filled, fillcolor=white];\n";
    for (size_t i = 0; i < graph.nodes.size(); ++i)
    {
        const GraphNode& node = graph.nodes[i];
        out += "    n" + std::to_string(i) + " [label=" + quoted(label_of(node, i)) + ", shape=" + shape_of(node.type);
        if (node.group >= 0 && !node.is_awake)
            out += ", fillcolor=lightgray";
        out += "];\n";
    }
    for (const GraphEdge& edge : graph.edges)
        out += "    n" + std::to_string(edge.node_a) + " -- n" + std::to_string(edge.node_b) + " [" + style_of(edge) +
               "];\n";
    return out + "}\n";
}

std::string to_json(const GraphView& graph)
{
    std::string out = "{\"groups\":" + std::to_string(graph.groups) + ",\n\"nodes\":[";
    for (size_t i = 0; i < graph.nodes.size(); ++i)
        out += (i ? ",\n" : "\n") + node_json(graph.nodes[i], i);
    out += "],\n\"edges\":[";
    for (size_t i = 0; i < graph.edges.size(); ++i)
        out += (i ? ",\n" : "\n") + edge_json(graph.edges[i]);
    return out + "]}\n";
}

} // namespace moraine
