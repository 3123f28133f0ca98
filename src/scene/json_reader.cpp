// Bodies, joints, groups and events. Files are in json.cpp, shapes in json_shapes.cpp.
#include "scene/json_reader.h"

#include "scene/json_keys.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr int group_depth_limit = 16;
constexpr int ambiguous = -2;

void read_joint_kind(const JsonNode& node, size_t kind, JointKind& out)
{
    out = make_alternative<JointKind>(kind);
    std::visit([&](auto& joint) { read_fields(node, joint); }, out);
    const auto check_limit = [&](const char* key, const Limit& limit) {
        if (limit.lower > limit.upper)
            node.at(key).fail("its lower is above its upper; swap them");
    };
    if (const auto* ball = std::get_if<BallJoint>(&out))
        check_limit("twist", ball->twist);
    if (const auto* hinge = std::get_if<HingeJoint>(&out))
        check_limit("limit", hinge->limit);
    if (const auto* slider = std::get_if<SliderJoint>(&out))
        check_limit("limit", slider->limit);
    if (const auto* distance = std::get_if<DistanceJoint>(&out); distance && distance->lower > distance->upper)
        node.fail("its lower is above its upper; give 0 <= lower <= upper");
}

// Keeps the depth of groups within groups, also when reading ends with an error.
struct DepthGuard
{
    int& depth;
    explicit DepthGuard(int& counter) : depth(++counter) {}
    ~DepthGuard() { --depth; }
};

void add_name(std::map<std::string, int>& names, const std::string& name, size_t index)
{
    if (name.empty())
        return;
    const auto [place, is_new] = names.emplace(name, int(index));
    if (!is_new)
        place->second = ambiguous;
}

} // namespace

SceneReader::NameIndex SceneReader::index_bodies(const Fragment& scope)
{
    NameIndex names;
    for (size_t i = 0; i < scope.bodies.size(); ++i)
        add_name(names, scope.bodies[i].def.name, i);
    return names;
}

SceneReader::NameIndex SceneReader::index_joints(const Fragment& scope)
{
    NameIndex names;
    for (size_t i = 0; i < scope.joints.size(); ++i)
        add_name(names, scope.joints[i].def.name, i);
    return names;
}

int SceneReader::read_reference(const JsonNode& node, const NameIndex& names, size_t count, const char* what)
{
    if (node.value().is_number_integer())
    {
        int index = -1;
        read(node, index);
        if (index < 0 || size_t(index) >= count)
            node.fail("is " + node.shown() + ", but there are " + std::to_string(count) + " " + what +
                      " here; give a number below that, or a name");
        return index;
    }
    const std::string name = node.text();
    const auto found = names.find(name);
    if (found != names.end() && found->second != ambiguous)
        return found->second;
    if (found != names.end())
        node.fail("\"" + name + "\" is the name of more than one of the " + what + "; give the number, or rename");
    std::vector<std::string> known;
    for (const auto& [other, index] : names)
        known.push_back(other);
    const std::vector<std::string> near = nearest_words(name, known, 1);
    node.fail("\"" + name + "\" is not the name of any of the " + what + " here" +
              (near.empty() ? "; name it there first" : "; did you mean \"" + near[0] + "\"?"));
}

void SceneReader::expect_room(const JsonNode& node, const Fragment& scope, double more)
{
    // Copies of copies use memory too before they reach the scene: they have a limit of their own.
    bodies_made_ += more;
    const double limit = double(scene_body_limit);
    if (double(scope.bodies.size()) + more > limit || bodies_made_ > 4 * limit)
        node.fail("makes more than 4000000 bodies; reduce the counts");
}

void SceneReader::read_contents(const JsonNode& node, Fragment& out)
{
    if (const auto bodies = node.find("bodies"))
    {
        bodies->expect_array();
        expect_room(*bodies, out, double(bodies->size()));
        for (size_t i = 0; i < bodies->size(); ++i)
            out.bodies.push_back(read_body(bodies->at(i)));
    }
    if (const auto groups = node.find("groups"))
    {
        groups->expect_array();
        for (size_t i = 0; i < groups->size(); ++i)
            read_group(groups->at(i), out);
    }
    if (const auto joints = node.find("joints"))
    {
        joints->expect_array();
        const NameIndex names = index_bodies(out);
        for (size_t i = 0; i < joints->size(); ++i)
            out.joints.push_back(read_joint(joints->at(i), out, names));
    }
}

SceneBody SceneReader::read_body(const JsonNode& node)
{
    node.expect_keys(body_keys());
    SceneBody body;
    read_fields(node, body);
    if (body.def.type != BodyType::kinematic && body.motion.index() != 0)
        node.at("motion").fail("only kinematic bodies follow a motion; add \"type\": \"kinematic\"");
    if (body.response && !body.response->file.empty())
        body.response->file = resolve(node.at("response").at("file")).string();
    const auto shape = node.find("shape"), shapes = node.find("shapes");
    if (shape && shapes)
        shape->fail("the body has both shape and shapes; use one of them");
    if (shape)
        body.def.shapes.push_back(read_shape(*shape, body.def.type));
    if (shapes)
    {
        shapes->expect_array();
        for (size_t i = 0; i < shapes->size(); ++i)
            body.def.shapes.push_back(read_shape(shapes->at(i), body.def.type));
    }
    if (body.def.type == BodyType::dynamic_ && body.def.shapes.empty())
        node.fail("a dynamic body needs a shape; add \"shape\" or \"shapes\"");
    return body;
}

SceneJoint SceneReader::read_joint(const JsonNode& node, const Fragment& scope, const NameIndex& names)
{
    const size_t kind = read_kind(node, joint_names);
    node.expect_keys(joint_keys(kind));
    SceneJoint joint;
    read_fields(node, joint.def);
    read_joint_kind(node, kind, joint.def.kind);

    const auto read_body_index = [&](const char* key) {
        const auto reference = node.find(key);
        if (!reference || reference->value() == "world")
            return -1;
        return read_reference(*reference, names, scope.bodies.size(), "bodies");
    };
    joint.body_a = read_body_index("body_a");
    joint.body_b = read_body_index("body_b");
    if (joint.body_a == joint.body_b)
        node.fail(joint.body_a < 0 ? "joins the world with itself; add body_a or body_b"
                                   : "joins a body with itself; name two bodies, or one body and the world");

    const auto at = node.find("at"), frame_a = node.find("frame_a"), frame_b = node.find("frame_b");
    if (at && (frame_a || frame_b))
        at->fail("the joint has both at and frames; use one of them");
    if (at)
    {
        at->expect_keys(frame_keys());
        Pose place;
        if (const auto position = at->find("position"))
            read(*position, place.position);
        if (const auto rotation = at->find("rotation"))
            read(*rotation, place.rotation);
        const auto frame_on = [&](int body) {
            if (body < 0)
                return relative(place, Pose{});
            const BodyDef& def = scope.bodies[size_t(body)].def;
            return relative(place, Pose{def.position, def.rotation});
        };
        joint.def.frame_a = frame_on(joint.body_a);
        joint.def.frame_b = frame_on(joint.body_b);
    }
    if (frame_a)
        read(*frame_a, joint.def.frame_a);
    if (frame_b)
        read(*frame_b, joint.def.frame_b);
    return joint;
}

Fragment SceneReader::read_group_part(const JsonNode& node)
{
    const auto prefab = node.find("prefab"), body = node.find("body"), contents = node.find("contents");
    if (int(bool(prefab)) + int(bool(body)) + int(bool(contents)) != 1)
        node.fail("needs exactly one of prefab, body and contents");
    Fragment part;
    if (prefab)
    {
        const std::string name = prefab->text();
        const auto found = prefabs_.find(name);
        if (found != prefabs_.end())
            return found->second;
        std::vector<std::string> known;
        for (const auto& [other, fragment] : prefabs_)
            known.push_back(other);
        prefab->fail(known.empty() ? "no prefab is defined before this; add it to prefabs"
                                   : "unknown prefab \"" + name + "\"" + suggestion(name, known));
    }
    if (body)
        part.bodies.push_back(read_body(*body));
    if (contents)
    {
        contents->expect_keys(contents_keys());
        read_contents(*contents, part);
    }
    if (part.bodies.empty())
        node.fail("has no bodies to copy; add some");
    return part;
}

void SceneReader::read_group(const JsonNode& node, Fragment& out)
{
    const DepthGuard guard(depth_);
    if (depth_ > group_depth_limit)
        node.fail("groups are nested more than 16 deep; flatten them");
    const size_t kind = read_kind(node, layout_names);
    node.expect_keys(group_keys(kind));
    GroupPlacement placement;
    read_fields(node, placement);
    Layout layout = make_alternative<Layout>(kind);
    std::visit([&](auto& l) { read_fields(node, l); }, layout);

    const Fragment part = read_group_part(node);
    const double copies = copy_count(layout);
    expect_room(node, out, copies * double(std::max(part.bodies.size(), part.joints.size())));
    const std::vector<Pose> poses = lay_out(layout, placement);
    if (kind == size_t(4) && double(poses.size()) < copies) // random
        node.fail("only " + std::to_string(poses.size()) + " of " + std::to_string(int64_t(copies)) +
                  " fit with this separation; make size larger, or separation or count smaller");
    for (size_t i = 0; i < poses.size(); ++i)
    {
        const std::string number = poses.size() > 1 ? "[" + std::to_string(i) + "]" : "";
        append_copy(out, part, poses[i], placement.name.empty() ? "" : placement.name + number + ".");
    }
}

void SceneReader::read_factory(const JsonNode& node, FactoryAction& out)
{
    read_fields(node, out);
    if (out.interval < 1e-3f)
        node.at("interval").fail("is " + node.at("interval").shown() + "; give at least 0.001 seconds");
    const JsonNode prototypes = node.at("prototypes");
    prototypes.expect_array();
    for (size_t i = 0; i < prototypes.size(); ++i)
        out.prototypes.push_back(read_body(prototypes.at(i)));
    if (out.prototypes.empty())
        prototypes.fail("is empty; give at least one body");
}

// A body, or the world where there is none.
int SceneReader::read_side(const JsonNode& node, const char* key, const NameIndex& bodies)
{
    const auto reference = node.find(key);
    if (!reference || reference->value() == "world")
        return -1;
    return read_reference(*reference, bodies, scene_bodies_.bodies.size(), "bodies");
}

SceneEvent SceneReader::read_event(const JsonNode& node, const NameIndex& bodies, const NameIndex& joints)
{
    node.expect_object();
    const size_t kind = read_choice(node.at("action"), action_names);
    node.expect_keys(action_keys(kind));
    SceneEvent event;
    read(node.at("time"), event.time, Range::not_negative);
    event.action = make_alternative<SceneAction>(kind);
    const auto body_index = [&] {
        return read_reference(node.at("body"), bodies, scene_bodies_.bodies.size(), "bodies");
    };
    std::visit(
        [&](auto& action) {
            using Action = std::decay_t<decltype(action)>;
            if constexpr (std::is_same_v<Action, FactoryAction>)
                read_factory(node, action);
            else if constexpr (std::is_same_v<Action, SpawnAction>)
                action.body = read_body(node.at("new_body"));
            else if constexpr (std::is_same_v<Action, JointAction>)
            {
                const JsonNode settings = node.at("settings");
                action.joint = read_reference(node.at("joint"), joints, scene_bodies_.joints.size(), "joints");
                const size_t joint_kind = read_kind(settings, joint_names);
                if (joint_kind != scene_bodies_.joints[size_t(action.joint)].def.kind.index())
                    settings.at("kind").fail("is not the kind of that joint; a joint keeps its kind");
                settings.expect_keys(joint_kind_keys(joint_kind));
                read_joint_kind(settings, joint_kind, action.kind);
            }
            else
            {
                read_fields(node, action);
                if constexpr (requires { action.body_a; })
                {
                    action.body_a = read_side(node, "body_a", bodies);
                    action.body_b = read_side(node, "body_b", bodies);
                    if (action.body_a < 0 && (action.body_b < 0 || std::is_same_v<Action, UnmergeAction>))
                        node.fail("names no body; add body_a");
                }
                else if constexpr (!std::is_same_v<Action, GravityAction>)
                    action.body = body_index();
            }
        },
        event.action);
    if (const auto* motion = std::get_if<MotionAction>(&event.action))
        if (scene_bodies_.bodies[size_t(motion->body)].def.type != BodyType::kinematic)
            node.at("body").fail("only kinematic bodies follow a motion; set its type to kinematic");
    return event;
}

} // namespace moraine
