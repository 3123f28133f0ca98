// The public interface. Stale handles and bad arguments are harmless here, so that nothing below has to ask.
#include "base/hash.h"
#include "world/activity.h"
#include "world/body_store.h"
#include "world/collections.h"
#include "world/merge_limits.h"
#include "world/step.h"

#include <moraine/world.h>

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

bool is_dynamic(const WorldData& w, BodyId id)
{
    return w.bodies.is_valid(id) && w.bodies[int32_t(id.index)].type == BodyType::dynamic_;
}
int32_t index_of(BodyId id) { return int32_t(id.index); }
int32_t mover_index_of(const WorldData& w, BodyId id) { return w.bodies[index_of(id)].mover; }

Pose center_pose(const WorldData& w, BodyId id)
{
    const Body& body = w.bodies[index_of(id)];
    return w.movers[body.mover].pose * body.pose_in_mover;
}

Vec3 omega_of(const WorldData& w, int32_t mover)
{
    return angular_velocity(w.movers[mover], w.movers.masses[size_t(mover)], w.movers.velocities[size_t(mover)]);
}

bool is_usable(std::monostate) { return true; }
bool is_usable(const SineMotion& m)
{
    return is_finite(m.translation) && is_finite(m.rotation) && m.period > 0 && std::isfinite(m.period) &&
           std::isfinite(m.phase);
}
bool is_usable(const KeyFrameMotion& m)
{
    const auto is_later = [](const KeyFrame& a, const KeyFrame& b) { return a.time > b.time; };
    return std::ranges::all_of(m.frames,
                               [](const KeyFrame& f) { return std::isfinite(f.time) && is_finite(f.pose); }) &&
           std::ranges::adjacent_find(m.frames, is_later) == m.frames.end();
}

// What is asked for and will not be done is said, not passed over.
void check_settings(WorldData& world)
{
    if (world.settings.time_warp && world.settings.merging)
        world.last_error =
            "time_warp does nothing while merging is on: it cannot take collections back; switch one off";
}

} // namespace

World::World(const WorldDef& def) : data_(std::make_unique<WorldData>())
{
    data_->settings = def;
    data_->tasks = std::make_unique<Tasks>(def.threads);
    moraine::create_body(*data_, {.type = BodyType::static_, .name = "ground"});
    check_settings(*data_);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
WorldData& World::data() { return *data_; }
const WorldData& World::data() const { return *data_; }

// ---- bodies ----

Result<BodyId> World::try_create_body(const BodyDef& def)
{
    const std::string problem = body_problem(def);
    if (!problem.empty())
        return Error{(def.name.empty() ? "body" : "body '" + def.name + "'") + ": " + problem};
    return data_->bodies.id(moraine::create_body(*data_, def));
}

BodyId World::create_body(const BodyDef& def)
{
    Result<BodyId> body = try_create_body(def);
    if (!body)
        data_->last_error = body.error().message;
    return body.value_or({});
}

void World::destroy_body(BodyId body)
{
    if (is_valid(body) && body != ground())
        moraine::destroy_body(*data_, index_of(body));
}

bool World::is_valid(BodyId body) const { return data_->bodies.is_valid(body); }
BodyId World::ground() const { return data_->bodies.id(0); }

BodyId World::find_body(std::string_view name) const
{
    for (const auto& [index, known] : data_->bodies.names)
        if (known == name)
            return data_->bodies.id(index);
    return {};
}

std::vector<BodyId> World::bodies() const
{
    std::vector<BodyId> out;
    out.reserve(data_->bodies.ids.count());
    for (uint32_t i = 1; i < data_->bodies.ids.capacity(); ++i)
        if (data_->bodies.ids.is_alive(i))
            out.push_back(data_->bodies.id(int32_t(i)));
    return out;
}

int World::body_count() const { return int(data_->bodies.ids.count()) - 1; }

BodyType World::type(BodyId body) const
{
    return is_valid(body) ? data_->bodies[index_of(body)].type : BodyType::static_;
}

Pose World::pose(BodyId body) const
{
    if (!is_valid(body))
        return {};
    const Pose center = center_pose(*data_, body);
    const Vec3 offset = data_->bodies.infos[body.index].center;
    return {apply(center, -offset), center.rotation};
}

DVec3 World::center_of_mass(BodyId body) const { return is_valid(body) ? center_pose(*data_, body).position : DVec3{}; }

Vec3 World::linear_velocity(BodyId body) const
{
    if (!is_valid(body))
        return {};
    const int32_t m = mover_index_of(*data_, body);
    const Vec3 arm = relative(center_pose(*data_, body).position, data_->movers[m].pose.position);
    return data_->movers.velocities[size_t(m)].linear + cross(omega_of(*data_, m), arm);
}

Vec3 World::angular_velocity(BodyId body) const
{
    return is_valid(body) ? omega_of(*data_, mover_index_of(*data_, body)) : Vec3{};
}

float World::mass(BodyId body) const { return is_valid(body) ? data_->bodies.infos[body.index].mass : 0; }

Mat3 World::inertia(BodyId body) const
{
    if (!is_valid(body))
        return diagonal({});
    const Mat3 r = to_matrix(center_pose(*data_, body).rotation);
    return r * inertia_matrix(data_->bodies.infos[body.index]) * transpose(r);
}

bool World::is_awake(BodyId body) const
{
    return is_valid(body) && data_->movers[mover_index_of(*data_, body)].is_awake();
}

std::vector<ShapeDef> World::shapes(BodyId body) const
{
    std::vector<ShapeDef> out;
    if (is_valid(body))
        for (const Shape& s : data_->bodies.shapes_of(data_->bodies[index_of(body)]))
            out.push_back(shape_def(data_->bodies, index_of(body), s));
    return out;
}

std::string_view World::name(BodyId body) const
{
    const auto found = data_->bodies.names.find(index_of(body));
    return is_valid(body) && found != data_->bodies.names.end() ? std::string_view(found->second) : std::string_view();
}

uint64_t World::user_data(BodyId body) const
{
    return is_valid(body) && body.index < data_->bodies.user_data.size() ? data_->bodies.user_data[body.index] : 0;
}
Filter World::filter(BodyId body) const { return is_valid(body) ? data_->bodies[index_of(body)].filter : Filter{}; }

void World::set_pose(BodyId body, const Pose& pose)
{
    if (!is_valid(body) || body == ground() || !is_finite(pose))
        return;
    const Vec3 omega = angular_velocity(body);
    search_pairs_again(*data_, index_of(body));
    forget_impulses(*data_, index_of(body));
    const int32_t m = mover_index_of(*data_, body);
    Mover& mover = data_->movers[m];
    const Quat rotation = normalize(pose.rotation);
    mover.pose = {apply(Pose{pose.position, rotation}, data_->bodies.infos[body.index].center), rotation};
    data_->movers.velocities[size_t(m)].spin = spin_of(mover, data_->movers.masses[size_t(m)], omega);
    update_tight(mover);
    if (mover.leaf >= 0)
        data_->movers.tree_of(mover).move(mover.leaf, fat_bounds(mover, {}, 0));
}

void World::set_linear_velocity(BodyId body, Vec3 velocity)
{
    if (!is_valid(body) || type(body) == BodyType::static_ || !is_finite(velocity))
        return;
    detach_body(*data_, index_of(body)); // what has a velocity of its own moves by itself
    const int32_t m = mover_index_of(*data_, body);
    MoverVelocity& v = data_->movers.velocities[size_t(m)];
    v.linear = velocity;
    if (type(body) == BodyType::kinematic)
        set_kinematic_awake(*data_, m, length_squared(v.linear) + length_squared(v.spin) > 0);
    else
        wake(body);
}

void World::set_angular_velocity(BodyId body, Vec3 velocity)
{
    if (!is_valid(body) || type(body) == BodyType::static_ || !is_finite(velocity))
        return;
    detach_body(*data_, index_of(body));
    const int32_t m = mover_index_of(*data_, body);
    MoverVelocity& v = data_->movers.velocities[size_t(m)];
    v.spin = spin_of(data_->movers[m], data_->movers.masses[size_t(m)], velocity);
    if (type(body) == BodyType::kinematic)
        set_kinematic_awake(*data_, m, length_squared(v.linear) + length_squared(v.spin) > 0);
    else
        wake(body);
}

void World::set_mass(BodyId body, float mass)
{
    if (!is_dynamic(*data_, body) || !(mass > 0) || !std::isfinite(mass))
        return;
    detach_body(*data_, index_of(body));
    BodyInfo info = data_->bodies.infos[body.index];
    const Vec3 omega = angular_velocity(body);
    set_inertia(info, inertia_matrix(info) * (mass / info.mass));
    info.mass = mass;
    data_->bodies.infos.set(body.index, info);
    update_mover_mass(*data_, index_of(body));
    set_angular_velocity(body, omega);
}

void World::set_filter(BodyId body, const Filter& filter)
{
    if (!is_valid(body) || data_->bodies[index_of(body)].filter == filter)
        return;
    wake_neighbours(*data_, index_of(body));
    wake_body(*data_, index_of(body));
    data_->bodies[index_of(body)].filter = filter;
    search_pairs_again(*data_, index_of(body));
}

void World::set_passive(BodyId body, bool is_passive)
{
    if (!is_valid(body) || data_->bodies[index_of(body)].has(body_is_passive) == is_passive)
        return;
    wake_neighbours(*data_, index_of(body));
    wake_body(*data_, index_of(body));
    data_->bodies[index_of(body)].flags ^= body_is_passive;
    search_pairs_again(*data_, index_of(body));
    const int32_t m = mover_index_of(*data_, body);
    if (is_passive && data_->movers[m].is_dynamic() && data_->movers[m].is_awake())
        put_to_sleep(*data_, std::span(&m, 1));
    refresh_body(*data_, index_of(body));
    if (!is_passive)
        wake(body);
}

void World::set_magnet(BodyId body, bool is_on)
{
    if (!is_valid(body) || data_->bodies[index_of(body)].has(body_is_magnet) == is_on)
        return;
    data_->bodies[index_of(body)].flags ^= body_is_magnet;
    // What was held by it, or will be, has to show anew that it stays where it is.
    detach_body(*data_, index_of(body));
    for_each_edge(index_of(body), data_->bodies, data_->graph, [&](int32_t e) {
        const Edge& edge = data_->graph.edges[e];
        if (edge.has(edge_is_touching))
            detach_body(*data_, other_body(edge, index_of(body)));
    });
    wake_neighbours(*data_, index_of(body));
    wake_body(*data_, index_of(body));
    for_each_edge(index_of(body), data_->bodies, data_->graph, [&](int32_t e) {
        const Edge& edge = data_->graph.edges[e];
        for_each_manifold(edge, data_->graph,
                          [&](int32_t m) { set_material(data_->bodies, edge, data_->graph.manifolds[m]); });
    });
}

void World::set_user_data(BodyId body, uint64_t user_data)
{
    if (is_valid(body))
        data_->bodies.set_user_data(index_of(body), user_data);
}

void World::set_gravity_scale(BodyId body, float scale)
{
    if (!is_dynamic(*data_, body) || !std::isfinite(scale))
        return;
    detach_body(*data_, index_of(body));
    BodyInfo info = data_->bodies.infos[body.index];
    info.gravity_scale = scale;
    data_->bodies.infos.set(body.index, info);
    update_mover_mass(*data_, index_of(body));
    wake(body);
}

void World::set_damping(BodyId body, float linear, float angular)
{
    if (!is_dynamic(*data_, body) || !(linear >= 0) || !(angular >= 0) || !std::isfinite(linear + angular))
        return;
    detach_body(*data_, index_of(body));
    BodyInfo info = data_->bodies.infos[body.index];
    info.linear_damping = linear;
    info.angular_damping = angular;
    data_->bodies.infos.set(body.index, info);
    update_mover_mass(*data_, index_of(body));
}

void World::wake(BodyId body)
{
    if (is_dynamic(*data_, body) && !data_->bodies[index_of(body)].has(body_is_passive))
        wake_body(*data_, index_of(body));
}

void World::apply_force(BodyId body, Vec3 force) { apply_force(body, force, center_of_mass(body)); }

void World::apply_force(BodyId body, Vec3 force, DVec3 point)
{
    if (!is_dynamic(*data_, body) || !is_finite(force) || !is_finite(point))
        return;
    wake(body);
    if (is_merged(body))
    {
        data_->collections.pokes.push_back(
            {index_of(body), force, cross(relative(point, center_of_mass(body)), force), true});
        return;
    }
    const int32_t m = mover_index_of(*data_, body);
    MoverForce& sum = force_of(data_->movers, m);
    sum.force += force;
    sum.torque += cross(relative(point, data_->movers[m].pose.position), force);
}

void World::apply_torque(BodyId body, Vec3 torque)
{
    if (!is_dynamic(*data_, body) || !is_finite(torque))
        return;
    wake(body);
    if (is_merged(body))
        data_->collections.pokes.push_back({index_of(body), {}, torque, true});
    else
        force_of(data_->movers, mover_index_of(*data_, body)).torque += torque;
}

void World::apply_impulse(BodyId body, Vec3 impulse) { apply_impulse(body, impulse, center_of_mass(body)); }

void World::apply_impulse(BodyId body, Vec3 impulse, DVec3 point)
{
    if (!is_dynamic(*data_, body) || !is_finite(impulse) || !is_finite(point))
        return;
    wake(body);
    if (is_merged(body))
    {
        data_->collections.pokes.push_back(
            {index_of(body), impulse, cross(relative(point, center_of_mass(body)), impulse), false});
        return;
    }
    const int32_t m = mover_index_of(*data_, body);
    data_->movers.velocities[size_t(m)].linear += impulse * data_->movers.masses[size_t(m)].inv_mass;
    apply_angular_impulse(body, cross(relative(point, data_->movers[m].pose.position), impulse));
}

void World::apply_angular_impulse(BodyId body, Vec3 impulse)
{
    if (!is_dynamic(*data_, body) || !is_finite(impulse))
        return;
    wake(body);
    if (is_merged(body))
    {
        data_->collections.pokes.push_back({index_of(body), {}, impulse, false});
        return;
    }
    const int32_t m = mover_index_of(*data_, body);
    data_->movers.velocities[size_t(m)].spin += transpose_multiply(
        data_->movers.masses[size_t(m)].factor, inverse_rotate(data_->movers[m].pose.rotation, impulse));
}

void World::move_to(BodyId body, const Pose& pose)
{
    if (is_valid(body) && type(body) == BodyType::kinematic && is_finite(pose))
        data_->targets[index_of(body)] = {pose.position, normalize(pose.rotation)};
}

void World::set_motion(BodyId body, const Motion& motion)
{
    if (!is_valid(body) || type(body) != BodyType::kinematic)
        return;
    if (!std::visit([](const auto& m) { return is_usable(m); }, motion))
    {
        data_->last_error = "set_motion: give finite numbers, a positive period, and key frames in the order of time";
        return;
    }
    if (std::holds_alternative<std::monostate>(motion))
    {
        data_->scripts.erase(index_of(body));
        set_linear_velocity(body, {});
        set_angular_velocity(body, {});
        return;
    }
    data_->scripts[index_of(body)] = {motion, pose(body), data_->time};
}

// ---- time ----

StepReport World::step(float dt)
{
    if (!(dt > 0) || !std::isfinite(dt))
    {
        data_->last_error = "step: dt must be a positive number of seconds";
        StepReport report;
        report.has_error = true;
        return report;
    }
    if (is_in_callback_)
    {
        data_->last_error = "step: called from the event callback; change the world there, and step it afterwards";
        StepReport report;
        report.has_error = true;
        return report;
    }
    const StepReport report = moraine::step(*data_, dt);
    if (event_callback_ && has_any(data_->events))
    {
        is_in_callback_ = true;
        event_callback_(*this, data_->events);
        is_in_callback_ = false;
    }
    return report;
}

double World::time() const { return data_->time; }
uint64_t World::step_count() const { return data_->step_count; }
const Events& World::events() const { return data_->events; }
Vec3 World::gravity() const { return data_->settings.gravity; }

void World::set_gravity(Vec3 gravity)
{
    if (!is_finite(gravity) || gravity == data_->settings.gravity)
        return;
    data_->settings.gravity = gravity;
    for (BodyId body : bodies())
        wake(body);
}

const WorldDef& World::settings() const { return data_->settings; }

void World::set_settings(const WorldDef& settings)
{
    const int threads = data_->settings.threads;
    data_->settings = settings;
    data_->settings.threads = threads;
    if (settings.threads != threads)
        set_threads(settings.threads);
    check_settings(*data_);
    for (BodyId body : bodies())
    {
        wake(body);
        if (const int32_t m = data_->collections.merged(index_of(body)); m != none)
            data_->collections.bodies[m].ease = ease_of(*data_, index_of(body));
    }
}

void World::set_threads(int threads)
{
    data_->settings.threads = threads;
    data_->tasks = std::make_unique<Tasks>(threads);
}

// ---- state ----

uint64_t World::state_hash() const
{
    Hash hash;
    for (BodyId body : bodies())
    {
        const Pose p = center_pose(*data_, body);
        const Vec3 v = linear_velocity(body), w = angular_velocity(body);
        for (double x : {p.position.x, p.position.y, p.position.z})
            hash.add(x);
        for (float x : {p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w, v.x, v.y, v.z, w.x, w.y, w.z})
            hash.add(x);
    }
    return hash.value();
}

double World::kinetic_energy() const
{
    double sum = 0;
    for (BodyId body : bodies())
    {
        if (!is_dynamic(*data_, body))
            continue;
        const Vec3 v = linear_velocity(body), w = angular_velocity(body);
        sum += 0.5 * double(mass(body)) * double(dot(v, v)) + 0.5 * double(dot(w, inertia(body) * w));
    }
    return sum;
}

double World::potential_energy() const
{
    double sum = 0;
    for (BodyId body : bodies())
        if (is_dynamic(*data_, body))
            sum -= double(mass(body)) * double(data_->bodies.infos[body.index].gravity_scale) *
                   dot(DVec3(data_->settings.gravity), center_of_mass(body));
    return sum;
}

const std::string& World::last_error() const { return data_->last_error; }

} // namespace moraine
