// The world: create bodies and joints, step, read back. See README for twenty lines that use it.
#pragma once

#include <moraine/defs.h>
#include <moraine/events.h>
#include <moraine/graph.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace moraine
{

struct WorldData;

struct QueryFilter
{
    uint32_t mask = 0xffffffffu; // bodies whose category has a bit of it
    BodyId except{};
    bool triggers = false;
    bool statics = true;
};

struct RayHit
{
    BodyId body{};
    int shape = 0; // index among the body's shapes
    DVec3 point{};
    Vec3 normal{};      // unit, away from the body
    float fraction = 0; // along the cast
};

struct PointHit
{
    BodyId body{};
    DVec3 point{};      // on the body's surface
    float distance = 0; // negative inside
};

// A contact point as it was solved in the last step.
struct ContactInfo
{
    BodyId body_a{};
    BodyId body_b{};
    DVec3 point{};
    Vec3 normal{};        // from A to B
    float separation = 0; // negative: overlap
    float impulse = 0;    // along the normal, N s
};

class World
{
public:
    explicit World(const WorldDef& def = {});
    ~World();
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    // ---- bodies: bad definitions and stale handles give an error or a harmless value, never a crash ----
    Result<BodyId> try_create_body(const BodyDef& def);
    BodyId create_body(const BodyDef& def); // as above; an invalid definition gives the empty id, see last_error
    void destroy_body(BodyId body);         // and the joints on it
    bool is_valid(BodyId body) const;
    BodyId ground() const; // a static body without shapes, for joints to the world
    BodyId find_body(std::string_view name) const;
    std::vector<BodyId> bodies() const; // all but the ground, in index order
    int body_count() const;

    BodyType type(BodyId body) const;
    Pose pose(BodyId body) const; // of the body's frame
    DVec3 center_of_mass(BodyId body) const;
    Vec3 linear_velocity(BodyId body) const; // of the centre of mass
    Vec3 angular_velocity(BodyId body) const;
    float mass(BodyId body) const;
    Mat3 inertia(BodyId body) const; // about the centre of mass, in world axes
    bool is_awake(BodyId body) const;
    bool is_merged(BodyId body) const;      // moves as one with others, or with what carries it
    uint32_t collection(BodyId body) const; // the same number: the same collection; 0: a free body
    std::vector<ShapeDef> shapes(BodyId body) const;
    std::string_view name(BodyId body) const;
    uint64_t user_data(BodyId body) const;
    Filter filter(BodyId body) const;

    // ---- merging by hand: see docs/merging.md ----
    // Glues two bodies, touching or not, or a body to what carries it, until `unmerge` or until the force between them is
    // more than `break_impulse` (N s in one step). 0: no glue, their contact holds them as long as it can. Once more: a
    // new break impulse.
    Status try_merge(BodyId a, BodyId b, float break_impulse = infinity);
    bool merge(BodyId a, BodyId b, float break_impulse = infinity); // as above; false: see last_error
    void unmerge(BodyId body);                                      // from all: gives it a motion of its own
    bool unmerge(BodyId a, BodyId b); // from each other; others may still hold them together
    bool is_glued(BodyId a, BodyId b) const;
    float glue_impulse(BodyId a, BodyId b) const; // that the glue had to hold in the last step
    bool can_merge(BodyId body) const;
    void set_can_merge(BodyId body, bool can_merge); // off: it leaves its collection at once
    BodyMergeDef merge_def(BodyId body) const;       // what the body has its own way
    void set_merge_def(BodyId body, const BodyMergeDef& def);

    void set_pose(BodyId body, const Pose& pose);
    void set_linear_velocity(BodyId body, Vec3 velocity);
    void set_angular_velocity(BodyId body, Vec3 velocity);
    void set_mass(BodyId body, float mass);
    void set_filter(BodyId body, const Filter& filter);
    void set_passive(BodyId body, bool is_passive);
    void set_magnet(BodyId body, bool is_on);
    void set_user_data(BodyId body, uint64_t user_data);
    void set_gravity_scale(BodyId body, float scale);
    void set_damping(BodyId body, float linear, float angular);
    void wake(BodyId body);
    // How the body answers hits, from the next step on. A definition without a model takes the answer away.
    Status set_response(BodyId body, const ResponseDef& def);
    ResponseDef response(BodyId body) const;

    // Forces act during the next step only; impulses at once. Points are in the world.
    void apply_force(BodyId body, Vec3 force);
    void apply_force(BodyId body, Vec3 force, DVec3 point);
    void apply_torque(BodyId body, Vec3 torque);
    void apply_impulse(BodyId body, Vec3 impulse);
    void apply_impulse(BodyId body, Vec3 impulse, DVec3 point);
    void apply_angular_impulse(BodyId body, Vec3 impulse);

    // Kinematic bodies: be at `pose` after the next step, or follow a script from now on.
    void move_to(BodyId body, const Pose& pose);
    void set_motion(BodyId body, const Motion& motion);

    // ---- joints ----
    Result<JointId> try_create_joint(const JointDef& def);
    JointId create_joint(const JointDef& def);
    void destroy_joint(JointId joint);
    bool is_valid(JointId joint) const;
    std::vector<JointId> joints() const;
    int joint_count() const;
    JointDef joint_def(JointId joint) const;
    float joint_impulse(JointId joint) const;                  // length of last step's linear impulse, N s
    float joint_error(JointId joint) const;                    // metres between what should coincide
    void set_joint_kind(JointId joint, const JointKind& kind); // new limits, motor, spring: same alternative
    void set_drag_target(JointId joint, DVec3 target);
    // A joint whose frames coincide now, at this place in the world.
    JointDef joint_at(BodyId a, BodyId b, const Pose& frame, const JointKind& kind) const;

    // ---- time ----
    StepReport step(float dt);
    double time() const;
    uint64_t step_count() const;
    const Events& events() const; // of the last step; valid until the next one
    Vec3 gravity() const;
    void set_gravity(Vec3 gravity);
    const WorldDef& settings() const;
    void set_settings(const WorldDef& settings); // from the next step on; wakes everything
    void set_threads(int threads);

    // ---- the contact graph: events, rules, timers, and who is connected to whom ----
    void set_event_mask(BodyId body, uint16_t events); // see EventMask
    uint16_t event_mask(BodyId body) const;
    // Called at the end of every step that has events. It may change the world, but not step it.
    void set_event_callback(std::function<void(World&, const Events&)> callback);
    void set_rule_groups(BodyId body, uint64_t groups);
    uint64_t rule_groups(BodyId body) const;
    Result<RuleId> try_create_rule(const RuleDef& def);
    RuleId create_rule(const RuleDef& def);
    void destroy_rule(RuleId rule);
    bool is_valid(RuleId rule) const;
    std::vector<RuleId> rules() const;
    RuleDef rule_def(RuleId rule) const;
    Result<TimerId> try_create_timer(const TimerDef& def);
    TimerId create_timer(const TimerDef& def);
    void destroy_timer(TimerId timer);
    bool is_valid(TimerId timer) const;
    std::vector<TimerId> timers() const;
    TimerDef timer_def(TimerId timer) const;
    // Who touches it or is jointed to it, or, where asked for, is only near; in index order.
    std::vector<BodyId> neighbours(BodyId body, bool with_near = false) const;
    // Bodies that push each other, through touches and joints. Static and kinematic bodies do not connect what touches
    // them and are in no group; a body that touches nobody is a group by itself.
    std::vector<std::vector<BodyId>> contact_groups() const;
    // The shortest way from one to the other through touches and joints, both ends included; empty: there is none.
    // It does not lead through static or kinematic bodies.
    std::vector<BodyId> path(BodyId from, BodyId to) const;
    GraphView graph() const;
    int edge_count() const;

    // ---- contacts: of sleeping bodies too ----
    std::vector<ContactInfo> contacts() const;
    std::vector<ContactInfo> contacts(BodyId body) const;

    // ---- queries ----
    std::optional<RayHit> ray_cast(DVec3 origin, Vec3 translation, const QueryFilter& filter = {}) const;
    std::vector<RayHit> ray_cast_all(DVec3 origin, Vec3 translation, const QueryFilter& filter = {}) const;
    std::optional<RayHit> shape_cast(const Geometry& convex, const Pose& pose, Vec3 translation,
                                     const QueryFilter& filter = {}) const;
    std::vector<BodyId> overlap(const Geometry& convex, const Pose& pose, const QueryFilter& filter = {}) const;
    std::optional<PointHit> closest_point(DVec3 point, float max_distance, const QueryFilter& filter = {}) const;

    // ---- state ----
    uint64_t state_hash() const;
    std::vector<uint8_t> snapshot() const;
    Status restore(std::span<const uint8_t> snapshot); // on error the world is unchanged
    Status save_snapshot(const std::string& path) const;
    Status load_snapshot(const std::string& path);
    double kinetic_energy() const;
    double potential_energy() const; // gravity only, against the origin
    const std::string& last_error() const;

    WorldData& data();
    const WorldData& data() const;

private:
    std::unique_ptr<WorldData> data_;
    std::function<void(World&, const Events&)> event_callback_;
    bool is_in_callback_ = false;
};

} // namespace moraine
