// A scene as data: what the JSON format, the importers and the built-in catalogue produce, and what worlds, peers and
// viewers are built from.
#pragma once

#include "scene/distribute_def.h"

#include <moraine/defs.h>
#include <moraine/world.h>

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace moraine
{

// Nodes of a response model that are held: those in this box, in the body's frame.
struct FixedBox
{
    Vec3 lower{-1e6f, -1e6f, -1e6f}, upper{1e6f, 1e6f, 1e6f};
};

// How a body answers hits: by a model from a file, or by one that is made from its shapes when the scene is built and then
// kept on disk.
struct SceneResponse
{
    std::string file{}; // written by `moraine modes`
    ElasticMaterial material{};
    std::vector<FixedBox> fixed{};
    float cell_size = 0; // metres; 0: by `unknowns`
    int unknowns = 4000;
    int modes = 20;
    std::optional<Attenuation> attenuation{};
    float blend = 0;             // 0: vibration by modes; 1: travelling waves
    bool geodesics = true;       // waves follow the surface; else they go straight
    bool mean_amplitude = false; // one amplitude for the whole upper side, as of ground that goes on for ever
};

struct SceneBody
{
    BodyDef def{};
    std::optional<SceneResponse> response{};
    Motion motion{};    // kinematic bodies
    uint32_t color = 0; // 0xRRGGBB; 0: chosen by the viewer
    int part = -1;      // that it belongs to, for distributed runs; -1: none
};

struct SceneJoint
{
    JointDef def{};  // its body handles are not used
    int body_a = -1; // index into SceneDescription::bodies; -1: the world
    int body_b = -1;
};

// ---- scripted events: at `time` do something ----
struct ImpulseAction
{
    int body = -1;
    Vec3 impulse{};
    Vec3 point{}; // in the body's frame
};
struct VelocityAction
{
    int body = -1;
    Vec3 linear{}, angular{};
};
struct SpawnAction
{
    SceneBody body{};
};
struct DestroyAction
{
    int body = -1;
};
struct MagnetAction
{
    int body = -1;
    bool is_on = true;
};
struct MotionAction
{
    int body = -1;
    Motion motion{};
};
struct JointAction // new motor, limits, spring
{
    int joint = -1;
    JointKind kind{};
};
struct GravityAction
{
    Vec3 gravity{};
};
// Every `interval` seconds: a clone of a random one of `prototypes` (the funnel's factory).
struct FactoryAction
{
    std::vector<SceneBody> prototypes{};
    float interval = 1;
    float until = infinity; // world time
    DVec3 position{};
    Vec3 spread{};
    Vec3 velocity{}; // mean
    Vec3 velocity_spread{};
    float spin_spread = 0; // of each component of the angular velocity
    Vec3 turn_spread{};    // random turn about x, y, z, radians
    uint32_t seed = 1;
};

struct MergeAction // glue: see World::merge
{
    int body_a = -1; // -1: the world
    int body_b = -1;
    float break_impulse = infinity;
};
struct UnmergeAction
{
    int body_a = -1;
    int body_b = -1; // -1: from all
};

using SceneAction = std::variant<ImpulseAction, VelocityAction, SpawnAction, DestroyAction, MagnetAction, MotionAction,
                                 JointAction, GravityAction, FactoryAction, MergeAction, UnmergeAction>;

struct SceneEvent
{
    float time = 0;
    SceneAction action{};
};

struct SceneDescription
{
    std::string name{};
    std::string description{};
    WorldDef world{};
    DistributeDef distribute{};
    float dt = 1.0f / 60.0f;
    int steps = 600; // default length of a run
    std::vector<SceneBody> bodies{};
    std::vector<SceneJoint> joints{};
    std::vector<SceneEvent> events{};
    std::vector<RuleDef> rules{}; // between groups of bodies: see BodyDef::rule_groups
    std::vector<std::string> warnings{};
};

constexpr size_t scene_body_limit = 4'000'000;

// Sizes, references, finite numbers. The message names the body, joint or event, what is wrong and what to do.
Status validate_scene(const SceneDescription& scene);

// `--param KEY=VALUE`: each scene says which keys it has; an unknown key is an error that lists them.
using SceneParameters = std::map<std::string, std::string>;

// A built-in name, a .json scene, or an importable file (.xml of the reference implementation).
Result<SceneDescription> load_scene(const std::string& name_or_path, const SceneParameters& parameters = {});

// A running scene: the world, and its scripted events played as time goes by. What is due follows from the world's
// time and the events' seeds alone, so that a world restored from a snapshot goes on as it would have.
class Scene
{
public:
    static Result<Scene> create(const SceneDescription& description);
    // Shares the description instead of copying it, and runs it with other settings than its own.
    static Result<Scene> create(std::shared_ptr<const SceneDescription> description, const WorldDef& settings);
    World& world() { return world_; }
    const World& world() const { return world_; }
    const SceneDescription& description() const { return *description_; }
    std::span<const BodyId> bodies() const { return bodies_; }  // by description index; empty id once destroyed
    std::span<const JointId> joints() const { return joints_; } // by description index
    StepReport step(); // plays the events that are due, then one step of description().dt
    StepReport step(float dt);

private:
    Scene(std::shared_ptr<const SceneDescription> description, const WorldDef& settings);
    Status build();
    void notice_restored_time(float dt);
    void play(const SceneAction& action);
    void play_factory(const FactoryAction& factory, double start, double from, double to);

    std::shared_ptr<const SceneDescription> description_;
    World world_;
    std::vector<BodyId> created_; // handles as they were given out; a restored world may bring a body back
    std::vector<BodyId> bodies_;
    std::vector<JointId> joints_;
    double played_until_ = 0;
};

} // namespace moraine
