// What bodies, joints and worlds are made from. Defaults live on the members: name only what differs.
#pragma once

#include <moraine/ids.h>
#include <moraine/math.h>
#include <moraine/response.h>
#include <moraine/shapes.h>

#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace moraine
{

constexpr float infinity = std::numeric_limits<float>::infinity();

enum class BodyType : uint8_t
{
    static_,
    kinematic,
    dynamic_
};

// Two bodies interact when each one's mask has the other's category. A shared group other than zero decides first:
// positive always, negative never.
struct Filter
{
    uint32_t category = 1;
    uint32_t mask = 0xffffffffu;
    int32_t group = 0;

    friend bool operator==(const Filter&, const Filter&) = default;
};

// Which events of a body are wanted: bits to be added. An event of two bodies is reported when one of them wants it.
struct EventMask
{
    static constexpr uint16_t touch = 1, touch_persists = 2, proximity = 4, proximity_persists = 8, trigger = 16,
                              trigger_persists = 32, hit = 64, sleep = 128;
    static constexpr uint16_t trigger_fixed = 256; // of a trigger: it reports static bodies too
    static constexpr uint16_t standard = touch | trigger | hit | sleep;
    static constexpr uint16_t all = 511;
};

// What one body has its own way, instead of the world's MergeDef; negative: as the world has it. Of two bodies that both
// have a value of their own the stricter one counts.
struct BodyMergeDef
{
    float speed = -1;
    float slip_speed = -1;
    float breathe_speed = -1;
    int steps = -1;
    float rest = -1;
    int unmerge_steps = -1;
    float unmerge_speed = -1;

    friend bool operator==(const BodyMergeDef&, const BodyMergeDef&) = default;
};

struct BodyDef
{
    BodyType type = BodyType::dynamic_;
    DVec3 position{};
    Quat rotation{};
    Vec3 linear_velocity{};
    Vec3 angular_velocity{};
    std::vector<ShapeDef> shapes{};
    float mass = 0; // kilograms; 0: from the shapes' densities. The inertia scales with it.
    std::optional<MassProperties> mass_properties{}; // in the body's frame; instead of what the shapes give
    float linear_damping = 0;
    float angular_damping = 0;
    float gravity_scale = 1;
    bool can_sleep = true;
    bool can_merge = true;
    BodyMergeDef merge{};
    bool is_awake = true;
    bool is_fast = false;    // continuous collision against moving bodies too, not only against static ones
    bool is_passive = false; // kept, but costs nothing and touches nothing until switched on
    bool is_trigger = false; // reports what is inside it, pushes nothing
    bool is_magnet = false;  // contacts hold in both directions while switched on: see World::set_magnet
    bool planar = false;     // moves in x and y and turns about z only
    Filter filter{};
    uint64_t rule_groups = 0; // bits: the groups 0 to 63 it is in, which rules speak of
    uint16_t events = EventMask::standard;
    std::string name{};
    uint64_t user_data = 0;
};

// ---- logical nodes of the contact graph ----

enum class RuleKind : uint8_t
{
    ignore,     // the two groups pass through each other
    observe,    // they are noticed and reported, but nothing is pushed and no contact points are made
    never_merge // they touch as always, but do not become one, by themselves or by hand: see docs/merging.md
};

// Between bodies of group A and bodies of group B, which may be the same. Where several kinds apply, they ignore each other before
// they observe each other.
struct RuleDef
{
    RuleKind kind = RuleKind::ignore;
    int group_a = 0; // 0 to 63
    int group_b = 0;
    uint64_t user_data = 0;
};

struct TimerDef
{
    double interval = 1; // seconds of the world's time
    double delay = -1;   // until the first tick; negative: one interval
    bool repeats = true;
    uint64_t user_data = 0;
};

// ---- scripted motion of kinematic bodies ----

// Offsets and turns about the pose the body had when the script was set: amplitude · sin(2π t / period + phase).
struct SineMotion
{
    Vec3 translation{}; // amplitude, metres
    Vec3 rotation{};    // amplitude, radians about x, y, z
    float period = 1;   // seconds
    float phase = 0;    // radians
};

struct KeyFrame
{
    float time = 0; // seconds
    Pose pose{};
};

// Straight between the key frames; before the first and after the last the body stands, unless it loops.
struct KeyFrameMotion
{
    std::vector<KeyFrame> frames{};
    bool loops = false;
};

using Motion = std::variant<std::monostate, SineMotion, KeyFrameMotion>;

// ---- joints ----

struct Limit
{
    float lower = -infinity;
    float upper = infinity;
};

// Drives a speed with at most this force (N) or torque (N m); 0 is off.
struct Motor
{
    float speed = 0;
    float max_force = 0;
};

// Pulls towards `target`. stiffness N/m or N m/rad, damping N s/m or N m s/rad; 0 stiffness is off.
struct Spring
{
    float stiffness = 0;
    float damping = 0;
    float target = 0;
};

struct BallJoint // holds the two frames' origins together
{
    float cone_limit = infinity; // largest angle between the two frames' x axes, radians
    Limit twist{};               // about x, radians
};

struct HingeJoint // turns about the frames' x axis
{
    Limit limit{};
    Motor motor{};
    Spring spring{};
};

struct SliderJoint // slides along frame A's x axis
{
    Limit limit{};
    Motor motor{};
    Spring spring{};
};

struct FixedJoint
{
};

struct DistanceJoint // keeps the origins between `lower` and `upper` apart; equal: a rod; lower 0: a rope
{
    float lower = 0;
    float upper = 0;
};

struct UniversalJoint // turns about frame A's x axis and frame B's y axis
{
};

enum class AxisMode : uint8_t
{
    locked,
    limited,
    free
};

struct Axis
{
    AxisMode mode = AxisMode::locked;
    Limit limit{};
    Motor motor{};
    Spring spring{};
};

struct SixDofJoint
{
    Axis linear[3]{};  // along frame A's axes
    Axis angular[3]{}; // about frame A's axes
};

// Between the two origins. rest_length 0 is a zero-length spring that acts in all three directions.
struct SpringJoint
{
    float stiffness = 100;
    float damping = 10;
    float rest_length = 0;
};

// Pulls a point of body B to a point in the world that the user moves: see World::set_drag_target.
struct DragJoint
{
    float frequency = 5; // hertz
    float damping_ratio = 1;
    float max_force = infinity;
};

using JointKind = std::variant<BallJoint, HingeJoint, SliderJoint, FixedJoint, DistanceJoint, UniversalJoint,
                               SixDofJoint, SpringJoint, DragJoint>;

struct JointDef
{
    BodyId body_a{}; // none: the world
    BodyId body_b{};
    Transform frame_a{}; // in body A's frame; in the world, from `origin` on, where body A is none
    Transform frame_b{};
    DVec3 origin{}; // only for a side that is the world: far from zero a frame's float position is too coarse
    JointKind kind = BallJoint{};
    bool collides = false;          // do the two bodies touch each other?
    float break_impulse = infinity; // N s in one step
    std::string name{};
};

// ---- the world ----

enum class SolverKind : uint8_t
{
    substep, // sub-stepped soft constraints with relaxation
    pgs,     // projected Gauss-Seidel with warm start
    direct   // pivoting, for small systems and for checking the others
};

enum class FrictionModel : uint8_t
{
    pyramid, // each tangent is bounded by the current normal impulse
    box,     // each tangent is bounded by last step's normal impulse
    cone
};

// When bodies merge and part. Speeds are of the fastest point, as the two bodies see each other; what can be felt as a
// load is given as a share of gravity, so that scenes of any size and step behave alike.
struct MergeDef
{
    float speed = 0.01f;         // m/s: two bodies slower than this against each other may merge
    float slip_speed = 0.005f;   // m/s: of any contact point along the surface
    float breathe_speed = 2e-3f; // m/s: of any contact point along the normal, while overlap is worked off
    int steps = 6;               // for so many steps in a row
    float rest = 0.005f;         // share of gravity: a member that would accelerate by more than this does not rest
    int unmerge_steps = 6;       // a contact that acts as a pivot is cut after so many steps
    float unmerge_speed = 0.06f; // m/s: a blow frees those around it that it moves by more than this
    int leans = 30;              // visits of the probe in one step to a body that what is below it cannot hold

    // Each can be switched off for experiments.
    bool checks_motion = true;
    bool checks_slip = true;
    bool checks_breathing = true;
    bool cuts_broken = true;
    bool cuts_sliding = true;
    bool cuts_pivots = true;
    bool in_order = true; // probe out from the disturbance

    // Each can be switched on.
    bool checks_trend = false;  // two bodies merge only while their speed against each other does not grow
    bool checks_cycles = false; // with too few contact points to be stable they merge only in a complete subgraph

    friend bool operator==(const MergeDef&, const MergeDef&) = default;
};

// What a step that is taken back does to events (contact graphs, section 4).
enum class EventPolicy : uint8_t
{
    completed_frames, // only what is different from the end of the last step: a touch that came and went is not told
    queue             // everything with the time when it was noticed; what was taken back is taken out
};

// ---- distant collision response: see docs/response.md ----

// How a contact that is shaken is told so.
enum class ResponseInjection : uint8_t
{
    velocity, // the solve is asked for a speed at which it parts
    impulse   // an impulse by its effective mass, before the solve
};

// What an impulse does to a mode within the first sample of its vibration.
enum class ResponseForcing : uint8_t
{
    exact,    // all of it at the start of the step
    james_pai // a force over one sample, as the paper has it
};

// How fast a vibration makes a contact part.
enum class ResponseKick : uint8_t
{
    displacement, // the largest displacement within the step, divided by the step, as the paper has it
    thrown        // as fast as the surface throws what lies on it, while its slowest mode swings out and back
};

struct ResponseSettings
{
    bool is_on = true;        // for bodies that have a model; without such bodies it changes nothing
    float threshold = 0.1f;   // N s: smaller impacts are not felt elsewhere
    float wake_speed = 0.01f; // m/s: slower kicks leave who sleeps or is merged alone
    ResponseInjection injection = ResponseInjection::velocity;
    ResponseForcing forcing = ResponseForcing::exact;
    ResponseKick kick = ResponseKick::displacement;
    bool is_continuous = false; // vibrations go on in later steps; else every step starts from rest
    bool energy_bound = true;   // kicks do no more work than the impact has lost
    bool tangential = true;     // kicks along the surface too
};

// How one body answers hits. Without a model it does not.
struct ResponseDef
{
    std::shared_ptr<const ResponseModel> model{};
    std::shared_ptr<const Geodesics> geodesics{}; // none: distances are straight, as on flat ground
    std::optional<Attenuation> attenuation{};     // instead of the model's
    float blend = 0;                              // 0: vibration by modes; 1: travelling waves; between: both
};

struct WorldDef
{
    Vec3 gravity{0, -9.81f, 0};
    int threads = 1; // 0: one for each core. The result does not depend on it.

    SolverKind solver = SolverKind::substep;
    int substeps = 4;                                      // substep
    int iterations = 10;                                   // pgs
    FrictionModel friction_model = FrictionModel::pyramid; // pgs; substep always uses the cone
    float erp = 0.2f;                                      // pgs, direct: share of the penetration removed in a step
    float cfm = 0;                                         // pgs, direct: compliance, 1/kg
    bool post_stabilization = false; // pgs, direct: move positions apart after the solve instead of feeding back
    float contact_hertz = 50;        // substep: stiffness of contacts
    float contact_damping_ratio = 2; // substep
    float push_speed = 3;            // largest speed at which overlap is removed, m/s
    float slop = 0.005f;             // pgs, direct: overlap that is left alone so that stacks come to rest, m
    float restitution_threshold = 1; // slower impacts do not bounce, m/s

    bool sleeping = true;
    float sleep_speed = 0.05f; // m/s of the fastest point of a body
    float sleep_delay = 0.5f;  // seconds below that speed
    float sleep_energy = 0;    // joules; more than 0: quiet is who has less kinetic energy, whatever its speed
    bool continuous = true;    // fast bodies do not tunnel
    bool merging = false;      // bodies that move together become one: see docs/merging.md
    MergeDef merge{};
    ResponseSettings response{};
    bool gyroscopic = true;

    // ---- the contact graph ----
    float hit_speed = 1;         // hits that come in slower are not reported, m/s
    bool coherence = true;       // no narrow phase where nothing moved, points that follow where little did
    bool proximity_only = false; // who is near and who overlaps is told; no contact points, nothing is pushed
    EventPolicy event_policy = EventPolicy::completed_frames;

    // Time warp: a contact group that ends a step deeper than this, or that jumped past something, is taken back and
    // stepped again in `warp_steps` small steps, while the rest keeps its step.
    bool time_warp = false;
    float warp_depth = 0.02f; // metres
    int warp_steps = 16;

    // The speed-ups of "Contact Graphs in Multibody Dynamics Simulation", section 7, by their names there.
    bool contact_groups = true; // direct: a problem for each group, not one for all
    bool caching = true;        // the solve starts from the last step's contact forces
    bool tweaking = false;      // pgs, direct: few iterations
    bool reduction = false;     // of a pair that is deep in each other only the contacts around the deepest are kept
    bool zeroing = false;       // nothing bounces off a body that is about to sleep
    bool damping = false;       // all motion is damped a little
    bool subgrouping = false;   // direct: groups end at bodies that are about to sleep
    bool fixation = false;      // with subgrouping: bodies about to sleep stand like fixed ones
};

} // namespace moraine
