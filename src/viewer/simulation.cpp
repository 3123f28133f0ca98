#include "viewer/simulation.h"

#include "scene/catalogue.h"
#include "viewer/scene_colors.h"
#include "viewer/settings.h"
#include "world/world_data.h"

#include <algorithm>

namespace moraine::viewer
{

namespace
{

constexpr double frame_seconds = 1.0 / 60;
constexpr double busy_seconds = 0.014; // steps are taken for no longer than this before pages are shown something
constexpr double inspect_seconds = 0.1;
constexpr size_t events_limit = 2000; // between two frames

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool changes_world(CommandKind kind)
{
    switch (kind)
    {
    case CommandKind::drag:
    case CommandKind::drag_move:
    case CommandKind::drag_end:
    case CommandKind::shoot:
    case CommandKind::poke:
    case CommandKind::magnet:
    case CommandKind::leave: return true;
    default: return false;
    }
}

} // namespace

Simulation::Simulation(Broadcast& broadcast, CommandQueue& commands, SendText send)
    : broadcast_(broadcast),
      commands_(commands),
      send_(std::move(send))
{}

Status Simulation::load(const SceneChoice& choice)
{
    auto description = load_scene(choice.name, choice.parameters);
    if (!description)
        return description.error();
    if (choice.adjust)
        choice.adjust(*description);
    for (const auto& [name, value] : settings_)
        set_setting(name, value, *description);
    auto scene = Scene::create(*description);
    if (!scene)
        return scene.error();
    std::unique_ptr<Stepper> stepper;
    if (choice.make_stepper)
    {
        auto made = choice.make_stepper(*scene);
        if (!made)
            return made.error();
        stepper = std::move(*made);
    }
    if (witness_ && scene_)
        witness_->before_reload();
    choice_ = choice;
    scene_ = std::move(*scene);
    stepper_ = std::move(stepper);
    history_.clear();
    drags_.clear();
    inspected_.clear();
    events_.clear();
    stats_.clear();
    debt_ = 0;
    is_reloaded_ = true;
    broadcast_.begin(scene_->world(), scene_colors(*scene_));
    publish();
    return Ok{};
}

void Simulation::reload(const SceneChoice& choice, uint32_t client)
{
    const Status loaded = load(choice);
    if (!loaded)
        send_(client, describe_error(loaded.error().message));
    else
        send_(0, hello());
}

// Built-in scenes only: a page has no business with files.
void Simulation::load_asked(const Command& command)
{
    if (command.text != choice_.name && find_catalogue_entry(command.text) == nullptr)
        return send_(command.client, describe_error("no built-in scene is called " + command.text.substr(0, 40)));
    settings_.clear();
    SceneChoice choice = choice_;
    choice.name = command.text;
    choice.parameters = command.parameters;
    reload(choice, command.client);
}

BodyId Simulation::body_at(uint32_t index) const
{
    const Bodies& bodies = scene_->world().data().bodies;
    const bool is_alive = index != uint32_t(ground_body) && bodies.ids.is_alive(index);
    return is_alive ? bodies.id(int32_t(index)) : BodyId{};
}

void Simulation::turn(bool is_watched)
{
    const bool was_running = is_playing_ && is_watched;
    const double until_frame = frame_seconds - seconds_since(last_publish_);
    const bool is_fast = was_running && speed_ <= 0;
    for (const Command& command : commands_.take(is_fast ? 0 : was_running ? std::max(until_frame, 0.0) : 0.1))
        obey(command);
    const bool is_running = is_playing_ && is_watched; // who has just been told to pause takes no further step
    const double passed = std::min(seconds_since(last_turn_), 0.1);
    last_turn_ = Clock::now();
    if (is_running)
        take_steps(passed);
    if (is_changed_ && (seconds_since(last_publish_) >= 0.95 * frame_seconds || !is_running))
        publish();
    if (!inspected_.empty() && seconds_since(last_inspect_) >= inspect_seconds)
        tell_inspected();
}

void Simulation::take_steps(double seconds)
{
    const double dt = double(scene_->description().dt);
    const auto start = Clock::now();
    debt_ += seconds * speed_;
    while ((speed_ <= 0 || debt_ >= dt) && seconds_since(start) < busy_seconds)
    {
        step_once();
        debt_ -= dt;
        if (speed_ <= 0 && seconds_since(last_publish_) >= frame_seconds)
            break;
    }
    // A scene that is too much for this machine runs slower than asked; it does not try to catch up.
    debt_ = std::clamp(debt_, 0.0, 2 * dt);
    if (seconds_since(rate_start_) >= 0.5)
    {
        step_rate_ = double(steps_counted_) / seconds_since(rate_start_);
        steps_counted_ = 0;
        rate_start_ = Clock::now();
    }
}

void Simulation::step_once()
{
    if (witness_)
        witness_->before_step(*scene_, choice_);
    if (stepper_)
    {
        auto report = stepper_->step(*scene_);
        if (!report)
        {
            is_playing_ = false;
            return send_(0, describe_error(report.error().message));
        }
        report_ = *report;
    }
    else
    {
        history_.before_step(scene_->world(), drags_);
        report_ = scene_->step();
    }
    broadcast_.after_step(scene_->world());
    if (witness_)
        witness_->after_step(*scene_, report_, stepper_ ? std::optional(stepper_->state_hash()) : std::nullopt);
    ++steps_counted_;
    is_changed_ = true;
    gather_events(scene_->world(), step_events_);
    const size_t room = events_limit - std::min(events_limit, events_.size());
    events_.insert(events_.end(), step_events_.begin(),
                   step_events_.begin() + ptrdiff_t(std::min(room, step_events_.size())));
}

void Simulation::step_back()
{
    World& world = scene_->world();
    if (world.step_count() == 0)
        return;
    const auto again = [&](const Command& command) { act(command); };
    if (!history_.go_back(world, world.step_count() - 1, drags_, again, [&] { report_ = scene_->step(); }))
        send_(0, describe_error("that is as far back as it goes"));
    else if (witness_)
        witness_->after_step_back(*scene_);
    events_.clear();
    is_changed_ = true;
}

void Simulation::publish()
{
    if (report_.bodies_dynamic > 0 || scene_->world().step_count() > 0)
        gather_stats(scene_->world(), report_, stats_);
    Wanted wanted;
    for (const auto& [client, its] : wanted_)
    {
        wanted.overlays |= its.overlays;
        wanted.channels |= its.channels;
    }
    broadcast_.set_wanted(wanted);
    broadcast_.publish(scene_->world(), {is_playing_, float(speed_), float(is_playing_ ? step_rate_ : 0)}, stats_,
                       events_);
    events_.clear();
    is_changed_ = false;
    last_publish_ = Clock::now();
}

// ---- what pages ask for ----

void Simulation::obey(const Command& command)
{
    is_changed_ = true;
    if (stepper_ && is_refused(command))
        return;
    if (changes_world(command.kind) && !stepper_)
    {
        history_.note(scene_->world(), command);
        act(command);
    }
    switch (command.kind)
    {
    case CommandKind::play: is_playing_ = true; break;
    case CommandKind::pause: is_playing_ = false; break;
    case CommandKind::step:
        is_playing_ = false;
        step_once();
        break;
    case CommandKind::back:
        is_playing_ = false;
        step_back();
        break;
    case CommandKind::speed: speed_ = std::clamp(command.value, 0.0, 100.0); break;
    case CommandKind::reset: reload(choice_, command.client); break;
    case CommandKind::load: load_asked(command); break;
    case CommandKind::setting: change_setting(command); break;
    case CommandKind::want: change_wanted(command); break;
    case CommandKind::inspect: inspected_[command.client] = command.body; break;
    case CommandKind::leave:
        wanted_.erase(command.client);
        inspected_.erase(command.client);
        break;
    default: break;
    }
}

// What cannot be done to a world that only follows. It is said once where a hand would do it again and again.
bool Simulation::is_refused(const Command& command)
{
    switch (command.kind)
    {
    case CommandKind::drag:
    case CommandKind::shoot:
    case CommandKind::poke:
    case CommandKind::magnet:
        send_(command.client, describe_error("bodies cannot be touched while workers take the steps"));
        return true;
    case CommandKind::back:
        is_playing_ = false;
        send_(command.client, describe_error("workers cannot step back; ⟲ starts again"));
        return true;
    default: return false;
    }
}

void Simulation::act(const Command& command)
{
    World& world = scene_->world();
    switch (command.kind)
    {
    case CommandKind::drag: begin_drag(command); break;
    case CommandKind::drag_move:
        if (const auto drag = drags_.find(command.client); drag != drags_.end())
            world.set_drag_target(drag->second, command.b);
        break;
    case CommandKind::drag_end:
    case CommandKind::leave: end_drag(command.client); break;
    case CommandKind::shoot: shoot(command); break;
    case CommandKind::poke: world.apply_impulse(body_at(command.body), Vec3(command.b), command.a); break;
    case CommandKind::magnet: world.set_magnet(body_at(command.body), command.flag); break;
    default: break;
    }
}

void Simulation::begin_drag(const Command& command)
{
    World& world = scene_->world();
    end_drag(command.client);
    const BodyId body = body_at(command.body);
    if (!world.is_valid(body) || world.type(body) != BodyType::dynamic_)
        return;
    JointDef def;
    def.body_b = body;
    def.frame_b.position = Vec3(command.a);
    def.origin = apply(world.pose(body), def.frame_b.position);
    // Strong enough for a body with some weight on it, too weak to tear everything apart.
    def.kind = DragJoint{.frequency = 4, .damping_ratio = 1, .max_force = 200 * world.mass(body)};
    def.collides = true;
    const JointId joint = world.create_joint(def);
    if (!world.is_valid(joint))
        return;
    world.set_drag_target(joint, command.b);
    world.wake(body);
    drags_[command.client] = joint;
}

void Simulation::end_drag(uint32_t client)
{
    const auto drag = drags_.find(client);
    if (drag == drags_.end())
        return;
    scene_->world().destroy_joint(drag->second);
    drags_.erase(drag);
}

void Simulation::shoot(const Command& command)
{
    BodyDef ball;
    ball.position = command.a;
    ball.linear_velocity = Vec3(command.b);
    ball.shapes = {{.geometry = Sphere{std::clamp(float(command.value), 0.02f, 10.0f)}, .density = 4000}};
    ball.is_fast = true;
    ball.name = "ball";
    scene_->world().create_body(ball);
}

void Simulation::change_wanted(const Command& command)
{
    Wanted wanted{.overlays = uint32_t(std::clamp(command.value, 0.0, 255.0))};
    const auto channels = broadcast_.channels();
    const auto found = std::find_if(channels.begin(), channels.end(),
                                    [&](const Channel& channel) { return channel.name == command.text; });
    if (found != channels.end())
        wanted.channels = 1u << (found - channels.begin());
    else if (!command.text.empty())
        send_(command.client, describe_error("bodies have no " + command.text.substr(0, 40)));
    constexpr uint32_t of_workers = overlay_contacts | overlay_bounds | overlay_joints;
    if (stepper_ && (wanted.overlays & ~of_workers) != 0)
        send_(command.client,
              describe_error("workers tell their contacts, not their contact graph: contacts, bounds and "
                             "joints can be shown"));
    wanted_[command.client] = wanted;
}

void Simulation::change_setting(const Command& command)
{
    SceneDescription changed;
    changed.dt = scene_->description().dt;
    changed.world = scene_->world().settings();
    changed.distribute = scene_->description().distribute;
    if (!set_setting(command.text, command.value, changed))
        return send_(command.client, describe_error("no setting is called " + command.text.substr(0, 40)));
    const std::vector<Setting> all = settings_of(changed);
    const auto setting = std::find_if(all.begin(), all.end(), [&](const Setting& s) { return s.name == command.text; });
    settings_[command.text] = setting->value;
    if (setting->restarts || stepper_)
        return reload(choice_, command.client);
    scene_->world().set_settings(changed.world);
    history_.clear(); // the way back would be gone with other settings
}

} // namespace moraine::viewer
