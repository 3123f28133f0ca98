// What pages are told in words: JSON.
#include "scene/catalogue.h"
#include "viewer/describe_channels.h"
#include "viewer/settings.h"
#include "viewer/simulation.h"
#include "world/world_data.h"

namespace moraine::viewer
{

namespace
{

using nlohmann::json;

std::string text_of(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace); // names may hold any bytes
}

json list(Vec3 v) { return {v.x, v.y, v.z}; }
json list(DVec3 v) { return {v.x, v.y, v.z}; }

json describe_parameters(const CatalogueEntry& entry, const SceneParameters& given)
{
    json parameters = json::array();
    for (const CatalogueParameter& p : entry.parameters)
    {
        const auto found = given.find(std::string(p.name));
        parameters.push_back({{"name", p.name},
                              {"description", p.description},
                              {"value", found == given.end() ? p.value : std::strtod(found->second.c_str(), nullptr)},
                              {"lower", p.lower},
                              {"upper", p.upper},
                              {"is_whole", p.is_whole}});
    }
    return parameters;
}

// How a scene is divided among workers is of no use where there are none.
json describe_settings(const SceneDescription& description, const WorldDef& now, bool has_workers)
{
    SceneDescription scene;
    scene.dt = description.dt;
    scene.world = now;
    scene.distribute = description.distribute;
    json all = json::array();
    for (const Setting& s : settings_of(scene))
        if (has_workers || s.family != "workers")
            all.push_back({{"name", s.name},
                           {"family", s.family},
                           {"value", s.value},
                           {"lower", s.lower},
                           {"upper", s.upper},
                           {"step", s.step},
                           {"is_switch", s.is_switch},
                           {"restarts", s.restarts},
                           {"choices", s.choices}});
    return all;
}

const char* type_name(BodyType type)
{
    return type == BodyType::static_ ? "static" : type == BodyType::kinematic ? "kinematic" : "dynamic";
}

const char* shape_name(const Geometry& geometry)
{
    constexpr const char* names[] = {"sphere",     "capsule", "cylinder", "box",
                                     "half-space", "hull",    "mesh",     "height field"};
    static_assert(std::size(names) == std::variant_size_v<Geometry>);
    return names[geometry.index()];
}

} // namespace

json describe_channels(std::span<const Channel> channels)
{
    constexpr const char* kinds[] = {"number", "category", "color"};
    json all = json::array();
    for (const Channel& c : channels)
    {
        json legend = json::array();
        for (const ColorLabel& part : c.legend)
            legend.push_back({{"color", part.color}, {"label", part.label}});
        all.push_back({{"name", c.name},
                       {"label", c.label},
                       {"unit", c.unit},
                       {"kind", kinds[size_t(c.kind)]},
                       {"lower", c.lower},
                       {"upper", c.upper},
                       {"legend", legend}});
    }
    return all;
}

std::string describe_error(const std::string& message) { return text_of({{"type", "error"}, {"message", message}}); }

std::string Simulation::hello() const
{
    const SceneDescription& scene = scene_->description();
    json scenes = json::array();
    for (const CatalogueEntry& entry : catalogue())
        scenes.push_back({{"name", entry.name}, {"family", entry.family}, {"description", entry.description}});
    std::vector<std::string> events;
    for (int i = 0; i < int(EventKind::count); ++i)
        events.emplace_back(event_name(EventKind(i)));
    const CatalogueEntry* entry = find_catalogue_entry(choice_.name);
    return text_of({{"type", "hello"},
                    {"scene", scene.name},
                    {"choice", choice_.name},
                    {"description", scene.description},
                    {"dt", scene.dt},
                    {"gravity", list(scene.world.gravity)},
                    {"scenes", scenes},
                    {"families", catalogue_families()},
                    {"parameters", entry != nullptr ? describe_parameters(*entry, choice_.parameters) : json::array()},
                    {"settings", describe_settings(scene, scene_->world().settings(), stepper_ != nullptr)},
                    {"channels", describe_channels(broadcast_.channels())},
                    {"color", choice_.color},
                    {"recording", witness_ ? witness_->name() : ""},
                    {"stat_names", stat_names()},
                    {"event_names", events}});
}

std::string Simulation::describe(BodyId body) const
{
    const World& world = scene_->world();
    const Pose pose = world.pose(body);
    json shapes = json::array();
    for (const ShapeDef& shape : world.shapes(body))
        shapes.push_back(shape_name(shape.geometry));
    json contacts = json::array();
    double force = 0;
    const double dt = double(scene_->description().dt);
    for (const ContactInfo& contact : stepper_ ? broadcast_.contacts(world) : world.contacts(body))
    {
        if (contact.body_a != body && contact.body_b != body)
            continue;
        force += double(contact.impulse) / dt;
        contacts.push_back(contact.body_a == body ? contact.body_b.index : contact.body_a.index);
    }
    return text_of({{"type", "body"},
                    {"body", body.index},
                    {"name", world.name(body)},
                    {"kind", type_name(world.type(body))},
                    {"mass", world.mass(body)},
                    {"shapes", shapes},
                    {"position", list(pose.position)},
                    {"velocity", list(world.linear_velocity(body))},
                    {"spin", list(world.angular_velocity(body))},
                    {"awake", world.is_awake(body)},
                    {"magnet", world.data().bodies[int32_t(body.index)].has(body_is_magnet)},
                    {"contacts", contacts},
                    {"contact_force", force}});
}

void Simulation::tell_inspected()
{
    last_inspect_ = Clock::now();
    for (const auto& [client, index] : inspected_)
    {
        const BodyId body = body_at(index);
        if (scene_->world().is_valid(body))
            send_(client, describe(body));
    }
}

} // namespace moraine::viewer
