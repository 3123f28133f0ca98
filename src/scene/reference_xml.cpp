#include "scene/reference_xml.h"

#include "scene/obj_file.h"
#include "scene/reference_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace moraine
{

namespace
{

namespace fs = std::filesystem;

// Their material constants, which the files do not carry.
constexpr float usual_friction = 0.8f, usual_density = 1.0f;

struct ImportOptions
{
    float factory = 0;
    float factory_spread = 5;
    float factory_seed = 1;
    float magnet = 0;
    float spinner = 0;
};

// One solid, in the frame of its body.
struct Part
{
    ShapeDef shape;
    double mass = 0;
};

class Importer
{
public:
    Importer(const std::string& path, const ImportOptions& options) : file_(path), options_(options) {}

    SceneDescription import()
    {
        const pugi::xml_node root = file_.root();
        for (const pugi::xml_node child : root.children())
            if (child.type() == pugi::node_element && !is_named(child, "system") && !is_named(child, "collision") &&
                !is_named(child, "body"))
                warn_unknown(child);
        set_defaults();
        for (const pugi::xml_node child : root.children())
            if (is_named(child, "collision"))
                read_collision(child);
        for (const pugi::xml_node child : root.children())
            if (is_named(child, "body"))
                read_body(child);
        if (options_.factory > 0)
            turn_parts_into_factory();
        add_magnet_events();
        return std::move(scene_);
    }

private:
    void warn_unknown(const pugi::xml_node& node)
    {
        scene_.warnings.push_back(file_.path() + ":" + std::to_string(file_.line_of(node)) + ": unknown element <" +
                                  node.name() + "> ignored");
    }

    void set_defaults()
    {
        scene_.name = fs::path(file_.path()).stem().string();
        scene_.description = "imported from " + fs::path(file_.path()).filename().string();
        scene_.dt = 0.05f;
        scene_.steps = 2000;
        scene_.world.gravity = {0, -1, 0};
        scene_.world.solver = SolverKind::pgs;
        scene_.world.iterations = 30;
        set_feedback(0.5f);
        scene_.world.cfm = 1e-3f;
    }

    // Their feedback is a rate: the speed that is asked for is feedback times the violation. Ours is a share a step.
    void set_feedback(float feedback) { scene_.world.erp = std::clamp(feedback * scene_.dt, 0.0f, 1.0f); }

    void read_collision(const pugi::xml_node& node)
    {
        scene_.world.iterations = std::max(1, int(file_.number_attribute(node, "iterations", 30)));
        set_feedback(file_.number_attribute(node, "feedbackStiffness", 0.5f));
        scene_.world.cfm = is_true(node.attribute("enableCompliance").as_string("true")) ? 1e-3f : 0;
        scene_.world.post_stabilization = is_true(node.attribute("enablePostStabilization").as_string("false"));
        if (node.attribute("friction"))
            friction_override_ = file_.number_attribute(node, "friction", 0);
        if (node.attribute("restitution"))
            restitution_override_ = file_.number_attribute(node, "restitution", 0);
    }

    // ---- bodies ----

    Part read_solid(const pugi::xml_node& node) const // box or sphere, in its own frame
    {
        Part part;
        const std::string type = node.attribute("type").as_string();
        const float density = file_.size_attribute(node, "density", usual_density);
        part.shape.density = density;
        if (type == "box")
        {
            const Vec3 dim = file_.vector_attribute(node, "dim") * file_.size_attribute(node, "scale", 1);
            if (!(min_component(dim) > 0))
                file_.fail(node, "dim must be above zero");
            part.shape.geometry = Box{dim * 0.5f};
            part.mass = double(density) * dim.x * dim.y * dim.z;
        }
        else if (type == "sphere")
        {
            const float r = file_.size_attribute(node, "r", 0);
            part.shape.geometry = Sphere{r};
            part.mass = double(density) * 4 / 3 * double(pi) * r * r * r;
        }
        else
            file_.fail(node, "type \"" + type + "\" cannot be used here; give box or sphere");
        return part;
    }

    // Part offsets are from the common centre of mass; that is added to the composite's position without turning it.
    DVec3 read_composite(const pugi::xml_node& node, BodyDef& def) const
    {
        DVec3 sum{};
        double mass = 0;
        for (const pugi::xml_node child : node.children())
        {
            if (!is_named(child, "body"))
                continue;
            Part part = read_solid(child);
            for (const pugi::xml_node value : child.children())
            {
                if (is_named(value, "x"))
                    part.shape.pose.position = Vec3(file_.position(value));
                else if (is_named(value, "R"))
                    part.shape.pose.rotation = file_.rotation(value);
            }
            sum += DVec3(part.shape.pose.position) * part.mass;
            mass += part.mass;
            def.shapes.push_back(part.shape);
        }
        if (def.shapes.empty())
            file_.fail(node, "a composite needs at least one <body> of type box or sphere");
        const DVec3 center = sum * (1 / mass);
        for (ShapeDef& shape : def.shapes)
            shape.pose.position = Vec3(DVec3(shape.pose.position) - center);
        return center;
    }

    // Collides as the leaves of its sphere tree, weighs as its triangles. Both are moved to the centre of mass.
    void read_mesh(const pugi::xml_node& node, BodyDef& def) const
    {
        const float scale = file_.size_attribute(node, "scale", 1);
        Result<ObjMesh> mesh = read_obj(file_.referenced_file(node, "obj"), ObjFaces::first_three_corners);
        if (!mesh)
            file_.fail(node, mesh.error().message);
        for (Vec3& v : mesh->vertices)
            v *= scale;
        MassProperties mass = solid_mass_properties(*mesh,
                                                    double(file_.size_attribute(node, "density", usual_density)));
        if (!(mass.mass > 0))
            file_.fail(node, "the mesh encloses no volume; close it");
        for (const Sphere4& s : read_leaves(node, file_.referenced_file(node, "st")))
        {
            ShapeDef shape;
            shape.geometry = Sphere{s.radius * scale};
            shape.pose.position = s.center * scale - mass.center;
            def.shapes.push_back(shape);
        }
        mass.center = {};
        def.mass_properties = mass;
    }

    struct Sphere4
    {
        Vec3 center;
        float radius;
    };

    std::vector<Sphere4> read_leaves(const pugi::xml_node& node, const std::string& path) const
    {
        std::ifstream stream(path);
        size_t count = 0;
        if (!(stream >> count) || count == 0 || count > 1'000'000)
            file_.fail(node, path + ": does not begin with a number of spheres");
        std::vector<Sphere4> spheres(count);
        for (Sphere4& s : spheres)
            if (!(stream >> s.center.x >> s.center.y >> s.center.z >> s.radius) || !(s.radius > 0))
                file_.fail(node, path + ": needs four numbers for each of its " + std::to_string(count) + " spheres");
        std::vector<bool> has_children(count, false);
        for (size_t parent = 0, children = 0; stream >> parent >> children;)
        {
            if (parent < 1 || parent > count || children > count)
                file_.fail(node, path + ": refers to a sphere that does not exist");
            has_children[parent - 1] = children > 0;
            for (size_t child = 0; children > 0 && stream >> child; --children)
                continue;
        }
        std::vector<Sphere4> leaves;
        for (size_t i = 0; i < count; ++i)
            if (!has_children[i])
                leaves.push_back(spheres[i]);
        return leaves;
    }

    void read_body(const pugi::xml_node& node)
    {
        const std::string type = node.attribute("type").as_string();
        SceneBody body;
        body.def.name = node.attribute("name").as_string();
        DVec3 center{}; // of a composite, relative to its position
        if (type == "plane")
        {
            body.def.shapes.push_back({.geometry = HalfSpace{}});
            body.def.type = BodyType::static_;
            body.def.position = file_.vector_attribute(node, "p");
            const Vec3 normal = file_.vector_attribute(node, "n");
            if (!(length_squared(normal) > 0))
                file_.fail(node, "n has no direction; give a vector that is not zero");
            body.def.rotation = rotation_between({0, 1, 0}, normalize(normal));
        }
        else if (type == "composite")
            center = read_composite(node, body.def);
        else if (type == "mesh")
            read_mesh(node, body.def);
        else
            body.def.shapes.push_back(read_solid(node).shape);

        const int index = int(scene_.bodies.size());
        BodyState state{.is_factory_part = type != "composite" && type != "plane"};
        read_children(node, type, index, body, state);
        for (ShapeDef& shape : body.def.shapes)
        {
            shape.friction = friction_override_.value_or(state.friction);
            shape.restitution = restitution_override_.value_or(state.restitution);
        }
        body.def.position += center;
        if (body.def.type == BodyType::static_)
            body.def.linear_velocity = body.def.angular_velocity = {};
        is_factory_part_.push_back(state.is_factory_part && body.def.type == BodyType::dynamic_);
        scene_.bodies.push_back(std::move(body));
    }

    struct BodyState
    {
        float friction = usual_friction;
        float restitution = 0;
        bool is_factory_part = true;
    };

    // In document order: a spring without an anchor takes the place that its body has when it is read.
    void read_children(const pugi::xml_node& node, const std::string& type, int index, SceneBody& body,
                       BodyState& state)
    {
        BodyDef& def = body.def;
        for (const pugi::xml_node child : node.children())
        {
            const char* text = child.text().get();
            if (child.type() != pugi::node_element || is_named(child, "temporarilyPinned"))
                continue;
            if (is_named(child, "x"))
                def.position = type == "plane" ? def.position : file_.position(child);
            else if (is_named(child, "R"))
                def.rotation = type == "plane" ? def.rotation : file_.rotation(child);
            else if (is_named(child, "v"))
                def.linear_velocity = file_.vector(child, text);
            else if (is_named(child, "omega"))
                def.angular_velocity += file_.vector(child, text);
            else if (is_named(child, "spinner"))
                def.angular_velocity += file_.vector(child, text) * options_.spinner;
            else if (is_named(child, "friction"))
                state.friction = std::max(0.0f, file_.number(child, text));
            else if (is_named(child, "restitution"))
                state.restitution = std::max(0.0f, file_.number(child, text));
            else if (is_named(child, "pinned"))
                def.type = is_true(text) || type == "plane" ? BodyType::static_ : BodyType::dynamic_;
            else if (is_named(child, "magnetic"))
                def.is_magnet = is_true(text);
            else if (is_named(child, "factorypart"))
                state.is_factory_part = is_true(text) && type != "composite";
            else if (is_named(child, "col"))
                body.color = color(child);
            else if (is_named(child, "spring"))
                read_spring(child, index, body);
            else if (!(type == "composite" && is_named(child, "body")))
                warn_unknown(child);
        }
    }

    uint32_t color(const pugi::xml_node& node) const
    {
        uint32_t packed = 0;
        const std::vector<double> parts = file_.numbers(node, node.text().get(), 3, 4);
        for (size_t i = 0; i < 3; ++i)
            packed = packed << 8 | uint32_t(std::lround(255 * std::clamp(parts[i], 0.0, 1.0)));
        return std::max(packed, 1u); // 0 would mean "choose one"
    }

    void read_spring(const pugi::xml_node& node, int index, const SceneBody& body)
    {
        const Vec3 point = file_.vector_attribute(node, "pB");
        const DVec3 here = apply(Pose{body.def.position, body.def.rotation}, point);
        const float factor = file_.number_attribute(node, "ls", 1);
        SceneJoint joint;
        joint.body_b = index;
        joint.def.frame_b.position = point;
        joint.def.collides = true;
        DVec3 anchor = here;
        if (node.attribute("pW"))
        {
            anchor = file_.vector_attribute(node, "pW");
            joint.def.frame_a.position = Vec3(anchor);
        }
        else if (const char* other = node.attribute("body2").as_string(nullptr))
        {
            joint.body_a = find_body(node, other);
            const BodyDef& def = scene_.bodies[size_t(joint.body_a)].def;
            joint.def.frame_a.position = file_.vector_attribute(node, "pB2");
            anchor = apply(Pose{def.position, def.rotation}, joint.def.frame_a.position);
        }
        else
            joint.def.frame_a.position = Vec3(here);
        const bool is_free_standing = !node.attribute("pW") && !node.attribute("body2");
        SpringJoint spring;
        spring.stiffness = std::max(0.0f, file_.number_attribute(node, "k", 100));
        spring.damping = std::max(0.0f, file_.number_attribute(node, "d", 10));
        spring.rest_length = std::max(0.0f, factor * (is_free_standing ? 0.5f : float(length(anchor - here))));
        joint.def.kind = spring;
        joint.def.name = is_true(node.attribute("controllable").as_string("false")) ? "controllable" : "";
        scene_.joints.push_back(std::move(joint));
    }

    int find_body(const pugi::xml_node& node, const std::string& name) const
    {
        for (size_t i = 0; i < scene_.bodies.size(); ++i)
            if (scene_.bodies[i].def.name == name)
                return int(i);
        file_.fail(node, "body2=\"" + name + "\" is not the name of a body before this one");
    }

    // ---- what needs a key press in their program ----

    // The parts leave the scene and become what the factory makes copies of.
    void turn_parts_into_factory()
    {
        FactoryAction factory;
        std::vector<int> new_index(scene_.bodies.size(), -1);
        std::vector<SceneBody> kept;
        DVec3 sum{};
        for (size_t i = 0; i < scene_.bodies.size(); ++i)
        {
            if (!is_factory_part_[i])
            {
                new_index[i] = int(kept.size());
                kept.push_back(std::move(scene_.bodies[i]));
                continue;
            }
            sum += scene_.bodies[i].def.position;
            factory.prototypes.push_back(std::move(scene_.bodies[i]));
        }
        scene_.bodies = std::move(kept);
        if (factory.prototypes.empty())
        {
            scene_.warnings.push_back(file_.path() + ": has no parts for a factory; factory is ignored");
            return;
        }
        std::vector<SceneJoint> joints;
        for (SceneJoint& joint : scene_.joints)
        {
            const bool is_lost = (joint.body_a >= 0 && new_index[size_t(joint.body_a)] < 0) ||
                                 (joint.body_b >= 0 && new_index[size_t(joint.body_b)] < 0);
            if (is_lost)
                continue;
            joint.body_a = joint.body_a < 0 ? -1 : new_index[size_t(joint.body_a)];
            joint.body_b = joint.body_b < 0 ? -1 : new_index[size_t(joint.body_b)];
            joints.push_back(std::move(joint));
        }
        scene_.joints = std::move(joints);
        factory.interval = options_.factory;
        factory.position = sum * (1.0 / double(factory.prototypes.size()));
        factory.spread = {options_.factory_spread, 0, options_.factory_spread};
        factory.velocity = {0, -1, 0};
        factory.velocity_spread = {0.5f, 0, 0.5f};
        factory.spin_spread = 0.3f;
        factory.turn_spread = {0, 0, pi};
        factory.seed = uint32_t(options_.factory_seed);
        scene_.events.push_back({0, std::move(factory)});
    }

    void add_magnet_events()
    {
        for (size_t i = 0; i < scene_.bodies.size(); ++i)
        {
            if (!scene_.bodies[i].def.is_magnet)
                continue;
            scene_.events.push_back({0, MagnetAction{int(i), false}});
            if (options_.magnet > 0)
                scene_.events.push_back({options_.magnet, MagnetAction{int(i), true}});
        }
    }

    ReferenceFile file_;
    ImportOptions options_;
    std::optional<float> friction_override_, restitution_override_;
    std::vector<bool> is_factory_part_;
    SceneDescription scene_;
};

Result<ImportOptions> read_options(const std::string& path, const SceneParameters& parameters)
{
    ImportOptions options;
    const std::pair<const char*, float*> known[] = {{"factory", &options.factory},
                                                    {"factory_spread", &options.factory_spread},
                                                    {"factory_seed", &options.factory_seed},
                                                    {"magnet", &options.magnet},
                                                    {"spinner", &options.spinner}};
    for (const auto& [name, text] : parameters)
    {
        const auto found = std::find_if(std::begin(known), std::end(known),
                                        [&key = name](const auto& k) { return k.first == key; });
        if (found == std::end(known))
            return Error{path + ": unknown parameter \"" + name +
                         "\"; it has factory, factory_spread, factory_seed, magnet, spinner"};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *found->second);
        if (error != std::errc{} || end != text.data() + text.size() || !(*found->second >= 0) || *found->second > 1e9f)
            return Error{path + ": parameter " + name + " is \"" + text + "\"; give a number, zero or more"};
    }
    if (options.factory > 0 && options.factory < 1e-3f)
        return Error{path + ": parameter factory is below 0.001 seconds; give a longer time"};
    return options;
}

} // namespace

Result<SceneDescription> load_reference_scene(const std::string& path, const SceneParameters& parameters)
{
    Result<ImportOptions> options = read_options(path, parameters);
    if (!options)
        return options.error();
    try
    {
        return Importer(path, *options).import();
    }
    catch (const ImportError& error)
    {
        return Error{error.what()};
    }
}

} // namespace moraine
