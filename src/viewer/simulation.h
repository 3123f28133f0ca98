// The running scene behind a page: takes steps in time with the clock, does what pages ask, shows them the result.
#pragma once

#include "scene/description.h"
#include "viewer/broadcast.h"
#include "viewer/command.h"
#include "viewer/history.h"

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace moraine::viewer
{

// Takes the steps of a scene whose world only follows.
class Stepper
{
public:
    virtual ~Stepper() = default;
    virtual Result<StepReport> step(Scene& scene) = 0; // one on, and the scene's world with it
    virtual uint64_t state_hash() const = 0;           // of the run, after that step
};

// Which scene, with what. The page may change all of it.
struct SceneChoice
{
    std::string name{}; // built-in, or a file
    SceneParameters parameters{};
    std::function<void(SceneDescription&)> adjust{}; // what the command line overrides
    std::string color{};                             // what pages colour bodies by at first; the page knows the words
    std::function<Result<std::unique_ptr<Stepper>>(Scene&)> make_stepper{}; // empty: the world steps by itself
};

// Is told of every step that is taken or taken back.
class Witness
{
public:
    virtual ~Witness() = default;
    virtual void before_step(const Scene& scene, const SceneChoice& choice) = 0;
    // The hash is the world's where it is not told.
    virtual void after_step(const Scene& scene, const StepReport& report, std::optional<uint64_t> state_hash) = 0;
    virtual void after_step_back(const Scene& scene) = 0;
    virtual void before_reload() = 0;     // this run is over, another begins
    virtual std::string name() const = 0; // where it is kept, for pages
};

std::string describe_error(const std::string& message);

// A line of text for one page, or for all (client 0).
using SendText = std::function<void(uint32_t client, std::string text)>;

class Simulation
{
public:
    Simulation(Broadcast& broadcast, CommandQueue& commands, SendText send);

    Status load(const SceneChoice& choice);
    void set_speed(double speed) { speed_ = speed; }
    void set_playing(bool is_playing) { is_playing_ = is_playing; }
    void set_witness(Witness& witness) { witness_ = &witness; }

    // One turn: commands, the steps that are due, a frame. Waits where there is nothing to do. `is_watched`: without a
    // page time stands still.
    void turn(bool is_watched);
    // What a page is told when it comes: the scene, what can be set, what there is.
    std::string hello() const;
    const Scene& scene() const { return *scene_; }
    bool take_is_reloaded() { return std::exchange(is_reloaded_, false); } // another scene, or the same again

private:
    using Clock = std::chrono::steady_clock;

    void obey(const Command& command);
    void act(const Command& command); // changes the world; can be repeated
    void begin_drag(const Command& command);
    void end_drag(uint32_t client);
    void shoot(const Command& command);
    void change_setting(const Command& command);
    void change_wanted(const Command& command);
    bool is_refused(const Command& command);
    void take_steps(double seconds);
    void step_once();
    void step_back();
    void tell_inspected();
    void publish();
    void load_asked(const Command& command);
    void reload(const SceneChoice& choice, uint32_t client);
    BodyId body_at(uint32_t index) const;
    std::string describe(BodyId body) const;

    Broadcast& broadcast_;
    CommandQueue& commands_;
    SendText send_;
    SceneChoice choice_;
    std::optional<Scene> scene_;
    std::unique_ptr<Stepper> stepper_;
    Witness* witness_ = nullptr; // may be none
    History history_;

    bool is_playing_ = true;
    double speed_ = 1;
    double debt_ = 0; // simulated seconds that are due
    bool is_changed_ = true, is_reloaded_ = false;
    StepReport report_{};
    std::vector<float> stats_;
    std::vector<FrameEvent> events_, step_events_;
    std::map<uint32_t, JointId> drags_;        // by client
    std::map<uint32_t, Wanted> wanted_;        // by client
    std::map<uint32_t, uint32_t> inspected_;   // body by client
    std::map<std::string, double> settings_{}; // that pages have changed
    Clock::time_point last_turn_{}, last_publish_{}, last_inspect_{};
    double step_rate_ = 0;
    uint64_t steps_counted_ = 0;
    Clock::time_point rate_start_{};
};

} // namespace moraine::viewer
