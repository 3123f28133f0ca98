#include "scene/description.h"

#include "scene/catalogue.h"
#include "scene/json.h"
#include "scene/model_scene.h"
#include "scene/nearest.h"
#include "scene/random.h"
#include "scene/reference_xml.h"
#include "scene/response.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace moraine
{

namespace
{

std::string body_label(const SceneDescription& scene, size_t index)
{
    const std::string& name = scene.bodies[index].def.name;
    return "scene " + scene.name + ": body " + std::to_string(index) + (name.empty() ? "" : " (" + name + ")") + ": ";
}

// The clone depends on its number only: whoever restores a world needs no memory of the clones before.
SceneBody make_clone(const FactoryAction& factory, uint64_t number)
{
    Random random(factory.seed, number);
    SceneBody body = factory.prototypes[size_t(random.below(int(factory.prototypes.size())))];
    body.def.position = factory.position + DVec3(random.within(factory.spread));
    body.def.rotation = normalize(rotation_from_vector(random.within(factory.turn_spread)) * body.def.rotation);
    body.def.linear_velocity = factory.velocity + random.within(factory.velocity_spread);
    const float spin = factory.spin_spread;
    body.def.angular_velocity = random.within({spin, spin, spin});
    return body;
}

BodyId create_body(World& world, const SceneBody& body)
{
    const BodyId id = world.create_body(body.def);
    if (id && body.motion.index() != 0)
        world.set_motion(id, body.motion);
    if (id)
        static_cast<void>(give_response(body, world, id)); // one that cannot be made leaves a body that does not answer
    return id;
}

} // namespace

Scene::Scene(std::shared_ptr<const SceneDescription> description, const WorldDef& settings)
    : description_(std::move(description)),
      world_(settings)
{}

Result<Scene> Scene::create(const SceneDescription& description)
{
    return create(std::make_shared<const SceneDescription>(description), description.world);
}

Result<Scene> Scene::create(std::shared_ptr<const SceneDescription> description, const WorldDef& settings)
{
    if (Status status = validate_scene(*description); !status)
        return status.error();
    Scene scene(std::move(description), settings);
    if (Status status = scene.build(); !status)
        return status.error();
    return scene;
}

Status Scene::build()
{
    created_.reserve(description_->bodies.size());
    for (size_t i = 0; i < description_->bodies.size(); ++i)
    {
        const SceneBody& body = description_->bodies[i];
        Result<BodyId> id = world_.try_create_body(body.def);
        if (!id)
            return Error{body_label(*description_, i) + id.error().message};
        if (body.motion.index() != 0)
            world_.set_motion(*id, body.motion);
        if (Status status = give_response(body, world_, *id); !status)
            return Error{body_label(*description_, i) + "response: " + status.error().message};
        created_.push_back(*id);
    }
    bodies_ = created_;
    for (const RuleDef& rule : description_->rules)
        if (Result<RuleId> id = world_.try_create_rule(rule); !id)
            return Error{"scene " + description_->name + ": " + id.error().message};
    for (size_t i = 0; i < description_->joints.size(); ++i)
    {
        const SceneJoint& joint = description_->joints[i];
        JointDef def = joint.def;
        def.body_a = joint.body_a < 0 ? BodyId{} : created_[size_t(joint.body_a)];
        def.body_b = joint.body_b < 0 ? BodyId{} : created_[size_t(joint.body_b)];
        Result<JointId> id = world_.try_create_joint(def);
        if (!id)
            return Error{"scene " + description_->name + ": joint " + std::to_string(i) + ": " + id.error().message};
        joints_.push_back(*id);
    }
    played_until_ = world_.time();
    return Ok{};
}

StepReport Scene::step() { return step(description_->dt); }

StepReport Scene::step(float dt)
{
    notice_restored_time(dt);
    // Half-open and end to end, so that every event belongs to exactly one step.
    const double from = played_until_;
    const double to = world_.time() + double(dt);
    for (const SceneEvent& event : description_->events)
    {
        if (const FactoryAction* factory = std::get_if<FactoryAction>(&event.action))
            play_factory(*factory, double(event.time), from, to);
        else if (double(event.time) >= from && double(event.time) < to)
            play(event.action);
    }
    played_until_ = to;
    return world_.step(dt);
}

// Somebody restored the world to another time. Rounding alone must not look like that.
void Scene::notice_restored_time(float dt)
{
    if (std::fabs(world_.time() - played_until_) <= 1e-3 * double(dt))
        return;
    played_until_ = world_.time();
    for (size_t i = 0; i < bodies_.size(); ++i)
        bodies_[i] = world_.is_valid(created_[i]) ? created_[i] : BodyId{};
}

void Scene::play(const SceneAction& action)
{
    const auto body_at = [&](int index) { return bodies_[size_t(index)]; };
    if (const auto* impulse = std::get_if<ImpulseAction>(&action))
    {
        const BodyId body = body_at(impulse->body);
        if (world_.is_valid(body))
            world_.apply_impulse(body, impulse->impulse, apply(world_.pose(body), impulse->point));
    }
    else if (const auto* velocity = std::get_if<VelocityAction>(&action))
    {
        world_.set_linear_velocity(body_at(velocity->body), velocity->linear);
        world_.set_angular_velocity(body_at(velocity->body), velocity->angular);
    }
    else if (const auto* spawn = std::get_if<SpawnAction>(&action))
        create_body(world_, spawn->body);
    else if (const auto* destroy = std::get_if<DestroyAction>(&action))
    {
        world_.destroy_body(body_at(destroy->body));
        bodies_[size_t(destroy->body)] = {};
    }
    else if (const auto* magnet = std::get_if<MagnetAction>(&action))
        world_.set_magnet(body_at(magnet->body), magnet->is_on);
    else if (const auto* motion = std::get_if<MotionAction>(&action))
        world_.set_motion(body_at(motion->body), motion->motion);
    else if (const auto* joint = std::get_if<JointAction>(&action))
        world_.set_joint_kind(joints_[size_t(joint->joint)], joint->kind);
    else if (const auto* gravity = std::get_if<GravityAction>(&action))
        world_.set_gravity(gravity->gravity);
    else if (const auto* merge = std::get_if<MergeAction>(&action))
    {
        const auto side = [&](int index) { return index < 0 ? world_.ground() : body_at(index); };
        world_.merge(side(merge->body_a), side(merge->body_b), merge->break_impulse);
    }
    else if (const auto* unmerge = std::get_if<UnmergeAction>(&action))
    {
        if (unmerge->body_b < 0)
            world_.unmerge(body_at(unmerge->body_a));
        else
            world_.unmerge(body_at(unmerge->body_a), body_at(unmerge->body_b));
    }
}

void Scene::play_factory(const FactoryAction& factory, double start, double from, double to)
{
    // Clone k is due at start + k · interval.
    const double interval = double(factory.interval);
    double number = std::max(0.0, std::floor((from - start) / interval));
    for (; start + number * interval < to; ++number)
    {
        const double due = start + number * interval;
        if (due >= from && due <= double(factory.until))
            create_body(world_, make_clone(factory, uint64_t(number)));
    }
}

Result<SceneDescription> load_scene(const std::string& name_or_path, const SceneParameters& parameters)
{
    if (const CatalogueEntry* entry = find_catalogue_entry(name_or_path))
        return build_catalogue_scene(*entry, parameters);

    const std::string extension = std::filesystem::path(name_or_path).extension().string();
    if (extension == ".xml")
        return load_reference_scene(name_or_path, parameters);
    if (extension == ".json")
    {
        if (!parameters.empty())
            return Error{name_or_path + ": a JSON scene has no parameters; leave out --param " +
                         parameters.begin()->first};
        return load_json_scene(name_or_path);
    }
    if (extension == ".modes")
        return load_model_scene(name_or_path);
    std::error_code ignored;
    if (!extension.empty() || name_or_path.find('/') != std::string::npos ||
        std::filesystem::exists(name_or_path, ignored))
        return Error{name_or_path + ": not a scene file; scenes end in .json or .xml, models in .modes"};

    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue())
        names.emplace_back(entry.name);
    const std::vector<std::string> near = nearest_words(name_or_path, names, 3);
    std::string message = "no scene is called \"" + name_or_path + "\"";
    for (size_t i = 0; i < near.size(); ++i)
        message += (i ? ", " : "; near to it: ") + near[i];
    return Error{message + "; see `moraine list`, or give a .json or .xml file"};
}

} // namespace moraine
