// Writing: only what differs from its default, with the shortest digits that read back to the same bits.
#include "geometry/mesh.h"
#include "scene/format.h"
#include "scene/json.h"
#include "scene/json_node.h"

#include <charconv>
#include <cmath>

namespace moraine
{

namespace
{

Json written(bool value) { return value; }
Json written(int value) { return value; }
Json written(uint32_t value) { return value; }
Json written(uint64_t value) { return value; }
Json written(double value) { return value; }
Json written(const std::string& value) { return value; }

Json written(float value)
{
    if (std::isinf(value))
        return value > 0 ? "infinity" : "-infinity";
    // The shortest decimal of the float, as a double: 0.8 and not 0.800000011920929.
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    double exact = double(value);
    std::from_chars(text, end, exact);
    return exact;
}

Json written(const Vec3& v) { return Json::array({written(v.x), written(v.y), written(v.z)}); }
Json written(const DVec3& v) { return Json::array({v.x, v.y, v.z}); }
Json written(const Quat& q) { return Json::array({written(q.x), written(q.y), written(q.z), written(q.w)}); }
Json written(const Mat3& m)
{
    const Mat3 rows = transpose(m);
    return Json::array({written(rows.x), written(rows.y), written(rows.z)});
}

template <class E>
requires std::is_enum_v<E> Json written(E value)
{
    for (const auto& entry : enum_names<E>)
        if (entry.value == value)
            return std::string(entry.name);
    return nullptr;
}

Json written(const Motion& motion);
template <class T>
Json written(const std::vector<T>& list);
template <class T>
Json written(const std::optional<T>& value);

template <class T>
void write_fields(Json& out, const T& value);

template <class T>
requires std::is_class_v<T> Json written(const T& value)
{
    Json out = Json::object();
    write_fields(out, value);
    return out;
}

template <class T>
Json written(const std::vector<T>& list)
{
    Json out = Json::array();
    for (const T& value : list)
        out.push_back(written(value));
    return out;
}

template <class T>
Json written(const std::optional<T>& value)
{
    return value ? written(*value) : Json();
}

// Walks a value and a default one side by side: the second pass writes what differs from the first.
struct FieldWriter
{
    Json& out;
    std::vector<Json> defaults{};
    size_t next = 0;
    bool is_default = true;

    template <class Member>
    void operator()(const char* key, const Member& member, Range = Range::any)
    {
        Json value = written(member);
        if (is_default)
            defaults.push_back(std::move(value));
        else if (value != defaults[next++])
            out[key] = std::move(value);
    }
};

template <class T>
void write_fields(Json& out, const T& value)
{
    FieldWriter writer{out};
    T standard{}, copy = value;
    describe(writer, standard);
    writer.is_default = false;
    describe(writer, copy);
}

template <class Variant>
Json written_kind(const Variant& value, std::span<const std::string_view> names)
{
    Json out = Json::object();
    out["kind"] = std::string(names[value.index()]);
    std::visit([&](const auto& alternative) { write_fields(out, alternative); }, value);
    return out;
}

Json written(const Motion& motion) { return written_kind(motion, motion_names); }

Json written_shape(const ShapeDef& shape)
{
    Json out = Json::object();
    out["kind"] = std::string(geometry_names[shape.geometry.index()]);
    std::visit(
        [&](const auto& g) {
            using Kind = std::decay_t<decltype(g)>;
            if constexpr (std::is_same_v<Kind, HullRef>)
            {
                const auto points = corners(*g);
                out["points"] = written(std::vector<Vec3>(points.begin(), points.end()));
            }
            else if constexpr (std::is_same_v<Kind, MeshRef>)
            {
                const auto points = vertices(*g);
                const auto triangles = indices(*g);
                out["vertices"] = written(std::vector<Vec3>(points.begin(), points.end()));
                out["indices"] = written(std::vector<uint32_t>(triangles.begin(), triangles.end()));
            }
            else if constexpr (std::is_same_v<Kind, HeightFieldRef>)
            {
                out["columns"] = g->columns;
                out["rows"] = g->rows;
                out["spacing"] = written(g->spacing);
                out["heights"] = written(g->heights);
            }
            else
                write_fields(out, g);
        },
        shape.geometry);
    write_fields(out, shape);
    return out;
}

std::string hex_color(uint32_t color)
{
    static const char digits[] = "0123456789abcdef";
    std::string text = "#";
    for (int shift = 20; shift >= 0; shift -= 4)
        text += digits[color >> shift & 15];
    return text;
}

Json written_body(const SceneBody& body)
{
    Json out = Json::object();
    write_fields(out, body);
    if (out.contains("color"))
        out["color"] = hex_color(body.color);
    Json shapes = Json::array();
    for (const ShapeDef& shape : body.def.shapes)
        shapes.push_back(written_shape(shape));
    if (shapes.size() == 1)
        out["shape"] = std::move(shapes[0]);
    else if (!shapes.empty())
        out["shapes"] = std::move(shapes);
    return out;
}

Json written_joint(const SceneJoint& joint)
{
    Json out = written_kind(joint.def.kind, joint_names);
    write_fields(out, joint.def);
    if (joint.body_a >= 0)
        out["body_a"] = joint.body_a;
    if (joint.body_b >= 0)
        out["body_b"] = joint.body_b;
    if (joint.def.frame_a != Transform{})
        out["frame_a"] = written(joint.def.frame_a);
    if (joint.def.frame_b != Transform{})
        out["frame_b"] = written(joint.def.frame_b);
    return out;
}

Json written_event(const SceneEvent& event)
{
    Json out = Json::object();
    out["time"] = written(event.time);
    out["action"] = std::string(action_names[event.action.index()]);
    std::visit(
        [&](const auto& action) {
            using Action = std::decay_t<decltype(action)>;
            write_fields(out, action);
            if constexpr (std::is_same_v<Action, SpawnAction>)
                out["new_body"] = written_body(action.body);
            else if constexpr (std::is_same_v<Action, JointAction>)
            {
                out["joint"] = action.joint;
                out["settings"] = written_kind(action.kind, joint_names);
            }
            else if constexpr (std::is_same_v<Action, FactoryAction>)
            {
                out["prototypes"] = Json::array();
                for (const SceneBody& body : action.prototypes)
                    out["prototypes"].push_back(written_body(body));
            }
            else if constexpr (requires { action.body_a; })
            {
                if (action.body_a >= 0)
                    out["body_a"] = action.body_a;
                if (action.body_b >= 0)
                    out["body_b"] = action.body_b;
            }
            else if constexpr (!std::is_same_v<Action, GravityAction>)
                out["body"] = action.body;
        },
        event.action);
    return out;
}

// A list with one element on each line: easy to compare, and a fraction of the size of full indentation.
template <class T, class Write>
std::string written_lines(const std::vector<T>& list, Write write)
{
    std::string text = "[";
    for (size_t i = 0; i < list.size(); ++i)
        text += std::string(i ? "," : "") + "\n    " +
                write(list[i]).dump(-1, ' ', false, Json::error_handler_t::replace);
    return text + "\n  ]";
}

} // namespace

std::string to_json(const SceneDescription& scene)
{
    const SceneDescription standard;
    std::string text = "{";
    const auto add = [&](const char* key, const std::string& value) {
        text += std::string(text.size() > 1 ? ",\n  \"" : "\n  \"") + key + "\": " + value;
    };
    const auto dump = [](const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); };
    add("name", dump(scene.name));
    if (!scene.description.empty())
        add("description", dump(scene.description));
    if (scene.dt != standard.dt)
        add("dt", dump(written(scene.dt)));
    add("steps", dump(scene.steps));
    if (const Json world = written(scene.world); !world.empty())
        add("world", dump(world));
    if (const Json distribute = written(scene.distribute); !distribute.empty())
        add("distribute", dump(distribute));
    if (!scene.bodies.empty())
        add("bodies", written_lines(scene.bodies, written_body));
    if (!scene.joints.empty())
        add("joints", written_lines(scene.joints, written_joint));
    if (!scene.events.empty())
        add("events", written_lines(scene.events, written_event));
    if (!scene.rules.empty())
        add("rules", written_lines(scene.rules, [](const RuleDef& rule) { return written(rule); }));
    return text + "\n}\n";
}

} // namespace moraine
